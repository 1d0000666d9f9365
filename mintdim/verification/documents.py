"""The small JSON files of a dataset, read with suspicion."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mintdim.formats import names
from mintdim.formats.manifest import BYTE_ORDER, FORMAT_VERSION
from mintdim.formats.shards import numpy_dtype
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
    def shards(self) -> list[dict[str, Any]]:
        """Entries of all shards: name, samples, tokens, bytes, sha256."""
        shards: list[dict[str, Any]] = self.shards_index["shards"]
        return shards

    @property
    def entries(self) -> list[dict[str, Any]]:
        """Entries of all listed files: name, bytes, sha256."""
        return [*self.shards, *self.shards_index["files"]]

    @property
    def samples(self) -> int:
        """Samples of all shards by their index."""
        return sum(entry["samples"] for entry in self.shards)

    @property
    def bytes(self) -> int:
        """Bytes of all listed files by their index."""
        return sum(entry["bytes"] for entry in self.entries)

    @property
    def dtype(self) -> Any:
        """The numpy type of a slot."""
        return numpy_dtype(self.manifest["token_storage"]["dtype"])

    @property
    def tokenizer(self) -> dict[str, Any]:
        """The tokenizer of the dataset; a mapped one has equal entries."""
        tokenizer = self.manifest["tokenizer"]
        first: dict[str, Any] = tokenizer[0] if isinstance(tokenizer, list) else tokenizer
        return first

    @property
    def sizes_by_file(self) -> list[list[int]]:
        """The unit sizes of every source file, in the order of ``source.files``."""
        sizes = self.manifest["units"]["sizes"]
        mapped = isinstance(sizes[0], list)
        return sizes if mapped else [sizes] * len(self.manifest["source"]["files"])

    @property
    def unit_sizes(self) -> list[int]:
        """All unit sizes, ascending."""
        sizes = self.manifest["units"]["sizes"]
        lists = sizes if isinstance(sizes[0], list) else [sizes]
        return sorted({size for entry in lists for size in entry})


def read_documents(root: Path) -> tuple[Documents | None, list[Finding]]:
    """Return the documents, or None if one of them is missing, unreadable or of another form."""
    values: dict[str, Any] = {}
    findings: list[Finding] = []
    for name in _DOCUMENTS:
        try:
            values[name] = json.loads((root / name).read_bytes().decode("utf-8"))
        except (OSError, ValueError, RecursionError) as error:
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
    if manifest.get("pipeline") != "unit-build":
        problem = phrase("other_pipeline", found=str(manifest.get("pipeline")))
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
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        return Finding(name, phrase("unreadable", detail=f"{type(error).__name__}: {error}"))
    return None


def _probe_manifest(documents: Documents) -> None:
    manifest, tokenizer = documents.manifest, documents.tokenizer
    storage, source = manifest["token_storage"], manifest["source"]
    _require("byte_order", storage["byte_order"] == BYTE_ORDER)
    _require("bytes_per_token", storage["bytes_per_token"] == documents.dtype.itemsize)
    for name in ("pad_id", "unk_id", "largest_id"):
        _require(name, _is_count(tokenizer[name]))
    _require("vocab_size", _is_count(tokenizer["vocab_size"]))
    _require("tokenizer", all(isinstance(tokenizer[name], str) for name in ("path", "sha256")))
    _require("sizes", all(_is_count(size) for size in documents.unit_sizes))
    _require("files", all(isinstance(file, str) for file in source["files"]))
    _require("sizes", len(documents.sizes_by_file) == len(source["files"]))
    _require("samples_per_shard", bool(samples_per_shard(manifest)))


def _probe_shards_index(documents: Documents) -> None:
    for entry in documents.entries:
        _require("name", isinstance(entry["name"], str))
        _require(entry["name"], _is_count(entry["bytes"]) and isinstance(entry["sha256"], str))
    for entry in documents.shards:
        _require(entry["name"], _is_count(entry["samples"]) and _is_count(entry["tokens"]))


def _probe_stats(documents: Documents) -> None:
    for name in ("total_samples", "total_tokens"):
        _require(name, _is_count(documents.stats[name]))


def _probe_histogram(documents: Documents) -> None:
    _require("samples", all(map(_is_count, documents.histogram.values())))


_PROBES: dict[str, Callable[[Documents], object]] = {
    names.MANIFEST: _probe_manifest,
    names.SHARDS_INDEX: _probe_shards_index,
    names.STATS: _probe_stats,
    names.HISTOGRAM: _probe_histogram,
}


def samples_per_shard(manifest: dict[str, Any]) -> list[int]:
    """Return the length of full shards, one for all files or one per file."""
    declared = manifest["output"]["samples_per_shard"]
    lengths = declared if isinstance(declared, list) else [declared]
    return lengths if all(map(_is_count, lengths)) else []


def _require(name: str, holds: bool) -> None:
    if not holds:
        raise ValueError(name)


def _is_count(value: object) -> bool:
    return type(value) is int and value >= 0
