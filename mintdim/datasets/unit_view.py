"""The samples of one unit size as rows."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from mintdim.shared.errors import DatasetArgumentError
from mintdim.shared.messages import phrase

if TYPE_CHECKING:
    from mintdim.datasets.shards import MappedShards
    from mintdim.formats.shards import IntArray, TokenArray


class UnitView:
    """The samples of one unit size, numbered from 0 in order of their ``sample_id``."""

    def __init__(self, size: int, index: Any, shards: MappedShards) -> None:
        self.size = size
        self._index, self._shards = index, shards

    def __repr__(self) -> str:
        return f"UnitView(size={self.size}, samples={len(self):,})"

    def __len__(self) -> int:
        return len(self.sample_ids)

    @cached_property
    def sample_ids(self) -> IntArray:
        """The ``sample_id`` of every sample of this unit [n], read-only."""
        found = np.flatnonzero(self._index["unit_size"] == self.size)
        found.flags.writeable = False
        return found

    @property
    def lengths(self) -> IntArray:
        """Tokens of every sample of this unit, without padding [n]."""
        lengths: IntArray = self._index["token_count"][self.sample_ids].astype(np.int64)
        return lengths

    def rows(self, indices: Any) -> TokenArray:
        """Return padded rows [k, size] in the storage type.

        ``indices`` is a slice, an array [k] of numbers within this unit, or one number. Neighbours
        in one shard are a read-only view of the file, all else is copied.
        """
        return self.rows_of(np.atleast_1d(self.sample_ids[indices]))

    def rows_of(self, sample_ids: IntArray) -> TokenArray:
        """Return padded rows [k, size] by ``sample_id`` [k].

        Raises ``DatasetArgumentError`` for samples of another unit.
        """
        return self.rows_and_lengths(sample_ids)[0]

    def rows_and_lengths(self, sample_ids: IntArray) -> tuple[TokenArray, IntArray]:
        """Return padded rows [k, size] and their tokens without padding [k] by ``sample_id``.

        Raises ``DatasetArgumentError`` for samples of another unit.
        """
        places = self._index[sample_ids]
        foreign = np.flatnonzero(places["unit_size"] != self.size)
        if len(foreign):
            sample, found = int(sample_ids[foreign[0]]), int(places["unit_size"][foreign[0]])
            name = f"unit_size of sample {sample}"
            problem = phrase("value_differs", name=name, found=found, expected=self.size)
            raise DatasetArgumentError(problem=problem)
        rows = self._shards.rows(self.size, places["shard"], places["row"].astype(np.int64))
        return rows, places["token_count"].astype(np.int64)
