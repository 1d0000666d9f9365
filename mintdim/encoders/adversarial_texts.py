"""Texts that tokenizers get wrong, the same at every call: all scripts, runs, given literals.

``corpus`` is the whole of it, for a proof; ``selection`` what fits into a start-up.
"""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_ROW = 64  # code points in a text
_SURROGATES = range(0xD800, 0xE000)
_DENSE = 0x40000  # from here on, but for plane 14, code points are private or unassigned
_PLANE_14 = range(0xE0000, 0xE1000)
_SPARSE_STEP = 0x1000

_RUNS = " \t\n\r\u00a0\u3000\u200b\0aAz09-=_.#*/\\|~é語क한\u0301😀\ue000\U0010ffff"
_RUN_LENGTHS = (2, 3, 4, 7, 8, 16, 31, 64, 257, 1000)
_AROUND = ("{}", "a{}b", " {} ", "\n{}\n", "{0}{0}", "{0} {0}", "1{}2", "é{}語", '"{}",', "<{}>")

_SAMPLES = (
    "",
    "The quick brown fox jumps over the lazy dog. THE QUICK BROWN FOX! don't, we'll, I'VE",
    "Tôi đang học tiếng Việt; Zażółć gęślą jaźń. Größe, œuvre, naïve, İstanbul, ǅ, ﬁ, ﬃ",
    "Съешь ещё этих мягких французских булок. Ξεσκεπάζω την ψυχοφθόρα βδελυγμία",
    "敏捷的棕色狐狸跳过了懒狗。すばやい茶色の狐が、のろまな犬を飛び越える。다람쥐 헌 쳇바퀴에",
    "نص حكيم له سر قاطع وذو شأن عظيم דג סקרן שט בים ฟองมันฟันหนู ऋषियों को सताने वाले",
    "\u202bright\u202c \u2067to\u2069 left\u200f \u200dzero\u200cwidth\ufeff soft\u00adhyphen",
    "é e\u0301 n\u0303 \u1112\u1161\u11ab 한 Z\u0351\u036b\u0343\u036a\u0302 a\u0301\u0301",
    "👩‍👩‍👧‍👦 👨🏽‍💻 🏳️‍🌈 🏴‍☠️ 🇻🇳🇫🇷 1️⃣ #️⃣ ☺︎☺️ 🤷🏿‍♀️ ❤️‍🔥 \U0001f3f4\U000e0067\U000e0062\U000e007f",
    "0 1 12 123 1234 12345 1234567890 3.14159 -2.5e-10 1,000,000 0x7fff 0b1010 ½ ٣٤٥ ४५ Ⅻ ² 1st",
    "def f(x: int) -> str:\n    return f'{x!r:>10}'  # ok\n\n\nclass A(B):\n\tpass\r\n",
    "for (int i = 0; i < n; ++i) { a[i] += b->c * &d; } /* done */ #define X(y) ((y) << 2)",
    '{"key": [1, 2.0, null, true], "text": "a\\n\\u00e9\\\\"}\n<a href="x?y=1&z=2">&amp;</a><br/>',
    "\\begin{align} \\frac{a}{b} &= \\sum_{i=0}^{n} x_i^2 \\\\ \\end{align} $$E=mc^2$$",
    "https://example.org/a/b?c=d#e user.name+tag@example.com C:\\dir\\file.txt ~/.bashrc",
    "| a | b |\n|---|:-:|\n| 1 | 2 |\n\n- [ ] item\n* item\n1. item\n> quote\n```sh\nls -la\n```\n",
    "TWFueSBoYW5kcyBtYWtlIGxpZ2h0IHdvcmsu d41d8cd98f00b204e9800998ecf8427e camelCaseName",
    "<s> </s> <pad> <unk> [PAD] [UNK] [CLS] [SEP] [MASK] <mask> <|endoftext|> <|im_start|> <0x0A>",
    " leading and trailing \n \n\n \t\t mixed \u2003 white \u2028 space \u2029 \x0b \x0c \x85 ",
)


def corpus(new: Iterable[str], added: Iterable[str]) -> Iterator[str]:
    """Yield the texts of the proof: all scripts, and the literals of new and added entries."""
    for literal in new:
        yield from (frame.format(literal) for frame in _AROUND)
        yield from (literal.lower(), literal.upper(), literal[:-1], literal[1:])
    for literal in added:
        yield literal
        yield " ".join(frame.format(literal) for frame in _AROUND)
    yield from _SAMPLES
    yield from _runs()
    yield from _scripts()


# Texts that an accelerator once got wrong: what the fuzz finds is put here.
_FOUND = ("  \u180e  x",)

_SELECTED_RUN_LENGTHS = (2, 3, 7, 64)
_SELECTED_ROW_STEP = 16  # of the planes' many rows of ideographs, syllables and unassigned points
_SCRIPTS_END = 0x3400  # up to here every row is another script


def selection(literals: Iterable[str]) -> Iterator[str]:
    """Yield some 130 kB of the corpus: every alphabet, a part of the large ranges.

    ``literals`` are the added tokens of the tokenizer, of which the first and last ones count.
    """
    listed = list(literals)
    for literal in dict.fromkeys([*listed[:8], *listed[-8:]]):
        yield " ".join(frame.format(literal) for frame in _AROUND)
        yield from (literal[:-1], literal.upper())
    yield from _FOUND
    yield from _SAMPLES
    for char in _RUNS:
        yield from (f"a{char * length}b{char}" for length in _SELECTED_RUN_LENGTHS)
    yield from (f"a{' ' * length}b{' ' * length}" for length in range(1, 70))
    for i, first in enumerate(_row_starts()):
        if first < _SCRIPTS_END or i % _SELECTED_ROW_STEP == 0:
            row = "".join(map(chr, range(first, first + _ROW)))
            yield f"{row} {' '.join(row[::8])}"


def _runs() -> Iterator[str]:
    for char in _RUNS:
        yield from (char * length for length in _RUN_LENGTHS)
        yield from (f"a{char * length}b" for length in range(1, 9))


def _scripts() -> Iterator[str]:
    """Yield every code point below plane 4 and of plane 14, and samples of the other planes."""
    for first in _row_starts():
        row = [chr(code) for code in range(first, first + _ROW)]
        yield "".join(row)
        yield " ".join(row)
        letters = "".join(char for char in row if unicodedata.category(char).startswith("L"))
        yield from (letters.lower(), letters.title())


def _row_starts() -> Iterator[int]:
    for first in range(0, 0x110000, _ROW):
        dense = first < _DENSE or first in _PLANE_14
        if first not in _SURROGATES and (dense or first % _SPARSE_STEP == 0):
            yield first
