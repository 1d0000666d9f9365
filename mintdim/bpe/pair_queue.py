"""Pairs in the order in which they would be merged: highest count, then lowest pair."""

from __future__ import annotations

from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


class PairQueue:
    """A heap of counts, and under each count a heap of its pairs.

    Most pairs share a few low counts, so two small heaps of plain numbers and plain
    ``str`` are quicker, and smaller, than one of tuples.
    """

    def __init__(self, counts: Mapping[str, int]) -> None:
        self._pairs: dict[int, list[str]] = {}
        for pair, count in counts.items():
            self._pairs.setdefault(count, []).append(pair)
        for pairs in self._pairs.values():
            heapify(pairs)
        self._levels = [-count for count in self._pairs]
        heapify(self._levels)

    def add(self, pair: str, count: int) -> None:
        """Queue ``pair`` under ``count``."""
        pairs = self._pairs.get(count)
        if pairs is None:
            self._pairs[count] = [pair]
            heappush(self._levels, -count)
        else:
            heappush(pairs, pair)

    def pop(self) -> tuple[str, int] | None:
        """Take out the first pair and the count it was queued under."""
        while self._levels:
            count = -self._levels[0]
            if pairs := self._pairs[count]:
                return heappop(pairs), count
            del self._pairs[count]
            heappop(self._levels)
        return None
