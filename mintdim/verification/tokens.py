"""``sample_index.bin`` and the tokens of samples that it points at."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from mintdim.formats import names
from mintdim.formats.sample_index import BINARY_ROW

if TYPE_CHECKING:
    from mintdim.formats.shards import TokenArray
    from mintdim.verification.documents import Documents


def mapped_index(documents: Documents) -> Any:
    """Return the rows of ``sample_index.bin`` [samples], mapped: they take no memory."""
    path = documents.root / names.SAMPLE_INDEX_BINARY
    if not path.stat().st_size:  # nothing cannot be mapped
        return np.empty(0, dtype=BINARY_ROW)
    return np.memmap(path, dtype=BINARY_ROW, mode="r").view(np.ndarray)


class TokenRows:
    """The tokens of samples by number; one shard per unit is mapped at a time.

    ``index``: ``sample_index.bin`` [samples].
    """

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
