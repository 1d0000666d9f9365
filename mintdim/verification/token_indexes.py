"""``unk_index.jsonl`` and ``special_index.jsonl`` against the shards and the sample rows."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise, zip_longest
from typing import TYPE_CHECKING, Any

import numpy as np

from mintdim.formats import names
from mintdim.shared.messages import phrase
from mintdim.verification.findings import Finding
from mintdim.verification.rows import json_rows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mintdim.verification.documents import Documents
    from mintdim.verification.rows import SampleRows
    from mintdim.verification.shards import Unknown
    from mintdim.verification.tokens import TokenRows

ORIGIN = ("sample_id", "hash", "source_file", "source_line")


def check_unknown(documents: Documents, rows: SampleRows, unknown: Unknown) -> Iterator[Finding]:
    """``unk_index.jsonl`` names every UNK token of the shards, and the statistics count them."""
    found = json_rows(documents.root / names.UNK_INDEX)
    samples, starts = np.unique(unknown.samples, return_index=True)
    parts = np.split(unknown.positions, starts[1:]) if len(starts) else []
    expected = zip(samples.tolist(), parts, strict=True)
    for line, (pair, row) in enumerate(zip_longest(expected, found), 1):
        if pair is None or row is None or row[1] != _unknown_row(rows, *pair):
            sample = pair[0] if pair is not None else row[1].get("sample_id")
            yield Finding(names.UNK_INDEX, phrase("unk_differs", sample=sample), line=line)
            return
    totals = {"samples_with_unk": len(samples), "unk_tokens": len(unknown.positions)}
    yield from differing_totals(documents, totals)


def check_special(documents: Documents, rows: SampleRows, tokens: TokenRows) -> Iterator[Finding]:
    """Rows of ``special_index.jsonl`` point at tokens of their samples; a text has one id.

    Whether they are all special tokens of all values, only the source can tell.
    """
    if not (documents.root / names.SPECIAL_INDEX).is_file():
        return
    counts: Counter[str] = Counter()
    ids: dict[str, int] = {}
    last = line = -1
    for line, (_, row) in enumerate(json_rows(documents.root / names.SPECIAL_INDEX), 1):
        sample, positions, texts = (row[key] for key in _SPECIAL_COLUMNS)
        if not last < sample or not _is_special_row(row, rows[sample], tokens.of(sample), ids):
            problem = phrase("unreadable", detail=f"sample_id {sample}: {positions}, {texts}")
            yield Finding(names.SPECIAL_INDEX, problem, line=line)
            return
        last = sample
        counts.update(texts)
    totals = {"samples_with_special_tokens": max(line, 0), "special_tokens": dict(counts)}
    yield from differing_totals(documents, totals)


_SPECIAL_COLUMNS = ("sample_id", "special_positions", "special_tokens")


def _is_special_row(
    row: dict[str, Any], sample: dict[str, Any], tokens: Any, ids: dict[str, int]
) -> bool:
    """Say whether a row fits its sample; ``ids`` remembers the id of every text."""
    positions, texts = row["special_positions"], row["special_tokens"]
    return (
        all(row[key] == sample[key] for key in ORIGIN)
        and row["special_count"] == len(positions) == len(texts) > 0
        and all(low < high for low, high in pairwise([-1, *positions, len(tokens)]))
        and all(
            ids.setdefault(text, int(tokens[place])) == int(tokens[place])
            for text, place in zip(texts, positions, strict=True)
        )
        and len(set(ids.values())) == len(ids)
    )


def _unknown_row(rows: SampleRows, sample: int, positions: Any) -> dict[str, Any]:
    origin = rows[sample]
    return {
        **{key: origin[key] for key in ORIGIN},
        "unk_count": len(positions),
        "unk_positions": positions.tolist(),
    }


def differing_totals(documents: Documents, expected: dict[str, Any]) -> Iterator[Finding]:
    """Yield the statistics that are not what was counted."""
    for name, value in expected.items():
        found = documents.stats.get(name)
        if found != value:
            problem = phrase("value_differs", name=name, found=found, expected=value)
            yield Finding(names.STATS, problem)
