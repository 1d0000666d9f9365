"""The documents of one split by number."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, overload

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mintdim.datasets.stream_shards import StreamShards
    from mintdim.formats.shards import TokenArray
    from mintdim.formats.stream_arrays import CodeArray
    from mintdim.formats.stream_index import StreamShard


class Documents:
    """The documents of one split, in the order of its shards.

    ``documents[i]`` are the ids of one without its EOS [n], a copy in the storage type; it may be
    empty. Negative numbers count from the end, a slice gives ``Documents`` again. Where documents
    end in a shard is looked up when one of it is asked for.
    """

    def __init__(
        self,
        split: str,
        shards: Sequence[StreamShard],
        opened: StreamShards,
        numbers: range | None = None,
    ) -> None:
        self.split = split
        self._shards, self._opened = tuple(shards), opened
        self._stops = np.cumsum([shard.docs for shard in shards])
        self._numbers = range(int(self._stops[-1])) if numbers is None else numbers

    def __repr__(self) -> str:
        return f"Documents({self.split!r}, {len(self):,})"

    def __len__(self) -> int:
        return len(self._numbers)

    @overload
    def __getitem__(self, number: slice) -> Documents: ...
    @overload
    def __getitem__(self, number: int) -> TokenArray: ...

    def __getitem__(self, number: int | slice) -> Documents | TokenArray:
        if isinstance(number, slice):
            return Documents(self.split, self._shards, self._opened, self._numbers[number])
        shard, place = self._place(self._numbers[operator.index(number)])
        ends = self._opened.ends(shard)
        start = int(ends[place - 1]) + 1 if place else 0
        return self._opened.tokens(shard)[start : int(ends[place])].copy()

    def __iter__(self) -> Iterator[TokenArray]:
        return (self[number] for number in range(len(self)))

    def language_codes(self) -> CodeArray:
        """Return the language code of every document [n].

        Raises ``DatasetArgumentError`` where the split has none, as train has not.
        """
        numbers = self._numbers
        codes = [self._opened.codes(shard) for shard in self._shards]
        return np.concatenate(codes)[np.arange(numbers.start, numbers.stop, numbers.step)]

    def _place(self, number: int) -> tuple[StreamShard, int]:
        """Return the shard of a document of the split, and its number in it."""
        at = int(np.searchsorted(self._stops, number, side="right"))
        return self._shards[at], number - (int(self._stops[at]) - self._shards[at].docs)
