"""Piece -> ids, remembered; the whole of warm encoding is looking up this ``dict``.

``functools.lru_cache`` would do the same with a call per piece; ``dict.__missing__``
costs a call per *new* piece only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

Ids = tuple[int, ...]

# Both bounds together keep a full cache near 60 MB: pieces in it, characters in each.
MAX_PIECES = 1 << 18
MAX_LENGTH = 64


class PieceCache(dict[str, Ids]):
    """A ``dict`` that encodes what it lacks, and starts anew when it is full.

    ``known`` is there from the beginning, survives every new start, and is not counted.
    """

    def __init__(self, encode: Callable[[str], Ids], known: Iterable[tuple[str, Ids]]) -> None:
        self._known = dict(known)
        super().__init__(self._known)
        self._encode = encode
        self._limit = len(self._known) + MAX_PIECES

    def __missing__(self, piece: str) -> Ids:
        ids = self._encode(piece)
        if len(piece) <= MAX_LENGTH:
            if len(self) >= self._limit:
                self.clear()
                self.update(self._known)
            self[piece] = ids
        return ids
