"""External sort: rows of fixed width in ascending byte order, whatever their number.

Rows are sorted in runs of bounded size, each written to a file; the runs are then merged block
by block. Memory stays below a few runs and one block per run; no file handle stays open.
"""

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

Rows = npt.NDArray[np.uint8]

_RUN_BYTES = 16 * 1024 * 1024
_MERGE_BYTES = 8 * 1024 * 1024


class ExternalSorter:
    """Collects rows [n, width] of bytes; ``sorted_blocks`` gives them back in order.

    ``stem`` is the path of its run files, without their numbers.
    """

    def __init__(self, stem: Path, width: int, run_bytes: int = _RUN_BYTES) -> None:
        self._stem, self._width = stem, width
        self._run_rows = max(1, run_bytes // width)
        self._merge_bytes = min(run_bytes, _MERGE_BYTES)
        self._pending: list[Rows] = []
        self._pending_rows = 0
        self._runs: list[tuple[Path, int]] = []

    def add(self, rows: Rows) -> None:
        """Take over more rows [k, width]."""
        self._pending.append(rows)
        self._pending_rows += len(rows)
        if self._pending_rows >= self._run_rows:
            self._spill()

    def sorted_blocks(self) -> Iterator[Rows]:
        """Yield all rows in ascending order, in blocks of bounded size; call it once."""
        if not self._runs:
            yield sort_rows(self._take_pending())
            return
        if self._pending_rows:
            self._spill()
        share = max(1, self._merge_bytes // (self._width * len(self._runs)))
        yield from _merge([_Run(path, rows, self._width, share) for path, rows in self._runs])

    def _take_pending(self) -> Rows:
        empty = np.empty((0, self._width), dtype=np.uint8)
        rows = np.concatenate([empty, *self._pending])
        self._pending, self._pending_rows = [], 0
        return rows

    def _spill(self) -> None:
        rows = sort_rows(self._take_pending())
        path = self._stem.with_name(f"{self._stem.name}.{len(self._runs)}")
        HashedFile(path).append(rows.data)
        self._runs.append((path, len(rows)))


class _Run:
    """A sorted file of rows, read block by block."""

    def __init__(self, path: Path, rows: int, width: int, block_rows: int) -> None:
        self._path, self._width, self._block_rows = path, width, block_rows
        self._left, self._next = rows, 0
        self.block: Rows = np.empty((0, width), dtype=np.uint8)
        self.refill()

    @property
    def exhausted(self) -> bool:
        """Whether no row is left, in the block or behind it."""
        return not len(self.block)

    @property
    def more(self) -> bool:
        """Whether rows are left behind the block."""
        return self._left > 0

    def refill(self) -> None:
        """Read the next block once the last one is used up."""
        count = min(self._block_rows, self._left)
        if len(self.block) or not count:
            return
        with using(self._path), open(self._path, "rb") as file:
            file.seek(self._next * self._width)
            data = file.read(count * self._width)
            if len(data) < count * self._width:
                raise OSError(errno.EIO, os.strerror(errno.EIO))
        self.block = np.frombuffer(data, dtype=np.uint8).reshape(count, self._width)
        self._next, self._left = self._next + count, self._left - count


def _merge(runs: list[_Run]) -> Iterator[Rows]:
    while runs := [run for run in runs if not run.exhausted]:
        # Rows up to the smallest of the blocks' last rows cannot be preceded by unread ones.
        unread = [_key(run.block[-1]) for run in runs if run.more]
        bound = min(unread) if unread else None
        yield sort_rows(np.concatenate([_take(run, bound) for run in runs]))
        for run in runs:
            run.refill()


def _take(run: _Run, bound: bytes | None) -> Rows:
    """Cut off and return the rows of the block that are not above ``bound``."""
    stop = len(run.block) if bound is None else _rows_up_to(run.block, bound)
    taken, run.block = run.block[:stop], run.block[stop:]
    return taken


def _rows_up_to(block: Rows, bound: bytes) -> int:
    low, high = 0, len(block)
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if _key(block[middle]) <= bound else (low, middle)
    return low


def _key(row: Rows) -> bytes:
    return row.tobytes()


def sort_rows(rows: Rows) -> Rows:
    """Return rows [n, width] in ascending byte order; ``width`` is a multiple of 8."""
    words = np.ascontiguousarray(rows).view(">u8")
    columns = words.shape[1]
    # Rows that begin alike mostly stand in order already: cheaper to see than to sort.
    for keys in (1, 2, columns):
        order = np.lexsort([words[:, key].astype(np.uint64) for key in reversed(range(keys))])
        if keys >= columns or _ascending(words, order):
            break
    return rows.take(order, axis=0)  # whole rows; an index in brackets copies byte by byte


def _ascending(words: npt.NDArray[Any], order: npt.NDArray[np.int64]) -> bool:
    """Say whether rows of ``words`` [n, k] ascend in ``order``, column by column."""
    pairs = np.arange(len(order) - 1)
    for column in words.T:
        before, after = column[order[pairs]], column[order[pairs + 1]]
        if (before > after).any():
            return False
        pairs = pairs[before == after]
    return True
