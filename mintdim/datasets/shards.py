"""Shards mapped into memory when they are first touched."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from mintdim.datasets.mappings import Mappings, map_file
from mintdim.formats import names

if TYPE_CHECKING:
    from pathlib import Path

    from mintdim.formats.shards import IntArray, TokenArray

_SHARDS_AT_ONCE = 128


class _Shard(NamedTuple):
    """One file twice: as rows [samples, unit_size] and as plain bytes."""

    rows: TokenArray
    data: memoryview


class MappedShards:
    """All shards of a dataset; ``shard(unit_size, k)`` is [samples, unit_size]."""

    def __init__(self, root: Path, dtype: np.dtype[Any]) -> None:
        self._dtype = dtype
        # No method of this object: a cycle would keep the files open after the dataset is gone.
        self._mapped = Mappings(partial(_map, root, dtype))

    def shard(self, unit_size: int, number: int) -> TokenArray:
        """Return the rows of one shard, read-only."""
        return self._mapped[unit_size, number].rows

    def rows(self, unit_size: int, shards: IntArray, rows: IntArray) -> TokenArray:
        """Return rows of one unit by shard and row number [n] as [n, unit_size].

        Neighbouring rows of one shard are a read-only view of the file; all others are copied.
        """
        if not len(rows):
            return np.empty((0, unit_size), dtype=self._dtype)
        first, stop = int(rows[0]), int(rows[-1]) + 1
        if stop - first == len(rows) and (shards == shards[0]).all() and _ascend(rows):
            return self.shard(unit_size, int(shards[0]))[first:stop]
        distinct = set(shards.tolist())
        if len(distinct) <= min(self._mapped.most, _SHARDS_AT_ONCE):
            return self._joined(unit_size, distinct, shards.tolist(), rows.tolist())
        return self._by_shard(unit_size, shards, rows)

    def _joined(
        self, unit_size: int, distinct: set[int], shards: list[int], rows: list[int]
    ) -> TokenArray:
        # Joining slices of bytes takes half the time of assigning one numpy row after the other.
        width = unit_size * self._dtype.itemsize
        data = {number: self._mapped[unit_size, number].data for number in distinct}
        records = [
            data[number][row * width : (row + 1) * width]
            for number, row in zip(shards, rows, strict=True)
        ]
        joined = bytearray().join(records)
        return np.frombuffer(joined, dtype=self._dtype).reshape(-1, unit_size)

    def _by_shard(self, unit_size: int, shards: IntArray, rows: IntArray) -> TokenArray:
        """Copy shard after shard, so that no more than one has to be open."""
        found: TokenArray = np.empty((len(rows), unit_size), dtype=self._dtype)
        order = np.argsort(shards, kind="stable")
        starts = np.flatnonzero(np.diff(shards[order])) + 1
        for places in np.split(order, starts):
            found[places] = self.shard(unit_size, int(shards[places[0]]))[rows[places]]
        return found


def _map(root: Path, dtype: np.dtype[Any], place: tuple[int, int]) -> _Shard:
    unit_size, number = place
    mapped = map_file(root / names.shard_path(unit_size, number))
    rows: TokenArray = np.frombuffer(mapped, dtype=dtype).reshape(-1, unit_size)
    return _Shard(rows, memoryview(mapped))


def _ascend(rows: IntArray) -> bool:
    return bool((np.diff(rows) == 1).all())
