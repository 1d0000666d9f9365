r"""How text is cut into pieces before any merge: the patterns ``gpt2``, ``gpt4``, ``none``.

The canonical spellings are those of tiktoken 0.14.0, file
``tiktoken_ext/openai_public.py`` (``r50k_pat_str`` and ``cl100k_base``):
https://github.com/openai/tiktoken/blob/0.14.0/tiktoken_ext/openai_public.py

Python's ``re`` knows neither ``\p{L}`` nor the same ``\s``, ``$`` and ``(?i:s)``, so the
patterns are built here from pinned classes, with these differences in spelling:

- ``\s`` is White_Space; Python's also takes U+001C to U+001F.
- ``$`` becomes ``\Z``: Python's also matches before a final newline.
- ``(?i:s)`` is s, S and U+017F (long s). No other letter of the contractions has a
  third form.
- An optional sign before letters becomes three alternatives (space, none, any sign): the
  engine passes over an alternative by its first character, but not over an optional one.
- Possessive quantifiers become greedy ones. Each stands last in its alternative or
  before something that cannot match what it would give back, so nothing changes.

Every pattern exists in three sizes (ASCII, basic plane, all of Unicode), compiled when
first needed. All three split alike; the size only decides the speed, because ``re``
keeps the basic plane in a bitmap but tests higher ranges one after another.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Final, Literal, get_args

from mintdim.bpe.unicode16 import LETTERS, NUMBERS, WHITE_SPACE, Range, ranges

if TYPE_CHECKING:
    from collections.abc import Iterator

PatternName = Literal["gpt2", "gpt4", "none"]
PATTERN_NAMES: Final[tuple[str, ...]] = get_args(PatternName)

CANONICAL: Final[dict[str, str]] = {
    "gpt2": (r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s"),
    "gpt4": (
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+"
        r"| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
    ),
    "none": r"(?s:.+)",
}

# Blanks in these templates are layout; <name> is a class, <name+> a run of it.
_TEMPLATES: Final[dict[str, str]] = {
    "gpt2": r"""
        '(?:[sdmt]|ll|ve|re)
        | [ ]?<letter+> | [ ]?<number+> | [ ]?<other+>
        | <space>+\Z | <space>+(?!<not-space>) | <space>
    """,
    "gpt4": r"""
        '(?:[sdmtSDMT\u017f]|[lL][lL]|[vV][eE]|[rR][eE])
        | [ ]<letter+> | <letter+> | <joiner><letter+> | <number>{1,3} | [ ]?<other+>[\r\n]*
        | <space>+\Z | <space>*[\r\n] | <space>+(?!<not-space>) | <space>
    """,
}

_ASCII_END, _BASIC_END, _UNICODE_END = 0x7F, 0xFFFF, 0x10FFFF

# After a lone newline between two characters that are not white space both patterns cut,
# and cut alike on either side if the text ends there: the newline is a piece of its own, or
# (gpt4) the end of a run of signs.
_SAFE_CUT = re.compile(r"\S\n(?=\S)")
_BLOCK = 1 << 15  # characters; few enough for the pieces of a block to stay in the CPU cache


def split(text: str, pattern: str) -> Iterator[list[str]]:
    """Yield the pieces of ``text`` in order, a bounded list at a time.

    Concatenated, the pieces are ``text``; no piece is empty. Characters are code points,
    lone surrogates included. Pattern ``none`` gives the whole text as one piece.
    """
    if pattern == "none":
        return iter([[text]] if text else [])
    return (_pieces(block, pattern) for block in blocks(text))


def blocks(text: str, size: int = _BLOCK) -> Iterator[str]:
    """Cut ``text`` where both patterns cut anyway, after ``size`` characters or more."""
    start = 0
    while len(text) - start > size:
        cut = _SAFE_CUT.search(text, start + size)
        if cut is None:
            break
        yield text[start : cut.end()]
        start = cut.end()
    yield text[start:] if start else text


def _pieces(text: str, pattern: str) -> list[str]:
    return compiled(pattern, _reach(text)).findall(text)


def _reach(text: str) -> int:
    if text.isascii():
        return _ASCII_END
    # In UTF-16 exactly the characters beyond the basic plane take two units.
    units = len(text.encode("utf-16-le", "surrogatepass")) // 2
    return _BASIC_END if units == len(text) else _UNICODE_END


@cache
def compiled(pattern: str, reach: int) -> re.Pattern[str]:
    """Return the pattern for texts without a character above ``reach``."""
    classes = _classes(reach)
    template = re.sub(r"\s+", "", _TEMPLATES[pattern].replace("[ ]", r"\x20"))
    return re.compile(re.sub(r"<([a-z-]+\+?)>", lambda name: classes[name[1]], template))


def _classes(reach: int) -> dict[str, str]:
    letters, numbers, spaces = (ranges(table) for table in (LETTERS, NUMBERS, WHITE_SPACE))
    no_joiner = _union([*letters, *numbers, (10, 10), (13, 13)])
    taken = _union([*letters, *numbers, *spaces])
    return {
        "letter+": _run(letters, reach),
        "number": _one(numbers, reach),
        "number+": _run(numbers, reach),
        "joiner": _one(_complement(no_joiner), reach),
        "other+": _run(_complement(taken), reach),
        "space": _one(spaces, reach),
        "not-space": _one(_complement(spaces), reach),
    }


def _one(wanted: list[Range], reach: int) -> str:
    basic, astral = _within(wanted, 0, min(reach, _BASIC_END)), _within(wanted, 0x10000, reach)
    if not astral:
        return _charset(basic)
    return f"(?:{_charset(basic)}|(?=[\U00010000-\U0010ffff]){_charset(astral)})"


def _run(wanted: list[Range], reach: int) -> str:
    basic, astral = _within(wanted, 0, min(reach, _BASIC_END)), _within(wanted, 0x10000, reach)
    if not astral:
        return _charset(basic) + "+"
    return f"(?:{_charset(basic)}++|(?=[\U00010000-\U0010ffff]){_charset(astral)}++)+"


def _within(wanted: list[Range], first: int, last: int) -> list[Range]:
    clipped = ((max(low, first), min(high, last)) for low, high in wanted)
    return [(low, high) for low, high in clipped if low <= high]


def _charset(wanted: list[Range]) -> str:
    return "[" + "".join(rf"\U{low:08x}-\U{high:08x}" for low, high in wanted) + "]"


def _union(parts: list[Range]) -> list[Range]:
    merged: list[Range] = []
    for low, high in sorted(parts):
        if merged and low <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(high, merged[-1][1]))
        else:
            merged.append((low, high))
    return merged


def _complement(parts: list[Range]) -> list[Range]:
    edges = [-1, *(edge for part in _union(parts) for edge in part), _UNICODE_END + 1]
    gaps = zip(edges[::2], edges[1::2], strict=True)
    return [(low + 1, high - 1) for low, high in gaps if low + 1 <= high - 1]
