"""Every sample of a dataset: indexes against shards, totals and groups recomputed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mintdim.formats import names
from mintdim.verification.duplicates import check_duplicates
from mintdim.verification.rows import UNREADABLE, scan_rows, unreadable
from mintdim.verification.shards import (
    check_placement,
    check_slots,
    in_order,
    samples_by_shard,
)
from mintdim.verification.token_indexes import check_special, check_unknown
from mintdim.verification.tokens import TokenRows, mapped_index

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mintdim.verification.documents import Documents
    from mintdim.verification.findings import Finding
    from mintdim.verification.shards import Unknown


def check_samples(documents: Documents) -> list[Finding]:
    """Return what the rows of indexes and shards tell; stops at the first problem of a kind.

    What says the same twice is compared first; what follows from it is recomputed only if that
    holds. Memory: 40 bytes per sample, 16 per UNK token, and the group with the most duplicates.
    """
    index = mapped_index(documents)
    members = samples_by_shard(index)
    unknown: list[Unknown] = []
    findings = [
        *_readable(names.SAMPLE_INDEX_BINARY, check_placement(documents, index, members)),
        *_readable(names.SHARDS_INDEX, check_slots(documents, index, members, unknown)),
    ]
    del members
    rows, problems = scan_rows(documents, index)
    findings += problems
    if rows is None or findings:
        return findings
    return [
        *_readable(names.UNK_INDEX, check_unknown(documents, rows, in_order(unknown))),
        *_readable(
            names.SPECIAL_INDEX, check_special(documents, rows, TokenRows(documents, index))
        ),
        *_readable(names.DUPLICATE_INDEX, check_duplicates(documents, rows)),
    ]


def _readable(file: str, check: Iterator[Finding]) -> Iterator[Finding]:
    """Yield the findings of a check; rows that cannot even be read are a finding too."""
    try:
        yield from check
    except UNREADABLE as error:
        yield unreadable(file, error)
