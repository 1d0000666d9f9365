"""Windows at random places: a shard in proportion to its tokens, then a position in it.

Draws exactly what the producer that the layout comes from draws: the same calls of the same
generator (numpy's PCG64) in the same order. Windows repeat; an epoch that does not is in
``window_epochs``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from mintdim.datasets.options import integer, positive
from mintdim.datasets.window_states import differing_state
from mintdim.shared.errors import DatasetArgumentError
from mintdim.shared.messages import phrase

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mintdim.datasets.stream_shards import StreamShards
    from mintdim.formats.shards import IntArray
    from mintdim.formats.stream_index import StreamShard


class WindowSampler:
    """Endless windows of ``ctx + 1`` tokens of given shards; ``draw(n)`` returns the next n.

    The last token of a shard is in no window, as with the original. A shard of fewer than
    ``ctx + 2`` tokens has no place to draw from, which is an error, or with ``skip_short`` no part
    of the sampling.
    """

    def __init__(
        self,
        opened: StreamShards,
        shards: Sequence[StreamShard],
        fingerprint: str,
        *,
        ctx: int,
        seed: int,
        skip_short: bool = False,
    ) -> None:
        self.ctx = positive("ctx", ctx)
        self.seed = integer("seed", seed, at_least=0)
        self._opened, self._fingerprint = opened, fingerprint
        self.shards = _long_enough(shards, self.ctx, skip_short)
        tokens = np.array([shard.tokens for shard in self.shards], dtype=np.float64)
        self._weights = tokens / tokens.sum()
        self._random = np.random.default_rng(self.seed)

    def draw(self, count: int) -> IntArray:
        """Return the next windows [count, ctx + 1] int64.

        Inputs are ``[:, :-1]``, targets ``[:, 1:]``.
        """
        places = [self._place() for _ in range(positive("n", count))]
        shards = [self.shards[shard] for shard, _ in places]
        return self._opened.windows(shards, [start for _, start in places], self.ctx + 1)

    def state_dict(self) -> dict[str, Any]:
        """Return where the generator stands, as plain values; ``rng`` is numpy's own state."""
        state: Any = self._random.bit_generator.state
        return {"rng": state, "ctx": self.ctx, "fingerprint": self._fingerprint}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go on where ``state`` was taken; a state of ``rng`` alone is taken at its word.

        Raises ``DatasetStateError`` for a state of other shards or another ``ctx``.
        """
        here = self.state_dict()
        rng = state.get("rng") if isinstance(state, Mapping) else state
        if not _is_pcg64(rng):
            raise differing_state(self._opened.root, "rng", rng, "PCG64")
        for name in ("ctx", "fingerprint"):
            if state.get(name, here[name]) != here[name]:
                raise differing_state(self._opened.root, name, state[name], here[name])
        self._random.bit_generator.state = dict(state["rng"])

    def _place(self) -> tuple[int, int]:
        shard = int(self._random.choice(len(self.shards), p=self._weights))
        most = self.shards[shard].tokens - self.ctx - 1
        return shard, int(self._random.integers(0, most))


def _is_pcg64(rng: object) -> bool:
    """Say whether numpy takes ``rng`` for a state; some versions cut numbers that are too large."""
    if not isinstance(rng, Mapping) or not isinstance(inner := rng.get("state"), Mapping):
        return False
    bits = [
        (inner, "state", 128),
        (inner, "inc", 128),
        (rng, "has_uint32", 1),
        (rng, "uinteger", 32),
    ]
    return rng.get("bit_generator") == "PCG64" and all(
        type(place.get(name)) is int and 0 <= place[name] < 2**width for place, name, width in bits
    )


def _long_enough(
    shards: Sequence[StreamShard], ctx: int, skip_short: bool
) -> tuple[StreamShard, ...]:
    found = tuple(shard for shard in shards if shard.tokens >= ctx + 2)
    if len(found) < len(shards) and not (skip_short and found):
        short = min(shards, key=lambda shard: shard.tokens)
        facts = {"name": short.name, "tokens": short.tokens, "least": ctx + 2}
        raise DatasetArgumentError(problem=phrase("shard_too_short", **facts))
    return found
