"""A fetch that is stopped leaves nothing wrong under a final name, and a rerun ends it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from fetching.server import Stall
from fetching.world import INDEX, check_unfinished, commit_name
from robustness.children import Operations, end_of, forked, killed_at
from stream_reading import tiny_streams
from worlds import read_output

import mintdim
from mintdim.fetching import limits

if TYPE_CHECKING:
    from pathlib import Path

    from fetching.server import Serve

BIG = "train_000.bin"
SMALL: tiny_streams.Splits = {"train": [[("en", list(range(40)))]], "val": [[("ja", [7])]]}


def moments(dataset: Path, dest: Path) -> int:
    """How many changes of the disk a whole fetch asks for, halves of writes counted."""
    mintdim.fetch(dataset.as_uri(), dest.with_name("warm"))
    with Operations(lambda name, n: None, dest).installed() as operations:
        mintdim.fetch(dataset.as_uri(), dest)
    return operations.count


def fetch_killed_at(moment: int, dataset: Path, dest: Path) -> int:
    def work() -> None:
        with Operations(killed_at(moment), dest).installed():
            mintdim.fetch(dataset.as_uri(), dest)

    return end_of(forked(work))


def check_and_end(dataset: Path, dest: Path) -> None:
    if not (dest / commit_name(dataset)).exists():
        if dest.exists():
            check_unfinished(dest, dataset)
        mintdim.fetch(dataset.as_uri(), dest)
    assert read_output(dest) == read_output(dataset)


def test_a_fetch_may_be_killed_at_any_moment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "BLOCK_BYTES", 50)
    dataset = tiny_streams.write(tmp_path / "set", SMALL).path
    count = moments(dataset, tmp_path / "whole")
    assert count > 40
    for moment in range(1, count + 1):
        dest = tmp_path / f"dest{moment}"
        assert fetch_killed_at(moment, dataset, dest) == -signal.SIGKILL
        check_and_end(dataset, dest)


def test_so_may_the_fetch_of_a_unit_dataset(unit: Path, tmp_path: Path) -> None:
    count = moments(unit, tmp_path / "whole")
    for moment in sorted({*range(5, count, 9), *range(count - 8, count + 1)}):
        dest = tmp_path / f"dest{moment}"
        assert fetch_killed_at(moment, unit, dest) == -signal.SIGKILL
        check_and_end(unit, dest)


def test_one_fetch_may_be_killed_again_and_again(tmp_path: Path) -> None:
    dataset = tiny_streams.write(tmp_path / "set", SMALL).path
    dest = tmp_path / "dest"
    for moment in (5, 9, 13, 17, 21, 25):
        fetch_killed_at(moment, dataset, dest)
    check_and_end(dataset, dest)


@pytest.mark.parametrize("index_stays", [True, False])
def test_a_repair_may_be_killed(tmp_path: Path, index_stays: bool) -> None:
    dataset = tiny_streams.write(tmp_path / "set", SMALL).path
    for moment in (4, 8, 10, 12):
        dest = tmp_path / f"dest{moment}"
        mintdim.fetch(dataset.as_uri(), dest)
        (dest / BIG).write_bytes(b"?")
        if not index_stays:
            (dest / INDEX).unlink()
        fetch_killed_at(moment, dataset, dest)
        mintdim.fetch(dataset.as_uri(), dest)
        assert read_output(dest) == read_output(dataset)


ENDS = {signal.SIGKILL: -signal.SIGKILL, signal.SIGTERM: -signal.SIGTERM, signal.SIGINT: 130}


@pytest.mark.parametrize(("number", "status"), ENDS.items(), ids=[s.name for s in ENDS])
def test_a_signal_in_the_middle_of_a_file_leaves_what_has_come(
    stream: Path, dest: Path, serve: Serve, number: signal.Signals, status: int
) -> None:
    stall, origin = Stall(), serve(stream)
    origin.script[BIG] = [stall]
    command = [sys.executable, "-m", "mintdim", "fetch", origin.url, str(dest)]
    half = (stream / BIG).stat().st_size // 2
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert stall.reached.wait(60)
        wait_for_bytes(dest, half)
        process.send_signal(number)
        errors = process.communicate(timeout=60)[1]
    stall.go.set()
    assert process.returncode == status
    assert "Traceback" not in errors
    check_unfinished(dest, stream)
    origin.asked.clear()
    mintdim.fetch(origin.url, dest)
    assert [asked.headers.get("range") for asked in origin.of(BIG)] == [f"bytes={half}-"]
    assert read_output(dest) == read_output(stream)


def wait_for_bytes(dest: Path, count: int) -> None:
    """Until the unfinished file holds what the server has sent."""
    for _ in range(100_000):
        if any(path.stat().st_size == count for path in dest.glob(".*.part")):
            return
        os.sched_yield()
    pytest.fail("nothing came")


def test_the_key_interrupt_of_a_program_reaches_it(stream: Path, dest: Path, serve: Serve) -> None:
    def interrupt(handler: object, name: str) -> None:
        os.kill(os.getpid(), signal.SIGINT)

    origin = serve(stream)
    origin.script["val_000.bin"] = [interrupt]
    with pytest.raises(KeyboardInterrupt):
        mintdim.fetch(origin.url, dest)
    check_unfinished(dest, stream)
    mintdim.fetch(origin.url, dest)
    assert read_output(dest) == read_output(stream)
