"""Borders in time: per language, the newest documents are for test, the next ones for val.

All rows at the border instant belong to the later split, so that a split may be larger than asked.
The times of a language are sorted on the disk; nothing here grows with their number.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mintdim.pipelines.stream_build.splits.assign import NEVER, Starts

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mintdim.formats.shards import IntArray
    from mintdim.pipelines.stream_build.contracts import Codes
    from mintdim.spill.external_sort import Rows

TIME_ROW_BYTES = 16  # language code, then time, each as a number that sorts as wanted
_LANGUAGES = 256
# Above every time, so that what is left of it is positive and falls as times rise.
_LATEST = 2**60


def time_rows(codes: Codes, times: IntArray) -> Rows:
    """Return rows [n, 16] that sort by language, newest first."""
    columns = np.empty((len(codes), 2), dtype=">u8")
    columns[:, 0] = codes
    columns[:, 1] = _LATEST - times
    return columns.view(np.uint8)


@dataclass(slots=True)
class Borders:
    """The borders of one language: rows, newest time, first times and sizes of test and val.

    A time is None where there is no row, or no such split.
    """

    rows: int = 0
    newest: int | None = None
    test_start: int | None = None
    val_start: int | None = None
    test_rows: int = 0
    val_rows: int = 0


def find_borders(
    blocks: Iterable[Rows], languages: int, test_docs: int, val_docs: int
) -> list[Borders]:
    """Return the borders of every language from the sorted rows of all."""
    found = [Borders() for _ in range(languages)]
    for block in blocks:
        columns = np.ascontiguousarray(block).view(">u8").astype(np.int64)
        codes, times = columns[:, 0], _LATEST - columns[:, 1]
        for code in np.unique(codes).tolist():
            _count(found[code], times[codes == code], test_docs, val_docs)
    return found


def _count(borders: Borders, times: IntArray, test_docs: int, val_docs: int) -> None:
    """Take over the next ``times`` of a language, newest first."""
    if borders.newest is None:
        borders.newest = int(times[0])
    if borders.test_start is None:
        borders.test_start = _at_rank(times, test_docs, borders.rows)
    if borders.val_start is None and val_docs:
        borders.val_start = _at_rank(times, test_docs + val_docs, borders.rows)
    borders.rows += len(times)
    test = _not_before(times, borders.test_start) if test_docs else 0
    borders.test_rows += test
    borders.val_rows += _not_before(times, borders.val_start) - test if val_docs else 0


def _at_rank(times: IntArray, rank: int, before: int) -> int | None:
    """Return the time of a rank from 1, of which ``before`` came earlier, if it is here."""
    return int(times[rank - before - 1]) if before < rank <= before + len(times) else None


def _not_before(times: IntArray, start: int | None) -> int:
    """Count the times from ``start`` on; all of them before that border is met."""
    return len(times) if start is None else int((times >= start).sum())


def starts_of(borders: list[Borders]) -> Starts:
    """Return the borders by language code."""
    starts = Starts(*(np.full(_LANGUAGES, NEVER, dtype=np.int64) for _ in range(2)))
    for code, found in enumerate(borders):
        starts.test[code] = NEVER if found.test_start is None else found.test_start
        starts.val[code] = NEVER if found.val_start is None else found.val_start
    return starts
