"""Batches: which samples come when, for every number of ranks; what a batch holds."""

from __future__ import annotations

import pickle
from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mintdim.shared.errors import DatasetArgumentError

if TYPE_CHECKING:
    from tiny import World

    from mintdim.datasets.batches import BatchLoader

laws = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))

Delivered = list[tuple[int, list[int]]]  # unit size and samples, batch after batch

# Group and world size: the world divides the group.
GROUPS = [
    (group, world) for group in (1, 2, 3, 4, 6) for world in (1, 2, 3, 6) if group % world == 0
]


def sizes() -> Any:
    batch_size = st.fixed_dictionaries({"batch_size": st.integers(1, 12)})
    return batch_size | st.fixed_dictionaries({"tokens_per_batch": st.integers(32, 200)})


def orders() -> Any:
    plain = st.fixed_dictionaries({"shuffle": st.booleans(), "seed": st.integers(-3, 3)})
    return st.builds(lambda size, order: {**size, **order}, sizes(), plain)


def delivered(loader: BatchLoader) -> Delivered:
    return [(batch["unit_size"], batch["sample_ids"].tolist()) for batch in loader]


def of_ranks(world: World, group: int, ranks: int, **options: Any) -> list[Delivered]:
    dataset = world.open()
    return [
        delivered(dataset.batches(group=group, rank=rank, world_size=ranks, **options))
        for rank in range(ranks)
    ]


def steps_of(ranks: list[Delivered]) -> list[Delivered]:
    """What the ranks have in the same step, for all steps."""
    longest = max(map(len, ranks))
    return [[rank[i] for rank in ranks if i < len(rank)] for i in range(longest)]


# ------------------------------------------------------------------------- who gets which sample


@laws
@given(options=orders(), shape=st.sampled_from(GROUPS))
def test_every_sample_comes_exactly_once_in_an_epoch(
    mixed: World, options: dict[str, Any], shape: tuple[int, int]
) -> None:
    batches = [batch for rank in of_ranks(mixed, *shape, **options) for batch in rank]
    assert sorted(i for _, ids in batches for i in ids) == list(range(90))


@laws
@given(options=orders(), shape=st.sampled_from(GROUPS))
def test_a_batch_holds_one_unit_and_never_more_than_was_asked_for(
    mixed: World, options: dict[str, Any], shape: tuple[int, int]
) -> None:
    for rank in of_ranks(mixed, *shape, **options):
        for unit, ids in rank:
            assert {mixed.samples[i].unit for i in ids} == {unit}
            most = options.get("batch_size") or options["tokens_per_batch"] // unit
            assert 0 < len(ids) <= most


@laws
@given(options=orders(), shape=st.sampled_from(GROUPS))
def test_with_drop_last_all_batches_are_full_and_ranks_make_the_same_steps_in_one_size(
    mixed: World, options: dict[str, Any], shape: tuple[int, int]
) -> None:
    ranks = of_ranks(mixed, *shape, **options, drop_last=True)
    assert len({len(rank) for rank in ranks}) == 1
    for step in steps_of(ranks):
        assert len({unit for unit, _ in step}) == 1
    counts = Counter(unit for sample in mixed.samples for unit in [sample.unit])
    for unit, all_of_it in counts.items():
        full = options.get("batch_size") or options["tokens_per_batch"] // unit
        batches = [ids for rank in ranks for size, ids in rank if size == unit]
        assert {len(ids) for ids in batches} <= {full}
        taken = [i for ids in batches for i in ids]
        assert len(taken) == len(set(taken)) == all_of_it - all_of_it % (full * shape[0])


@laws
@given(options=orders(), ranks=st.sampled_from([1, 2, 3, 5, 8]))
def test_all_ranks_of_a_step_share_a_unit_size(
    mixed: World, options: dict[str, Any], ranks: int
) -> None:
    for step in steps_of(of_ranks(mixed, ranks, ranks, **options)):
        assert len({unit for unit, _ in step}) == 1


@laws
@given(options=orders(), shape=st.sampled_from(GROUPS))
def test_only_the_rests_at_the_end_leave_a_rank_without_a_batch(
    mixed: World, options: dict[str, Any], shape: tuple[int, int]
) -> None:
    """At most one rest per unit, each of fewer samples than a group has batches."""
    group, ranks = shape
    found = of_ranks(mixed, group, ranks, **options)
    whole = min(map(len, found)) - 3 * group
    for step in steps_of(found)[: max(whole, 0)]:
        assert len(step) == ranks
        assert len({unit for unit, _ in step}) == 1


@laws
@given(options=orders(), shape=st.sampled_from(GROUPS), drop_last=st.booleans())
def test_the_order_of_all_ranks_together_is_that_of_one_rank_with_the_same_group(
    mixed: World, options: dict[str, Any], shape: tuple[int, int], drop_last: bool
) -> None:
    group, ranks = shape
    (alone,) = of_ranks(mixed, group, 1, **options, drop_last=drop_last)
    together = of_ranks(mixed, group, ranks, **options, drop_last=drop_last)
    place = {tuple(ids): i for i, (_, ids) in enumerate(alone)}
    places = [[place[tuple(ids)] for _, ids in rank] for rank in together]
    assert sorted(i for rank in places for i in rank) == list(range(len(alone)))
    assert all(rank == sorted(rank) for rank in places)
    if drop_last:
        assert [batch for step in steps_of(together) for batch in step] == alone


def test_without_shuffle_the_samples_of_a_unit_come_in_source_order(mixed: World) -> None:
    (batches,) = of_ranks(mixed, 1, 1, batch_size=4, shuffle=False)
    assert [unit for unit, _ in batches] == sorted(unit for unit, _ in batches)
    for size in (8, 16, 32):
        ids = [i for unit, batch in batches for i in batch if unit == size]
        assert ids == [i for i, sample in enumerate(mixed.samples) if sample.unit == size]


@laws
@given(options=orders(), shape=st.sampled_from(GROUPS))
def test_of_duplicates_only_the_first_may_come(
    mixed: World, options: dict[str, Any], shape: tuple[int, int]
) -> None:
    batches = of_ranks(mixed, *shape, **options, duplicates="first")
    first = {sample.text: i for i, sample in reversed(list(enumerate(mixed.samples)))}
    assert sorted(i for rank in batches for _, ids in rank for i in ids) == sorted(first.values())


def test_an_empty_dataset_has_no_batches(empty: World) -> None:
    for drop_last in (False, True):
        loader = empty.open().batches(batch_size=4, drop_last=drop_last)
        assert len(loader) == 0
        assert list(loader) == []
        assert loader.epoch == 1


@laws
@given(options=orders(), shape=st.sampled_from(GROUPS), drop_last=st.booleans())
def test_the_length_is_the_number_of_batches_of_a_whole_epoch(
    mixed: World, options: dict[str, Any], shape: tuple[int, int], drop_last: bool
) -> None:
    group, ranks = shape
    dataset = mixed.open()
    for rank in range(ranks):
        place = {"rank": rank, "world_size": ranks}
        loader = dataset.batches(group=group, drop_last=drop_last, **place, **options)
        assert len(loader) == len(list(loader.sample_ids())) == len(delivered(loader))


# ----------------------------------------------------------------------------------------- order


def test_the_order_is_a_pure_function_of_seed_and_epoch(mixed: World) -> None:
    def order(seed: int, epoch: int) -> Delivered:
        return delivered(mixed.open().batches(batch_size=4, seed=seed, epoch=epoch))

    all_orders = [order(seed, epoch) for seed in range(3) for epoch in range(3)]
    assert all(one != other for i, one in enumerate(all_orders) for other in all_orders[:i])
    assert order(1, 2) == order(1, 2)


def test_the_order_of_this_dataset_is_pinned(mixed: World) -> None:
    """Another order in a new version would silently change every resumed training run."""
    loader = mixed.open().batches(batch_size=4, seed=7, epoch=1)
    assert [ids.tolist() for ids in loader.sample_ids()][:5] == PINNED_BATCHES


def test_a_whole_pass_goes_on_with_the_next_epoch(mixed: World) -> None:
    loader = mixed.open().batches(batch_size=4, epoch=3)
    first, second = delivered(loader), delivered(loader)
    assert loader.epoch == 5
    assert first != second
    assert second == delivered(mixed.open().batches(batch_size=4, epoch=4))


def test_iterating_again_goes_on_behind_the_last_delivered_batch(mixed: World) -> None:
    whole = delivered(mixed.open().batches(batch_size=4))
    loader = mixed.open().batches(batch_size=4)
    found = []
    for stop in (3, 1, 5):
        for batch in loader:
            found.append((batch["unit_size"], batch["sample_ids"].tolist()))
            if len(found) in (3, 4, 9):
                break
        assert stop
    assert found + delivered(loader) == whole
    assert loader.epoch == 1


def test_two_iterations_at_once_share_the_batches(mixed: World) -> None:
    whole = delivered(mixed.open().batches(batch_size=4))
    loader = mixed.open().batches(batch_size=4)
    one, other = iter(loader), iter(loader)
    found = [next(one), next(other), next(one)]
    rest = delivered(loader)
    assert [batch["sample_ids"].tolist() for batch in found] == [ids for _, ids in whole[:3]]
    assert rest == whole[3:]
    assert list(one) == list(other) == []
    assert loader.epoch == 1


def test_set_epoch_starts_that_epoch_from_its_beginning(mixed: World) -> None:
    loader = mixed.open().batches(batch_size=4)
    running = iter(loader)
    next(running)
    loader.set_epoch(6)
    assert list(running) == []
    assert delivered(loader) == delivered(mixed.open().batches(batch_size=4, epoch=6))


def test_looking_ahead_does_not_move_the_loader(mixed: World) -> None:
    loader = mixed.open().batches(batch_size=4)
    next(iter(loader))
    ahead = [ids.tolist() for ids in loader.sample_ids()]
    assert [ids.tolist() for ids in loader.sample_ids()] == ahead
    assert [ids for _, ids in delivered(loader)] == ahead


# ----------------------------------------------------------------------------------------- batch


def test_a_padded_batch_holds_the_tokens_of_its_samples(world: World) -> None:
    dataset = world.open()
    if not len(dataset):
        return
    for batch in dataset.batches(tokens_per_batch=128):
        unit, ids = batch["unit_size"], batch["sample_ids"]
        assert set(batch) == PADDED
        shapes = {name: batch[name].shape for name in PADDED - {"unit_size"}}
        assert shapes == {
            name: (len(ids),) if name in ("lengths", "sample_ids") else (len(ids), unit)
            for name in shapes
        }
        assert {batch[name].dtype for name in PADDED - {"unit_size", "attention_mask"}} == {
            np.dtype("int64")
        }
        assert batch["attention_mask"].dtype == np.bool_
        assert type(unit) is int
        for row, i in enumerate(ids.tolist()):
            tokens = world.samples[i].tokens
            rest = unit - len(tokens)
            assert batch["input_ids"][row].tolist() == tokens + [dataset.pad_id] * rest
            assert batch["labels"][row].tolist() == tokens + [-100] * rest
            mask = [True] * len(tokens) + [False] * rest
            assert batch["attention_mask"][row].tolist() == mask
            assert batch["lengths"][row] == len(tokens)


PADDED = {"input_ids", "labels", "attention_mask", "lengths", "unit_size", "sample_ids"}


def test_a_flat_batch_holds_the_same_tokens_one_sample_after_the_other(world: World) -> None:
    dataset = world.open()
    if not len(dataset):
        return
    for batch in dataset.batches(tokens_per_batch=128, drop_padding=True):
        samples = [world.samples[i].tokens for i in batch["sample_ids"].tolist()]
        assert batch["input_ids"].tolist() == [token for tokens in samples for token in tokens]
        assert batch["position_ids"].tolist() == [
            i for tokens in samples for i in range(len(tokens))
        ]
        ends = np.cumsum([0, *map(len, samples)]).tolist()
        assert batch["cu_seqlens"].tolist() == ends
        assert batch["cu_seqlens"].dtype == np.int32
        assert batch["max_seqlen"] == max(map(len, samples))
        assert batch["lengths"].tolist() == [len(tokens) for tokens in samples]
        # The first token of a sample follows on nothing that may predict it.
        labels = [token if i else -100 for tokens in samples for i, token in enumerate(tokens)]
        assert batch["labels"].tolist() == labels
        assert "attention_mask" not in batch


@pytest.mark.parametrize("drop_padding", [False, True])
@pytest.mark.parametrize("shuffle", [False, True])
def test_a_batch_may_be_changed_without_changing_anything_else(
    mixed: World, drop_padding: bool, shuffle: bool
) -> None:
    options = {"batch_size": 8, "drop_padding": drop_padding, "shuffle": shuffle}
    dataset = mixed.open()
    loader = dataset.batches(**options)
    for batch in loader:
        for value in batch.values():
            if isinstance(value, np.ndarray):
                value[:] = 0
    loader.set_epoch(0)
    fresh = mixed.open().batches(**options)
    for batch, expected in zip(loader, fresh, strict=True):
        for name, value in expected.items():
            np.testing.assert_array_equal(batch[name], value)


def test_the_batch_of_any_samples_of_one_unit_can_be_had(mixed: World) -> None:
    loader = mixed.open().batches(batch_size=4)
    ids = [i for i, sample in enumerate(mixed.samples) if sample.unit == 16][:3]
    assert loader.batch_of(ids)["lengths"].tolist() == [len(mixed.samples[i].tokens) for i in ids]
    other = next(i for i, sample in enumerate(mixed.samples) if sample.unit == 8)
    for wrong in ([*ids, other], []):
        with pytest.raises(DatasetArgumentError):
            loader.batch_of(wrong)


def test_a_pickled_loader_stands_at_the_same_place(mixed: World) -> None:
    loader = mixed.open().batches(batch_size=4, epoch=2, group=2, rank=1, world_size=2)
    for _ in zip(range(3), loader, strict=False):
        pass
    data = pickle.dumps(loader)
    assert len(data) < 30_000
    assert delivered(pickle.loads(data)) == delivered(loader)


# ------------------------------------------------------------------------------------- arguments

NO_COUNT = [0, -1, True, 2.0, "2", [2]]


@pytest.mark.parametrize(
    ("name", "value"),
    [(name, value) for name in ("batch_size", "group", "world_size") for value in NO_COUNT]
    + [("tokens_per_batch", value) for value in [*NO_COUNT, 31]]
    + [("rank", value) for value in (-1, 1, True, 0.0, "0", None)]
    + [("seed", value) for value in (1.0, True, "1", None)]
    + [("epoch", value) for value in (-1, 1.0, True, "1", None)]
    + [(name, 1) for name in ("shuffle", "drop_last", "drop_padding")]
    + [("duplicates", value) for value in ("last", None, True, ["first"], np.array(["keep"]))],
)
def test_an_argument_that_makes_no_sense_is_refused(mixed: World, name: str, value: Any) -> None:
    arguments: dict[str, Any] = {} if name == "tokens_per_batch" else {"batch_size": 4}
    with pytest.raises(DatasetArgumentError) as caught:
        mixed.open().batches(**{**arguments, name: value})
    assert name.split("_")[0] in str(caught.value)


@pytest.mark.parametrize("both", [{}, {"batch_size": 4, "tokens_per_batch": 64}])
def test_exactly_one_size_of_batches_is_given(mixed: World, both: dict[str, int]) -> None:
    with pytest.raises(DatasetArgumentError, match="batch_size or tokens_per_batch"):
        mixed.open().batches(**both)


def test_the_group_is_a_multiple_of_the_world_size(mixed: World) -> None:
    with pytest.raises(DatasetArgumentError, match="got 3 and 2"):
        mixed.open().batches(batch_size=4, group=3, world_size=2)


@pytest.mark.parametrize("epoch", [-1, 1.5, True, "1"])
def test_an_epoch_is_a_whole_number(mixed: World, epoch: Any) -> None:
    with pytest.raises(DatasetArgumentError, match="epoch must be int >= 0"):
        mixed.open().batches(batch_size=4).set_epoch(epoch)


def test_numpy_integers_are_integers(mixed: World) -> None:
    four, two = np.int64(4), np.uint8(2)
    plain = {"batch_size": 4, "seed": 2, "epoch": 2, "group": 2, "rank": 1, "world_size": 2}
    odd = {"batch_size": four, "seed": two, "epoch": two, "group": two, "world_size": two}
    one = mixed.open().batches(**plain)
    other = mixed.open().batches(**odd, rank=np.int32(1))
    assert delivered(one) == delivered(other)


PINNED_BATCHES = [
    [85, 19, 86, 76],
    [51, 26, 16, 47],
    [43, 80, 33, 9],
    [79, 82, 74, 56],
    [1, 59, 46, 41],
]
