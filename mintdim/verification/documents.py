"""The small JSON files of a dataset, read with suspicion."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mintdim.formats import names
from mintdim.formats.manifest import FORMAT_VERSION
from mintdim.shared.files import sha256_of
from mintdim.shared.messages import phrase
from mintdim.verification.findings import Finding

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_DOCUMENTS = (names.MANIFEST, names.SHARDS_INDEX, names.STATS, names.HISTOGRAM)


@dataclass(frozen=True, slots=True)
class Documents:
    """The documents of a dataset that could be read, and what follows from them."""

    root: Path
    manifest: dict[str, Any]
    shards_index: dict[str, Any]
    stats: dict[str, Any]
    histogram: dict[str, Any]

    @property
    def samples(self) -> int:
        """Samples of all shards by their index."""
        return sum(entry["samples"] for entry in self.shards_index["shards"])

    @property
    def bytes(self) -> int:
        """Bytes of all listed files by their index."""
        entries = [*self.shards_index["shards"], *self.shards_index["files"]]
        return sum(entry["bytes"] for entry in entries)

    @property
    def tokenizer(self) -> dict[str, Any]:
        """The tokenizer of the dataset; a mapped one has equal entries."""
        tokenizer = self.manifest["tokenizer"]
        first: dict[str, Any] = tokenizer[0] if isinstance(tokenizer, list) else tokenizer
        return first


def read_documents(root: Path) -> tuple[Documents | None, list[Finding]]:
    """Return the documents, or None if one of them is missing, unreadable or of another form."""
    values: dict[str, Any] = {}
    findings: list[Finding] = []
    for name in _DOCUMENTS:
        try:
            values[name] = json.loads((root / name).read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            code = "unreadable" if (root / name).exists() else "is_missing"
            findings.append(Finding(name, phrase(code, detail=str(error))))
    if findings:
        return None, findings
    documents = Documents(root, *(values[name] for name in _DOCUMENTS))
    findings = _form(documents)
    return (None if findings else documents), findings


def _form(documents: Documents) -> list[Finding]:
    """Say what in the documents lacks the keys that all further checks rely on."""
    manifest = documents.manifest
    if not isinstance(manifest, dict) or manifest.get("format_version") != FORMAT_VERSION:
        found = manifest.get("format_version") if isinstance(manifest, dict) else None
        problem = phrase("other_version", found=str(found), known=FORMAT_VERSION)
        return [Finding(names.MANIFEST, problem)]
    data = (documents.root / names.SHARDS_INDEX).read_bytes()
    if sha256_of(data) != manifest.get("shards_index_sha256"):
        return [Finding(names.SHARDS_INDEX, phrase("other_hash"))]
    return [
        finding
        for name, probe in _PROBES.items()
        if (finding := _probed(name, probe, documents)) is not None
    ]


def _probed(
    name: str, probe: Callable[[Documents], object], documents: Documents
) -> Finding | None:
    try:
        probe(documents)
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        return Finding(name, phrase("unreadable", detail=f"{type(error).__name__}: {error}"))
    return None


_PROBES: dict[str, Callable[[Documents], object]] = {
    names.MANIFEST: lambda d: (
        d.manifest["token_storage"]["dtype"],
        d.manifest["units"]["sizes"],
        d.tokenizer["pad_id"],
        d.tokenizer["unk_id"],
        d.tokenizer["vocab_size"],
    ),
    names.SHARDS_INDEX: lambda d: d.bytes + d.samples,
    names.STATS: lambda d: d.stats["total_samples"],
    names.HISTOGRAM: lambda d: sum(d.histogram.values()),
}
