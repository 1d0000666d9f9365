"""The checks of a stream dataset, quick and full."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mintdim.verification.findings import VerifyReport
from mintdim.verification.stream_content import check_content
from mintdim.verification.stream_quick import check_quick, expected_sizes, read_index

if TYPE_CHECKING:
    from pathlib import Path


def verify_stream(root: Path, *, full: bool) -> VerifyReport:
    """Return the report of the stream dataset in ``root``, which has an index."""
    index, findings = read_index(root)
    if index is not None:
        findings += check_quick(root, index)
        findings += check_content(root, index) if full else ()
    return VerifyReport(
        path=str(root),
        checks=("quick", "full") if full else ("quick",),
        samples=sum(shard.docs for shard in index.shards) if index else 0,
        bytes=sum(expected_sizes(index).values()) if index else 0,
        findings=tuple(findings),
        counted="documents",
    )
