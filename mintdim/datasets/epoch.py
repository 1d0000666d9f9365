"""One epoch of a loader: the plan of its groups, and the samples of each unit in its order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mintdim.datasets.order import batch_bounds, epoch_key, permutation, plan_epoch

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mintdim.datasets.options import BatchOptions
    from mintdim.datasets.schedule import Step
    from mintdim.formats.shards import IntArray


class Epoch:
    """Epoch ``number`` of ``samples``: unit size → its ``sample_id``s, ascending.

    The samples of a unit are permuted when the first batch of it is asked for. Memory: 8 bytes
    per sample, 24 per sample of one unit on the way.
    """

    def __init__(self, number: int, samples: Mapping[int, IntArray], options: BatchOptions) -> None:
        self.number = number
        self._samples, self._options = samples, options
        self._units = tuple(samples)
        self._key = epoch_key(options.seed, number)
        self._permuted: dict[int, IntArray] = {}
        self.plan = plan_epoch(
            [len(samples[unit]) for unit in self._units],
            [options.samples_per_batch(unit) for unit in self._units],
            options.group,
            key=self._key,
            shuffle=options.shuffle,
            drop_last=options.drop_last,
        )

    def sample_ids(self, step: Step) -> IntArray:
        """Return the samples of one batch (a view: do not change it)."""
        count, start = int(self.plan.counts[step.group]), int(self.plan.starts[step.group])
        first, stop = batch_bounds(count, self._options.group, step.slot)
        samples = self._of_unit(self._units[int(self.plan.units[step.group])])
        return samples[start + first : start + stop]

    def _of_unit(self, unit: int) -> IntArray:
        if not self._options.shuffle:
            return self._samples[unit]
        if unit not in self._permuted:
            samples = self._samples[unit]
            self._permuted[unit] = samples[permutation(len(samples), self._key + b"unit %d" % unit)]
        return self._permuted[unit]
