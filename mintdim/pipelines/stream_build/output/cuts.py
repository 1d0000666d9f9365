"""Where a shard ends: before the first document that would make it too long."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mintdim.formats.shards import IntArray


def pieces(lengths: IntArray, limit: int, filled: int) -> Iterator[tuple[int, int, bool]]:
    """Yield ``(start, stop, ends)``: consecutive documents of one shard, and whether it ends there.

    ``lengths`` [n] in tokens, ``filled`` tokens of the shard that is open (0 for an empty one). A
    shard ends if it holds a document and the next one does not fit; so a document longer than
    ``limit`` is a shard of its own. What comes after the last document is not known here: the last
    piece never ends its shard.
    """
    sums = np.concatenate([[0], np.cumsum(lengths)])
    start = 0
    while start < len(lengths):
        room = limit - filled
        stop = int(np.searchsorted(sums, sums[start] + room, side="right")) - 1
        if not filled:
            stop = max(stop, start + 1)
        stop = max(stop, start)
        ends = stop < len(lengths)
        yield start, stop, ends
        start, filled = stop, 0 if ends else filled
