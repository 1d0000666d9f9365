"""Units: the smallest that holds a sample; its row in the shards; the bytes of a shard."""

from __future__ import annotations

import contextlib
import logging
import os
import struct
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import worlds
from hypothesis import given, settings
from hypothesis import strategies as st
from worlds import jsonl, make_job, write_files

from mintdim.formats.shards import (
    bytes_per_token,
    numpy_dtype,
    padded_rows,
    record_bytes,
    to_storage,
    token_dtype,
)
from mintdim.pipelines.unit_build.units import shard_writer
from mintdim.pipelines.unit_build.units.planner import (
    place_in_shards,
    smallest_fitting_unit,
)
from mintdim.shared.errors import TokenDTypeValidationError, UnitOverflowError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LAW = settings(max_examples=int(os.environ.get("MINTDIM_EXAMPLES", "150")), deadline=None)


def int_array(values: list[int]) -> Any:
    return np.asarray(values, dtype=np.int64)


# -------------------------------------------------------------------------------------- planner


def ascending() -> st.SearchStrategy[list[int]]:
    return st.lists(st.integers(1, 40), min_size=1, max_size=6, unique=True).map(sorted)


@LAW
@given(st.lists(st.integers(0, 45), max_size=20), ascending())
def test_the_unit_is_the_first_size_that_holds_the_sample(
    lengths: list[int], sizes: list[int]
) -> None:
    expected = []
    for length in lengths:
        fitting = [i for i, size in enumerate(sizes) if length <= size]
        expected.append(fitting[0] if fitting else len(sizes))
    found = smallest_fitting_unit(int_array(lengths), int_array(sizes))
    assert found.tolist() == expected


@pytest.mark.parametrize(
    ("tokens", "unit"), [(0, 128), (1, 128), (128, 128), (129, 192), (143, 192), (320, 320)]
)
def test_a_sample_of_exactly_the_size_fits_and_one_token_more_goes_one_up(
    tokens: int, unit: int
) -> None:
    sizes = [128, 192, 256, 320]
    (index,) = smallest_fitting_unit(int_array([tokens]), int_array(sizes)).tolist()
    assert sizes[index] == unit


@LAW
@given(st.integers(0, 5), st.integers(0, 6), st.integers(0, 20), st.integers(1, 7))
def test_places_are_those_of_counting_up_one_by_one(
    first_shard: int, filled: int, count: int, capacity: int
) -> None:
    filled = min(filled, capacity - 1)
    shard, row, expected = first_shard, filled, []
    for _ in range(count):
        expected.append((shard, row))
        row += 1
        if row == capacity:
            shard, row = shard + 1, 0
    found = place_in_shards(first_shard, filled, count, capacity)
    assert [tuple(place) for place in found.T.tolist()] == expected


# -------------------------------------------------------------------------------- storage of ids


@pytest.mark.parametrize(
    ("vocab_size", "dtype"),
    [(1, "uint16"), (65_535, "uint16"), (65_536, "uint32"), (65_537, "uint32"), (2**32, "uint32")],
)
def test_up_to_65535_entries_are_stored_in_two_bytes(vocab_size: int, dtype: Any) -> None:
    assert token_dtype(vocab_size) == dtype
    assert bytes_per_token(dtype) == {"uint16": 2, "uint32": 4}[dtype]
    assert record_bytes(192, dtype) == 192 * bytes_per_token(dtype)


def test_a_vocabulary_beyond_four_bytes_is_refused() -> None:
    with pytest.raises(TokenDTypeValidationError):
        token_dtype(2**32 + 1)


@pytest.mark.parametrize(("dtype", "largest"), [("uint16", 2**16 - 1), ("uint32", 2**32 - 1)])
def test_no_id_is_ever_written_modulo(dtype: Any, largest: int) -> None:
    kept = to_storage(int_array([0, largest]), numpy_dtype(dtype))
    assert kept.tolist() == [0, largest]
    with pytest.raises(TokenDTypeValidationError):
        to_storage(int_array([largest + 1]), numpy_dtype(dtype))


@LAW
@given(
    st.lists(st.lists(st.integers(0, 9), max_size=5), max_size=6),
    st.integers(5, 8),
    st.sampled_from(["<u2", "<u4"]),
    st.data(),
)
def test_records_are_the_tokens_of_the_chosen_samples_and_then_pad(
    samples: list[list[int]], unit: int, dtype: str, data: st.DataObject
) -> None:
    indices = st.lists(st.integers(0, max(0, len(samples) - 1)), max_size=5, unique=True)
    chosen = sorted(data.draw(indices)) if samples else []
    flat = np.asarray([token for sample in samples for token in sample], dtype=dtype)
    lengths = int_array([len(sample) for sample in samples])
    starts = np.cumsum(lengths) - lengths
    found = padded_rows(flat, starts[chosen], lengths[chosen], unit, 7)
    assert found.tolist() == [samples[i] + [7] * (unit - len(samples[i])) for i in chosen]
    assert found.dtype == flat.dtype


# --------------------------------------------------------------------------------------- shards


def build(root: Path, texts: list[str], tokenizer: bytes, **job: Any) -> Path:
    rows = jsonl(*({"text": text} for text in texts))
    write_files(root, {"in.jsonl": rows, "tok.json": tokenizer})
    worlds.run_job(root, **make_job(tokenizer_type="hf_json", **job))
    return root / "out"


def letters(*tokens: str) -> bytes:
    """One token per character: [UNK] 0, [PAD] 1, then the tokens from 2."""
    model = worlds.word_level(worlds.numbered(*tokens))
    return worlds.tokenizer_json(model, pre_tokenizer=worlds.BY_CHARACTER)


def test_the_bytes_of_a_shard_of_two_byte_ids_written_out_by_hand(tmp_path: Path) -> None:
    out = build(tmp_path, ["ab", "", "b", "aaaa"], letters("a", "b"), sizes=[[3, 4]])
    assert (out / "unit_3" / "shard_000000.bin").read_bytes() == bytes.fromhex(
        "0200 0300 0100"  # a b PAD
        "0100 0100 0100"
        "0300 0100 0100"
    )
    assert (out / "unit_4" / "shard_000000.bin").read_bytes() == bytes.fromhex("0200" * 4)


def test_the_bytes_of_a_shard_of_four_byte_ids_written_out_by_hand(tmp_path: Path) -> None:
    """ "z" is 70000 = 0x00011170."""
    out = build(tmp_path, ["z", "az"], worlds.hf_gap(70_000), sizes=[[2]])
    a = worlds.numbered(*worlds.ALPHABET)["a"]
    assert (out / "unit_2" / "shard_000000.bin").read_bytes() == (
        bytes.fromhex("70110100 01000000") + bytes([a, 0, 0, 0]) + bytes.fromhex("70110100")
    )


def test_rows_keep_source_order_and_the_last_shard_holds_the_rest(tmp_path: Path) -> None:
    texts = ["a", "bbb", "b", "aaa", "ab", "ba", "a"]
    out = build(tmp_path, texts, letters("a", "b"), sizes=[[2, 3]], samples_per_shard=[2])
    rows = {
        path.relative_to(out).as_posix(): list(struct.iter_unpack(f"<{size}H", path.read_bytes()))
        for size in (2, 3)
        for path in sorted((out / f"unit_{size}").iterdir())
    }
    assert rows == {
        "unit_2/shard_000000.bin": [(2, 1), (3, 1)],
        "unit_2/shard_000001.bin": [(2, 3), (3, 2)],
        "unit_2/shard_000002.bin": [(2, 1)],
        "unit_3/shard_000000.bin": [(3, 3, 3), (2, 2, 2)],
    }


@pytest.mark.parametrize("slab", [1, 40, 10**9])
def test_shards_do_not_depend_on_how_many_rows_are_laid_out_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, slab: int
) -> None:
    texts = ["ab" * (i % 4) for i in range(23)]
    expected = worlds.read_output(
        build(tmp_path / "whole", texts, letters("a", "b"), samples_per_shard=[5])
    )
    monkeypatch.setattr(shard_writer, "_SLAB_BYTES", slab)
    found = build(tmp_path / "slabs", texts, letters("a", "b"), samples_per_shard=[5])
    assert worlds.read_output(found) == expected


def test_of_several_samples_that_are_too_long_the_first_is_named(tmp_path: Path) -> None:
    with pytest.raises(UnitOverflowError) as caught:
        build(tmp_path, ["a", "a" * 6, "a" * 9], letters("a"), sizes=[[2, 5]])
    error = caught.value
    assert (error.file, error.line) == ("in.jsonl", 2)
    assert (error.token_count, error.max_unit_size) == (6, 5)


# ------------------------------------------------------------------------------------------ log


@contextlib.contextmanager
def log() -> Iterator[list[tuple[str, str]]]:
    """Level and text of every record of the library's logger."""
    records: list[tuple[str, str]] = []
    handler = logging.Handler()
    handler.emit = lambda record: records.append(  # type: ignore[method-assign]
        (record.levelname, record.getMessage())
    )
    logger = logging.getLogger("mintdim")
    level = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        yield records
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)


def test_every_closed_shard_is_one_line_of_the_log(tmp_path: Path) -> None:
    with log() as records:
        build(tmp_path, ["a"] * 5 + ["a" * 5], letters("a"), sizes=[[4, 8]], samples_per_shard=[2])
    assert records == [
        ("INFO", "[unit-build] shard=000000 samples=2 bytes=0.0 MiB unit=4"),
        ("INFO", "[unit-build] shard=000001 samples=2 bytes=0.0 MiB unit=4"),
        ("INFO", "[unit-build] shard=000002 samples=1 bytes=0.0 MiB unit=4"),
        ("INFO", "[unit-build] shard=000000 samples=1 bytes=0.0 MiB unit=8"),
    ]


def test_sizes_in_the_log_are_mebibytes_with_one_digit(tmp_path: Path) -> None:
    """3 samples of 100,000 slots of 2 bytes are 600,000 bytes = 0.57 MiB."""
    with log() as records:
        build(tmp_path, ["a"] * 3, letters("a"), sizes=[[100_000]])
    expected = "[unit-build] shard=000000 samples=3 bytes=0.6 MiB unit=100000"
    assert records == [("INFO", expected)]


def test_a_shard_above_the_recommended_size_is_one_warning_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Below and at the threshold there is none; the build goes on."""
    monkeypatch.setattr(shard_writer, "_RECOMMENDED_BYTES", 200_000)
    with log() as records:
        build(tmp_path, ["a"] * 3, letters("a"), sizes=[[100_000]], samples_per_shard=[2])
    assert records == [
        ("INFO", "[unit-build] shard=000000 samples=2 bytes=0.4 MiB unit=100000"),
        (
            "WARNING",
            "[unit-build:warning] shard=000000 size=0.4 MiB exceeds recommended 512 MiB.\n"
            "Build continues because sharding is controlled by samples_per_shard.",
        ),
        ("INFO", "[unit-build] shard=000001 samples=1 bytes=0.2 MiB unit=100000"),
    ]
    assert (tmp_path / "out" / "manifest.json").exists()


def test_the_recommended_size_is_512_mib() -> None:
    assert shard_writer._RECOMMENDED_BYTES == 512 * 1024 * 1024
