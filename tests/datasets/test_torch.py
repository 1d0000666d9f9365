"""`mintdim.torch`: the same batches in the same order, with and without workers, resumable."""

from __future__ import annotations

import pickle
import warnings
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from torch.utils.data import DataLoader  # noqa: E402

from mintdim.torch import UnitBatchSampler, UnitIterable, UnitSamples, to_tensors  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tiny import World

    from mintdim.datasets.batches import BatchLoader

WORKERS = [0, 2]
OPTIONS = {"batch_size": 4, "seed": 5, "group": 2}


def iterable(loader: BatchLoader, workers: int) -> Any:
    return DataLoader(UnitIterable(loader), batch_size=None, num_workers=workers)


def sampled(loader: BatchLoader, workers: int, **options: Any) -> Any:
    return DataLoader(
        UnitSamples(loader),  # type: ignore[arg-type]
        batch_sampler=UnitBatchSampler(loader),  # type: ignore[arg-type]
        collate_fn=to_tensors,
        num_workers=workers,
        **options,
    )


WAYS = [iterable, sampled]
each_way = pytest.mark.parametrize("way", WAYS)
each_number = pytest.mark.parametrize("workers", WORKERS)


@pytest.fixture(autouse=True)
def _no_word_about_few_cores() -> Any:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*suggested max number of worker.*")
        warnings.filterwarnings("ignore", message=".*multi-threaded.*fork.*")
        yield


def ids(batches: Iterable[Any]) -> list[list[int]]:
    return [batch["sample_ids"].tolist() for batch in batches]


def coming(loader: BatchLoader) -> list[list[int]]:
    return [sample_ids.tolist() for sample_ids in loader.sample_ids()]


@each_way
@each_number
def test_batches_are_those_of_the_loader_in_its_order(mixed: World, way: Any, workers: int) -> None:
    loader = mixed.open().batches(**OPTIONS)
    expected = [to_tensors(loader.batch_of(sample_ids)) for sample_ids in loader.sample_ids()]
    found = list(way(loader, workers))
    assert len(found) == len(expected) == len(loader)
    for batch, other in zip(found, expected, strict=True):
        assert set(batch) == set(other)
        assert batch["unit_size"] == other["unit_size"]
        for name in set(batch) - {"unit_size"}:
            assert batch[name].dtype == other[name].dtype
            assert torch.equal(batch[name], other[name])


def test_a_batch_is_ready_for_training(mixed: World) -> None:
    batch = next(iter(iterable(mixed.open().batches(batch_size=4), 0)))
    assert batch["input_ids"].dtype == batch["labels"].dtype == torch.int64
    assert batch["attention_mask"].dtype == torch.bool
    flat = next(iter(iterable(mixed.open().batches(batch_size=4, drop_padding=True), 0)))
    assert flat["cu_seqlens"].dtype == torch.int32
    assert type(flat["max_seqlen"]) is int


@each_way
@each_number
def test_training_goes_on_exactly_behind_the_batches_it_saw(
    mixed: World, way: Any, workers: int
) -> None:
    loader = mixed.open().batches(**OPTIONS)
    whole = coming(loader)
    seen = ids(islice(way(loader, workers), 5))
    state = loader.state_dict(delivered=5)
    fresh = mixed.open().batches(**OPTIONS)
    fresh.load_state_dict(state)
    assert seen + ids(way(fresh, workers)) == whole
    again = mixed.open().batches(**OPTIONS)
    again.load_state_dict(fresh.state_dict(delivered=3))
    assert ids(way(again, workers)) == whole[8:]


@each_way
@each_number
def test_epochs_follow_each_other(mixed: World, way: Any, workers: int) -> None:
    loader = mixed.open().batches(**OPTIONS)
    data = way(loader, workers)
    for epoch in range(2):
        assert loader.epoch == epoch
        assert ids(data) == coming(mixed.open().batches(**OPTIONS, epoch=epoch))
        loader.set_epoch(loader.epoch + 1)


def test_the_batch_sampler_serves_workers_that_outlive_an_epoch(mixed: World) -> None:
    loader = mixed.open().batches(**OPTIONS)
    data = sampled(loader, 1, persistent_workers=True)
    for epoch in range(2):
        loader.set_epoch(epoch)
        assert ids(data) == coming(mixed.open().batches(**OPTIONS, epoch=epoch))


@each_way
def test_workers_that_are_started_anew_get_the_loader_too(mixed: World, way: Any) -> None:
    """`spawn` and `forkserver` pickle the dataset; here without the time that they take."""
    data = way(mixed.open().batches(**OPTIONS), 0)
    again = pickle.loads(pickle.dumps(data.dataset))
    loader = mixed.open().batches(**OPTIONS)
    assert coming(again.loader) == coming(loader)
    one = again[7] if way is sampled else next(iter(again))
    assert len(one["lengths"])


def test_samples_can_be_had_one_by_one(mixed: World) -> None:
    samples = UnitSamples(mixed.open().batches(**OPTIONS))
    assert len(samples) == 90
    assert (
        samples[7]["input_ids"][0, : samples[7]["lengths"][0]].tolist() == mixed.samples[7].tokens
    )


def test_tensors_share_the_memory_of_their_arrays() -> None:
    array = np.arange(3)
    tensors = to_tensors({"a": array, "n": 5})
    tensors["a"][0] = 9
    assert array[0] == 9
    assert tensors["n"] == 5
