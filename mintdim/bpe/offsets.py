"""Where each token lies in the text, in characters."""

from __future__ import annotations

from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

Span = tuple[int, int]  # first character, one past the last


def spans(text: str, sizes: Iterable[int]) -> list[Span]:
    """Return the characters that each token touches, given the tokens' sizes in bytes.

    ``sizes`` add up to the bytes of ``text``. A token that holds a part of a character
    touches all of it, so the spans of neighbours may overlap in that one character.
    """
    edges = pairwise(accumulate(sizes, initial=0))
    if text.isascii():
        return list(edges)
    owner = _owners(text)
    return [(owner[start], owner[end - 1] + 1) for start, end in edges]


def _owners(text: str) -> list[int]:
    """Return, for each byte, the number of its character."""
    sizes = (len(character.encode("utf-8", "surrogatepass")) for character in text)
    return [number for number, size in enumerate(sizes) for _ in range(size)]
