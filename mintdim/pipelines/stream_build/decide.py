"""What becomes of every row: dropped, or a document of train, val or test.

Two passes over the rows on the disk: the first drops duplicates and collects times, the second
assigns splits by the borders that follow from them. Nothing here grows with the number of rows.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from mintdim.formats.stream_names import SPLITS
from mintdim.pipelines.stream_build.config import Fraction, PerLanguageCount
from mintdim.pipelines.stream_build.contracts import (
    BAD_TIME,
    DECISION,
    DROPPED,
    NO_TIME,
    SORT_RUN_BYTES,
    Status,
)
from mintdim.pipelines.stream_build.splits.assign import by_lot, by_time
from mintdim.pipelines.stream_build.splits.borders import (
    TIME_ROW_BYTES,
    Borders,
    find_borders,
    starts_of,
    time_rows,
)
from mintdim.pipelines.stream_build.splits.boundaries import by_count, by_hash
from mintdim.pipelines.stream_build.splits.checks import check_borders, check_filled
from mintdim.pipelines.stream_build.splits.duplicates import (
    KEY_ROW_BYTES,
    NUMBER_ROW_BYTES,
    duplicates,
    key_rows,
)
from mintdim.shared.errors import DocumentError
from mintdim.shared.messages import phrase
from mintdim.shared.paths import shown_name
from mintdim.shared.times import written
from mintdim.spill.external_sort import ExternalSorter
from mintdim.spill.spool import Spool

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from mintdim.formats.shards import IntArray
    from mintdim.pipelines.stream_build.config import StreamBuildConfig
    from mintdim.pipelines.stream_build.contracts import Codes, Rows
    from mintdim.pipelines.stream_build.rows import ScannedRows
    from mintdim.pipelines.stream_build.splits.assign import Starts

_NAMES = {
    Status.NO_LANGUAGE: "no_language",
    Status.OTHER_LANGUAGE: "other_language",
    Status.SHORT: "too_short",
    Status.DUPLICATE: "duplicate_key",
    Status.FUTURE: "future_date",
}


@dataclass(slots=True)
class Decided:
    """``spool`` of ``DECISION`` per row; ``documents`` [split, language code] counts those kept.

    ``statuses`` [status] counts all rows; ``boundaries`` is that of the index.
    """

    spool: Spool
    boundaries: dict[str, Any] = field(default_factory=dict)
    documents: IntArray = field(default_factory=lambda: np.zeros((len(SPLITS), 256), np.int64))
    statuses: IntArray = field(default_factory=lambda: np.zeros(len(Status), np.int64))
    undated: int = 0
    future: int = 0

    @property
    def dropped(self) -> dict[str, int]:
        """Rows that are no documents, by the reason."""
        return {name: int(self.statuses[status]) for status, name in _NAMES.items()}


@dataclass(slots=True)
class _Dates:
    """Rows that borders are not taken over, though their language is declared."""

    bad: int = 0
    missing: int = 0
    future: int = 0


def decide(config: StreamBuildConfig, scanned: ScannedRows, path: Callable[[str], Path]) -> Decided:
    """Decide about every row; ``path`` gives the place of an unfinished file by its name.

    Raises ``SplitError``, or ``DocumentError`` for a date that must not be there.
    """
    statuses = _statuses(scanned, path)
    borders, dates = _borders(config, scanned, statuses, path)
    starts = starts_of(borders)
    decided = Decided(Spool(path("decisions"), DECISION))
    first = 0
    for rows in _with_statuses(scanned, statuses):
        _decide(decided, config, scanned, rows, first, starts)
        first += len(rows)
    dropped = sum(decided.dropped.values())
    check_filled(decided.documents, config.splits, len(scanned.spool), dropped)
    decided.boundaries = _boundaries(config, scanned, decided, borders, dates)
    return decided


def _statuses(scanned: ScannedRows, path: Callable[[str], Path]) -> Spool:
    """Return the status of every row, duplicates marked."""
    keys = ExternalSorter(path("keys"), KEY_ROW_BYTES, SORT_RUN_BYTES)
    first = 0
    for rows in scanned.spool.blocks():
        kept = np.flatnonzero(rows["keyed"] & (rows["status"] == Status.KEPT))
        keys.add(key_rows(rows["key"][kept], kept + first))
        first += len(rows)
    numbers = ExternalSorter(path("duplicates"), NUMBER_ROW_BYTES, SORT_RUN_BYTES)
    repeated = duplicates(keys, numbers)
    spool = Spool(path("statuses"), np.uint8)
    for block in _marked(scanned.spool, repeated):
        spool.append(block)
    return spool


def _marked(spool: Spool, repeated: Iterator[IntArray]) -> Iterator[Codes]:
    first, pending = 0, np.empty(0, dtype=np.int64)
    for rows in spool.blocks():
        stop = first + len(rows)
        while not len(pending) or pending[-1] < stop:
            block = next(repeated, None)
            if block is None:
                break
            pending = np.concatenate([pending, block])
        here, pending = np.split(pending, [np.searchsorted(pending, stop)])
        statuses = rows["status"].copy()
        statuses[here - first] = Status.DUPLICATE
        yield statuses
        first = stop


def _with_statuses(scanned: ScannedRows, statuses: Spool) -> Iterator[Rows]:
    for rows, block in zip(scanned.spool.blocks(), statuses.blocks(), strict=True):
        marked = rows.copy()
        marked["status"] = block
        yield marked


def _borders(
    config: StreamBuildConfig, scanned: ScannedRows, statuses: Spool, path: Callable[[str], Path]
) -> tuple[list[Borders], _Dates]:
    """Return the borders of every language, none where documents are not split by time."""
    splits, dates = config.splits, _Dates()
    if not isinstance(splits, PerLanguageCount):
        return [], dates
    counted = [Status.KEPT, Status.SHORT, Status.DUPLICATE][: 1 if splits.borders == "kept" else 3]
    sorter = ExternalSorter(path("times"), TIME_ROW_BYTES, SORT_RUN_BYTES)
    for rows in _with_statuses(scanned, statuses):
        rows = rows[np.isin(rows["status"], counted)]
        times = rows["time"]
        dates.bad += int((times == BAD_TIME).sum())
        dates.missing += int((times == NO_TIME).sum())
        dates.future += int((times > config.as_of).sum())
        dated = (times > BAD_TIME) & (times <= config.as_of)
        sorter.add(time_rows(rows["code"][dated], times[dated]))
    languages = config.documents.languages
    sizes = splits.test_docs, splits.val_docs
    borders = find_borders(sorter.sorted_blocks(), len(languages), *sizes)
    check_borders(borders, languages, splits)
    return borders, dates


def _decide(
    decided: Decided,
    config: StreamBuildConfig,
    scanned: ScannedRows,
    rows: Rows,
    first: int,
    starts: Starts,
) -> None:
    """Decide about a block of rows whose first one is number ``first``."""
    kept = rows["status"] == Status.KEPT
    documents = rows[kept]
    future = documents["time"] > config.as_of
    splits = _assigned(config, documents, starts)
    if isinstance(config.splits, PerLanguageCount) and config.splits.future == "error":
        _check_future(config, scanned, documents[future], np.flatnonzero(kept)[future] + first)
    decisions = np.empty(len(rows), dtype=DECISION)
    decisions["split"], decisions["code"] = DROPPED, rows["code"]
    decisions["split"][kept] = splits
    decided.spool.append(decisions)
    _tally(decided, rows, documents, splits, future)


def _assigned(config: StreamBuildConfig, documents: Rows, starts: Starts) -> Codes:
    splits = config.splits
    if isinstance(splits, PerLanguageCount):
        codes, times = documents["code"], documents["time"]
        return by_time(codes, times, starts, config.as_of, splits.future)
    if isinstance(splits, Fraction):
        return by_lot(documents["lot"], splits)
    return np.zeros(len(documents), dtype=np.uint8)


def _check_future(
    config: StreamBuildConfig, scanned: ScannedRows, documents: Rows, numbers: IntArray
) -> None:
    if not len(documents):
        return
    job = config.jobs[scanned.file_of(int(numbers[0]))]
    facts = {"time": written(int(documents["time"][0])), "as_of": written(config.as_of)}
    line, problem = int(documents["line"][0]), phrase("future_date", **facts)
    raise DocumentError(file=job.source.path, line=line, problem=problem)


def _tally(decided: Decided, rows: Rows, documents: Rows, splits: Codes, future: Codes) -> None:
    dropped = splits == DROPPED
    decided.statuses += np.bincount(rows["status"], minlength=len(Status))
    decided.statuses[[Status.KEPT, Status.FUTURE]] += np.array([-1, 1]) * int(dropped.sum())
    cells = splits[~dropped].astype(np.int64) * 256 + documents["code"][~dropped]
    counts = np.bincount(cells, minlength=decided.documents.size)
    decided.documents += counts.reshape(decided.documents.shape)
    decided.undated += int((documents["time"] <= BAD_TIME).sum())
    decided.future += int(future.sum())


def _boundaries(
    config: StreamBuildConfig,
    scanned: ScannedRows,
    decided: Decided,
    borders: list[Borders],
    dates: _Dates,
) -> dict[str, Any]:
    splits, computed_at = config.splits, written(config.as_of)
    snapshot = ", ".join(shown_name(job.source.path) for job in config.jobs)
    rows: dict[str, Any] = {"rows_scanned": len(scanned.spool)}
    kept = {"documents": int(decided.documents.sum()), "dropped": decided.dropped}
    if not isinstance(splits, PerLanguageCount):
        return by_hash(splits, computed_at, snapshot, {**rows, **kept})
    counted = {
        "bad_pub_date": dates.bad,
        "missing_pub_date": dates.missing,
        "future_skipped": dates.future,
    }
    kinds = {"undated_documents": decided.undated, "future_documents": decided.future}
    policy = {"future": splits.future, "borders": splits.borders}
    named = dict(zip(config.documents.languages, borders, strict=True))
    meta = {**rows, **counted, **kept, **kinds, **policy}
    return by_count(splits, named, computed_at, snapshot, meta)
