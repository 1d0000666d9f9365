"""Batches for training: seeded, grouped by unit size, resumable to the batch."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from mintdim.datasets.order import EpochPlan, batch_bounds, epoch_key, permutation, plan_epoch
from mintdim.shared.errors import DatasetArgumentError, DatasetStateError
from mintdim.shared.messages import phrase
from mintdim.shared.structure import is_positive_int, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mintdim.datasets.unit_dataset import UnitDataset, UnitView
    from mintdim.formats.shards import IntArray

Batch = dict[str, Any]

IGNORED_LABEL = -100  # the value that torch's cross-entropy skips
_STATE_VERSION = 1


@dataclass(frozen=True, slots=True)
class BatchOptions:
    """All that decides which samples stand in which batch; part of the state."""

    batch_size: int | None
    tokens_per_batch: int | None
    shuffle: bool
    seed: int
    group: int
    drop_last: bool
    duplicates: str
    drop_padding: bool

    def __post_init__(self) -> None:
        if (self.batch_size is None) == (self.tokens_per_batch is None):
            raise DatasetArgumentError(problem=phrase("one_batch_size"))
        for name in ("batch_size", "tokens_per_batch", "group"):
            value = getattr(self, name)
            if value is not None:
                _require_positive(name, value)
        if self.duplicates not in ("keep", "first"):
            found = shown(self.duplicates)
            raise DatasetArgumentError(problem=phrase("duplicates_choice", found=found))

    def samples_per_batch(self, unit_size: int) -> int:
        """Return the samples of a full batch of one unit size."""
        if self.batch_size is not None:
            return self.batch_size
        rows = (self.tokens_per_batch or 0) // unit_size
        if not rows:
            facts = {"tokens": self.tokens_per_batch, "size": unit_size}
            raise DatasetArgumentError(problem=phrase("batch_below_unit", **facts))
        return rows


class _Step(NamedTuple):
    """One batch of a rank: where it lies in the epoch, and where the next step begins."""

    group: int
    slot: int
    next_position: int


class BatchLoader:
    """Iterates over the batches of one rank; each iteration is one epoch, then the next.

    A batch is a dict of numpy arrays, b samples of one unit size:

    - ``input_ids`` [b, unit_size] int64, padded with the PAD id;
    - ``labels`` [b, unit_size] int64: the same, with -100 where there is padding;
    - ``attention_mask`` [b, unit_size] bool: True on tokens;
    - ``lengths`` [b] int64, ``sample_ids`` [b] int64, ``unit_size`` int.

    With ``drop_padding`` the tokens lie flat: ``input_ids``, ``labels``, ``position_ids`` [t],
    ``cu_seqlens`` [b + 1] int32, ``max_seqlen`` int; no ``attention_mask``.
    """

    def __init__(
        self,
        dataset: UnitDataset,
        options: BatchOptions,
        *,
        epoch: int = 0,
        rank: int = 0,
        world_size: int = 1,
    ) -> None:
        _check_ranks(options.group, rank, world_size)
        self.dataset, self.options = dataset, options
        self.rank, self.world_size = rank, world_size
        self.epoch = epoch
        self._position = 0
        self._units = [dataset.unit(size) for size in dataset.units]
        self._batch_sizes = [options.samples_per_batch(size) for size in dataset.units]
        repeats = _repeats(dataset) if options.duplicates == "first" else None
        self._samples = [_kept_samples(unit, repeats) for unit in self._units]
        self._epoch_samples = lru_cache(maxsize=len(self._units) or 1)(self._permuted)

    def __len__(self) -> int:
        """Count the batches of this rank in one whole epoch."""
        return sum(1 for _ in self._steps(self._plan(self.epoch), 0))

    def __iter__(self) -> Iterator[Batch]:
        for step, sample_ids in self._upcoming():
            # The step counts as done when the batch is handed over, not when it is asked for.
            batch = self.batch_of(sample_ids)
            self._position = step.next_position
            yield batch
        self.set_epoch(self.epoch + 1)

    def sample_ids(self) -> Iterator[IntArray]:
        """Yield the ``sample_id``s of the batches that are still to come in this epoch.

        The position of the loader does not move.
        """
        for _, sample_ids in self._upcoming():
            yield sample_ids

    def batch_of(self, sample_ids: IntArray) -> Batch:
        """Return the batch of given samples, which must be of one unit size."""
        size = int(self.dataset.index["unit_size"][sample_ids[0]])
        lengths = self.dataset.lengths[sample_ids].astype(np.int64)
        rows = self.dataset.unit(size).rows_of(sample_ids)
        make = _flat_batch if self.options.drop_padding else _padded_batch
        return {
            **make(rows, lengths),
            "lengths": lengths,
            "unit_size": size,
            "sample_ids": sample_ids,
        }

    def set_epoch(self, epoch: int) -> None:
        """Go to the beginning of an epoch."""
        self.epoch, self._position = epoch, 0

    def state_dict(self, delivered: int | None = None) -> dict[str, Any]:
        """Return all that is needed to go on behind the last delivered batch.

        ``delivered``: count of batches of this rank that were consumed in this epoch, where
        another loop (``DataLoader`` workers) runs ahead of the consumer.
        """
        position = self._position if delivered is None else self._position_after(delivered)
        return {
            "version": _STATE_VERSION,
            "fingerprint": self.dataset.fingerprint,
            "epoch": self.epoch,
            "position": position,
            "options": asdict(self.options),
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go on where ``state`` was taken, on this or any world size that divides the group.

        Raises ``DatasetStateError`` for a state of another dataset or of other options.
        """
        expected = {
            "version": _STATE_VERSION,
            "fingerprint": self.dataset.fingerprint,
            "options": asdict(self.options),
        }
        for name, value in expected.items():
            if state.get(name) != value:
                problem = phrase("state_differs", name=name, found=state.get(name), expected=value)
                raise DatasetStateError(path=str(self.dataset.path), problem=problem)
        self.epoch, self._position = state["epoch"], state["position"]

    def _upcoming(self) -> Iterator[tuple[_Step, IntArray]]:
        plan, epoch = self._plan(self.epoch), self.epoch
        for step in self._steps(plan, self._position):
            yield step, self._sample_ids(plan, epoch, step)

    def _steps(self, plan: EpochPlan, position: int) -> Iterator[_Step]:
        """Yield the batches of this rank from a position (in slots of all ranks) on."""
        group, world = self.options.group, self.world_size
        for number in range(position // group, len(plan)):
            begin = max(0, position - number * group)
            batches = min(group, int(plan.counts[number]))
            first = begin + (self.rank - begin) % world
            for slot in range(first, batches, world):
                yield _Step(number, slot, number * group + slot - self.rank + world)

    def _position_after(self, delivered: int) -> int:
        position = 0
        for step, _ in zip(self._steps(self._plan(self.epoch), 0), range(delivered), strict=False):
            position = step.next_position
        return position

    def _plan(self, epoch: int) -> EpochPlan:
        return plan_epoch(
            [len(samples) for samples in self._samples],
            self._batch_sizes,
            self.options.group,
            key=epoch_key(self.options.seed, epoch),
            shuffle=self.options.shuffle,
            drop_last=self.options.drop_last,
        )

    def _sample_ids(self, plan: EpochPlan, epoch: int, step: _Step) -> IntArray:
        bounds = batch_bounds(int(plan.counts[step.group]), self.options.group, step.slot)
        assert bounds is not None, "steps have batches"
        start = int(plan.starts[step.group])
        samples = self._epoch_samples(int(plan.units[step.group]), epoch)
        return samples[start + bounds[0] : start + bounds[1]]

    def _permuted(self, unit: int, epoch: int) -> IntArray:
        samples = self._samples[unit]
        if not self.options.shuffle:
            return samples
        key = epoch_key(self.options.seed, epoch) + b"unit %d" % self._units[unit].size
        return samples[permutation(len(samples), key)]


def _padded_batch(rows: Any, lengths: IntArray) -> Batch:
    mask = np.arange(rows.shape[1]) < lengths[:, None]
    input_ids = rows.astype(np.int64)
    labels = np.where(mask, input_ids, IGNORED_LABEL)
    return {"input_ids": input_ids, "labels": labels, "attention_mask": mask}


def _flat_batch(rows: Any, lengths: IntArray) -> Batch:
    mask = np.arange(rows.shape[1]) < lengths[:, None]
    input_ids = rows[mask].astype(np.int64)
    ends = np.cumsum(lengths)
    positions = np.arange(len(input_ids)) - np.repeat(ends - lengths, lengths)
    return {
        "input_ids": input_ids,
        "labels": input_ids.copy(),
        "position_ids": positions,
        "cu_seqlens": np.concatenate([[0], ends]).astype(np.int32),
        "max_seqlen": int(lengths.max(initial=0)),
    }


def _repeats(dataset: UnitDataset) -> IntArray:
    """Return the samples [k] that equal an earlier one."""
    groups = (group["samples"][1:] for group in dataset.duplicates())
    members = (member["sample_id"] for group in groups for member in group)
    return np.fromiter(members, dtype=np.int64)


def _kept_samples(unit: UnitView, repeats: IntArray | None) -> IntArray:
    if repeats is None:
        return unit.sample_ids
    return np.setdiff1d(unit.sample_ids, repeats, assume_unique=True)


def _check_ranks(group: int, rank: int, world_size: int) -> None:
    _require_positive("world_size", world_size)
    if not isinstance(rank, int) or not 0 <= rank < world_size:
        problem = phrase("rank_range", rank=shown(rank), world_size=world_size)
        raise DatasetArgumentError(problem=problem)
    if group % world_size:
        problem = phrase("group_multiple", group=group, world_size=world_size)
        raise DatasetArgumentError(problem=problem)


def _require_positive(name: str, value: object) -> None:
    if not is_positive_int(value):
        expected = phrase("a_positive_int")
        problem = phrase("wrong_type", name=name, expected=expected, found=shown(value))
        raise DatasetArgumentError(problem=problem)
