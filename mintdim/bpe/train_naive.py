"""The definition of training: count every pair, merge the best one, count again.

Each merge costs a pass over the whole corpus. This trainer exists to be read and to
judge ``train_fast``, which must return the same merges, always.

Two rules fix the result. The pair that occurs most often is merged; of several, the one
with the lowest (left id, right id). And overlaps: in ``aaa`` the pair (a, a) is counted
twice, but merged once, from the left.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from itertools import pairwise

from mintdim.bpe.words import BYTE_COUNT

Pair = tuple[int, int]  # (left id, right id)
OnMerge = Callable[[int, Pair, int], None]  # (merges so far, pair, its count)


def ignore(done: int, pair: Pair, count: int) -> None:
    """Report nothing."""


def train_naive(words: Iterable[str], wanted: int, on_merge: OnMerge = ignore) -> list[Pair]:
    """Learn up to ``wanted`` merges from ``words``, one entry per occurrence.

    Merge number k makes token id 256 + k. Fewer are returned when no pair is left.
    """
    sequences = [[ord(symbol) for symbol in word] for word in words]
    merges: list[Pair] = []
    while len(merges) < wanted:
        counts = count_pairs(sequences)
        if not counts:
            break
        pair = best_pair(counts)
        new_id = BYTE_COUNT + len(merges)
        sequences = [merge(sequence, pair, new_id) for sequence in sequences]
        merges.append(pair)
        on_merge(len(merges), pair, counts[pair])
    return merges


def count_pairs(sequences: Iterable[list[int]]) -> Counter[Pair]:
    """Count adjacent pairs, overlapping ones included."""
    return Counter(pair for sequence in sequences for pair in pairwise(sequence))


def best_pair(counts: Counter[Pair]) -> Pair:
    """Return the most frequent pair; of several, the lowest."""
    return min(counts, key=lambda pair: (-counts[pair], pair))


def merge(sequence: list[int], pair: Pair, new_id: int) -> list[int]:
    """Return ``sequence`` with every ``pair`` replaced by ``new_id``, from the left."""
    merged: list[int] = []
    position = 0
    while position < len(sequence):
        if tuple(sequence[position : position + 2]) == pair:
            merged.append(new_id)
            position += 2
        else:
            merged.append(sequence[position])
            position += 1
    return merged
