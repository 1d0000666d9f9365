"""Piece -> merged word, remembered; warm encoding is little but looking up this ``dict``.

``functools.lru_cache`` would do the same with a call per piece; ``dict.__missing__``
costs a call per *new* piece only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

# Pieces in it, and characters in each: together near 30 MB when full, 100 MB at the very worst.
MAX_PIECES = 1 << 17
MAX_LENGTH = 64


class PieceCache(dict[str, str]):
    """A ``dict`` that encodes what it lacks, and starts anew when it is full.

    ``known`` pieces need no encoding. They are kept apart until they occur: a ``dict`` of
    what a text really holds is small enough for the CPU's caches, which is worth a tenth.
    """

    def __init__(self, encode: Callable[[str], str], known: Iterable[tuple[str, str]]) -> None:
        super().__init__()
        self._known = dict(known)
        self._encode = encode

    def __missing__(self, piece: str) -> str:
        merged = self._known.get(piece) or self._encode(piece)
        if len(piece) <= MAX_LENGTH:
            if len(self) >= MAX_PIECES:
                self.clear()
            self[piece] = merged
        return merged
