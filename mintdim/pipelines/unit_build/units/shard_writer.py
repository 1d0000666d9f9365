"""Shard writer: rows go to the open shard of their unit; a full shard gets its final name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mintdim.formats import names
from mintdim.formats.shards import IntArray, padded_rows
from mintdim.formats.shards_index import ShardEntry
from mintdim.pipelines.unit_build.contracts import EncodedChunk, Places
from mintdim.pipelines.unit_build.units.planner import place_in_shards
from mintdim.pipelines.unit_build.units.shard_list import ShardList
from mintdim.shared.files import HashedFile
from mintdim.shared.log import logger

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

_MIB = 1024 * 1024
_RECOMMENDED_BYTES = 512 * _MIB
# Rows are laid out in slabs, so that many short samples in a wide unit stay bounded.
_SLAB_BYTES = 2 * _MIB


@dataclass(slots=True)
class _OpenShard:
    number: int
    file: HashedFile | None = None
    samples: int = 0
    tokens: int = 0


class ShardWriter:
    """Writes the shards of one output directory; rows keep source order within a unit.

    ``root`` is the output directory, ``work`` the folder of unfinished files; ``closed`` lists
    the shards that have their final names.
    """

    def __init__(self, root: Path, work: Path, unit_sizes: Iterable[int], pad_id: int) -> None:
        self._root, self._work, self._pad_id = root, work, pad_id
        self._open = {size: _OpenShard(number=0) for size in unit_sizes}
        self._capacity = 0
        self.closed = ShardList()

    def count(self, unit_size: int) -> int:
        """Return the number of closed shards of one unit size."""
        return self._open[unit_size].number

    def write(self, chunk: EncodedChunk) -> Places:
        """Append the samples of a chunk to the shards of their units; say where each went."""
        if chunk.chunk.job.samples_per_shard != self._capacity:
            self.close_open()
            self._capacity = chunk.chunk.job.samples_per_shard
        places = np.empty((2, len(chunk.units)), dtype=np.int64)
        for unit_size, shard in list(self._open.items()):
            chosen = np.flatnonzero(chunk.units == unit_size)
            places[:, chosen] = place_in_shards(
                shard.number, shard.samples, len(chosen), self._capacity
            )
            self._append(unit_size, chunk, chosen)
        return Places(*places)

    def close_open(self) -> None:
        """Close every shard that holds samples."""
        for unit_size, shard in self._open.items():
            if shard.samples:
                self._close(unit_size, shard)

    def _append(self, unit_size: int, chunk: EncodedChunk, chosen: IntArray) -> None:
        slab = max(1, _SLAB_BYTES // (unit_size * chunk.tokens.itemsize))
        while len(chosen):
            shard = self._open[unit_size]
            count = min(slab, self._capacity - shard.samples, len(chosen))
            self._append_rows(unit_size, shard, chunk, chosen[:count])
            chosen = chosen[count:]
            if shard.samples == self._capacity:
                self._close(unit_size, shard)

    def _append_rows(
        self, unit_size: int, shard: _OpenShard, chunk: EncodedChunk, chosen: IntArray
    ) -> None:
        if shard.file is None:
            shard.file = HashedFile(self._work / f"{names.unit_directory(unit_size)}.bin")
        starts, lengths = chunk.offsets[chosen], chunk.lengths[chosen]
        rows = padded_rows(chunk.tokens, starts, lengths, unit_size, self._pad_id)
        shard.file.append(rows.view(np.uint8).data)
        shard.samples += len(lengths)
        shard.tokens += int(lengths.sum())

    def _close(self, unit_size: int, shard: _OpenShard) -> None:
        assert shard.file is not None, "a shard with samples has a file"
        name = names.shard_path(unit_size, shard.number)
        shard.file.publish(self._root / name)
        entry = ShardEntry(name, shard.samples, shard.tokens, shard.file.bytes, shard.file.sha256)
        self.closed.add(unit_size, entry)
        self._open[unit_size] = _OpenShard(number=shard.number + 1)
        _report(shard.number, unit_size, entry)


def _report(number: int, unit_size: int, entry: ShardEntry) -> None:
    size = f"{entry.bytes / _MIB:.1f} MiB"
    logger.info(
        "[unit-build] shard=%06d samples=%d bytes=%s unit=%d",
        number,
        entry.samples,
        size,
        unit_size,
    )
    if entry.bytes > _RECOMMENDED_BYTES:
        logger.warning(
            "[unit-build:warning] shard=%06d size=%s exceeds recommended 512 MiB.\n"
            "Build continues because sharding is controlled by samples_per_shard.",
            number,
            size,
        )
