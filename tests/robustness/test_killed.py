"""SIGKILL: whenever it comes, no manifest stands there, or a dataset that is whole."""

from __future__ import annotations

import os
import random
import shutil
import signal
import time
from typing import TYPE_CHECKING

import pytest
import worlds
from children import Operations, count_operations, end_of, forked, killed_at
from whole import check_killed, check_whole

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

KILLS = int(os.environ.get("MINTDIM_KILLS", "200"))
pytestmark = pytest.mark.usefixtures("small_chunks", "spilling")


def test_a_build_that_is_left_alone_is_whole(world: Path, job: worlds.Job) -> None:
    worlds.run_job(world, **job)
    check_whole(world / "out")


def test_killed_at_every_operation_on_the_disk(world: Path, job: worlds.Job) -> None:
    moments = count_operations(world, job)
    assert moments > 150
    complete = [killed_build(world, job, moment) for moment in range(1, moments + 1)]
    # The rename of the manifest is the one moment at which the dataset appears.
    assert complete == sorted(complete)
    assert complete[0] is False
    assert complete[-1] is True
    assert complete.count(True) < 5


def killed_build(world: Path, job: worlds.Job, moment: int) -> bool:
    shutil.rmtree(world / "out", ignore_errors=True)
    with Operations(killed_at(moment), world).installed():
        child = forked(lambda: worlds.run_job(world, **job))
        status = end_of(child)
    assert status == -signal.SIGKILL, moment
    return check_killed(world / "out")


def test_killed_at_random_moments(make_world: Callable[..., Path], job: worlds.Job) -> None:
    world, rng = make_world(3), random.Random(1)
    seconds = time_of(world, job)
    for _ in range(KILLS):
        shutil.rmtree(world / "out", ignore_errors=True)
        child = forked(lambda: worlds.run_job(world, **job))
        time.sleep(rng.uniform(0, seconds))
        os.kill(child, signal.SIGKILL)
        assert end_of(child) in (-signal.SIGKILL, 0)
        check_killed(world / "out")


def time_of(world: Path, job: worlds.Job) -> float:
    started = time.monotonic()
    assert end_of(forked(lambda: worlds.run_job(world, **job))) == 0
    return time.monotonic() - started


def test_a_second_build_refuses_what_a_killed_one_left(world: Path, job: worlds.Job) -> None:
    killed_build(world, job, 60)
    with pytest.raises(Exception, match="already exists"):
        worlds.run_job(world, **job)


def test_all_is_flushed_before_the_manifest_appears(
    world: Path, job: worlds.Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Power failure: whatever was written or renamed was flushed before the last rename."""
    dirty: dict[str, str] = {}
    watch_flushes(dirty, monkeypatch)
    worlds.run_job(world, **job)
    check_whole(world / "out")
    assert dirty.pop("at the manifest") == ""
    assert dirty == {}


def watch_flushes(dirty: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep in ``dirty`` every path whose content, or list of names, is not flushed yet."""
    write, fsync, replace = os.write, os.fsync, os.replace

    def path_of(descriptor: int) -> str:
        return os.readlink(f"/proc/self/fd/{descriptor}")

    def watched_write(descriptor: int, data: bytes) -> int:
        dirty[path_of(descriptor)] = "written"
        return write(descriptor, data)

    def watched_fsync(descriptor: int) -> None:
        fsync(descriptor)
        dirty.pop(path_of(descriptor), None)

    def watched_replace(source: Path, target: Path) -> None:
        if target.name == "manifest.json":
            left = [path for path in dirty if os.path.exists(path)]
            dirty.clear()
            dirty["at the manifest"] = ", ".join(left)
        assert os.fspath(source) not in dirty, "renamed before it was flushed"
        replace(source, target)
        dirty[os.path.dirname(target)] = "renamed"

    monkeypatch.setattr(os, "write", watched_write)
    monkeypatch.setattr(os, "fsync", watched_fsync)
    monkeypatch.setattr(os, "replace", watched_replace)
