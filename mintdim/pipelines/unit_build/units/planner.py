"""Which unit a sample goes to, and where in the shards it lands: arithmetic on counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from mintdim.formats.shards import IntArray


def smallest_fitting_unit(lengths: IntArray, sizes: IntArray) -> IntArray:
    """Return for each length [n] the index of the smallest of ``sizes`` [u] that holds it.

    ``sizes`` ascend; the index ``u`` means that the sample fits nowhere. All in tokens.
    """
    return np.searchsorted(sizes, lengths, side="left")


def place_in_shards(first_shard: int, filled: int, count: int, capacity: int) -> IntArray:
    """Return shard number and row [2, count] of the next ``count`` samples of one unit.

    ``filled`` rows of shard ``first_shard`` are taken already; a shard holds ``capacity``.
    """
    capacity = min(capacity, np.iinfo(np.int64).max)
    position = filled + np.arange(count, dtype=np.int64)
    return np.stack([first_shard + position // capacity, position % capacity])
