"""Spool: rows of one type, appended to a file and read once more from its beginning."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from mintdim.shared.files import HashedFile, using

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

Array = npt.NDArray[Any]

BLOCK_ROWS = 65_536


class Spool:
    """A file of rows of ``dtype``; no handle stays open between two calls."""

    def __init__(self, path: Path, dtype: npt.DTypeLike) -> None:
        self._file, self._dtype, self._rows = HashedFile(path), np.dtype(dtype), 0

    def __len__(self) -> int:
        return self._rows

    def append(self, rows: Array) -> None:
        """Append rows [n] of the type of the spool."""
        if rows.dtype != self._dtype:
            raise TypeError(f"rows of {self._dtype} expected, got {rows.dtype}")
        if len(rows):
            self._file.append(np.ascontiguousarray(rows).view(np.uint8).data)
        self._rows += len(rows)

    def blocks(self) -> Iterator[Array]:
        """Yield all rows in order, at most ``BLOCK_ROWS`` at a time."""
        path, size = self._file.path, self._dtype.itemsize
        with using(path), open(path, "rb") as file:
            for start in range(0, self._rows, BLOCK_ROWS):
                expected = min(BLOCK_ROWS, self._rows - start) * size
                data = file.read(expected)
                if len(data) < expected:
                    raise OSError(errno.EIO, os.strerror(errno.EIO))
                yield np.frombuffer(data, dtype=self._dtype)


class Taking:
    """Takes any number of rows after the other from blocks of whatever sizes."""

    def __init__(self, blocks: Iterator[Array], empty: Array) -> None:
        self._blocks, self._left = blocks, empty

    def take(self, count: int) -> Array:
        """Return the next ``count`` rows; raises ``EOFError`` where there are fewer."""
        parts, missing = [self._left], count - len(self._left)
        while missing > 0:
            block = next(self._blocks, None)
            if block is None:
                raise EOFError(f"{missing} rows are missing")
            parts.append(block)
            missing -= len(block)
        rows = parts[0] if len(parts) == 1 else np.concatenate(parts)
        self._left = rows[count:]
        return rows[:count]
