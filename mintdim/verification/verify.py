"""``mintdim.verify``: the checks of a unit dataset, quick, full, and against its source."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from mintdim.formats import names
from mintdim.shared.errors import NotADatasetError
from mintdim.shared.messages import phrase
from mintdim.verification.documents import read_documents
from mintdim.verification.findings import Finding, VerifyReport
from mintdim.verification.hashes import check_hashes
from mintdim.verification.quick import check_quick
from mintdim.verification.samples import check_samples
from mintdim.verification.source import check_source

if TYPE_CHECKING:
    from mintdim.shared.types import StrPath
    from mintdim.verification.documents import Documents


def verify(path: StrPath, *, full: bool = False, source: bool = False) -> VerifyReport:
    """Check a dataset on the disk and report all that is wrong with it.

    Quick (always): names, sizes and counts of all files, the small JSON files against each other.
    ``full``: every SHA-256; every row of the indexes against the shards; padding, ids, statistics,
    histogram, duplicates and UNK recomputed. ``source``: every sample rendered and tokenized
    again and compared with its row; source and tokenizer files are looked for at their recorded
    paths, from the working directory.

    Raises ``NotADatasetError`` if there is no directory or no manifest at all.
    """
    root = Path(path)
    if not (root / names.MANIFEST).is_file():
        code = "no_manifest" if root.is_dir() else "no_directory"
        raise NotADatasetError(path=str(root), problem=phrase(code))
    documents, findings = read_documents(root)
    checks = ["quick"]
    if documents is not None:
        quick = check_quick(documents)
        findings += quick
        if full:
            checks.append("full")
            findings += check_hashes(documents)
        # Rows are looked at only in files of the right sizes under the right names.
        if full and not quick:
            findings += check_samples(documents)
        if source:
            checks.append("source")
            findings += [] if quick else check_source(documents)
    return _report(root, documents, tuple(checks), findings)


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
