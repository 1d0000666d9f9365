"""The definition of training, on corpora that can be checked by eye."""

from __future__ import annotations

from mintdim.bpe.train_naive import count_pairs, merge, train_naive
from tests.bpe.worlds import quietly

A, B, C, D = (ord(letter) for letter in "abcd")


def test_the_textbook_example_aaabdaaabac():
    # X = aa leaves XabdXabac; ab and Xa are twice each, and ab is lower: Y = ab leaves
    # XYdXYac; then XY.
    merges = train_naive(["aaabdaaabac"], 3)
    assert merges == [(A, A), (A, B), (256, 257)]


def test_overlapping_pairs_are_counted_each():
    assert count_pairs([[A, A, A]]) == {(A, A): 2}


def test_overlapping_pairs_are_merged_from_the_left():
    assert merge([A, A, A, B], (A, A), 256) == [256, A, B]


def test_of_equally_frequent_pairs_the_lowest_is_merged_first():
    assert train_naive(["cd", "ab", "ad"], 3) == [(A, B), (A, D), (C, D)]


def test_frequency_goes_before_order():
    assert train_naive(["ab", "cd", "cd"], 1) == [(C, D)]


def test_the_order_of_the_corpus_does_not_matter():
    lines = ["bbb", "aaa", "dddd", "cccc"]
    learned = [
        quietly(corpus, 264, pattern="none", fast=fast).merges
        for corpus in (lines, sorted(lines), lines[::-1])
        for fast in (True, False)
    ]
    assert set(learned) == {
        ((C, C), (D, D), (A, A), (B, B), (256, 256), (257, 257), (258, A), (259, B))
    }


def test_words_do_not_merge_into_each_other():
    assert train_naive(["a", "b", "a", "b"], 5) == []


def test_training_stops_when_no_pair_is_left():
    assert train_naive(["abc"], 100) == [(A, B), (256, C)]


def test_a_pair_that_occurs_once_is_still_merged():
    assert train_naive(["ab"], 1) == [(A, B)]
