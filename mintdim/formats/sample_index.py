"""``sample_index.jsonl`` and ``sample_index.bin``: one row per sample, in order of sample_id."""

from __future__ import annotations

import json
from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np

from mintdim.formats import json_text
from mintdim.formats.names import shard_path

if TYPE_CHECKING:
    from collections.abc import Sequence
    from mmap import mmap

    from mintdim.formats.shards import IntArray

BINARY_ROW = np.dtype(
    [("token_count", "<u4"), ("unit_size", "<u4"), ("shard", "<u4"), ("row", "<u4")]
)


def rows_text(
    first_id: int,
    digests: str,
    token_counts: Sequence[int],
    units: IntArray,
    source_file: str,
    source_lines: Sequence[int],
    shards: IntArray,
) -> str:
    """Return the JSON rows of consecutive samples of one source file.

    ``digests``: the SHA-256 of all texts, 64 hex digits each, one after the other; the other
    columns run in parallel. This is the only text that is written for every sample: what rows of
    one shard share is made once.
    """
    first, span = int(shards.min()), int(np.ptp(shards)) + 1
    kinds, kind_of = np.unique(units * span + (shards - first), return_inverse=True)
    of_kinds = [(kind // span, kind % span + first) for kind in kinds.tolist()]
    file = json_text.text(source_file)
    middles = [f', "unit_size": {u}, "source_file": {file}, "source_line": ' for u, _ in of_kinds]
    ends = [f', "shard_path": "{shard_path(*of_kind)}"}}\n' for of_kind in of_kinds]
    columns = zip(
        count(first_id),
        range(0, len(digests), 64),
        token_counts,
        kind_of.tolist(),
        source_lines,
        strict=False,
    )
    return "".join(
        [
            f'{{"sample_id": {sample_id}, "hash": "{digests[at : at + 64]}", '
            f'"token_count": {tokens}{middles[kind]}{line}{ends[kind]}'
            for sample_id, at, tokens, kind, line in columns
        ]
    )


def find_row(rows: mmap, sample_id: int) -> dict[str, Any]:
    """Return the row of a sample from the mapped bytes of ``sample_index.jsonl``.

    Rows stand in order of ``sample_id`` but differ in length, so the place is found by halving.
    """
    low, high = 0, len(rows)
    while low < high:
        middle = (low + high) // 2
        start = rows.rfind(b"\n", low, middle) + 1 or low
        end = rows.find(b"\n", middle) + 1 or high
        row: dict[str, Any] = json.loads(rows[start:end])
        if row["sample_id"] == sample_id:
            return row
        low, high = (end, high) if row["sample_id"] < sample_id else (low, start)
    raise KeyError(sample_id)
