"""Encoding one word: merge the earliest learned pair, again and again.

Merging the lowest rank first gives what replaying all merges in training order gives,
because a merge can only make pairs that were learned after it. The same reason lets a
word that *is* a token be answered at once: its own merges rebuild it.
"""

from __future__ import annotations

from heapq import heapify, heappop, heappush
from itertools import repeat
from operator import add
from typing import TYPE_CHECKING

from mintdim.bpe.words import BYTE_COUNT

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_NONE = 1 << 62  # above every id: no such pair
# Searching a list of ranks is quicker than a heap up to about this many symbols.
_SHORT = 48


def pair_ids(merges: Iterable[tuple[int, int]]) -> dict[str, int]:
    """Return pair -> merged id, where a pair is a ``str`` of two ids as characters."""
    pairs = (chr(left) + chr(right) for left, right in merges)
    return {pair: BYTE_COUNT + rank for rank, pair in enumerate(pairs)}


def merge_word(word: str, ids: Mapping[str, int]) -> str:
    """Return a word fully merged: again one character per token."""
    if len(word) <= _SHORT:
        return _merge_short(word, ids)
    return _merge_long(word, ids)


def _merge_short(word: str, ids: Mapping[str, int]) -> str:
    find = ids.get
    # Empty symbols at both ends spare every merge the question whether there is a neighbour.
    symbols = ["", *word, ""]
    ranks = [_NONE, *map(find, map(add, word, word[1:]), repeat(_NONE)), _NONE]
    while (best := min(ranks)) != _NONE:
        at = ranks.index(best)
        symbols[at] = new = chr(best)
        del symbols[at + 1], ranks[at]
        ranks[at - 1] = find(symbols[at - 1] + new, _NONE)
        ranks[at] = find(new + symbols[at + 1], _NONE)
    return "".join(symbols)


def _merge_long(word: str, ids: Mapping[str, int]) -> str:
    """Merge by a heap over a doubly linked list: n log n for any word."""
    size = len(word)
    symbols = list(word)
    before = list(range(-1, size - 1))
    after = list(range(1, size + 1))
    # Rank and position in one integer, so that the heap compares plain numbers.
    pairs = enumerate(map(add, word, word[1:]))
    heap = [ids[pair] * size + at for at, pair in pairs if pair in ids]
    heapify(heap)

    def offer(left: int, right: int) -> None:
        merged = ids.get(symbols[left] + symbols[right])
        if merged is not None:
            heappush(heap, merged * size + left)

    while heap:
        merged, at = divmod(heappop(heap), size)
        right = after[at]
        # Stale when a symbol of the pair was merged meanwhile; a dead symbol is "".
        if right == size or ids.get(symbols[at] + symbols[right]) != merged:
            continue
        symbols[at], symbols[right] = chr(merged), ""
        after[at] = following = after[right]
        if following < size:
            before[following] = at
            offer(at, following)
        if before[at] >= 0:
            offer(before[at], at)
    return "".join(symbols)
