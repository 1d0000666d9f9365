"""Shard writer: a task that makes one whole shard of the samples that lie in pieces.

It may run twice, after a worker was lost: an unfinished file of its name is begun anew, and a
finished one replaced by the same bytes.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from struct import Struct
from typing import TYPE_CHECKING

import numpy as np

from mintdim.formats import names
from mintdim.formats.shards import IntArray, TokenArray, padded_rows
from mintdim.formats.shards_index import ShardEntry
from mintdim.pipelines.unit_build.units.pieces import piece_path, read_samples
from mintdim.shared.files import HashedFile, remove
from mintdim.shared.log import logger

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mintdim.pipelines.unit_build.units.pieces import Share

_MIB = 1024 * 1024
_RECOMMENDED_BYTES = 512 * _MIB
# Rows are laid out in slabs, so that many short samples in a wide unit stay bounded.
_SLAB_BYTES = 2 * _MIB
_PART = Struct("<QQQI")  # number of a piece, its numbers at, samples from .. on, how many


@dataclass(frozen=True, slots=True)
class ShardTask:
    """A shard to write: samples of pieces, in order, padded to ``unit_size`` tokens.

    ``dtype`` is the name of the storage type (``"<u2"``), ``work`` the folder of pieces and
    unfinished files; ``parts`` are packed, since a shard may have as many as samples.
    """

    root: str
    work: str
    unit_size: int
    number: int
    pad_id: int
    dtype: str
    parts: bytes

    def pieces(self) -> Iterator[int]:
        """Yield the number of the piece of every part."""
        return (part[0] for part in _PART.iter_unpack(self.parts))


@dataclass(frozen=True, slots=True)
class WrittenShard:
    """A shard under its final name."""

    task: ShardTask
    entry: ShardEntry


def packed_part(piece: int, share: Share, first: int, count: int) -> bytes:
    """Return ``count`` samples of a share of a piece, from its ``first`` on, as bytes."""
    return _PART.pack(piece, share.starts_at, share.first + first, count)


def write_shard(task: ShardTask) -> WrittenShard:
    """Write one shard and give it its final name.

    Raises ``OutputWriteError``.
    """
    name = names.shard_path(task.unit_size, task.number)
    work = Path(task.work) / name.replace("/", ".")
    remove(work)
    file = HashedFile(work)
    samples = tokens = 0
    for part_tokens, lengths in _parts(task):
        _append(file, task, part_tokens, lengths)
        samples, tokens = samples + len(lengths), tokens + len(part_tokens)
    file.publish(Path(task.root) / name)
    return WrittenShard(task, ShardEntry(name, samples, tokens, file.bytes, file.sha256))


def _parts(task: ShardTask) -> Iterator[tuple[TokenArray, IntArray]]:
    for piece, starts_at, first, count in _PART.iter_unpack(task.parts):
        path = piece_path(task.work, piece)
        yield read_samples(path, starts_at, first, count, np.dtype(task.dtype))


def _append(file: HashedFile, task: ShardTask, tokens: TokenArray, lengths: IntArray) -> None:
    starts = np.cumsum(lengths) - lengths
    slab = max(1, _SLAB_BYTES // (task.unit_size * tokens.itemsize))
    for first in range(0, len(lengths), slab):
        chosen = slice(first, first + slab)
        rows = padded_rows(tokens, starts[chosen], lengths[chosen], task.unit_size, task.pad_id)
        file.append(rows.view(np.uint8).data)


def report(number: int, unit_size: int, entry: ShardEntry) -> None:
    """Log that a shard is complete; warn of a large one."""
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
