"""The reference engine: an ordered map that draws items only as results are taken."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mintdim.engines.inline import InlineEngine

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mintdim.engines.contract import Engine

ENGINE: Engine = InlineEngine()


@given(st.lists(st.integers()))
def test_results_stand_in_the_order_of_the_items(items: list[int]) -> None:
    assert list(ENGINE.map(lambda item: item * 2, items)) == [item * 2 for item in items]


def test_no_item_is_drawn_before_its_result_is_taken() -> None:
    drawn = []

    def items() -> Iterator[int]:
        for item in range(3):
            drawn.append(item)
            yield item

    results = ENGINE.map(str, items())
    assert drawn == []
    assert next(results) == "0"
    assert drawn == [0]
    assert list(results) == ["1", "2"]


def test_a_task_that_raises_raises_where_its_result_is_taken() -> None:
    results = ENGINE.map(lambda item: 1 // item, [1, 0, 1])
    assert next(results) == 1
    with pytest.raises(ZeroDivisionError):
        next(results)


def test_what_the_items_raise_comes_after_the_results_before_it() -> None:
    def items() -> Iterator[int]:
        yield 1
        raise KeyError("gone")

    results = ENGINE.map(str, items())
    assert next(results) == "1"
    with pytest.raises(KeyError):
        next(results)
