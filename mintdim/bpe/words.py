"""Pieces of text as words: the unit both trainers merge in.

A word is a ``str`` with one character per token, whose code point is the token's id.
An untouched word therefore holds the piece's UTF-8 bytes as U+0000 to U+00FF, and
replacing a pair everywhere in a word, left to right, is one ``str.replace``.
"""

from __future__ import annotations

import sys
from collections import Counter
from typing import TYPE_CHECKING

from mintdim.bpe.patterns import split

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

BYTE_COUNT = 256
ID_LIMIT = sys.maxunicode + 1  # ids are code points, so there is an end to them

_UTF32 = f"utf-32-{sys.byteorder[0]}e"  # without a byte order mark


def word_of(piece: str) -> str:
    """Return the word of an unmerged piece; a lone surrogate becomes its three bytes."""
    return piece.encode("utf-8", "surrogatepass").decode("latin-1")


def ids_of(word: str) -> list[int]:
    """Return the ids of a word. Twice as quick as ``list(map(ord, word))``."""
    return memoryview(word.encode(_UTF32, "surrogatepass")).cast("I").tolist()


def each_word(texts: Iterable[str], pattern: str) -> Iterator[str]:
    """Yield one word for every occurrence of a piece, in order."""
    for text in texts:
        for pieces in split(text, pattern):
            yield from map(word_of, pieces)


def count_words(texts: Iterable[str], pattern: str) -> dict[str, int]:
    """Return each distinct word with its number of occurrences.

    The texts are let go one by one: memory grows with the distinct pieces only.
    """
    counter: Counter[str] = Counter()
    for text in texts:
        for pieces in split(text, pattern):
            counter.update(pieces)
    return dict(_drained(counter))


def _drained(counter: Counter[str]) -> Iterator[tuple[str, int]]:
    # Taking items out while converting keeps pieces and words from existing twice.
    while counter:
        piece, count = counter.popitem()
        yield word_of(piece), count
