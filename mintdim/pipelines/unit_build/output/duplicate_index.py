"""Duplicate index: samples with the same hash, grouped in order of first appearance.

Nothing here grows with the number of samples: rows (hash, sample, line) are sorted on the disk,
equal hashes then stand together; their members are sorted on the disk once more by the first
sample of their group. Cost on the disk: 48 bytes per sample, and 56 per duplicate.
"""

from __future__ import annotations

from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class _Group:
    """The group that a block ends in: members announced so far; whether one was written."""

    first_id: int
    count: int
    begun: bool


class _Members(NamedTuple):
    """Rows of the second sort, by column: a rank of 0 announces ``values`` members.

    Any other rank is a sample id + 1, and the value its line.
    """

    firsts: IntArray
    ranks: IntArray
    values: IntArray
    digests: Rows


class DuplicateIndexWriter:
    """Collects hashes batch by batch; ``finish`` writes ``duplicate_index.jsonl``."""

    def __init__(self, output: OutputDirectory) -> None:
        self._output = output
        self._samples = ExternalSorter(output.work / "hashes", SAMPLE_ROW_BYTES)
        self._members = ExternalSorter(output.work / "duplicates", _MEMBER_ROW)
        # Per file: its path as given, its first sample, and the text around a member's numbers.
        self._files: list[str] = []
        self._first_ids: list[int] = []
        self._texts_around: list[tuple[str, str, str]] = []
        self.groups = 0
        self.samples = 0

    def add(self, batch: Batch) -> None:
        """Take over the hashes of a batch."""
        if self._files[-1:] != [batch.source_file]:
            self._files.append(batch.source_file)
            self._first_ids.append(batch.first_id)
            self._texts_around.append(_texts_around(batch.source_file))
        ids = batch.first_id + np.arange(len(batch), dtype=np.int64)
        rows = np.empty((len(batch), SAMPLE_ROW_BYTES), dtype=np.uint8)
        rows[:, :_HASH] = batch.encoded.hashes
        _set_numbers(rows, _HASH, ids, batch.lines)
        self._samples.add(rows)

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
            rows = np.concatenate([held, block]) if len(held) else block
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
        chosen = np.flatnonzero(as_before | as_after)
        members, of_members = rows.take(chosen, axis=0), firsts[chosen]
        # Counts first: this is nearly the order of the second sort.
        self._members.add(_count_rows(members, of_members))
        self._members.add(_member_rows(members, of_members))
        return _Last(rows[-1:, :_HASH].copy(), int(firsts[-1]))

    def _texts(self) -> Iterator[str]:
        """Yield the text of the file in pieces of bounded size."""
        last = _Group(first_id=-1, count=0, begun=False)
        for block in self._members.sorted_blocks():
            for start in range(0, len(block), _TEXT_ROWS):
                rows = _members(block[start : start + _TEXT_ROWS])
                heads, group = _heads(rows, last)
                yield self._text_of(rows, heads)
                last = group
        yield TAIL if self.groups else ""

    def _text_of(self, rows: _Members, heads: dict[int, str]) -> str:
        """Return the text of members; ``heads`` by the place of the first one of a group."""
        chosen = np.flatnonzero(rows.ranks)
        before = [SEPARATOR] * len(chosen)
        for place, head in heads.items():
            before[place] = TAIL + head if self.groups else head
            self.groups += 1
        self.samples += len(chosen)
        sample_ids, lines = rows.ranks[chosen] - 1, rows.values[chosen]
        files = np.searchsorted(self._first_ids, sample_ids, side="right") - 1
        around = map(self._texts_around.__getitem__, files.tolist())
        columns = zip(before, around, sample_ids.tolist(), lines.tolist(), strict=True)
        return "".join(
            [f"{head}{a}{sample_id}{b}{line}{c}" for head, (a, b, c), sample_id, line in columns]
        )


def _members(block: Rows) -> _Members:
    firsts, ranks, values = _numbers(block[:, :24]).T
    return _Members(firsts, ranks, values, block[:, 24:])


def _heads(rows: _Members, last: _Group) -> tuple[dict[int, str], _Group]:
    """Return the heads of the groups that begin in ``rows``, and the group that they end in.

    ``last`` is the group that the rows before ended in. Keys are places among the members.
    """
    groups, group_of = np.unique(rows.firsts, return_inverse=True)
    counts = np.bincount(group_of, np.where(rows.ranks == 0, rows.values, 0)).astype(np.int64)
    goes_on = groups[0] == last.first_id
    counts[0] += last.count if goes_on else 0
    chosen = np.flatnonzero(rows.ranks)
    of_member = group_of[chosen]
    begins = np.flatnonzero(np.diff(of_member, prepend=0 if goes_on and last.begun else -1))
    heads = {
        place: head_text(rows.digests[chosen[place]].tobytes().hex(), int(counts[group]))
        for place, group in zip(begins.tolist(), of_member[begins].tolist(), strict=True)
    }
    return heads, _Group(int(groups[-1]), int(counts[-1]), begun=bool(rows.ranks[-1]))


def _texts_around(source_file: str) -> tuple[str, str, str]:
    """Return the text of a member of a group before, between and behind sample id and line.

    They are the first and the last digit of the text of sample 0, line 0; making that text for
    every member would take most of the time of a search that finds many.
    """
    text = member_text(0, source_file, 0)
    first, last = text.index("0"), text.rindex("0")
    return text[:first], text[first + 1 : last], text[last + 1 :]


def _set_numbers(rows: Rows, first: int, *columns: IntArray) -> None:
    """Write columns of non-negative integers [n] into rows, from byte ``first`` on.

    As bytes they sort as numbers do.
    """
    words = rows.view(">u8")
    for place, values in enumerate(columns, first // 8):
        words[:, place] = values


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
    ids, lines = _numbers(rows[:, _HASH:]).T
    return _rows_of_members(firsts, ids + 1, lines, rows[:, :_HASH])


def _count_rows(rows: Rows, firsts: IntArray) -> Rows:
    """Return (first id, 0, members in this block, hash) of every group: they sort before it."""
    groups, which, counts = np.unique(firsts, return_index=True, return_counts=True)
    return _rows_of_members(
        groups, np.zeros_like(groups), counts, rows.take(which, axis=0)[:, :_HASH]
    )


def _rows_of_members(firsts: IntArray, ranks: IntArray, values: IntArray, digests: Rows) -> Rows:
    rows = np.empty((len(firsts), _MEMBER_ROW), dtype=np.uint8)
    _set_numbers(rows, 0, firsts, ranks, values)
    rows[:, _MEMBER_ROW - _HASH :] = digests
    return rows
