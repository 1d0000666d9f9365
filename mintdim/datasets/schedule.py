"""The steps of one rank through the groups of an epoch.

A *position* counts slots of all ranks: group number * ``group`` + slot in the group. It means the
same for every world size, so a state can move from one to another::

    group = 4                      group 0       group 1
    position                       0  1  2  3    4  5  6  7
    rank of world size 2           0  1  0  1    0  1  0  1
    rank of world size 4           0  1  2  3    0  1  2  3
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from mintdim.datasets.order import EpochPlan


class Step(NamedTuple):
    """One batch of a rank: where it lies in the epoch, and where to look for the next one."""

    group: int
    slot: int
    next_position: int


class RankSchedule:
    """Rank ``rank`` of ``world`` takes the slots ``rank``, ``rank + world``, … of each group."""

    def __init__(self, plan: EpochPlan, group: int, rank: int, world: int) -> None:
        self._group, self._rank, self._world = group, rank, world
        self._batches = np.minimum(plan.counts, group)  # [groups]
        # Own batches up to the end of each group [groups].
        self._ends = np.cumsum(self._own(self._batches))

    def __len__(self) -> int:
        return int(self._ends[-1]) if len(self._ends) else 0

    def step(self, position: int) -> Step | None:
        """Return the first step at or behind a position, None behind the last one."""
        number, begin = divmod(position, self._group)
        while number < len(self._batches):
            slot = begin + (self._rank - begin) % self._world
            if slot < self._batches[number]:
                behind = number * self._group + slot - self._rank + self._world
                return Step(number, slot, behind)
            number, begin = number + 1, 0
        return None

    def position_after(self, position: int, delivered: int) -> int:
        """Return the position that is ``delivered`` own batches further (or at the end)."""
        number, begin = divmod(position, self._group)
        if not delivered or number >= len(self._batches):
            return position
        before = int(self._ends[number - 1]) if number else 0
        inside = int(self._own(np.minimum(self._batches[number], begin)))
        return self._position_of(before + inside + delivered)

    def _position_of(self, count: int) -> int:
        """Return the position behind the first ``count`` own batches of the epoch."""
        count = min(count, len(self))
        if not count:
            return 0
        number = int(np.searchsorted(self._ends, count, side="left"))
        inside = count - (int(self._ends[number - 1]) if number else 0)
        return number * self._group + inside * self._world

    def _own(self, batches: Any) -> Any:
        """Return how many of the first ``batches`` slots of a group belong to this rank."""
        return np.maximum(0, -((self._rank - batches) // self._world))
