"""Tokens on their way from a chunk to the shards: pieces, shards made of them, the agenda."""

from __future__ import annotations

from collections import deque
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mintdim.pipelines.unit_build.contracts import EncodeTask
from mintdim.pipelines.unit_build.tasks import Agenda, perform
from mintdim.pipelines.unit_build.units.pieces import (
    piece_path,
    read_samples,
    shares_of,
    write_piece,
)
from mintdim.pipelines.unit_build.units.planner import ShardPlan
from mintdim.pipelines.unit_build.units.shard_writer import write_shard
from mintdim.shared.errors import OutputWriteError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

SIZES = np.asarray([2, 4, 9])
SAMPLES = st.lists(st.lists(st.integers(1, 9), max_size=9), max_size=12)
in_one_folder = settings(
    deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def arrays(samples: list[list[int]]) -> tuple[Any, Any, Any]:
    """Tokens, lengths and units of samples."""
    lengths = np.asarray([len(sample) for sample in samples], dtype=np.int64)
    tokens = np.asarray([token for sample in samples for token in sample], dtype="<u2")
    return tokens, lengths, SIZES[np.searchsorted(SIZES, lengths)]


# ------------------------------------------------------------------------------------ pieces


@in_one_folder
@given(samples=SAMPLES, data=st.data())
def test_a_piece_gives_back_the_samples_of_each_unit_in_order(
    tmp_path: Path, samples: list[list[int]], data: st.DataObject
) -> None:
    tokens, lengths, units = arrays(samples)
    path = piece_path(str(tmp_path), 7)
    write_piece(path, tokens, lengths, units)
    shares = shares_of(lengths, units, token_bytes=2)
    assert [share.unit_size for share in shares] == sorted(set(units.tolist()))
    for share in shares:
        wanted = [s for s, unit in zip(samples, units, strict=True) if unit == share.unit_size]
        first = data.draw(st.integers(0, share.samples - 1))
        count = data.draw(st.integers(1, share.samples - first))
        flat, found = read_samples(
            path, share.starts_at, share.first + first, count, np.dtype("<u2")
        )
        ends = np.cumsum(found)[:-1]
        assert [part.tolist() for part in np.split(flat, ends)] == wanted[first : first + count]


def test_a_piece_that_was_cut_or_is_gone_is_an_error(tmp_path: Path) -> None:
    path = piece_path(str(tmp_path), 0)
    tokens, lengths, units = arrays([[1, 2], [3]])
    write_piece(path, tokens, lengths, units)
    (share,) = shares_of(lengths, units, token_bytes=2)
    path.write_bytes(path.read_bytes()[:-1])
    for _ in range(2):
        with pytest.raises(OutputWriteError) as caught:
            read_samples(path, share.starts_at, 0, 2, np.dtype("<u2"))
        assert caught.value.path == str(path)
        path.unlink(missing_ok=True)


# ------------------------------------------------------------------------------------ shards


def chunk(piece: int, samples: list[list[int]], capacity: int) -> Any:
    _, lengths, units = arrays(samples)
    job = SimpleNamespace(samples_per_shard=capacity)
    return SimpleNamespace(
        piece=piece, lengths=lengths, units=units, chunk=SimpleNamespace(job=job)
    )


@in_one_folder
@given(chunks=st.lists(SAMPLES, max_size=5), capacities=st.lists(st.integers(1, 6), min_size=5))
def test_shards_hold_the_samples_of_their_unit_in_order_and_every_part_is_counted(
    tmp_path: Path, chunks: list[list[list[int]]], capacities: list[int]
) -> None:
    """A file with another number of samples per shard begins new shards."""
    plan = ShardPlan(tmp_path, tmp_path, SIZES.tolist(), 0, np.dtype("<u2"))
    for size in SIZES:
        (tmp_path / f"unit_{size}").mkdir(exist_ok=True)
    tasks, parts, places = [], 0, []
    for number, samples in enumerate(chunks):
        tokens, lengths, units = arrays(samples)
        write_piece(piece_path(str(tmp_path), number), tokens, lengths, units)
        placement = plan.place(chunk(number, samples, capacities[number]))
        tasks += placement.complete
        parts += placement.parts
        places += zip(units.tolist(), *(c.tolist() for c in placement.places), strict=True)
    tasks += plan.close_open()
    assert sum(1 for task in tasks for _ in task.pieces()) == parts
    rows = {}
    for task in tasks:
        entry = write_shard(task).entry
        content = np.fromfile(tmp_path / entry.name, dtype="<u2").reshape(-1, task.unit_size)
        assert entry.samples == len(content)
        assert entry.tokens == int((content != 0).sum())
        rows.update({(task.unit_size, task.number, i): row for i, row in enumerate(content)})
    everything = [sample for samples in chunks for sample in samples]
    assert len(rows) == len(everything) == len(set(places))
    for place, sample in zip(places, everything, strict=True):
        assert rows[place].tolist() == sample + [0] * (place[0] - len(sample))


def test_a_shard_may_be_written_twice(tmp_path: Path) -> None:
    """The worker that wrote it may be lost before it could say so."""
    plan = ShardPlan(tmp_path, tmp_path, [2], 0, np.dtype("<u2"))
    (tmp_path / "unit_2").mkdir()
    tokens, lengths, units = arrays([[1, 2], [3]])
    write_piece(piece_path(str(tmp_path), 0), tokens, lengths, units)
    (task,) = plan.place(chunk(0, [[1, 2], [3]], 2)).complete
    (tmp_path / "unit_2.shard_000000.bin").write_bytes(b"of an attempt that was lost")
    assert write_shard(task) == write_shard(task)
    assert (tmp_path / "unit_2/shard_000000.bin").read_bytes() == bytes.fromhex("01000200 03000000")


# ------------------------------------------------------------------------------------ agenda


def encode_task(number: int) -> EncodeTask:
    return EncodeTask(chunk=SimpleNamespace(number=number), work="", piece=number)  # type: ignore[arg-type]


def run(agenda: Agenda, ahead: int, follow: Any) -> list[Any]:
    """Draw up to ``ahead`` tasks before the first one's result is in, as an engine does."""
    tasks, drawn, order = agenda.tasks(), deque[Any](), []
    exhausted = False
    while drawn or not exhausted:
        while not exhausted and len(drawn) < ahead:
            try:
                drawn.append(next(tasks))
            except StopIteration:
                exhausted = True
        if drawn and (task := drawn.popleft()) is not None:
            order.append(task)
            agenda.done(follow(task))
    return order


@given(
    chunks=st.integers(0, 6),
    ahead=st.integers(1, 7),
    each=st.integers(0, 2),
    last=st.integers(0, 3),
)
def test_every_task_is_handed_out_once_and_what_is_last_comes_behind_all_results(
    chunks: int, ahead: int, each: int, last: int
) -> None:
    def follow(task: Any) -> Iterable[Any]:
        return [f"{task.piece}.{i}" for i in range(each)] if isinstance(task, EncodeTask) else []

    order = run(
        Agenda(map(encode_task, range(chunks)), lambda: [f"last.{i}" for i in range(last)]),
        ahead,
        follow,
    )
    names = [task.piece if isinstance(task, EncodeTask) else task for task in order]
    assert [name for name in names if isinstance(name, int)] == list(range(chunks))
    following = [f"{n}.{i}" for n in range(chunks) for i in range(each)]
    assert [n for n in names if isinstance(n, str) and n[0] != "l"] == following
    assert names[len(names) - last :] == [f"last.{i}" for i in range(last)]


def test_what_became_possible_goes_before_the_next_chunk() -> None:
    agenda = Agenda(map(encode_task, range(3)), list)
    order = run(agenda, 1, lambda task: [str(task.piece)] if isinstance(task, EncodeTask) else [])
    assert [getattr(task, "piece", task) for task in order] == [0, "0", 1, "1", 2, "2"]


def test_an_error_while_a_chunk_is_drawn_is_raised_at_its_place() -> None:
    def chunks() -> Iterator[EncodeTask]:
        yield encode_task(0)
        raise KeyError("changed")

    tasks = Agenda(chunks(), list).tasks()
    assert next(tasks) is not None
    with pytest.raises(KeyError):
        next(tasks)


def test_a_task_that_does_nothing_has_no_result() -> None:
    assert perform(None) is None
