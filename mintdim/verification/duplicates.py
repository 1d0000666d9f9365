"""``duplicate_index.jsonl`` against the hashes of all samples."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import numpy as np

from mintdim.formats import names
from mintdim.shared.messages import phrase
from mintdim.verification.findings import Finding
from mintdim.verification.rows import json_rows
from mintdim.verification.token_indexes import differing_totals

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mintdim.verification.documents import Documents
    from mintdim.verification.rows import SampleRows

    Group = dict[str, Any]


def check_duplicates(documents: Documents, rows: SampleRows) -> Iterator[Finding]:
    """Check that the file holds the groups that the hashes form, and that they are counted.

    Memory: 16 bytes per sample, and one group.
    """
    groups = members = 0
    found = json_rows(documents.root / names.DUPLICATE_INDEX)
    for line, (group, row) in enumerate(zip_longest(_groups(rows), found), 1):
        if group is None or row is None or row[1] != group:
            yield Finding(names.DUPLICATE_INDEX, phrase("duplicates_differ"), line=line)
            return
        groups, members = line, members + group["count"]
    yield from differing_totals(
        documents, {"duplicate_groups": groups, "duplicate_samples": members}
    )


def _groups(rows: SampleRows) -> Iterator[Group]:
    """Yield the groups in order of their first member, members in order of sample_id."""
    order = np.argsort(rows.prefixes, kind="stable")
    in_order = rows.prefixes[order]
    starts = np.flatnonzero(np.append(True, in_order[1:] != in_order[:-1]))[: len(order)]
    counts = np.diff(np.append(starts, len(order)))
    starts, counts = starts[counts > 1], counts[counts > 1]
    for k in np.argsort(order[starts]).tolist():
        yield from _equal(rows, order[starts[k] : starts[k] + counts[k]].tolist())


def _equal(rows: SampleRows, samples: list[int]) -> Iterator[Group]:
    """Yield the groups among samples whose hashes begin alike: one, but for a rare accident."""
    groups: dict[str, list[Any]] = {}
    for sample in samples:
        row = rows[sample]
        member = {key: row[key] for key in ("sample_id", "source_file", "source_line")}
        groups.setdefault(row["hash"], []).append(member)
    for digest, members in groups.items():
        if len(members) > 1:
            yield {"hash": digest, "count": len(members), "samples": members}
