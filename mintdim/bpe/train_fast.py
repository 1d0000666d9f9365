"""The same merges as ``train_naive``, without ever counting the corpus again.

What makes it fast, in order of weight:

1. Equal words are merged once, with their number of occurrences.
2. A word is a ``str`` (see ``words``), so merging it is ``str.replace``.
3. Only the neighbours of a merged pair change their counts.
4. A pair's count rises only in the step that makes its younger member; afterwards it
   falls. So each pair is pushed on the heap once; an entry that turns out too high when
   it comes to the top is put back with the true count. Nothing is pushed on a decrease.
5. ``places`` of a pair names each word once per occurrence, at the time the pair arose.
   Its frequencies therefore sum to the pair's first count. Later it is a superset, and
   never cleaned: a word without the pair is passed over.

A pair is a ``str`` of two characters, whose order is that of (left id, right id), so
the heap breaks ties as the definition asks. Tried and dropped: pairs as integers,
arrays instead of lists, several processes (the split alone gains).
"""

from __future__ import annotations

from collections import defaultdict
from heapq import heapify, heappop, heappush, heapreplace
from operator import add
from typing import TYPE_CHECKING

from mintdim.bpe.train_naive import OnMerge, Pair, ignore
from mintdim.bpe.words import BYTE_COUNT

if TYPE_CHECKING:
    from collections.abc import Mapping

Places = defaultdict[str, list[int]]  # a pair or a neighbour -> word numbers


def train_fast(words: Mapping[str, int], wanted: int, on_merge: OnMerge = ignore) -> list[Pair]:
    """Learn up to ``wanted`` merges from ``words`` and their numbers of occurrences.

    Merge number k makes token id 256 + k. Fewer are returned when no pair is left.
    """
    state = _State(words)
    merges: list[Pair] = []
    while len(merges) < wanted and (best := state.pop_best()):
        pair, count = best
        state.merge(pair, chr(BYTE_COUNT + len(merges)))
        merges.append((ord(pair[0]), ord(pair[1])))
        on_merge(len(merges), merges[-1], count)
    return merges


class _State:
    """Words as merged so far, and where and how often each pair occurs in them."""

    def __init__(self, words: Mapping[str, int]) -> None:
        self._words = [word for word in words if len(word) > 1]
        self._frequency = [words[word] for word in self._words]
        self._places: dict[str, list[int]] = _all_pairs(self._words)
        self._counts = {pair: self._total(where) for pair, where in self._places.items()}
        self._heap = [(-count, pair) for pair, count in self._counts.items()]
        heapify(self._heap)

    def pop_best(self) -> tuple[str, int] | None:
        heap, counts = self._heap, self._counts
        while heap:
            believed, pair = heap[0]
            count = counts.get(pair, 0)
            if count == -believed:
                heappop(heap)
                return pair, count
            if count:
                heapreplace(heap, (-count, pair))
            else:
                heappop(heap)
        return None

    def merge(self, pair: str, new: str) -> None:
        del self._counts[pair]
        lefts, rights, twins = self._rewrite(pair, new)
        for left, where in lefts.items():
            self._exchange(left + pair[0], left + new, where)
        for right, where in rights.items():
            self._exchange(pair[1] + right, new + right, where)
        if twins:
            self._exchange(pair[1] + pair[0], new + new, twins)

    def _rewrite(self, pair: str, new: str) -> tuple[Places, Places, list[int]]:
        """Merge ``pair`` in all words; return where its neighbours now stand by ``new``.

        Left neighbours, right neighbours, and words where ``new`` follows itself.
        """
        words = self._words
        lefts: Places = defaultdict(list)
        rights: Places = defaultdict(list)
        twins: list[int] = []
        last = -1
        for number in self._places.pop(pair):
            # The same word twice stands side by side; looking at a long word once per
            # occurrence would be quadratic.
            if number == last:
                continue
            last = number
            word = words[number]
            at = word.find(pair)
            if at < 0:
                continue
            words[number] = merged = word.replace(pair, new)
            if len(word) - len(merged) > 1:
                before, after, twice = _neighbours(merged, new)
                for left in before:
                    lefts[left].append(number)
                for right in after:
                    rights[right].append(number)
                twins += [number] * twice
                continue
            if at:
                lefts[word[at - 1]].append(number)
            if at + 2 < len(word):
                rights[word[at + 2]].append(number)
        return lefts, rights, twins

    def _exchange(self, old: str, new: str, where: list[int]) -> None:
        """Occurrences of the pair ``old`` in the words ``where`` have become ``new``."""
        count = self._total(where)
        self._places[new] = where
        self._counts[new] = count
        heappush(self._heap, (-count, new))
        if old in self._counts:
            self._counts[old] -= count
            if not self._counts[old]:
                del self._counts[old], self._places[old]

    def _total(self, where: list[int]) -> int:
        return sum(map(self._frequency.__getitem__, where))


def _all_pairs(words: list[str]) -> dict[str, list[int]]:
    places: Places = defaultdict(list)
    for number, word in enumerate(words):
        for pair in map(add, word, word[1:]):
            places[pair].append(number)
    return dict(places)


def _neighbours(word: str, symbol: str) -> tuple[list[str], list[str], int]:
    """Return what stands left and right of ``symbol``, and how often it follows itself."""
    gaps = word.split(symbol)
    inner = gaps[1:-1]
    lefts = [gap[-1] for gap in gaps[:-1] if gap]
    rights = [gap[0] for gap in gaps[1:] if gap]
    return lefts, rights, len(inner) - sum(map(bool, inner))
