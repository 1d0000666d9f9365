"""The k-th number of a seeded order, without the others: a permutation that needs no memory.

A Feistel network (Luby and Rackoff, SIAM J. Comput. 17, 1988) permutes the numbers of an even count
of bits. What falls on a number that is not there is permuted again until it does not (cycle
walking; Black and Rogaway, CT-RSA 2002): less than four times on average. The rounds mix with the
finaliser of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014). Only integer arithmetic modulo 2**64,
so the order depends on nothing but count and key.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from mintdim.formats.shards import IntArray

_ROUNDS = 8
_Words = npt.NDArray[np.uint64]


class RandomOrder:
    """The numbers below ``count`` in the order that ``key`` names."""

    def __init__(self, count: int, key: bytes) -> None:
        self.count = count
        self._half = np.uint64(max(1, ((count - 1).bit_length() + 1) // 2))  # bits
        digest = hashlib.blake2b(key, digest_size=8 * _ROUNDS).digest()
        self._keys = np.frombuffer(digest, dtype="<u8").astype(np.uint64)

    def at(self, places: IntArray) -> IntArray:
        """Return the numbers that stand at ``places`` [n], each from 0 to ``count - 1``."""
        found = self._permuted(places.astype(np.uint64))
        while len(outside := np.flatnonzero(found >= self.count)):
            found[outside] = self._permuted(found[outside])
        return found.astype(np.int64)

    def _permuted(self, words: _Words) -> _Words:
        half = self._half
        mask = (np.uint64(1) << half) - np.uint64(1)
        left, right = words >> half, words & mask
        for key in self._keys:
            left, right = right, left ^ (_mixed(right ^ key) & mask)
        return (left << half) | right


def _mixed(words: _Words) -> _Words:
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))
