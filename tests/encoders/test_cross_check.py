"""What the comparison of an accelerator with the official library looks at, and what it finds."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mintdim.encoders.contract import Encoded
from mintdim.encoders.cross_check import cross_check, first_difference

if TYPE_CHECKING:
    from collections.abc import Sequence

SHARE = 0.002


def flat(rows: Sequence[Sequence[int]]) -> Encoded:
    ids = np.array([number for row in rows for number in row], dtype=np.uint32)
    return Encoded(ids, np.array([len(row) for row in rows], dtype=np.int64))


def by_hand(rows: Sequence[Sequence[int]], others: Sequence[Sequence[int]]) -> int | None:
    return next((i for i, (a, b) in enumerate(zip(rows, others, strict=True)) if a != b), None)


ROWS = st.lists(st.lists(st.integers(0, 2), max_size=3), max_size=6)


@given(rows=ROWS, data=st.data())
def test_the_first_difference_is_that_of_a_comparison_row_by_row(
    rows: list[list[int]], data: st.DataObject
) -> None:
    others = [data.draw(st.one_of(st.just(row), st.lists(st.integers(0, 2)))) for row in rows]
    assert first_difference(flat(rows), flat(others)) == by_hand(rows, others)


class Listening:
    """Gives the UTF-8 bytes of a text as its ids, and remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def encode_batch(self, texts: Sequence[str]) -> Encoded:
        self.asked += texts
        return flat([list(text.encode()) for text in texts])


TEXTS = st.lists(st.text(max_size=30), min_size=1, max_size=40)


@given(texts=TEXTS, seed=st.text(max_size=5), times=st.integers(1, 300))
def test_a_sample_is_one_text_or_up_to_its_share_of_the_bytes_and_the_same_for_a_seed(
    texts: list[str], seed: str, times: int
) -> None:
    texts = texts * times
    encoded = flat([list(text.encode()) for text in texts])
    listening, again = Listening(), Listening()
    for official in (listening, again):
        assert cross_check(official, texts, encoded, seed) is None  # type: ignore[arg-type]
    assert listening.asked == again.asked
    assert listening.asked
    size = sum(len(text.encode()) for text in listening.asked)
    assert len(listening.asked) == 1 or size <= SHARE * sum(len(t.encode()) for t in texts)


def test_nothing_is_asked_about_no_texts() -> None:
    assert cross_check(Listening(), [], flat([]), "") is None  # type: ignore[arg-type]


def test_a_wrong_text_of_the_sample_is_found_wherever_it_stands() -> None:
    dice = random.Random(1)
    for seed in map(str, range(50)):
        texts = ["x" * dice.randint(0, 5) for _ in range(dice.randint(1, 2_000))]
        encoded = flat([[*text.encode(), 7] for text in texts])
        official = Listening()
        found = cross_check(official, texts, encoded, seed)  # type: ignore[arg-type]
        assert found is not None
        assert texts[found] == official.asked[0]


def test_a_text_that_only_the_official_library_refuses_is_a_difference() -> None:
    class Refusing(Listening):
        def encode_batch(self, texts: Sequence[str]) -> Encoded:
            raise ValueError("no")

    assert cross_check(Refusing(), ["a"], flat([[1]]), "") == 0  # type: ignore[arg-type]
