"""Shards of one unit size, mapped into memory when they are first touched."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from mintdim.formats import names

if TYPE_CHECKING:
    from pathlib import Path

    from mintdim.formats.shards import IntArray, TokenArray

# A mapping costs address space and an entry in the kernel's table, not memory.
_OPEN_MAPPINGS = 4096


class MappedShards:
    """The rows of the shards of one unit size; ``shard(k)`` is [samples, unit_size]."""

    def __init__(self, root: Path, unit_size: int, dtype: np.dtype[Any]) -> None:
        self._root, self.unit_size, self._dtype = root, unit_size, dtype
        self.shard = lru_cache(maxsize=_OPEN_MAPPINGS)(self._map)

    def rows(self, shards: IntArray, rows: IntArray) -> TokenArray:
        """Return rows by shard and row number [n] as [n, unit_size].

        Neighbouring rows of one shard are a view of the file; all others are copied.
        """
        if len(shards) and (shards == shards[0]).all():
            first, stop = int(rows[0]), int(rows[-1]) + 1
            if stop - first == len(rows) and (np.diff(rows) == 1).all():
                return self.shard(int(shards[0]))[first:stop]
            return self.shard(int(shards[0]))[rows]
        found: TokenArray = np.empty((len(rows), self.unit_size), dtype=self._dtype)
        for i, (shard, row) in enumerate(zip(shards.tolist(), rows.tolist(), strict=True)):
            found[i] = self.shard(shard)[row]
        return found

    def _map(self, number: int) -> TokenArray:
        path = self._root / names.shard_path(self.unit_size, number)
        flat: TokenArray = np.memmap(path, dtype=self._dtype, mode="r").view(np.ndarray)
        return flat.reshape(-1, self.unit_size)
