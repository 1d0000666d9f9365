"""Batches for training: seeded, grouped by unit size, resumable to the batch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from mintdim.datasets.batch import Batch, flat_batch, padded_batch
from mintdim.datasets.epoch import Epoch
from mintdim.datasets.options import checked_rank, integer
from mintdim.datasets.schedule import RankSchedule
from mintdim.shared.errors import DatasetArgumentError, DatasetStateError
from mintdim.shared.messages import Phrase, phrase
from mintdim.shared.structure import shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mintdim.datasets.options import BatchOptions
    from mintdim.datasets.unit_dataset import UnitDataset
    from mintdim.formats.shards import IntArray

_STATE_VERSION = 1


class BatchLoader:
    """The batches of one rank, from where the loader stands to the end of its epoch.

    Iterating goes on behind the last batch that was delivered, also after ``break``; a whole
    pass leaves the loader at the beginning of the next epoch. A loader has one place: two
    iterations at the same time share the batches. ``set_epoch`` goes to the beginning of any
    epoch, ``load_state_dict`` to where a state was taken.

    A batch is a dict of numpy arrays of its own, b samples of one unit size:

    - ``input_ids`` [b, unit_size] int64, padded with the PAD id;
    - ``labels`` [b, unit_size] int64: the same, with -100 where there is padding;
    - ``attention_mask`` [b, unit_size] bool: True on tokens;
    - ``lengths`` [b] int64, ``sample_ids`` [b] int64, ``unit_size`` int.

    With ``drop_padding`` the tokens lie flat: ``input_ids``, ``labels``, ``position_ids`` [t],
    ``cu_seqlens`` [b + 1] int32, ``max_seqlen`` int; no ``attention_mask``. Labels are -100 on
    the first token of every sample, which nothing before it may predict.

    Memory: 16 bytes per sample, while a unit is permuted 24 more per sample of it.
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
        self.rank, self.world_size = checked_rank(options.group, rank, world_size)
        self.dataset, self.options = dataset, options
        self._position = 0
        self._kept: tuple[Epoch, RankSchedule] | None = None
        repeats = _repeats(dataset) if options.duplicates == "first" else None
        self._samples = {size: _kept(dataset, size, repeats) for size in dataset.units}
        self.set_epoch(epoch)
        self._enter()

    def __reduce__(self) -> Any:
        """Let a copy in another process open the dataset again and stand at the same place."""
        arguments = (self.dataset, self.options, self.epoch, self.rank, self.world_size)
        return _revived, (*arguments, self._position)

    def __len__(self) -> int:
        """Count the batches of this rank in one whole epoch."""
        return len(self._enter()[1])

    def __iter__(self) -> Iterator[Batch]:
        number = self.epoch
        epoch, schedule = self._enter()
        while self.epoch == number and (step := schedule.step(self._position)) is not None:
            batch = self.batch_of(epoch.sample_ids(step))
            # The step counts as done when its batch is handed over, not when it is asked for.
            self._position = step.next_position
            yield batch
        if self.epoch == number:
            self.set_epoch(number + 1)

    def sample_ids(self) -> Iterator[IntArray]:
        """Yield the ``sample_id``s of the batches that are still to come in this epoch.

        The loader stays where it is; ``state_dict(delivered=n)`` is the state behind n of them.
        """
        epoch, schedule = self._enter()
        position = self._position
        while (step := schedule.step(position)) is not None:
            yield epoch.sample_ids(step).copy()
            position = step.next_position

    def batch_of(self, sample_ids: IntArray | Sequence[int]) -> Batch:
        """Return the batch of given samples, which must be of one unit size.

        Raises ``DatasetArgumentError``.
        """
        ids = np.array(sample_ids, dtype=np.int64)
        if not len(ids):
            raise DatasetArgumentError(problem=phrase("empty", name="sample_ids"))
        unit = self.dataset.unit(self.dataset.index["unit_size"][ids[0]])
        rows, lengths = unit.rows_and_lengths(ids)
        make = flat_batch if self.options.drop_padding else padded_batch
        return {
            **make(rows, lengths),
            "lengths": lengths,
            "unit_size": unit.size,
            "sample_ids": ids,
        }

    def set_epoch(self, epoch: int) -> None:
        """Go to the beginning of an epoch; an iteration of another one ends."""
        self.epoch, self._position = integer("epoch", epoch, at_least=0), 0

    def state_dict(self, delivered: int = 0) -> dict[str, Any]:
        """Return all that is needed to go on behind the last delivered batch, as plain values.

        ``delivered``: count of batches that were consumed since the loader was put where it
        stands, if they came from elsewhere: a ``DataLoader`` runs ahead of its consumer.

        All ranks have the same state after the same number of steps. Only at the end of an
        epoch without ``drop_last`` some may have no batch in a step; keep the state of rank 0.
        """
        delivered = integer("delivered", delivered, at_least=0)
        position = self._enter()[1].position_after(self._position, delivered)
        return {**self._identity(), "epoch": self.epoch, "position": position}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go on where ``state`` was taken, on this or any world size that divides the group.

        The remaining batches are exactly those that had not been delivered. Ranks stay in step
        on another world size if that divides the number of batches delivered to all ranks.

        Raises ``DatasetStateError`` for a state of another dataset or of other options.
        """
        if not isinstance(state, Mapping):
            wrong = phrase("wrong_type", name="state", expected="dict", found=shown(state))
            raise self._refused(wrong)
        found = _flat(state)
        for name, value in _flat(self._identity()).items():
            if found.get(name) != value:
                facts = {"found": shown(found.get(name)), "expected": shown(value)}
                raise self._refused(phrase("state_differs", name=name, **facts))
        try:
            epoch = integer("epoch", state.get("epoch"), at_least=0)
            position = integer("position", state.get("position"), at_least=0)
        except DatasetArgumentError as error:
            raise self._refused(error.problem) from error
        self.epoch, self._position = epoch, position

    def _identity(self) -> dict[str, Any]:
        return {
            "version": _STATE_VERSION,
            "fingerprint": self.dataset.fingerprint,
            "options": asdict(self.options),
        }

    def _refused(self, problem: Phrase) -> DatasetStateError:
        return DatasetStateError(path=str(self.dataset.path), problem=problem)

    def _enter(self) -> tuple[Epoch, RankSchedule]:
        """Return the present epoch and the steps of this rank in it; one is kept."""
        if self._kept is None or self._kept[0].number != self.epoch:
            self._kept = None  # free the last epoch before the next one is laid out
            epoch = Epoch(self.epoch, self._samples, self.options)
            group = self.options.group
            schedule = RankSchedule(epoch.plan, group, self.rank, self.world_size)
            self._kept = epoch, schedule
        return self._kept


def _flat(state: Mapping[str, Any]) -> dict[str, Any]:
    """Return a state with every option as an entry of its own, so that one can be named."""
    options = state.get("options")
    inner = options if isinstance(options, Mapping) else {}
    outer = {name: value for name, value in state.items() if name != "options"}
    return {**outer, **{f"options.{name}": value for name, value in inner.items()}}


def _revived(
    dataset: UnitDataset,
    options: BatchOptions,
    epoch: int,
    rank: int,
    world_size: int,
    position: int,
) -> BatchLoader:
    loader = BatchLoader(dataset, options, epoch=epoch, rank=rank, world_size=world_size)
    loader._position = position
    return loader


def _repeats(dataset: UnitDataset) -> IntArray:
    """Return the samples [k] that equal an earlier one."""
    groups = (group["samples"][1:] for group in dataset.duplicates())
    members = (member["sample_id"] for group in groups for member in group)
    return np.fromiter(members, dtype=np.int64)


def _kept(dataset: UnitDataset, unit_size: int, repeats: IntArray | None) -> IntArray:
    sample_ids = dataset.unit(unit_size).sample_ids
    if repeats is None:
        return sample_ids
    return np.setdiff1d(sample_ids, repeats, assume_unique=True)
