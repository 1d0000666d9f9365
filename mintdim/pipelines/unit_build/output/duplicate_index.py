"""Duplicate index: samples with the same hash, grouped in order of first appearance.

Nothing here grows with the number of samples: rows (hash, sample, line) are sorted on the disk,
equal hashes then stand together; their members are sorted on the disk once more by the first
sample of their group. Cost on the disk: 48 bytes per sample, and 56 per duplicate.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from mintdim.formats import names
from mintdim.formats.duplicate_index import SEPARATOR, TAIL, head_text, member_text
from mintdim.spill.external_sort import ExternalSorter, Rows

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    from mintdim.formats.shards import IntArray
    from mintdim.pipelines.unit_build.contracts import Batch
    from mintdim.pipelines.unit_build.output.dir import OutputDirectory

_HASH = 32
SAMPLE_ROW_BYTES = _HASH + 8 + 8  # hash, sample id, line
_MEMBER_ROW = 8 + 8 + 8 + _HASH  # first id of the group, rank, line or count, hash
_TEXT_ROWS = 4096


class _Last(NamedTuple):
    """The row before a block: its hash, and the first sample of its group."""

    digest: Rows
    first_id: int


class DuplicateIndexWriter:
    """Collects hashes batch by batch; ``finish`` writes ``duplicate_index.jsonl``."""

    def __init__(self, output: OutputDirectory) -> None:
        self._output = output
        self._samples = ExternalSorter(output.work / "hashes", SAMPLE_ROW_BYTES)
        self._members = ExternalSorter(output.work / "duplicates", _MEMBER_ROW)
        # Per file: its path as given, its first sample, and the text of a member as a pattern.
        self._files: list[str] = []
        self._first_ids: list[int] = []
        self._patterns: list[str] = []
        self.groups = 0
        self.samples = 0

    def add(self, batch: Batch) -> None:
        """Take over the hashes of a batch."""
        if self._files[-1:] != [batch.source_file]:
            self._files.append(batch.source_file)
            self._first_ids.append(batch.first_id)
            self._patterns.append(_member_pattern(batch.source_file))
        ids = batch.first_id + np.arange(len(batch), dtype=np.int64)
        columns = (batch.encoded.hashes, _big_endian(ids), _big_endian(batch.lines))
        self._samples.add(np.concatenate(columns, axis=1))

    def finish(self) -> None:
        """Find the groups, write the file and give it its final name."""
        self._collect_members()
        file = self._output.new_file(names.DUPLICATE_INDEX)
        for text in self._texts():
            file.append(text.encode())
        self._output.finish(file, names.DUPLICATE_INDEX)

    def _collect_members(self) -> None:
        """Hand every row whose hash stands more than once to the second sort."""
        last: _Last | None = None
        held = np.empty((0, SAMPLE_ROW_BYTES), dtype=np.uint8)
        for block in self._samples.sorted_blocks():
            rows = np.concatenate([held, block])
            # The last row waits until its successor is known.
            rows, held = rows[:-1], rows[-1:]
            last = self._collect(rows, held, last)
        self._collect(held, held[:0], last)

    def _collect(self, rows: Rows, following: Rows, last: _Last | None) -> _Last | None:
        if not len(rows):
            return last
        as_before = _same_as_before(rows, last)
        as_after = np.append(as_before[1:], _same_hash(rows[-1:], following[:1]))
        firsts = _first_of_group(rows, as_before, last)
        chosen = as_before | as_after
        self._members.add(_member_rows(rows[chosen], firsts[chosen]))
        self._members.add(_count_rows(rows[chosen], firsts[chosen]))
        return _Last(rows[-1:, :_HASH].copy(), int(firsts[-1]))

    def _texts(self) -> Iterator[str]:
        """Yield the text of the file in pieces of bounded size."""
        current, count, open_group, pieces = -1, 0, False, []
        for block in self._members.sorted_blocks():
            digests = block[:, 24:]
            for i, (first, rank, value) in enumerate(_numbers(block[:, :24]).tolist()):
                if first != current:
                    pieces += [TAIL] if open_group else []
                    current, count, open_group = first, 0, False
                    self.groups += 1
                if rank == 0:
                    count += value
                    continue
                pieces.append(
                    SEPARATOR if open_group else head_text(digests[i].tobytes().hex(), count)
                )
                pieces.append(self._member_text(rank - 1, value))
                open_group = True
                self.samples += 1
                if len(pieces) > _TEXT_ROWS:
                    yield "".join(pieces)
                    pieces = []
        yield "".join([*pieces, TAIL] if open_group else pieces)

    def _member_text(self, sample_id: int, line: int) -> str:
        place = bisect_right(self._first_ids, sample_id) - 1
        return self._patterns[place] % (sample_id, line)


def _member_pattern(source_file: str) -> str:
    """Return the text of a member of a group with ``%d`` for sample and line.

    They are the first and the last digit of the text of sample 0, line 0; making that text for
    every member would take most of the time of a search that finds many.
    """
    text = member_text(0, source_file, 0).replace("%", "%%")
    first, last = text.index("0"), text.rindex("0")
    return f"{text[:first]}%d{text[first + 1 : last]}%d{text[last + 1 :]}"


def _big_endian(values: IntArray) -> Rows:
    """Return non-negative integers [n] as bytes [n, 8] that sort as the numbers do."""
    return values.astype(">u8").view(np.uint8).reshape(-1, 8)


def _numbers(columns: Rows) -> IntArray:
    """Return big-endian columns [n, 8 * k] as integers [n, k]."""
    return np.ascontiguousarray(columns).view(">u8").astype(np.int64)


def _same_hash(first: Rows, second: Rows) -> npt.NDArray[np.bool_]:
    """Compare the hashes of rows one by one; no row equals a row that is not there."""
    if len(first) != len(second):
        return np.zeros(len(first), dtype=bool)
    same: npt.NDArray[np.bool_] = (first[:, :_HASH] == second[:, :_HASH]).all(axis=1)
    return same


def _same_as_before(rows: Rows, last: _Last | None) -> npt.NDArray[np.bool_]:
    before = rows[:0] if last is None else last.digest
    return np.concatenate([_same_hash(rows[:1], before), _same_hash(rows[1:], rows[:-1])])


def _first_of_group(rows: Rows, as_before: npt.NDArray[np.bool_], last: _Last | None) -> IntArray:
    """Return for every row the smallest sample id of its group [n]."""
    ids = _numbers(rows[:, _HASH : _HASH + 8])[:, 0]
    begins = np.maximum.accumulate(np.where(as_before, -1, np.arange(len(rows))))
    carried = -1 if last is None else last.first_id
    return np.where(begins < 0, carried, ids[begins])


def _member_rows(rows: Rows, firsts: IntArray) -> Rows:
    """Return (first id, sample id + 1, line, hash) of every member."""
    ids = _numbers(rows[:, _HASH : _HASH + 8])[:, 0]
    columns = (_big_endian(firsts), _big_endian(ids + 1), rows[:, _HASH + 8 :], rows[:, :_HASH])
    return np.concatenate(columns, axis=1)


def _count_rows(rows: Rows, firsts: IntArray) -> Rows:
    """Return (first id, 0, members in this block, hash) of every group: they sort before it."""
    groups, which, counts = np.unique(firsts, return_index=True, return_counts=True)
    columns = (
        _big_endian(groups),
        _big_endian(np.zeros(len(groups), dtype=np.int64)),
        _big_endian(counts),
        rows[which, :_HASH],
    )
    return np.concatenate(columns, axis=1)
