"""The pure functions behind the order: pinned values, and the arithmetic of ranks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mintdim.datasets.order import batch_bounds, epoch_key, permutation, plan_epoch
from mintdim.datasets.schedule import RankSchedule


def test_the_order_of_ten_is_pinned() -> None:
    """Raw Philox output, sorted: the same on every machine and in every version of numpy."""
    assert permutation(10, epoch_key(0, 0)).tolist() == TEN[0]
    assert permutation(10, epoch_key(0, 1)).tolist() == TEN[1]
    assert permutation(10, epoch_key(1, 0)).tolist() == TEN[2]


@pytest.mark.parametrize("count", [0, 1, 2, 1000])
def test_a_permutation_holds_every_number_once(count: int) -> None:
    order = permutation(count, b"key")
    assert sorted(order.tolist()) == list(range(count))


def test_every_order_of_three_is_about_equally_likely() -> None:
    orders = [tuple(permutation(3, epoch_key(0, epoch)).tolist()) for epoch in range(6000)]
    counts = [orders.count(order) for order in sorted(set(orders))]
    assert len(counts) == 6
    assert all(850 < count < 1150 for count in counts)


@settings(deadline=None)
@given(st.integers(1, 100), st.integers(1, 12))
def test_a_group_shares_its_samples_out_evenly(count: int, group: int) -> None:
    bounds = [batch_bounds(count, group, slot) for slot in range(min(count, group))]
    assert [start for start, _ in bounds] + [count] == [0] + [stop for _, stop in bounds]
    lengths = {stop - start for start, stop in bounds}
    assert max(lengths) - min(lengths) <= 1
    assert min(lengths) > 0


def test_rests_come_last_and_the_larger_ones_first() -> None:
    plan = plan_epoch([9, 5, 6], [2, 2, 2], 4, key=b"", shuffle=False, drop_last=False)
    assert list(
        zip(plan.units.tolist(), plan.starts.tolist(), plan.counts.tolist(), strict=True)
    ) == [
        (0, 0, 8),
        (1, 0, 5),
        (2, 0, 6),
        (0, 8, 1),
    ]
    plan = plan_epoch([9, 10, 11], [2, 2, 2], 4, key=b"x", shuffle=True, drop_last=False)
    assert plan.counts.tolist() == [8, 8, 8, 3, 2, 1]


@settings(deadline=None)
@given(
    counts=st.lists(st.integers(0, 40), max_size=3),
    size=st.integers(1, 3),
    shape=st.sampled_from([(1, 1), (2, 1), (4, 2), (4, 4), (6, 3), (6, 2)]),
    data=st.data(),
)
def test_counting_steps_is_walking_them(
    counts: list[int], size: int, shape: tuple[int, int], data: st.DataObject
) -> None:
    group, world = shape
    sizes = [size] * len(counts)
    plan = plan_epoch(counts, sizes, group, key=b"", shuffle=True, drop_last=False)
    schedule = RankSchedule(plan, group, data.draw(st.integers(0, world - 1)), world)
    start = data.draw(st.integers(0, group * len(plan) + group))
    walked, position = [start], start
    while (step := schedule.step(position)) is not None:
        position = step.next_position
        walked.append(position)
    assert [schedule.position_after(start, n) for n in range(len(walked))] == walked
    assert schedule.step(schedule.position_after(start, len(walked) + 5)) is None
    if start == 0:
        assert len(schedule) == len(walked) - 1


def test_the_slots_of_ranks_are_those_of_the_drawing() -> None:
    plan = plan_epoch([8], [1], 4, key=b"", shuffle=False, drop_last=False)
    for world in (2, 4):
        owner = np.zeros(8, dtype=np.int64)
        for rank in range(world):
            schedule, position = RankSchedule(plan, 4, rank, world), 0
            while (step := schedule.step(position)) is not None:
                owner[step.group * 4 + step.slot] = rank
                position = step.next_position
        assert owner.tolist() == [*range(world)] * (8 // world)


TEN = [
    [2, 0, 3, 7, 6, 5, 9, 8, 4, 1],
    [0, 2, 1, 3, 5, 8, 9, 6, 7, 4],
    [0, 7, 9, 1, 4, 8, 6, 5, 3, 2],
]
