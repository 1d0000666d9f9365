"""The patterns of the standard library against ``regex`` and tiktoken, code point by code point.

``regex`` may know a newer Unicode than the pinned 16.0; where the two disagree about a
code point's class, tiktoken is the judge and ``regex`` is not asked.
"""

from __future__ import annotations

import random
from functools import cache
from itertools import islice

import pytest

from mintdim.bpe.patterns import CANONICAL, split
from mintdim.bpe.unicode16 import LETTERS, NUMBERS, WHITE_SPACE, ranges
from tests.bpe.worlds import ADVERSARIAL

TABLES = {r"\p{L}": LETTERS, r"\p{N}": NUMBERS, r"\s": WHITE_SPACE}
SURROGATES = range(0xD800, 0xE000)
CONTEXTS = [
    "{}",
    "a{}",
    "{}a",
    "1{}",
    "{}1",
    " {}",
    "{} a",
    "\n{}",
    "{}\n",
    "'{}",
    "{}'s",
    "{}\U0001f600",
]


@cache
def members(table: str) -> frozenset[int]:
    return frozenset(c for first, last in ranges(table) for c in range(first, last + 1))


def pieces(text: str, pattern: str) -> list[str]:
    return [piece for some in split(text, pattern) for piece in some]


# tiktoken


@pytest.mark.parametrize("name", TABLES)
def test_tiktoken_gives_every_code_point_the_same_class(name):
    tiktoken = pytest.importorskip("tiktoken")
    single = {bytes([value]): value for value in range(256)}
    only = tiktoken.Encoding("one-class", pat_str=name, mergeable_ranks=single, special_tokens={})
    everything = "".join(chr(c) for c in range(0x110000) if c not in SURROGATES)
    # tiktoken drops what its pattern does not match, so what is left is the class.
    left = only.decode(only.encode_ordinary(everything))
    assert left == "".join(map(chr, sorted(members(TABLES[name]))))


@pytest.mark.parametrize(("pattern", "name"), [("gpt2", "r50k_pat_str"), ("gpt4", "cl100k_base")])
def test_the_canonical_spelling_is_tiktoken_s(pattern, name, monkeypatch):
    public = pytest.importorskip("tiktoken_ext.openai_public")
    monkeypatch.setattr(public, "load_tiktoken_bpe", lambda *_, **__: {})
    found = getattr(public, name)
    spelling = found if isinstance(found, str) else found()["pat_str"]
    assert spelling == CANONICAL[pattern]


# regex


@cache
def unsettled() -> frozenset[int]:
    """Code points whose class ``regex`` and Unicode 16.0 disagree about."""
    regex = pytest.importorskip("regex")
    everything = "".join(map(chr, range(0x110000)))
    differing: set[int] = set()
    for name, table in TABLES.items():
        matched = regex.compile(name).findall(everything)
        differing |= members(table) ^ set(map(ord, matched))
    return frozenset(differing)


def settled_text(context: str, points: range | list[int]) -> str:
    skip = unsettled()
    return "".join(context.replace("{}", chr(c)) for c in points if c not in skip)


@pytest.mark.parametrize(("pattern", "context"), [("gpt2", "{} "), ("gpt4", "'{}1")])
def test_regex_cuts_every_code_point_the_same(pattern, context):
    regex = pytest.importorskip("regex")
    text = settled_text(context, range(0x110000))
    assert pieces(text, pattern) == regex.findall(CANONICAL[pattern], text)


@pytest.mark.parametrize("pattern", ["gpt2", "gpt4"])
@pytest.mark.parametrize("context", CONTEXTS)
def test_regex_cuts_at_the_edges_of_every_class_the_same(pattern, context):
    regex = pytest.importorskip("regex")
    known = (r for table in TABLES.values() for r in ranges(table))
    edges = {edge + step for both in known for edge in both for step in (-1, 0, 1)}
    points = sorted(edges | set(range(0x250)) | set(SURROGATES[:3]))
    text = settled_text(context, [c for c in points if 0 <= c < 0x110000])
    assert pieces(text, pattern) == regex.findall(CANONICAL[pattern], text)


@pytest.mark.parametrize("pattern", ["gpt2", "gpt4"])
def test_regex_cuts_random_adversarial_text_the_same(pattern):
    regex = pytest.importorskip("regex")
    canonical = regex.compile(CANONICAL[pattern])
    for text in [*ADVERSARIAL, *islice(adversarial_texts(seed=16), 20_000)]:
        if unsettled().isdisjoint(map(ord, text)):
            assert pieces(text, pattern) == canonical.findall(text)


def adversarial_texts(seed: int):
    """Yield short texts of characters that meet every branch of the patterns."""
    rng = random.Random(seed)
    signs = list(
        "'sStTlLvVeErRdDmM aZ19_-.\t\n\r\v\x1c\x85\xa0\u2028\u3000\u200b\u017féǅ²٣क猫ि\u0301"
    )
    signs += ["\ud800", "\U0001f600", "\U00010400", "\U0001d7d8", "  ", "\n\n", " \n", "'s", "'LL"]
    while True:
        yield "".join(rng.choices(signs, k=rng.randint(1, 14)))
