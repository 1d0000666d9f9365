"""The same merges as ``train_naive``, without ever counting the corpus again.

What makes it fast, in order of weight:

1. Equal words are merged once, with their number of occurrences.
2. A word is a ``str`` (see ``words``), so merging a pair is cutting and joining it.
3. Only the neighbours of a merged pair change their counts.
4. A pair's count rises only in the step that makes its younger member; afterwards it
   falls. So each pair is queued once; one whose count turns out to have fallen when its
   turn comes is queued again under the true count. Nothing is queued on a decrease.
5. ``places`` of a pair names each word once per occurrence, at the time the pair arose.
   Its frequencies therefore sum to the pair's first count. Later it is a superset, and
   never cleaned: a word without the pair is passed over.

A pair is a ``str`` of two characters, whose order is that of (left id, right id).

Tried and dropped: one heap of (count, pair) tuples (a fifth slower at 32k), merging all
words of a step in one joined string (no gain), pairs as integers, arrays instead of
lists, several processes (the split alone gains).
"""

from __future__ import annotations

import gc
from collections import defaultdict
from contextlib import contextmanager
from operator import add
from typing import TYPE_CHECKING

from mintdim.bpe.pair_queue import PairQueue
from mintdim.bpe.train_naive import OnMerge, Pair, ignore
from mintdim.bpe.words import BYTE_COUNT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

Places = dict[str, list[int]]  # a pair, or a neighbour -> numbers of words


def train_fast(words: Mapping[str, int], wanted: int, on_merge: OnMerge = ignore) -> list[Pair]:
    """Learn up to ``wanted`` merges from ``words`` and their numbers of occurrences.

    Merge number k makes token id 256 + k. Fewer are returned when no pair is left.
    """
    with _collector_paused():
        state = _State(words)
        merges: list[Pair] = []
        while len(merges) < wanted and (best := state.best()):
            pair, count = best
            state.merge(pair, chr(BYTE_COUNT + len(merges)))
            merges.append((ord(pair[0]), ord(pair[1])))
            on_merge(len(merges), merges[-1], count)
    return merges


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Spare the cycle collector: hundreds of thousands of lists, and never a cycle."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


class _State:
    """Words as merged so far, and where and how often each pair occurs in them."""

    def __init__(self, words: Mapping[str, int]) -> None:
        # Sorted, words of one script lie together in memory, and merges touch them together.
        self._words = sorted(word for word in words if len(word) > 1)
        self._frequency_of = [words[word] for word in self._words].__getitem__
        self._places = _all_pairs(self._words)
        self._counts = {pair: self._total(where) for pair, where in self._places.items()}
        self._queue = PairQueue(self._counts)

    def best(self) -> tuple[str, int] | None:
        """Return the pair to merge next and its count."""
        while best := self._queue.pop():
            pair, believed = best
            count = self._counts.get(pair, 0)
            if count == believed:
                return best
            if count:
                self._queue.add(pair, count)
        return None

    def merge(self, pair: str, new: str) -> None:
        """Replace ``pair`` by ``new`` everywhere, and its neighbouring pairs by new ones."""
        first, second = pair[0], pair[1]
        del self._counts[pair]
        lefts, rights, twins = self._rewrite(pair, new)
        for left, where in lefts.items():
            self._exchange(left + first, left + new, where)
        for right, where in rights.items():
            self._exchange(second + right, new + right, where)
        if twins:
            self._exchange(second + first, new + new, twins)

    def _rewrite(self, pair: str, new: str) -> tuple[Places, Places, list[int]]:
        """Merge ``pair`` in all words; return where its neighbours now stand by ``new``.

        Left neighbours, right neighbours, and words where ``new`` follows itself.
        """
        words = self._words
        lefts: Places = defaultdict(list)
        rights: Places = defaultdict(list)
        twins: list[int] = []
        previous = -1
        for number in self._places.pop(pair):
            # The same word twice stands side by side; looking at a long word once per
            # occurrence would be quadratic.
            if number == previous:
                continue
            previous = number
            head, found, tail = words[number].partition(pair)
            if not found:
                continue
            if pair in tail:
                words[number] = merged = words[number].replace(pair, new)
                twins += _note_all(merged.split(new), number, lefts, rights)
                continue
            words[number] = head + new + tail
            if head:
                lefts[head[-1]].append(number)
            if tail:
                rights[tail[0]].append(number)
        return lefts, rights, twins

    def _exchange(self, old: str, new: str, where: list[int]) -> None:
        """Occurrences of the pair ``old`` in the words ``where`` have become ``new``."""
        self._places[new] = where
        self._counts[new] = count = self._total(where)
        self._queue.add(new, count)
        before = self._counts.get(old)
        if before == count:
            del self._counts[old], self._places[old]
        elif before is not None:
            self._counts[old] = before - count

    def _total(self, where: list[int]) -> int:
        return sum(map(self._frequency_of, where))


def _all_pairs(words: list[str]) -> Places:
    places: Places = defaultdict(list)
    for number, word in enumerate(words):
        for pair in map(add, word, word[1:]):
            places[pair].append(number)
    return dict(places)


def _note_all(gaps: list[str], number: int, lefts: Places, rights: Places) -> list[int]:
    """Note the neighbours of a symbol that cuts a word into ``gaps``; return its twins."""
    head, *inner, tail = gaps
    if head:
        lefts[head[-1]].append(number)
    twins: list[int] = []
    for gap in inner:
        if gap:
            rights[gap[0]].append(number)
            lefts[gap[-1]].append(number)
        else:
            twins.append(number)
    if tail:
        rights[tail[0]].append(number)
    return twins
