"""Which unit a sample goes to, and where in the shards it lands: arithmetic on counts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from mintdim.pipelines.unit_build.contracts import Places
from mintdim.pipelines.unit_build.units.pieces import Share, shares_of
from mintdim.pipelines.unit_build.units.shard_writer import ShardTask, packed_part

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from mintdim.formats.shards import IntArray
    from mintdim.pipelines.unit_build.contracts import EncodedChunk


def smallest_fitting_unit(lengths: IntArray, sizes: IntArray) -> IntArray:
    """Return for each length [n] the index of the smallest of ``sizes`` [u] that holds it.

    ``sizes`` ascend; the index ``u`` means that the sample fits nowhere. All in tokens.
    """
    return np.searchsorted(sizes, lengths, side="left")


def place_in_shards(first_shard: int, filled: int, count: int, capacity: int) -> IntArray:
    """Return shard number and row [2, count] of the next ``count`` samples of one unit.

    ``filled`` rows of shard ``first_shard`` are taken already; a shard holds ``capacity``.
    """
    capacity = min(capacity, np.iinfo(np.int64).max)
    position = filled + np.arange(count, dtype=np.int64)
    return np.stack([first_shard + position // capacity, position % capacity])


class Placement(NamedTuple):
    """Where the samples of a chunk go, how many shards take a part of it, and which are complete.

    ``places`` [n] for the n samples; ``parts`` counts shards, open ones included.
    """

    places: Places
    parts: int
    complete: list[ShardTask]


@dataclass(slots=True)
class _OpenShard:
    number: int
    samples: int = 0
    parts: bytearray = field(default_factory=bytearray)


class ShardPlan:
    """Places the samples of one output directory; rows keep source order within a unit.

    ``root`` is the output directory, ``work`` the folder of pieces and unfinished files,
    ``unit_sizes`` in tokens, ``dtype`` the storage type.
    """

    def __init__(
        self,
        root: Path,
        work: Path,
        unit_sizes: Iterable[int],
        pad_id: int,
        dtype: np.dtype[np.unsignedinteger],
    ) -> None:
        self._root, self._work, self._pad_id, self._dtype = str(root), str(work), pad_id, dtype
        self._open = {size: _OpenShard(number=0) for size in unit_sizes}
        self._capacity = 0

    def count(self, unit_size: int) -> int:
        """Return the number of complete shards of one unit size."""
        return self._open[unit_size].number

    def place(self, chunk: EncodedChunk) -> Placement:
        """Give the samples of a chunk their places."""
        complete: list[ShardTask] = []
        parts = 0
        if chunk.chunk.job.samples_per_shard != self._capacity:
            complete += self.close_open()
            self._capacity = chunk.chunk.job.samples_per_shard
        places = np.empty((2, len(chunk.units)), dtype=np.int64)
        for share in shares_of(chunk.lengths, chunk.units, self._dtype.itemsize):
            shard = self._open[share.unit_size]
            places[:, chunk.units == share.unit_size] = place_in_shards(
                shard.number, shard.samples, share.samples, self._capacity
            )
            complete += self._fill(chunk.piece, share)
            last = self._open[share.unit_size]
            parts += last.number - shard.number + (last.samples > 0)
        return Placement(Places(*places), parts, complete)

    def close_open(self) -> list[ShardTask]:
        """Complete every shard that holds samples."""
        return [self._close(size) for size, shard in self._open.items() if shard.samples]

    def _fill(self, piece: int, share: Share) -> Iterator[ShardTask]:
        first = 0
        while first < share.samples:
            shard = self._open[share.unit_size]
            count = min(self._capacity - shard.samples, share.samples - first)
            shard.parts += packed_part(piece, share, first, count)
            shard.samples, first = shard.samples + count, first + count
            if shard.samples == self._capacity:
                yield self._close(share.unit_size)

    def _close(self, unit_size: int) -> ShardTask:
        shard = self._open[unit_size]
        self._open[unit_size] = _OpenShard(number=shard.number + 1)
        return ShardTask(
            root=self._root,
            work=self._work,
            unit_size=unit_size,
            number=shard.number,
            pad_id=self._pad_id,
            dtype=self._dtype.str,
            parts=bytes(shard.parts),
        )
