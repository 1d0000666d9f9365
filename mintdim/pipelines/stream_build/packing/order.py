"""The order of training documents: CPython's ``random.Random(seed).shuffle`` of all of them."""

from __future__ import annotations

from array import array
from random import Random
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    from mintdim.formats.shards import IntArray
    from mintdim.spill.external_sort import ExternalSorter

PLACE_ROW_BYTES = 16  # number of a document, its position
_BLOCK_ROWS = 65_536


def shuffled(count: int, seed: int) -> npt.NDArray[np.unsignedinteger]:
    """Return the order: the document (from 0, in source order) at every position [count].

    The shuffle is Fisher-Yates from the end with the bits of one Mersenne Twister, as CPython has
    done it since 3.2; 4 bytes per document.
    """
    order = array("I" if count <= 2**32 else "Q", range(count))
    Random(seed).shuffle(order)
    return np.frombuffer(order, dtype=order.typecode)


def positions(count: int, seed: int, sorter: ExternalSorter) -> Iterator[IntArray]:
    """Yield the position of every document in source order, in blocks [k].

    The order is turned around by a sort on the disk. ``sorter`` takes rows of ``PLACE_ROW_BYTES``.
    """
    order = shuffled(count, seed)
    for start in range(0, count, _BLOCK_ROWS):
        documents = order[start : start + _BLOCK_ROWS]
        rows = np.empty((len(documents), 2), dtype=">u8")
        rows[:, 0] = documents
        rows[:, 1] = np.arange(start, start + len(documents))
        sorter.add(rows.view(np.uint8))
    del order
    for block in sorter.sorted_blocks():
        yield np.ascontiguousarray(block).view(">u8")[:, 1].astype(np.int64)
