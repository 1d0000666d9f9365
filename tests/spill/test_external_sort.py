"""External sort: what sorted() gives, whatever the sizes of runs and blocks."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mintdim.shared.errors import OutputWriteError
from mintdim.spill import external_sort
from mintdim.spill.external_sort import ExternalSorter, sort_rows

LAW = settings(max_examples=int(os.environ.get("MINTDIM_EXAMPLES", "100")), deadline=None)


def as_rows(entries: list[bytes], width: int) -> Any:
    return np.frombuffer(b"".join(entries), dtype=np.uint8).reshape(-1, width)


def entries(width: int) -> st.SearchStrategy[list[bytes]]:
    """Many equal rows, and rows that are equal only at their beginning."""
    few = st.binary(min_size=width, max_size=width)
    close = st.integers(0, 3).map(lambda n: n.to_bytes(width, "big"))
    high = st.integers(0, 3).map(lambda n: (255 - n).to_bytes(1, "big") * width)
    return st.lists(few | close | high, max_size=12)


def sorted_by(
    batches: list[list[bytes]], width: int, run_bytes: int, merge_bytes: int
) -> list[bytes]:
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(external_sort, "_MERGE_BYTES", merge_bytes)
        sorter = ExternalSorter(Path(folder) / "run", width, run_bytes)
        for batch in batches:
            sorter.add(as_rows(batch, width))
        blocks = list(sorter.sorted_blocks())
    return [row.tobytes() for block in blocks for row in block]


WIDTHS = st.sampled_from([8, 16, 48])


@LAW
@given(WIDTHS.flatmap(lambda width: st.tuples(st.just(width), entries(width))))
def test_rows_in_memory_are_sorted_as_bytes(case: tuple[int, list[bytes]]) -> None:
    width, rows = case
    found = [row.tobytes() for row in sort_rows(as_rows(rows, width))]
    assert found == sorted(rows)


@LAW
@given(
    WIDTHS.flatmap(lambda w: st.tuples(st.just(w), st.lists(entries(w), max_size=5))),
    st.integers(1, 8),
    st.integers(1, 20),
)
@example((8, [[b"b" * 8, b"a" * 8]]), 2, 1)  # the last rows fill a run to the brim
@example((8, [[]]), 1, 1)
def test_all_rows_come_back_in_order_whatever_the_sizes_of_runs_and_blocks(
    case: tuple[int, list[list[bytes]]], run_rows: int, merge_rows: int
) -> None:
    width, batches = case
    found = sorted_by(batches, width, run_rows * width, merge_rows * width)
    assert found == sorted(row for batch in batches for row in batch)


@pytest.mark.parametrize("run_bytes", [1, 16 * 10, 16 * 100, 10**9])
@pytest.mark.parametrize("merge_bytes", [1, 16 * 50])
def test_a_thousand_rows_in_batches_of_every_size(run_bytes: int, merge_bytes: int) -> None:
    values = np.random.default_rng(0).integers(0, 500, size=1000)
    rows = [int(value).to_bytes(16, "big") for value in values]
    batches = [rows[start:stop] for start, stop in ((0, 1), (1, 400), (400, 400), (400, 1000))]
    assert sorted_by(batches, 16, run_bytes, merge_bytes) == sorted(rows)


def test_blocks_are_bounded_by_what_the_runs_may_hold_together(tmp_path: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(external_sort, "_MERGE_BYTES", 8 * 6)
        sorter = ExternalSorter(tmp_path / "run", 8, 8 * 10)
        for start in range(0, 95, 5):
            sorter.add(as_rows([n.to_bytes(8, "big") for n in range(start, start + 5)], 8))
        blocks = [len(block) for block in sorter.sorted_blocks()]
    assert sum(blocks) == 95
    assert max(blocks) <= 10  # ten runs, a block of one row each


def test_runs_lie_beside_each_other_under_the_name_of_the_sorter(tmp_path: Path) -> None:
    sorter = ExternalSorter(tmp_path / "hashes", 8, 8)
    for number in range(3):
        sorter.add(as_rows([bytes([number]) * 8], 8))
    assert {path.name.partition(".")[0] for path in tmp_path.iterdir()} == {"hashes"}
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) == 24


def test_a_run_that_cannot_be_written_is_an_error_that_names_it(tmp_path: Path) -> None:
    sorter = ExternalSorter(tmp_path / "gone" / "run", 8, 8)
    with pytest.raises(OutputWriteError) as caught:
        sorter.add(as_rows([b"a" * 8], 8))
    assert str(tmp_path / "gone") in caught.value.path
