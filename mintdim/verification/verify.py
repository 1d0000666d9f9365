"""``mintdim.verify``: the checks of a dataset, quick, full, and against its source."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from mintdim.formats import names
from mintdim.formats.stream_kind import is_stream
from mintdim.shared.errors import DatasetArgumentError, NotADatasetError
from mintdim.shared.messages import phrase
from mintdim.verification.documents import read_documents
from mintdim.verification.findings import Finding, VerifyReport
from mintdim.verification.hashes import check_hashes
from mintdim.verification.quick import check_names, check_sizes, check_totals
from mintdim.verification.samples import check_samples
from mintdim.verification.source import check_source
from mintdim.verification.stream import verify_stream

if TYPE_CHECKING:
    from mintdim.shared.messages import Phrase
    from mintdim.shared.types import StrPath
    from mintdim.verification.documents import Documents


def verify(path: StrPath, *, full: bool = False, source: bool = False) -> VerifyReport:
    """Check a dataset on the disk and report all that is wrong with it.

    Quick (always): names, sizes and counts of all files, the small JSON files against each other.
    ``full``: every SHA-256; every row of the indexes against the shards; padding, ids, statistics,
    histogram, duplicates and UNK recomputed. ``source``: every sample rendered and tokenized
    again and compared with its row; source and tokenizer files are looked for at their recorded
    paths, from the working directory.

    Of a stream dataset, quick: names, sizes, every ``.bin.json`` against the index, and the index
    against itself. ``full``: every SHA-256, every id, every end of a document, and the tokens of
    every language recomputed from ``.langs.u8``. Its sources are not recorded, so ``source`` is
    refused.

    Rows and tokens are looked at only where names and sizes are right. The manifest is covered
    by no hash: what it says about the tokenizer, fields and templates only ``source`` can tell.
    Memory of ``full``: 40 bytes per sample, 16 per UNK token; a byte per document of one shard.

    Raises ``NotADatasetError`` if there is no directory, no manifest and no index of shards,
    ``DatasetArgumentError`` for ``source`` of a stream dataset.
    """
    root = Path(path)
    if is_stream(root):
        if source:
            raise DatasetArgumentError(problem=phrase("not_of_this_kind", name="source"))
        return verify_stream(root, full=full)
    if not (root / names.MANIFEST).is_file():
        raise NotADatasetError(path=str(root), problem=_lacking(root))
    checks = ("quick", *(["full"] if full else []), *(["source"] if source else []))
    documents, findings = read_documents(root)
    if documents is not None:
        findings = _checked(documents, full=full, source=source)
    return _report(root, documents, checks, findings)


def _lacking(root: Path) -> Phrase:
    if not root.is_dir():
        return phrase("no_directory")
    return phrase("no_manifest" if (root / names.SHARDS_INDEX).is_file() else "no_index")


def _checked(documents: Documents, *, full: bool, source: bool) -> list[Finding]:
    strange, sizes = check_names(documents), check_sizes(documents)
    findings = [*strange, *sizes, *check_totals(documents)]
    if full:
        findings += check_hashes(documents)
    # Rows are looked at only in files of the right sizes under the right names.
    if sizes or any(finding.problem.code != "stray_file" for finding in strange):
        return findings
    if full:
        findings += check_samples(documents)
    if source:
        findings += check_source(documents)
    return findings


def _report(
    root: Path, documents: Documents | None, checks: tuple[str, ...], findings: list[Finding]
) -> VerifyReport:
    return VerifyReport(
        path=str(root),
        checks=checks,
        samples=documents.samples if documents else 0,
        bytes=documents.bytes if documents else 0,
        findings=tuple(findings),
    )
