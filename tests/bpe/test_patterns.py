"""How text is cut into pieces: the cases people trip over, in plain sight."""

from __future__ import annotations

import itertools
import re
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mintdim.bpe import patterns
from mintdim.bpe.patterns import blocks, compiled, split
from mintdim.bpe.unicode16 import LETTERS, NUMBERS, WHITE_SPACE, ranges
from tests.bpe.worlds import ADVERSARIAL, few_letters, texts

either = st.sampled_from(["gpt2", "gpt4"])
lines = st.lists(few_letters | texts).map("\n".join)
ALL_REACHES = (0x7F, 0xFFFF, 0x10FFFF)


def pieces(text: str, pattern: str) -> list[str]:
    return [piece for some in split(text, pattern) for piece in some]


@given(texts, st.sampled_from(["gpt2", "gpt4", "none"]))
def test_the_pieces_joined_are_the_text_and_none_is_empty(text, pattern):
    found = pieces(text, pattern)
    assert "".join(found) == text
    assert all(found)


@given(texts)
def test_pattern_none_cuts_nowhere(text):
    assert pieces(text, "none") == [text] * bool(text)


CASES = {
    "contractions": [
        ("gpt2", "it's we'll I'd", ["it", "'s", " we", "'ll", " I", "'d"]),
        ("gpt4", "it's we'll I'd", ["it", "'s", " we", "'ll", " I", "'d"]),
        (
            "gpt2",
            "they've you're I'm don't",
            ["they", "'ve", " you", "'re", " I", "'m", " don", "'t"],
        ),
        (
            "gpt4",
            "they've you're I'm don't",
            ["they", "'ve", " you", "'re", " I", "'m", " don", "'t"],
        ),
    ],
    "contractions in capitals are known to gpt4 alone": [
        ("gpt2", "IT'S WE'LL", ["IT", "'", "S", " WE", "'", "LL"]),
        ("gpt4", "IT'S WE'LL", ["IT", "'S", " WE", "'LL"]),
        ("gpt4", "y'Ve y'vE", ["y", "'Ve", " y", "'vE"]),
    ],
    "the long s U+017F is an s to gpt4, with its case ignored": [
        ("gpt4", "it'\u017fo", ["it", "'\u017f", "o"]),
        ("gpt2", "it'\u017fo", ["it", "'", "\u017fo"]),
    ],
    "an apostrophe that begins no contraction": [
        ("gpt2", "'tis 'quote'", ["'t", "is", " '", "quote", "'"]),
        ("gpt4", "'tis 'quote'", ["'t", "is", " '", "quote", "'"]),
        ("gpt4", "o'clock", ["o", "'clock"]),
        ("gpt2", "o'clock", ["o", "'", "clock"]),
    ],
    "digit runs": [
        ("gpt2", "x1234567 89", ["x", "1234567", " 89"]),
        ("gpt4", "x1234567 89", ["x", "123", "456", "7", " ", "89"]),
        ("gpt4", "٣٤٥٦²½", ["٣٤٥", "٦²½"]),
    ],
    "leading white space goes to the next piece": [
        ("gpt2", "a  b   3", ["a", " ", " b", "  ", " 3"]),
        ("gpt4", "a  b   3", ["a", " ", " b", "  ", " ", "3"]),
        ("gpt4", "\tx\u3000y", ["\tx", "\u3000y"]),
        ("gpt2", "\tx\u3000y", ["\t", "x", "\u3000", "y"]),
        ("gpt4", " (x)", [" (", "x", ")"]),
    ],
    "white space at the end stays together": [
        ("gpt2", "a   ", ["a", "   "]),
        ("gpt4", "a   ", ["a", "   "]),
    ],
    "newlines": [
        ("gpt2", "a\n\nb", ["a", "\n", "\n", "b"]),
        ("gpt4", "a\n\nb", ["a", "\n\n", "b"]),
        ("gpt4", "a\n  b", ["a", "\n", " ", " b"]),
        ("gpt2", "a\n  b", ["a", "\n ", " b"]),
        ("gpt4", "end.\n\nNew", ["end", ".\n\n", "New"]),
        ("gpt4", "a \r\n b", ["a", " \r\n", " b"]),
        ("gpt4", "a\n  ", ["a", "\n  "]),
        ("gpt4", "a\n", ["a", "\n"]),
        ("gpt2", "a \n", ["a", " \n"]),
    ],
    "the separators U+001C to U+001F are no white space": [
        ("gpt4", "a\x1c b", ["a", "\x1c", " b"]),
        ("gpt2", "a \x1f", ["a", " \x1f"]),
    ],
    "lone surrogates are neither letters, numbers nor white space": [
        ("gpt4", "\ud800x 1\udfff", ["\ud800x", " ", "1", "\udfff"]),
        ("gpt2", "\ud800x", ["\ud800", "x"]),
    ],
    "combining marks are no letters": [
        ("gpt2", "க்", ["க", "்"]),
        ("gpt4", "கி ம", ["க", "ி", " ம"]),
    ],
    "letters and numbers beyond the basic plane": [
        ("gpt4", "😀𐐀𐐨 \U0001d7d8\U0001d7d9²9", ["😀𐐀𐐨", " ", "\U0001d7d8\U0001d7d9²", "9"]),
        ("gpt2", "x😀 😀y", ["x", "😀", " 😀", "y"]),
    ],
}


@pytest.mark.parametrize(
    ("pattern", "text", "expected"), [case for cases in CASES.values() for case in cases]
)
def test_text_is_cut_as_listed(pattern, text, expected):
    assert pieces(text, pattern) == expected


# the three sizes of a pattern


@pytest.mark.parametrize("pattern", ["gpt2", "gpt4"])
def test_all_sizes_of_a_pattern_cut_alike(pattern):
    for text in ADVERSARIAL:
        fitting = [size for size in ALL_REACHES if all(ord(c) <= size for c in text)]
        found = {tuple(compiled(pattern, size).findall(text)) for size in fitting}
        assert len(found) == 1


@given(st.text(st.characters(max_codepoint=0x7F)), either)
def test_ascii_text_is_cut_alike_by_all_sizes(text, pattern):
    found = [compiled(pattern, size).findall(text) for size in ALL_REACHES]
    assert found[0] == found[1] == found[2]


@given(few_letters | texts | lines, either, st.integers(1, 9))
def test_cutting_into_blocks_changes_no_piece(text, pattern, size):
    whole = compiled(pattern, 0x10FFFF).findall
    assert [piece for block in blocks(text, size) for piece in whole(block)] == whole(text)


def test_every_context_survives_a_block_cut():
    signs = ["a", "7", " ", "\n", "\r", "\t", "'s", ".", "é", "。", "\x1f", "\u2028", "😀"]
    for before in signs:
        for after in signs:
            text = f"{before}x\n{after}\n {before}9\n\n{after}"
            for pattern in ("gpt2", "gpt4"):
                whole = compiled(pattern, 0x10FFFF).findall
                parts = [piece for block in blocks(text, 1) for piece in whole(block)]
                assert parts == whole(text)


# the same on every Python


def test_no_class_is_left_to_the_interpreter():
    for pattern in ("gpt2", "gpt4"):
        source = compiled(pattern, 0x10FFFF).pattern
        assert not re.search(r"\\[swdWSDbBp]|\(\?[aiLu]", source)


def test_the_tables_are_ascending_and_disjoint():
    taken = sorted(r for table in (LETTERS, NUMBERS, WHITE_SPACE) for r in ranges(table))
    for (_, last), (first, _) in itertools.pairwise(taken):
        assert last < first
    sizes = [
        sum(last - first + 1 for first, last in ranges(table))
        for table in (LETTERS, NUMBERS, WHITE_SPACE)
    ]
    assert sizes == [141_028, 1_911, 25]


def test_patterns_are_compiled_when_first_needed():
    program = (
        "from mintdim.bpe import patterns\n"
        "assert patterns.compiled.cache_info().currsize == 0\n"
        "list(patterns.split('ascii', 'gpt4'))\n"
        "assert patterns.compiled.cache_info().currsize == 1\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
    assert patterns.PATTERN_NAMES == ("gpt2", "gpt4", "none")
