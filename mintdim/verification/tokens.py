"""The tokens of samples by number, from shards that are mapped one at a time per unit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from mintdim.formats import names

if TYPE_CHECKING:
    from mintdim.formats.shards import TokenArray
    from mintdim.verification.documents import Documents


class TokenRows:
    """Reads what ``sample_index.bin`` ([samples]) points at."""

    def __init__(self, documents: Documents, index: Any) -> None:
        self._root, self._dtype, self._index = documents.root, documents.dtype, index
        self._open: dict[int, tuple[int, TokenArray]] = {}

    def of(self, sample: int) -> TokenArray:
        """Return the tokens of a sample without padding [token_count]."""
        count, unit, shard, row = self._index[sample].tolist()
        number, tokens = self._open.get(unit, (None, None))
        if tokens is None or number != shard:
            path = self._root / names.shard_path(unit, shard)
            tokens = np.memmap(path, dtype=self._dtype, mode="r").view(np.ndarray)
            self._open[unit] = shard, tokens
        return tokens[row * unit : row * unit + count]

    def place(self, sample: int) -> tuple[str, int]:
        """Return the shard of a sample and the byte where its record starts."""
        _, unit, shard, row = self._index[sample].tolist()
        return names.shard_path(unit, shard), int(row * unit * self._dtype.itemsize)
