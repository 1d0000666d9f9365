"""The pure parts of stream-build: times, shuffle, cuts, lots, borders."""

from __future__ import annotations

import os
import tempfile
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from random import Random
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mintdim.pipelines.stream_build.documents.reader import lot_of
from mintdim.pipelines.stream_build.output.cuts import pieces
from mintdim.pipelines.stream_build.packing.order import (
    PLACE_ROW_BYTES,
    positions,
    shuffled,
)
from mintdim.shared.errors import OutputWriteError
from mintdim.shared.times import microseconds, written, zone_of
from mintdim.spill.external_sort import ExternalSorter
from mintdim.spill.spool import Spool, Taking

LAW = settings(max_examples=int(os.environ.get("MINTDIM_EXAMPLES", "100")), deadline=None)

# ---------------------------------------------------------------------------------------- times


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-10-10T12:00:00", "2026-10-10T12:00:00"),
        ("2026-10-10 12:00", "2026-10-10T12:00:00"),
        ("2026-10-10", "2026-10-10T00:00:00"),
        ("20261010T120000Z", "2026-10-10T12:00:00"),
        ("2026-W41-6", "2026-10-10T00:00:00"),
        ("2026-10-10t12:00:00z", "2026-10-10T12:00:00"),
        ("2026-10-10T12:00:00.1234567", "2026-10-10T12:00:00.123456"),
        ("2026-10-10T12:00:00,5", "2026-10-10T12:00:00.500000"),
        ("2026-10-10T12:00:00+09:00", "2026-10-10T03:00:00"),
        ("2026-10-10T12:00:00-0530", "2026-10-10T17:30:00"),
        ("0001-01-01T00:00:00", "0001-01-01T00:00:00"),
        ("9999-12-31T23:59:59.999999", "9999-12-31T23:59:59.999999"),
    ],
)
def test_iso_8601_is_read(text: str, expected: str) -> None:
    moment = microseconds(text, UTC)
    assert moment is not None
    assert written(moment) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "today",
        "2026",
        "2026-10",
        "2026-02-30",
        "2026-10-10T24:00:00",
        "2026-10-10T12:00:60",
        "2026-10-10T12:00:00 UTC",
        "2026-10-10T12:00:00+25:00",
        " 2026-10-10",
        "2026-10-10\n",
        "10/10/2026",
        "Sat, 10 Oct 2026 12:00:00 GMT",
        "1760000000",
        "\uff12026-10-10",
        "2026-10-10x12:00:00",
        "0001-01-01T00:00:00+01:00",
        "9999-12-31T23:59:59-01:00",
        "0000-01-01",
        "2026-W54-1",
    ],
)
def test_what_is_no_time_is_none(text: str) -> None:
    assert microseconds(text, UTC) is None


@LAW
@given(
    st.datetimes(datetime(1900, 1, 1), datetime(2100, 1, 1)),
    st.sampled_from(["UTC", "Asia/Tokyo", "Europe/Paris", "America/St_Johns"]),
)
def test_a_naive_time_is_in_its_zone(time: datetime, name: str) -> None:
    moment = microseconds(time.isoformat(), zone_of(name))
    assert moment is not None
    in_utc = time.replace(tzinfo=ZoneInfo(name)).astimezone(UTC).replace(tzinfo=None)
    assert written(moment) == in_utc.isoformat()
    assert datetime(1970, 1, 1) + timedelta(microseconds=moment) == in_utc


# ---------------------------------------------------------------------------------------- order


def test_the_order_of_ten_documents_is_the_one_that_was_published() -> None:
    assert shuffled(10, 20260813).tolist() == [3, 8, 9, 6, 5, 1, 0, 7, 4, 2]


@LAW
@given(st.integers(0, 300), st.integers(0, 2**80))
def test_positions_are_the_order_turned_around(count: int, seed: int) -> None:
    order = list(range(count))
    Random(seed).shuffle(order)
    with tempfile.TemporaryDirectory() as folder:
        sorter = ExternalSorter(Path(folder) / "s", PLACE_ROW_BYTES, run_bytes=400)
        found = [place for block in positions(count, seed, sorter) for place in block.tolist()]
    assert [order[place] for place in found] == list(range(count))


# ----------------------------------------------------------------------------------------- cuts


@LAW
@given(st.lists(st.integers(1, 12), max_size=30), st.integers(1, 15), st.lists(st.integers(0, 30)))
def test_shards_are_cut_as_by_hand_however_documents_come(
    lengths: list[int], limit: int, cuts: list[int]
) -> None:
    expected: list[list[int]] = []
    for length in lengths:
        if not expected or sum(expected[-1]) + length > limit:
            expected.append([])
        expected[-1].append(length)
    found: list[list[int]] = [[]]
    bounds = [0, *sorted(min(cut, len(lengths)) for cut in cuts), len(lengths)]
    for first, last in pairwise(bounds):
        block = np.array(lengths[first:last], dtype=np.int64)
        for start, stop, ends in pieces(block, limit, sum(found[-1])):
            found[-1] += block[start:stop].tolist()
            if ends:
                found.append([])
    assert found == (expected or [[]])


# ----------------------------------------------------------------------------------------- lots


def test_a_lot_is_what_the_documentation_says() -> None:
    """The first 16 digits of: printf '5\\nhttps://example.org/a' | sha256sum"""
    assert lot_of("https://example.org/a", 5) == 0xDD5292AA1E4A5AFA


# ---------------------------------------------------------------------------------------- spool


def test_a_spool_gives_back_what_it_got(tmp_path: Path) -> None:
    spool = Spool(tmp_path / "s", "<i8")
    for part in ([1, 2], [], [3]):
        spool.append(np.array(part, dtype="<i8"))
    taking = Taking(spool.blocks(), np.empty(0, dtype="<i8"))
    assert taking.take(1).tolist() == [1]
    assert taking.take(0).tolist() == []
    assert taking.take(2).tolist() == [2, 3]
    with pytest.raises(EOFError):
        taking.take(1)


def test_a_spool_that_was_cut_is_an_error(tmp_path: Path) -> None:
    spool = Spool(tmp_path / "s", "<i8")
    spool.append(np.arange(3, dtype="<i8"))
    os.truncate(tmp_path / "s", 20)
    with pytest.raises(OutputWriteError):
        list(spool.blocks())


def test_a_spool_takes_rows_of_its_type_only(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="int64"):
        Spool(tmp_path / "s", "<i8").append(np.arange(3, dtype="<i4"))
