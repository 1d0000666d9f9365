"""The order of an epoch: a pure function of counts and a seed.

Samples of each unit are permuted and cut into groups; a group is ``group`` batches of one unit
size that follow each other. The groups of all units are then permuted. Nothing here depends on
rank or world size.

What is left of a unit in the end may be fewer samples than ``group``, hence fewer batches. These
rests come last, the larger ones first: they are the only steps in which ranks may go without a
batch.

The permutation sorts the raw output of Philox-4x64 (a counter-based generator, Salmon et al.,
SC 2011; as in numpy's ``Philox.random_raw``, whose stream is fixed), so it does not change with
the version of numpy.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mintdim.formats.shards import IntArray


@dataclass(frozen=True, slots=True)
class EpochPlan:
    """The groups of an epoch in order; three arrays [groups].

    ``units``: number of the unit; ``starts``, ``counts``: the samples of the group within the
    permuted samples of that unit.
    """

    units: IntArray
    starts: IntArray
    counts: IntArray

    def __len__(self) -> int:
        return len(self.units)


def plan_epoch(
    counts: Sequence[int],
    batch_sizes: Sequence[int],
    group: int,
    *,
    key: bytes,
    shuffle: bool,
    drop_last: bool,
) -> EpochPlan:
    """Return the groups of an epoch.

    ``counts`` [u]: samples of each unit; ``batch_sizes`` [u]: samples of a full batch;
    ``group``: batches of a full group; ``key`` names the epoch, see ``epoch_key``.
    """
    plans = [
        _cut(unit, count, batch_size * group, drop_last)
        for unit, (count, batch_size) in enumerate(zip(counts, batch_sizes, strict=True))
    ]
    units, starts, sizes = np.concatenate([np.empty((3, 0), dtype=np.int64), *plans], axis=1)
    order = permutation(len(units), key + b"groups") if shuffle else np.arange(len(units))
    order = order[np.argsort(-np.minimum(sizes[order], group), kind="stable")]
    return EpochPlan(units[order], starts[order], sizes[order])


def batch_bounds(count: int, group: int, slot: int) -> tuple[int, int]:
    """Return the samples ``[start, stop)`` of batch ``slot`` of a group of ``count`` samples.

    A group shares its samples out evenly over ``min(group, count)`` batches.
    """
    batches = min(group, count)
    return slot * count // batches, (slot + 1) * count // batches


def epoch_key(seed: int, epoch: int) -> bytes:
    """Return the key of all random choices of one epoch."""
    return f"mintdim order 1: seed {seed}, epoch {epoch}: ".encode()


def permutation(count: int, key: bytes) -> IntArray:
    """Return the numbers below ``count`` in the random order that ``key`` names.

    Memory on the way: 24 bytes per number.
    """
    digest = hashlib.blake2b(key, digest_size=16).digest()
    generator = np.random.Philox(key=np.frombuffer(digest, dtype="<u8").astype(np.uint64))
    return np.argsort(generator.random_raw(count), kind="stable")


def _cut(unit: int, count: int, size: int, drop_last: bool) -> IntArray:
    """Return unit, start and count [3, g] of the groups of one unit."""
    starts = np.arange(0, count - size + 1 if drop_last else count, size, dtype=np.int64)
    counts = np.minimum(size, count - starts)
    return np.stack([np.full(len(starts), unit), starts, counts])
