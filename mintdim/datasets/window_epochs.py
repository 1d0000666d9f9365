"""Windows without repetition: each once per epoch, in a seeded order, shared out over ranks.

The windows of a shard begin at 0, ``ctx``, 2 ``ctx``, …, and have ``ctx + 1`` tokens each, so
every token but the first of a shard, and what is left at its end, is a target once in an epoch.
They are numbered through the shards; the order of an epoch is a permutation of these numbers that
is computed place by place (``random_order``). A *position* is a place in that order. One step of
all ranks together takes ``world_size`` positions, of which rank r has the r-th::

    position                       0  1  2  3  4  5  6  7
    rank of world size 2           0  1  0  1  0  1  0  1
    rank of world size 4           0  1  2  3  0  1  2  3

A state holds the position only, so it may be taken up by another number of ranks.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from mintdim.datasets.options import checked_rank, integer, positive
from mintdim.datasets.order import epoch_key
from mintdim.datasets.random_order import RandomOrder
from mintdim.datasets.window_states import differing_state
from mintdim.shared.errors import DatasetArgumentError, DatasetStateError
from mintdim.shared.messages import phrase

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mintdim.datasets.stream_shards import StreamShards
    from mintdim.formats.shards import IntArray
    from mintdim.formats.stream_index import StreamShard

_STATE_VERSION = 1
_AT_ONCE = 512  # places of the order that are computed together


class WindowEpochs:
    """The windows of one rank, from where it stands to the end of its epoch.

    Iterating yields windows [ctx + 1] int64, ``batches(n)`` yields [n, ctx + 1]; input is all but
    the last token, target all but the first. Both go on behind the last window that was
    delivered, also after ``break``; a whole pass leaves the object at the beginning of the next
    epoch. ``set_epoch`` goes to the beginning of any epoch, ``load_state_dict`` to where a state
    was taken.

    Ranks share no window and together have all of them; one may have one window more than
    another, unless ``drop_last`` leaves out the rest.

    Memory: a few kilobytes and the windows of a batch, whatever the size of the dataset.
    """

    def __init__(
        self,
        opened: StreamShards,
        shards: Sequence[StreamShard],
        fingerprint: str,
        *,
        ctx: int,
        seed: int,
        rank: int = 0,
        world_size: int = 1,
        drop_last: bool = False,
    ) -> None:
        self.ctx, self.seed = positive("ctx", ctx), integer("seed", seed)
        self.world_size = positive("world_size", world_size)
        self.rank = checked_rank(self.world_size, rank, self.world_size)[0]
        self.shards, self._opened, self._fingerprint = tuple(shards), opened, fingerprint
        # Windows up to the end of each shard [shards].
        self._stops = np.cumsum([(shard.tokens - 1) // self.ctx for shard in shards])
        self.windows = int(self._stops[-1])
        if not self.windows:
            raise _no_window(self.ctx, shards)
        self._end = self.windows - (self.windows % self.world_size if drop_last else 0)
        self.set_epoch(0)

    def __len__(self) -> int:
        """Count the windows of this rank in one whole epoch."""
        return len(range(self.rank, self._end, self.world_size))

    def __iter__(self) -> Iterator[IntArray]:
        return (batch[0] for batch in self.batches(1))

    def batches(self, count: int) -> Iterator[IntArray]:
        """Yield windows [count, ctx + 1] int64; the last of an epoch may be fewer."""
        count, epoch = positive("n", count), self.epoch
        while self.epoch == epoch and len(numbers := self._next(count)):
            batch = self.read(numbers)
            # A window counts as delivered when it is handed over, not when it is asked for.
            self._position += len(numbers) * self.world_size
            yield batch
        if self.epoch == epoch:
            self.set_epoch(epoch + 1)

    def numbers(self, count: int) -> Iterator[IntArray]:
        """Yield the numbers of the windows to come, as ``batches(count)`` has them, without moving.

        ``read`` returns the windows; ``state_dict(delivered=n)`` is the state behind n of them.
        """
        count, order = positive("n", count), self._order
        chunk = count * -(-_AT_ONCE // count)
        places = range(self._position + self.rank, self._end, self.world_size)
        for start in range(0, len(places), chunk):
            found = _at(order, places[start : start + chunk])
            for first in range(0, len(found), count):
                yield found[first : first + count]

    def read(self, numbers: IntArray) -> IntArray:
        """Return windows by number [n], in the order of shards and positions, [n, ctx + 1]."""
        shards = np.searchsorted(self._stops, numbers, side="right")
        before = np.append(0, self._stops)[shards]
        starts = ((numbers - before) * self.ctx).tolist()
        return self._opened.windows([self.shards[at] for at in shards], starts, self.ctx + 1)

    def set_epoch(self, epoch: int) -> None:
        """Go to the beginning of an epoch (from 0); an iteration of another one ends."""
        self.epoch, self._position = integer("epoch", epoch, at_least=0), 0
        self._order = RandomOrder(self.windows, epoch_key(self.seed, self.epoch) + b"windows")
        self._ahead = _Ahead(0, np.empty(0, dtype=np.int64))

    def state_dict(self, delivered: int = 0) -> dict[str, Any]:
        """Return all that is needed to go on behind the last delivered window, as plain values.

        ``delivered``: windows of this rank that were consumed besides, if they came from elsewhere.
        All ranks have the same state after the same number of windows.
        """
        delivered = integer("delivered", delivered, at_least=0)
        position = min(self._position + delivered * self.world_size, self.windows)
        return {**self._identity(), "epoch": self.epoch, "position": position}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go on where ``state`` was taken, at once, on this or any other world size.

        What remains are exactly the windows that had not been delivered, if all ranks had as
        many. Raises ``DatasetStateError`` for a state of other shards, ``ctx`` or ``seed``.
        """
        if not isinstance(state, Mapping):
            raise differing_state(self._opened.root, "state", state, "dict")
        for name, value in self._identity().items():
            if state.get(name) != value:
                raise differing_state(self._opened.root, name, state.get(name), value)
        try:
            epoch = integer("epoch", state.get("epoch"), at_least=0)
            position = integer("position", state.get("position"), at_least=0)
        except DatasetArgumentError as error:
            raise DatasetStateError(path=str(self._opened.root), problem=error.problem) from error
        self.set_epoch(epoch)
        self._position = position

    def _identity(self) -> dict[str, Any]:
        return {
            "version": _STATE_VERSION,
            "fingerprint": self._fingerprint,
            "ctx": self.ctx,
            "seed": self.seed,
        }

    def _next(self, count: int) -> IntArray:
        """Return the numbers of the next windows of this rank [count or fewer]."""
        first = self._position + self.rank
        left = range(first, self._end, self.world_size)[:count]
        skipped, rest = divmod(first - self._ahead.first, self.world_size)
        numbers = self._ahead.numbers[skipped : skipped + len(left)] if skipped >= 0 else ()
        if rest or len(numbers) < len(left):
            places = range(first, self._end, self.world_size)[: max(count, _AT_ONCE)]
            self._ahead = _Ahead(first, _at(self._order, places))
            numbers = self._ahead.numbers[: len(left)]
        return np.asarray(numbers, dtype=np.int64)


class _Ahead(NamedTuple):
    """Numbers of windows that were computed together: for positions from ``first`` on."""

    first: int
    numbers: IntArray


def _at(order: RandomOrder, places: range) -> IntArray:
    return order.at(np.arange(places.start, places.stop, places.step))


def _no_window(ctx: int, shards: Sequence[StreamShard]) -> DatasetArgumentError:
    longest = max(shard.tokens for shard in shards)
    return DatasetArgumentError(problem=phrase("no_window", ctx=ctx, longest=longest))
