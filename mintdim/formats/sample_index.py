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

BINARY_ROW = np.dtype(
    [("token_count", "<u4"), ("unit_size", "<u4"), ("shard", "<u4"), ("row", "<u4")]
)


def rows_text(
    first_id: int,
    hashes: Sequence[str],
    token_counts: Sequence[int],
    units: Sequence[int],
    source_file: str,
    source_lines: Sequence[int],
    shards: Sequence[int],
) -> str:
    """Return the JSON rows of consecutive samples of one source file.

    The columns run in parallel; one format string writes a row at once, because this is the
    only text that is written for every sample.
    """
    row = '{"sample_id": %d, "hash": "%s", "token_count": %d, %s%d, "shard_path": "%s"}\n'
    file = json_text.text(source_file)
    middles = {
        unit: f'"unit_size": {unit}, "source_file": {file}, "source_line": ' for unit in set(units)
    }
    paths = {place: shard_path(*place) for place in set(zip(units, shards, strict=True))}
    columns = zip(
        count(first_id),
        hashes,
        token_counts,
        map(middles.__getitem__, units),
        source_lines,
        map(paths.__getitem__, zip(units, shards, strict=True)),
        strict=False,
    )
    return "".join(map(row.__mod__, columns))


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
