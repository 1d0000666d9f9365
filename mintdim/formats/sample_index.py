"""``sample_index.jsonl`` and ``sample_index.bin``: one row per sample, in order of sample_id."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from mintdim.formats import json_text

if TYPE_CHECKING:
    from collections.abc import Iterable
    from mmap import mmap

BINARY_ROW = np.dtype(
    [("token_count", "<u4"), ("unit_size", "<u4"), ("shard", "<u4"), ("row", "<u4")]
)


def rows_text(
    first_id: int,
    hashes: Iterable[str],
    token_counts: Iterable[int],
    units: Iterable[int],
    source_file: str,
    source_lines: Iterable[int],
    shards: Iterable[int],
) -> str:
    """Return the JSON rows of consecutive samples of one source file.

    The columns run in parallel; one format string writes a row at once, because this is the
    only text that is written for every sample.
    """
    row = (
        '{"sample_id": %d, "hash": "%s", "token_count": %d, "unit_size": %d, "source_file": '
        + json_text.text(source_file).replace("%", "%%")
        + ', "source_line": %d, "shard_path": "unit_%d/shard_%06d.bin"}\n'
    )
    columns = zip(hashes, token_counts, units, source_lines, shards, strict=True)
    return "".join(
        [
            row % (sample_id, digest, count, unit, line, unit, shard)
            for sample_id, (digest, count, unit, line, shard) in enumerate(columns, first_id)
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
