"""State: go on exactly behind the last delivered batch, in another process, on other ranks."""

from __future__ import annotations

import copy
import json
import pickle
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_batches import GROUPS, delivered, of_ranks, orders

from mintdim.shared.errors import DatasetArgumentError, DatasetStateError

if TYPE_CHECKING:
    from tiny import World

laws = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))


def through_json(state: Any) -> Any:
    return json.loads(json.dumps(state))


def through_pickle(state: Any) -> Any:
    return pickle.loads(pickle.dumps(state))


@laws
@given(
    options=orders(),
    shape=st.sampled_from(GROUPS),
    stop=st.integers(0, 40),
    epoch=st.integers(0, 2),
    saved=st.sampled_from([through_json, through_pickle, copy.deepcopy]),
)
def test_a_fresh_loader_goes_on_exactly_behind_the_last_delivered_batch(
    mixed: World, options: Any, shape: tuple[int, int], stop: int, epoch: int, saved: Any
) -> None:
    group, ranks = shape
    for rank in range(ranks):
        place = {"group": group, "rank": rank, "world_size": ranks}
        loader = mixed.open().batches(**options, **place, epoch=epoch)
        whole = delivered(mixed.open().batches(**options, **place, epoch=epoch))
        stop = min(stop, len(whole))
        for _ in islice(loader, stop):
            pass
        fresh = mixed.open().batches(**options, **place)
        fresh.load_state_dict(saved(loader.state_dict()))
        assert fresh.epoch == epoch
        assert delivered(fresh) == whole[stop:]


@laws
@given(options=orders(), shape=st.sampled_from(GROUPS), stop=st.integers(0, 40))
def test_the_state_behind_n_batches_can_be_had_without_delivering_them(
    mixed: World, options: Any, shape: tuple[int, int], stop: int
) -> None:
    group, ranks = shape
    for rank in range(ranks):
        place = {"group": group, "rank": rank, "world_size": ranks}
        loader, ahead = (mixed.open().batches(**options, **place) for _ in range(2))
        count = sum(1 for _ in islice(iter(loader), min(stop, len(loader))))
        assert ahead.state_dict(delivered=count) == loader.state_dict()
        more = min(2, len(loader) - count)
        expected = ahead.state_dict(delivered=count + more)
        assert loader.state_dict(delivered=more) == expected


@laws
@given(
    options=orders(),
    shapes=st.sampled_from([(4, 1, 2), (4, 2, 1), (4, 4, 2), (6, 2, 3), (6, 3, 6), (6, 6, 1)]),
    stop=st.integers(0, 12),
)
def test_other_ranks_go_on_with_exactly_the_remaining_batches(
    mixed: World, options: Any, shapes: tuple[int, int, int], stop: int
) -> None:
    """Without `drop_last`; the state of rank 0 after the same number of steps of all ranks."""
    group, before, after = shapes
    (alone,) = of_ranks(mixed, group, 1, **options)
    ranks = of_ranks(mixed, group, before, **options)
    stop = min(stop, *(len(rank) for rank in ranks))
    loader = mixed.open().batches(**options, group=group, world_size=before)
    state = loader.state_dict(delivered=stop)
    done = [batch for rank in ranks for batch in rank[:stop]]
    if sorted(done) != sorted(alone[: len(done)]):
        return  # the rests of the epoch: some rank had no batch in one of these steps
    found = []
    for rank in range(after):
        fresh = mixed.open().batches(**options, group=group, rank=rank, world_size=after)
        fresh.load_state_dict(through_json(state))
        found.append(delivered(fresh))
    remaining = alone[len(done) :]
    assert sorted(batch for rank in found for batch in rank) == sorted(remaining)
    places = [[remaining.index(batch) for batch in rank] for rank in found]
    assert all(rank == sorted(rank) for rank in places)


@laws
@given(options=orders(), rounds=st.integers(1, 3))
def test_ranks_stay_in_step_on_another_world_size_that_divides_what_was_delivered(
    mixed: World, options: Any, rounds: int
) -> None:
    group = 4
    (alone,) = of_ranks(mixed, group, 1, **options, drop_last=True)
    stop = min(rounds * group, len(alone) - len(alone) % group)
    state = mixed.open().batches(**options, group=group, drop_last=True).state_dict(delivered=stop)
    found = []
    for rank in range(2):
        place = {"group": group, "rank": rank, "world_size": 2}
        fresh = mixed.open().batches(**options, **place, drop_last=True)
        fresh.load_state_dict(state)
        found.append(delivered(fresh))
    together = [batch for step in zip(*found, strict=True) for batch in step]
    assert together == alone[stop:]


def test_a_state_behind_the_last_batch_leaves_nothing_of_its_epoch(mixed: World) -> None:
    loader = mixed.open().batches(batch_size=4)
    state = loader.state_dict(delivered=len(loader))
    fresh = mixed.open().batches(batch_size=4)
    fresh.load_state_dict(state)
    assert list(fresh) == []
    assert fresh.epoch == 1
    assert delivered(fresh) == delivered(mixed.open().batches(batch_size=4, epoch=1))


def test_a_state_holds_plain_values_even_where_numpy_gave_them(mixed: World) -> None:
    two = np.int64(2)
    loader = mixed.open().batches(batch_size=two, seed=two, epoch=two, group=two)
    state = loader.state_dict(delivered=two)
    assert through_json(state) == state
    assert mixed.open().batches(batch_size=2, seed=2, group=2).load_state_dict(state) is None


def test_loading_a_state_moves_an_iteration_that_runs(mixed: World) -> None:
    loader = mixed.open().batches(batch_size=4)
    ahead = [ids.tolist() for ids in loader.sample_ids()]
    running = iter(loader)
    next(running)
    loader.load_state_dict(loader.state_dict(delivered=4))
    assert next(running)["sample_ids"].tolist() == ahead[5]


# -------------------------------------------------------------------------------------- refusals


def test_a_state_of_another_dataset_is_refused(mixed: World, wide: World) -> None:
    state = wide.open().batches(batch_size=4).state_dict()
    with pytest.raises(DatasetStateError, match="fingerprint"):
        mixed.open().batches(batch_size=4).load_state_dict(state)


@pytest.mark.parametrize(
    "other",
    [
        {"batch_size": 5},
        {"seed": 1},
        {"shuffle": False},
        {"group": 2},
        {"drop_last": True},
        {"duplicates": "first"},
        {"drop_padding": True},
    ],
)
def test_a_state_of_other_options_is_refused(mixed: World, other: dict[str, Any]) -> None:
    state = mixed.open().batches(**{"batch_size": 4, **other}).state_dict()
    ((name, value),) = other.items()
    with pytest.raises(DatasetStateError, match=f"options.{name} is {value!r} in the state, but"):
        mixed.open().batches(batch_size=4).load_state_dict(state)


@pytest.mark.parametrize(
    "change",
    [
        {"version": 2},
        {"epoch": -1},
        {"epoch": "0"},
        {"position": 1.5},
        {"position": None},
        {"options": None},
        {"fingerprint": None},
    ],
)
def test_a_state_that_was_edited_is_refused_and_changes_nothing(
    mixed: World, change: dict[str, Any]
) -> None:
    loader = mixed.open().batches(batch_size=4)
    next(iter(loader))
    before = loader.state_dict()
    with pytest.raises(DatasetStateError):
        loader.load_state_dict({**before, **change})
    assert loader.state_dict() == before


@pytest.mark.parametrize("state", [None, [], "state", 5, {}])
def test_what_is_no_state_is_refused(mixed: World, state: Any) -> None:
    with pytest.raises(DatasetStateError):
        mixed.open().batches(batch_size=4).load_state_dict(state)


@pytest.mark.parametrize("count", [-1, 1.0, True, "1"])
def test_a_count_of_delivered_batches_is_a_whole_number(mixed: World, count: Any) -> None:
    with pytest.raises(DatasetArgumentError, match="delivered"):
        mixed.open().batches(batch_size=4).state_dict(delivered=count)
