"""Windows of a stream dataset: golden draws, epochs without repetition, evaluation."""

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
from tiny_streams import SPLITS, World, write

import mintdim
from mintdim.datasets.random_order import RandomOrder
from mintdim.shared.errors import DatasetArgumentError, DatasetStateError

if TYPE_CHECKING:
    from pathlib import Path

    from mintdim.datasets.stream_dataset import StreamDataset
    from mintdim.datasets.window_epochs import WindowEpochs

laws = settings(max_examples=50, deadline=None, suppress_health_check=list(HealthCheck))


@pytest.fixture(scope="session")
def golden(tmp_path_factory: pytest.TempPathFactory) -> StreamDataset:
    """Shards of 1000, 500 and 250 tokens; a token tells its shard and position."""
    shards = [
        [("en", [10_000 * shard + place + 10 for place in range(length - 1)])]
        for shard, length in enumerate((1000, 500, 250))
    ]
    world = write(tmp_path_factory.mktemp("golden") / "set", {"train": shards, "val": shards})
    return mintdim.open(world.path)


def shards_of(lengths: list[int]) -> dict[str, Any]:
    """Train shards of given lengths in tokens, all tokens different but for the EOS."""
    starts = np.cumsum([100, *lengths]).tolist()
    return {
        "train": [
            [("en", list(range(start, start + length - 1)))]
            for start, length in zip(starts, lengths, strict=False)
        ]
    }


# --------------------------------------------------------------------------------------- sampler


@pytest.mark.parametrize(
    ("seed", "places"),
    [
        (0, [(1, 246), (0, 265), (0, 172), (2, 189), (1, 468), (0, 717)]),
        (20260929, [(0, 521), (0, 771), (0, 972), (0, 0)]),
    ],
)
def test_the_sampler_draws_the_golden_places(
    golden: StreamDataset, seed: int, places: list[tuple[int, int]]
) -> None:
    drawn = golden.sampler(16, seed).draw(len(places))
    assert drawn.dtype == np.int64
    assert drawn.shape == (len(places), 17)
    assert [divmod(first - 10, 10_000) for first in drawn[:, 0].tolist()] == places
    assert (np.diff(drawn, axis=1) == 1).all()


def test_the_sampler_is_the_one_of_the_contract_for_any_count_at_once(
    golden: StreamDataset,
) -> None:
    """Written as the contract says it: choice, then integers, row after row."""
    lengths = [1000, 500, 250]
    random = np.random.default_rng(7)
    weights = np.array(lengths, dtype=np.float64) / sum(lengths)
    rows = []
    for _ in range(60):
        shard = random.choice(3, p=weights)
        start = random.integers(0, lengths[shard] - 16 - 1)
        rows.append(golden.tokens("train", shard)[start : start + 17].astype(np.int64))
    sampler = golden.sampler(ctx=16, seed=7)
    assert np.concatenate([sampler.draw(n) for n in (1, 2, 57)]).tolist() == np.stack(rows).tolist()
    assert sampler.state_dict()["rng"] == random.bit_generator.state


@pytest.mark.parametrize(
    "saved", [copy.deepcopy, lambda s: json.loads(json.dumps(s)), lambda s: {"rng": s["rng"]}]
)
def test_the_sampler_goes_on_from_its_state(golden: StreamDataset, saved: Any) -> None:
    sampler = golden.sampler(16, 3)
    sampler.draw(5)
    state = saved(sampler.state_dict())
    rest = sampler.draw(9)
    again = golden.sampler(16, 99)
    again.load_state_dict(state)
    assert again.draw(9).tolist() == rest.tolist()


@pytest.mark.parametrize("state", [None, [], {}, {"rng": None}, {"rng": {}}])
def test_a_state_that_is_none_is_refused(golden: StreamDataset, state: Any) -> None:
    with pytest.raises(DatasetStateError, match=r"rng is .* in the state, but 'PCG64' here"):
        golden.sampler(16, 0).load_state_dict(state)


@pytest.mark.parametrize(
    ("place", "key", "value"),
    [
        ("rng", "bit_generator", "MT19937"),
        ("rng", "state", None),
        ("rng", "has_uint32", 2),
        ("rng", "uinteger", 2**32),
        ("state", "state", -1),
        ("state", "state", 2**128),
        ("state", "inc", 1.5),
        ("state", "inc", None),
    ],
)
def test_a_damaged_state_is_refused_and_changes_nothing(
    golden: StreamDataset, place: str, key: str, value: Any
) -> None:
    sampler = golden.sampler(16, 0)
    state = copy.deepcopy(sampler.state_dict())
    (state["rng"] if place == "rng" else state["rng"]["state"])[key] = value
    with pytest.raises(DatasetStateError):
        sampler.load_state_dict(state)
    assert sampler.state_dict() == golden.sampler(16, 0).state_dict()


def test_a_state_of_another_dataset_or_context_is_refused(
    golden: StreamDataset, tmp_path: Path
) -> None:
    state = golden.sampler(16, 0).state_dict()
    with pytest.raises(DatasetStateError, match="ctx is 16 in the state, but 8 here"):
        golden.sampler(8, 0).load_state_dict(state)
    other = mintdim.open(write(tmp_path / "set", shards_of([40])).path)
    with pytest.raises(DatasetStateError, match="fingerprint is"):
        other.sampler(16, 0).load_state_dict(state)


def test_a_shard_too_short_to_draw_from_is_an_error_or_left_out(tmp_path: Path) -> None:
    dataset = mintdim.open(write(tmp_path / "set", shards_of([18, 17])).path)
    with pytest.raises(
        DatasetArgumentError, match=r"train_001.bin has 17 tokens, sampling needs 18"
    ):
        dataset.sampler(16, 0)
    drawn = dataset.sampler(16, 0, skip_short=True).draw(20)
    assert {tuple(row) for row in drawn.tolist()} == {tuple(range(100, 117))}
    with pytest.raises(DatasetArgumentError, match="needs 41"):
        dataset.sampler(39, 0, skip_short=True)


@pytest.mark.parametrize(
    "arguments",
    [
        {"ctx": 0},
        {"ctx": 1.5},
        {"seed": -1},
        {"seed": 10**5000},
        {"seed": "x"},
        {"split": "nothing"},
        {"split": None},
    ],
)
def test_arguments_that_make_no_sense_are_refused(golden: StreamDataset, arguments: Any) -> None:
    for door in (golden.sampler, golden.epochs):
        if door == golden.epochs and arguments == {"seed": -1}:
            continue
        with pytest.raises(DatasetArgumentError):
            door(**{"ctx": 16, "seed": 0, **arguments})
    with pytest.raises(DatasetArgumentError):
        golden.sampler(16, 0).draw(0)


# ----------------------------------------------------------------------------------------- order


@laws
@given(count=st.integers(1, 3000), key=st.binary(max_size=8))
def test_a_random_order_has_every_number_once(count: int, key: bytes) -> None:
    order = RandomOrder(count, key).at(np.arange(count))
    assert sorted(order.tolist()) == list(range(count))


def test_a_place_of_the_order_does_not_depend_on_what_else_is_asked() -> None:
    order = RandomOrder(10**12 + 7, b"x")
    places = np.array([0, 5, 10**12 + 6, 5])
    assert order.at(places).tolist() == [int(order.at(places[k : k + 1])[0]) for k in range(4)]


def test_the_order_is_the_one_it_has_always_been() -> None:
    """A state taken by one version must mean the same to the next."""
    assert RandomOrder(10, b"key").at(np.arange(10)).tolist() == [2, 6, 7, 0, 5, 8, 9, 4, 1, 3]


def test_all_orders_of_four_come_about_equally_often() -> None:
    seen: dict[tuple[int, ...], int] = {}
    for key in range(2400):
        order = tuple(RandomOrder(4, b"%d" % key).at(np.arange(4)).tolist())
        seen[order] = seen.get(order, 0) + 1
    assert len(seen) == 24
    assert all(60 < count < 150 for count in seen.values())


# ---------------------------------------------------------------------------------------- epochs


def naive_windows(world: World, ctx: int) -> list[list[int]]:
    """Every window of every shard: stride ctx, ctx + 1 tokens each."""
    found = []
    for tokens in world.shard_tokens("train"):
        start = 0
        while start + ctx + 1 <= len(tokens):
            found.append(tokens[start : start + ctx + 1])
            start += ctx
    return found


def of_ranks(dataset: StreamDataset, world_size: int, **options: Any) -> list[WindowEpochs]:
    return [
        dataset.epochs(**options, rank=rank, world_size=world_size) for rank in range(world_size)
    ]


def in_turn(parts: list[list[list[int]]]) -> list[list[int]]:
    """One window of each rank after the other, as far as there are any."""
    longest = max(map(len, parts))
    return [part[step] for step in range(longest) for part in parts if step < len(part)]


lengths = st.lists(st.integers(2, 60), min_size=1, max_size=4)


@laws
@given(
    lengths=lengths, ctx=st.integers(1, 9), world_size=st.integers(1, 5), seed=st.integers(0, 99)
)
def test_an_epoch_has_every_window_once_whatever_the_world_size(
    tmp_path_factory: pytest.TempPathFactory,
    lengths: list[int],
    ctx: int,
    world_size: int,
    seed: int,
) -> None:
    world = write(tmp_path_factory.mktemp("epochs") / "set", shards_of(lengths))
    dataset, expected = mintdim.open(world.path), sorted(naive_windows(world, ctx))
    if not expected:
        with pytest.raises(DatasetArgumentError, match=f"ctx is {ctx}, the longest has"):
            dataset.epochs(ctx, seed)
        return
    alone = [window.tolist() for window in dataset.epochs(ctx, seed)]
    assert sorted(alone) == expected
    ranks = of_ranks(dataset, world_size, ctx=ctx, seed=seed)
    sizes = [len(rank) for rank in ranks]
    parts = [[window.tolist() for window in rank] for rank in ranks]
    assert [len(part) for part in parts] == sizes
    assert in_turn(parts) == alone
    assert max(sizes) - min(sizes) <= 1
    assert {rank.epoch for rank in ranks} == {1}
    full = of_ranks(dataset, world_size, ctx=ctx, seed=seed, drop_last=True)
    whole = len(alone) // world_size
    assert [len(rank) for rank in full] == [whole] * world_size
    dropped = [[window.tolist() for window in rank] for rank in full]
    assert in_turn(dropped) == alone[: whole * world_size]


@laws
@given(
    stop=st.integers(0, 40),
    batch=st.integers(1, 7),
    epoch=st.integers(0, 2),
    world_size=st.integers(1, 3),
    saved=st.sampled_from([lambda s: json.loads(json.dumps(s)), copy.deepcopy]),
)
def test_going_on_from_any_state_is_going_on(
    golden: StreamDataset, stop: int, batch: int, epoch: int, world_size: int, saved: Any
) -> None:
    for windows in of_ranks(golden, world_size, ctx=48, seed=5):
        windows.set_epoch(epoch)
        for _ in islice(windows.batches(batch), stop):
            pass
        state = saved(windows.state_dict())
        fresh = golden.epochs(48, 5, rank=windows.rank, world_size=world_size)
        fresh.load_state_dict(state)
        rest = [row.tolist() for row in windows]
        assert [row.tolist() for row in fresh] == rest
        assert fresh.state_dict() == windows.state_dict()


@laws
@given(sizes=st.tuples(st.integers(1, 4), st.integers(1, 4)), steps=st.integers(0, 5))
def test_other_ranks_go_on_with_exactly_what_remains(
    golden: StreamDataset, sizes: tuple[int, int], steps: int
) -> None:
    before, after = sizes
    first = of_ranks(golden, before, ctx=60, seed=1)
    done = [[w.tolist() for w in islice(rank, steps)] for rank in first]
    state = first[0].state_dict()
    second = of_ranks(golden, after, ctx=60, seed=1)
    for rank in second:
        rank.load_state_dict(state)
    rest = [[w.tolist() for w in rank] for rank in second]
    whole = [window.tolist() for window in golden.epochs(60, 1)]
    assert in_turn(done) + in_turn(rest) == whole


def test_epochs_and_seeds_differ_and_repeat(golden: StreamDataset) -> None:
    windows = golden.epochs(16, 0)
    first, second = ([w.tolist() for w in windows] for _ in range(2))
    assert first != second
    assert sorted(first) == sorted(second)
    assert [w.tolist() for w in golden.epochs(16, 0)] == first
    assert [w.tolist() for w in golden.epochs(16, 1)] != first
    windows.set_epoch(0)
    assert [w.tolist() for w in windows] == first


def test_batches_are_the_windows_side_by_side(golden: StreamDataset) -> None:
    alone = [w.tolist() for w in golden.epochs(16, 0)]
    batches = list(golden.epochs(16, 0).batches(25))
    assert [len(batch) for batch in batches] == [25, 25, 25, 25, 8]
    assert batches[0].dtype == np.int64
    assert np.concatenate(batches).tolist() == alone


def test_windows_to_come_can_be_had_without_moving(golden: StreamDataset) -> None:
    windows = golden.epochs(16, 0)
    next(iter(windows))
    numbers = list(windows.numbers(10))
    assert [len(entry) for entry in numbers] == [10] * 10 + [7]
    state = windows.state_dict(delivered=20)
    batches = list(windows.batches(10))
    assert [windows.read(entry).tolist() for entry in numbers] == [b.tolist() for b in batches]
    windows.load_state_dict(state)
    assert [b.tolist() for b in windows.batches(10)] == [b.tolist() for b in batches[2:]]


def test_two_iterations_share_the_windows(golden: StreamDataset) -> None:
    windows = golden.epochs(16, 0)
    first, second = iter(windows), iter(windows)
    seen = [next(first).tolist(), next(second).tolist(), next(first).tolist()]
    assert seen == [w.tolist() for w in islice(golden.epochs(16, 0), 3)]


def test_a_pickled_epoch_stands_at_the_same_place(golden: StreamDataset) -> None:
    windows = golden.epochs(16, 0)
    list(islice(windows, 7))
    again = pickle.loads(pickle.dumps(windows))
    assert [w.tolist() for w in again] == [w.tolist() for w in windows]


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"seed": 9}, "seed is 9 in the state, but 0 here"),
        ({"ctx": 9}, "ctx is 9 in the state"),
        ({"version": 2}, "version is 2"),
        ({"fingerprint": "x"}, "fingerprint is 'x'"),
        ({"epoch": -1}, "epoch must be int >= 0"),
        ({"position": "x"}, "position must be int >= 0"),
    ],
)
def test_a_state_that_belongs_elsewhere_is_refused(
    golden: StreamDataset, change: Any, named: str
) -> None:
    windows = golden.epochs(16, 0)
    with pytest.raises(DatasetStateError, match=named):
        windows.load_state_dict(windows.state_dict() | change)
    with pytest.raises(DatasetStateError, match="state is None"):
        windows.load_state_dict(None)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "arguments", [{"rank": 2, "world_size": 2}, {"rank": -1}, {"world_size": 0}, {"rank": 1.0}]
)
def test_ranks_that_are_none_are_refused(golden: StreamDataset, arguments: Any) -> None:
    with pytest.raises(DatasetArgumentError):
        golden.epochs(16, 0, **arguments)


# ------------------------------------------------------------------------------------ evaluation


def naive_evaluation(world: World, split: str, ctx: int) -> list[tuple[list[int], list[str]]]:
    """Every window of every shard with the language of each of its targets."""
    found, length, seen = [], ctx + 1, 0
    languages = world.token_languages(split)
    for tokens in world.shard_tokens(split):
        for start in range(0, len(tokens) - length + 1, length):
            targets = slice(seen + start + 1, seen + start + length)
            found.append((tokens[start : start + length], languages[targets]))
        seen += len(tokens)
    return found


@pytest.mark.parametrize("ctx", [1, 2, 4, 7, 40])
@pytest.mark.parametrize("batch", [1, 3, 100])
def test_evaluation_windows_are_the_naive_ones(world: World, ctx: int, batch: int) -> None:
    dataset = mintdim.open(world.path)
    windows = dataset.evaluation_windows("val", ctx)
    expected = naive_evaluation(world, "val", ctx)
    found = []
    for tokens, languages in windows.batches(batch):
        assert languages is not None
        assert tokens.dtype == np.int64
        names = [[dataset.lang_codes[code] for code in row] for row in languages.tolist()]
        found += list(zip(tokens.tolist(), names, strict=True))
    assert found == expected
    assert [w.tolist() for w in windows] == [tokens for tokens, _ in expected]
    assert windows.targets == len(windows) * ctx == len(expected) * ctx
    assert windows[-1].tolist() == expected[-1][0]
    assert windows[:2].tolist() == [tokens for tokens, _ in expected[:2]]


@pytest.mark.parametrize(
    ("most", "chosen"),
    [(100, [0, 24, 49, 74, 99]), (1, [0]), (17, [0]), (34, [0, 99]), (1700, None), (0, None)],
)
def test_a_limit_chooses_windows_at_even_distances(
    tmp_path: Path, most: int, chosen: list[int] | None
) -> None:
    """Golden: 100 windows of 17 tokens, at most 100 tokens."""
    tokens = list(range(100, 1800 - 1))
    dataset = mintdim.open(
        write(tmp_path / "set", {"val": [[("en", tokens)]]}, shard_tokens=5000).path
    )
    windows = dataset.evaluation_windows("val", 16, max_tokens=most)
    starts = [(window[0] - 100) // 17 for window in windows]
    assert starts == (list(range(100)) if chosen is None else chosen)


def test_a_set_without_codes_is_evaluated_as_a_whole(tmp_path: Path) -> None:
    world = write(tmp_path / "set", SPLITS, original=True)
    (world.path / "val_001.langs.u8").unlink()
    windows = mintdim.open(world.path).evaluation_windows("val", 40)
    assert [batch.languages for batch in windows.batches(1)] == [None]


def test_nothing_to_evaluate_is_an_error(golden: StreamDataset) -> None:
    with pytest.raises(DatasetArgumentError, match="ctx is 1000, the longest has 1000"):
        golden.evaluation_windows("val", 1000)
    for arguments in ({"ctx": 0}, {"ctx": 4, "max_tokens": -1}, {"ctx": 4, "max_tokens": 1.5}):
        with pytest.raises(DatasetArgumentError):
            golden.evaluation_windows("val", **arguments)  # type: ignore[arg-type]
    with pytest.raises(DatasetArgumentError, match="no documents of split 'test'"):
        golden.evaluation_windows("test", 4)
