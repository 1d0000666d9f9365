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
from mintdim.verification.quick import check_names, check_sizes, check_totals
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

    Rows and tokens are looked at only where names and sizes are right. The manifest is covered
    by no hash: what it says about the tokenizer, fields and templates only ``source`` can tell.
    Memory of ``full``: 40 bytes per sample, 16 per UNK token.

    Raises ``NotADatasetError`` if there is no directory or no manifest at all.
    """
    root = Path(path)
    if not (root / names.MANIFEST).is_file():
        code = "no_manifest" if root.is_dir() else "no_directory"
        raise NotADatasetError(path=str(root), problem=phrase(code))
    checks = ("quick", *(["full"] if full else []), *(["source"] if source else []))
    documents, findings = read_documents(root)
    if documents is not None:
        findings = _checked(documents, full=full, source=source)
    return _report(root, documents, checks, findings)


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
