"""`mintdim.open`: what is read is what was built."""

from __future__ import annotations

import contextlib
import os
import pickle
import resource
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tiny import build, rows
from worlds import spm

from mintdim.shared.errors import (
    DatasetArgumentError,
    MintDimFileNotFoundError,
    TokenizerChangedError,
)

if TYPE_CHECKING:
    from tiny import World

laws = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))


# ------------------------------------------------------------------------------------- samples


def test_every_sample_is_that_of_the_oracle(world: World) -> None:
    dataset = world.open()
    assert len(dataset) == len(world.samples)
    for i, expected in enumerate(world.samples):
        sample = dataset[i]
        assert sample.sample_id == i
        assert sample.ids.tolist() == expected.tokens
        assert sample.token_count == len(expected.tokens)
        assert sample.unit_size == expected.unit
        assert (sample.source_file, sample.source_line) == (expected.file, expected.line)
        assert sample.hash == expected.hash


def test_iterating_gives_all_samples_in_order(world: World) -> None:
    dataset = world.open()
    samples = list(dataset)
    assert [sample.sample_id for sample in samples] == list(range(len(dataset)))
    assert [sample.ids.tolist() for sample in samples] == [s.tokens for s in world.samples]
    assert [sample.source_line for sample in samples] == [s.line for s in world.samples]


def test_lengths_are_the_tokens_of_every_sample(world: World) -> None:
    assert world.open().lengths.tolist() == [len(sample.tokens) for sample in world.samples]


def test_a_sample_number_counts_from_the_end_if_it_is_negative(mixed: World) -> None:
    dataset = mixed.open()
    assert dataset[-1].sample_id == len(dataset) - 1
    assert dataset[np.int64(3)].sample_id == 3


@pytest.mark.parametrize("number", [90, -91, 10**30])
def test_a_sample_that_is_not_there_is_an_index_error(mixed: World, number: int) -> None:
    with pytest.raises(IndexError):
        mixed.open()[number]


@pytest.mark.parametrize("number", [1.0, "1", slice(0, 2), None])
def test_what_is_no_number_is_a_type_error(mixed: World, number: Any) -> None:
    with pytest.raises(TypeError):
        mixed.open()[number]


def test_tokens_of_a_sample_may_be_changed_without_changing_the_file(mixed: World) -> None:
    dataset = mixed.open()
    dataset[3].ids[:] = 0
    assert dataset[3].ids.tolist() == mixed.samples[3].tokens


# ---------------------------------------------------------------------------------------- rows


def padded(world: World, unit: int) -> list[list[int]]:
    """The rows of a unit by the oracle, in order of sample_id."""
    pad = world.open().pad_id
    return [
        sample.tokens + [pad] * (unit - len(sample.tokens))
        for sample in world.samples
        if sample.unit == unit
    ]


def test_a_unit_holds_its_samples_in_order(world: World) -> None:
    dataset = world.open()
    assert dataset.units == tuple(sorted({sample.unit for sample in world.samples}))
    for size in dataset.units:
        unit = dataset.unit(size)
        members = [i for i, sample in enumerate(world.samples) if sample.unit == size]
        assert unit.sample_ids.tolist() == members
        assert unit.lengths.tolist() == [len(world.samples[i].tokens) for i in members]
        assert unit.rows(slice(None)).tolist() == padded(world, size)
        assert len(unit) == len(members)


@laws
@given(data=st.data())
def test_rows_by_array_slice_mask_or_number_are_the_rows_of_the_unit(
    mixed: World, wide: World, data: Any
) -> None:
    world = data.draw(st.sampled_from([mixed, wide]))
    dataset = world.open()
    size = data.draw(st.sampled_from(dataset.units))
    expected = np.array(padded(world, size))
    count = len(expected)
    number = st.integers(-count, count - 1)
    indices = data.draw(
        st.slices(count)
        | st.lists(number, max_size=30).map(lambda values: np.array(values, dtype=np.int64))
        | st.permutations(range(count)).map(np.array)
        | st.lists(st.booleans(), min_size=count, max_size=count).map(np.array)
    )
    rows = dataset.unit(size).rows(indices)
    assert rows.dtype == dataset.dtype
    assert rows.shape[1:] == (size,)
    np.testing.assert_array_equal(rows, expected[indices])
    one = data.draw(number)
    np.testing.assert_array_equal(dataset.unit(size).rows(one), expected[[one]])


def test_neighbours_in_one_shard_are_a_read_only_view_of_the_file(mixed: World) -> None:
    unit = mixed.open().unit(32)
    whole, part = unit.rows(slice(0, 7)), unit.rows([2, 3, 4])
    assert np.shares_memory(whole, part)
    assert not whole.flags.writeable
    assert not part.flags.writeable


@pytest.mark.parametrize("indices", [[6, 7], [0, 2], [1, 0], [0, 0]])
def test_rows_that_are_no_neighbours_in_one_shard_are_a_copy(
    mixed: World, indices: list[int]
) -> None:
    unit = mixed.open().unit(32)
    rows = unit.rows(indices)
    assert not np.shares_memory(rows, unit.rows(slice(0, 7)))
    rows[:] = 0
    assert unit.rows(indices).any()


@pytest.mark.parametrize("size", [7, 0, -8, 8.0, True, "8", None, [8]])
def test_a_unit_that_holds_nothing_is_refused_with_the_sizes_that_do(
    mixed: World, size: Any
) -> None:
    with pytest.raises(DatasetArgumentError, match="8, 16, 32"):
        mixed.open().unit(size)


def test_rows_of_another_unit_are_refused(mixed: World) -> None:
    dataset = mixed.open()
    foreign = dataset.unit(8).sample_ids[:1]
    with pytest.raises(DatasetArgumentError, match=f"sample {foreign[0]} is 8, must be 32"):
        dataset.unit(32).rows_of(foreign)


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="counts its own handles")
@pytest.mark.parametrize("most", [5, 1000])
def test_more_shards_than_handles_can_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    """Whether the limit is respected, or met because others took the handles."""
    content = {"in.jsonl": rows(seed=1, count=90), "tok.model": spm()}
    world = build(tmp_path, content, samples_per_shard=[1])
    monkeypatch.setattr("mintdim.datasets.mappings._handles", lambda: 2 * most)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    opened = max(map(int, os.listdir("/proc/self/fd")))
    holes = opened + 1 - len(os.listdir("/proc/self/fd"))
    taken = [os.open(os.devnull, os.O_RDONLY) for _ in range(max(0, holes))]
    resource.setrlimit(resource.RLIMIT_NOFILE, (opened + 12, hard))
    try:
        dataset = world.open()
        assert len(dataset.shards) == 90
        kept = list(dataset)
        assert [sample.ids.tolist() for sample in kept] == [s.tokens for s in world.samples]
        for size in dataset.units if most == 5 else ():
            assert dataset.unit(size).rows(slice(None)).tolist() == padded(world, size)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        for handle in taken:
            os.close(handle)


# --------------------------------------------------------------------------------------- audits


def test_duplicates_unk_and_special_tokens_are_those_of_the_oracle(world: World) -> None:
    dataset = world.open()
    assert list(dataset.duplicates()) == world.expected.duplicate_index
    assert list(dataset.unk()) == world.expected.unk_index
    assert list(dataset.special()) == world.expected.special_index
    assert list(dataset.index_rows()) == world.expected.sample_index


def test_the_worlds_have_something_to_find(mixed: World, special: World) -> None:
    assert list(mixed.open().duplicates())
    assert list(mixed.open().unk())
    assert len(list(special.open().special())) == 2


# --------------------------------------------------------------------------------------- decode


def test_decoding_gives_the_text_of_every_sample_back(mixed: World) -> None:
    dataset = mixed.open()
    with contextlib.chdir(mixed.root):
        for i, sample in enumerate(mixed.samples):
            text = dataset.decode(dataset[i].ids)
            assert text == sample.text.replace("\u8a9e", " \u2047 ") or "\u8a9e" in sample.text


def test_a_tokenizer_that_was_moved_is_named_by_hand(mixed: World, tmp_path: Path) -> None:
    moved = tmp_path / "moved.model"
    shutil.copyfile(mixed.root / "tok.model", moved)
    dataset = mixed.open()
    with contextlib.chdir(tmp_path):
        with pytest.raises(MintDimFileNotFoundError):
            dataset.decode([5])
        assert dataset.decode(dataset[3].ids, tokenizer=moved) == "again"
        assert dataset.encoder(str(moved)).vocab_size == dataset.vocab_size


def test_another_tokenizer_at_the_recorded_path_is_refused(mixed: World, tmp_path: Path) -> None:
    (tmp_path / "tok.model").write_bytes(spm(alphabet="abc"))
    with contextlib.chdir(tmp_path), pytest.raises(TokenizerChangedError):
        mixed.open().decode([5])


# -------------------------------------------------------------------------------------- dataset


def test_a_dataset_says_what_it_is(mixed: World, wide: World, empty: World) -> None:
    assert repr(mixed.open()) == f"UnitDataset('{mixed.path}', samples=90, units=[8, 16, 32])"
    assert repr(mixed.open().unit(8)).startswith("UnitView(size=8, samples=")
    assert repr(empty.open()).endswith("samples=0, units=[])")
    assert wide.open().dtype == np.dtype("<u4")
    assert mixed.open().dtype == np.dtype("<u2")


def test_the_fingerprint_tells_datasets_apart(mixed: World, wide: World) -> None:
    assert mixed.open().fingerprint == mixed.open().fingerprint
    assert mixed.open().fingerprint != wide.open().fingerprint


def test_a_pickled_dataset_is_small_and_reads_the_same(mixed: World) -> None:
    dataset = mixed.open()
    dataset.unit(8).rows([0])
    data = pickle.dumps(dataset)
    again = pickle.loads(data)
    assert len(data) < 20_000
    assert again.fingerprint == dataset.fingerprint
    assert again[5].ids.tolist() == dataset[5].ids.tolist()
