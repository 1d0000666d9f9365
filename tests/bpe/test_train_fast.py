"""The fast trainer is the naive one, sooner: the same merges, always."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mintdim.bpe.train_fast import train_fast
from mintdim.bpe.train_naive import train_naive
from mintdim.bpe.words import word_of
from tests.bpe.worlds import ADVERSARIAL, CORPORA, PATTERNS, few_letters, quietly, texts


def both(words: list[str], wanted: int) -> list[tuple[int, int]]:
    naive = train_naive(words, wanted)
    assert train_fast(Counter(words), wanted) == naive
    return naive


@pytest.mark.parametrize("name", ["en_web.txt", "ta.txt", "python.txt"])
@pytest.mark.parametrize("pattern", ["gpt2", "gpt4"])
def test_on_a_fixed_corpus_both_learn_the_same(name, pattern):
    text = (CORPORA / name).read_bytes()[:12_000].decode(errors="ignore")
    fast = quietly(text, 480, pattern=pattern)
    assert fast.merges == quietly(text, 480, pattern=pattern, fast=False).merges
    assert len(fast.merges) == 224


@pytest.mark.parametrize("pattern", PATTERNS)
def test_on_adversarial_strings_both_learn_until_nothing_is_left(pattern):
    corpus = [text[:200] for text in ADVERSARIAL]
    fast = quietly(corpus, 900, pattern=pattern)
    assert fast.merges == quietly(corpus, 900, pattern=pattern, fast=False).merges


@given(st.lists(few_letters | texts.map(word_of), max_size=12), st.integers(0, 60))
def test_on_any_words_both_learn_the_same(words, wanted):
    both(words, wanted)


@given(st.lists(st.text("ab", max_size=8), max_size=6), st.lists(st.integers(1, 9), max_size=6))
def test_with_any_repetition_both_learn_the_same(words, times):
    both([word for word, count in zip(words, times, strict=False) for _ in range(count)], 40)


@pytest.mark.parametrize(
    "words",
    [
        ["a" * n for n in range(12)],
        ["aab" * n for n in range(6)],
        ["abab" * n + "a" for n in range(6)],
        ["aaa" + "b" * n + "aaa" for n in range(6)],
        ["abba" * 9, "baab" * 9, "aabb" * 9],
        ["ab" * 50 + "ba" * 50],
    ],
    ids=lambda words: max(words, key=len)[:12],
)
def test_on_repetitions_both_learn_the_same(words):
    assert both(words, 50)


def test_counts_beyond_32_bits_are_exact():
    many = 1 << 33
    assert train_fast({"ab": many, "cd": many + 1}, 2) == [(99, 100), (97, 98)]


@pytest.mark.parametrize("text", ["a" * 100_000, "ab" * 50_000, "".join(ADVERSARIAL * 9)[:100_000]])
def test_one_word_of_a_hundred_thousand_characters_is_no_trouble(text):
    # A trainer that looks at the word once per occurrence needs minutes for this.
    assert quietly(text, 1256, pattern="none").vocab_size > 256
