"""Documents whose key an earlier one has: found by a sort on the disk, whatever their number."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mintdim.formats.shards import IntArray
    from mintdim.spill.external_sort import ExternalSorter, Rows

_KEY = 16
KEY_ROW_BYTES = _KEY + 8  # hash of the key, number of the row
NUMBER_ROW_BYTES = 8


def key_rows(keys: Rows, numbers: IntArray) -> Rows:
    """Return rows [n, 24] that sort by key, then by number; ``keys`` [n, 16]."""
    return np.concatenate([keys, numbers.astype(">u8").view(np.uint8).reshape(-1, 8)], axis=1)


def duplicates(keys: ExternalSorter, numbers: ExternalSorter) -> Iterator[IntArray]:
    """Yield the numbers of all rows whose key stands in an earlier row, ascending, in blocks.

    ``keys`` holds what ``key_rows`` made; ``numbers`` is empty and takes ``NUMBER_ROW_BYTES``.
    """
    last = b""
    for block in keys.sorted_blocks():
        if not len(block):
            continue
        again = np.empty(len(block), dtype=bool)
        again[0] = block[0, :_KEY].tobytes() == last
        again[1:] = (block[1:, :_KEY] == block[:-1, :_KEY]).all(axis=1)
        numbers.add(np.ascontiguousarray(block[again, _KEY:]))
        last = block[-1, :_KEY].tobytes()
    for block in numbers.sorted_blocks():
        yield np.ascontiguousarray(block).view(">u8")[:, 0].astype(np.int64)
