"""The disk refuses: full, read-only, a size limit, a directory that vanishes."""

from __future__ import annotations

import errno
import os
import resource
import shutil
from typing import TYPE_CHECKING

import pytest
import worlds
from children import Operations, count_operations, end_of, forked
from stopped import check_left, check_no_temporary_file
from whole import check_killed

from mintdim.shared.errors import OutputWriteError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.usefixtures("small_chunks", "spilling")
# What a full disk still does: look, and remove.
ALWAYS = ("open", "unlink", "rmdir")
WRITING = ("create", "write", "half")


def failing(first: int, last: float, code: int) -> Callable[[str, int], None]:
    """Operations from ``first`` to ``last`` fail, as far as a full disk makes them fail."""

    def act(name: str, n: int) -> None:
        if first <= n <= last and not (code == errno.ENOSPC and name in ALWAYS):
            raise OSError(code, os.strerror(code))

    return act


def built(world: Path, job: worlds.Job, act: Callable[[str, int], None]) -> str:
    """Build with ``act`` at every operation; the text of the error, or nothing."""
    shutil.rmtree(world / "out", ignore_errors=True)
    failure = None
    try:
        with Operations(act, world).installed():
            worlds.run_job(world, **job)
    except OutputWriteError as error:
        failure = error
    assert failure is None or str(world / "out") in failure.path
    return str(failure or "")


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO, errno.EDQUOT])
def test_one_operation_fails(world: Path, job: worlds.Job, code: int) -> None:
    for moment in range(1 + code % 3, count_operations(world, job) + 1, 3):
        text = built(world, job, failing(moment, moment, code))
        assert not text or os.strerror(code) in text
        if (world / "out" / "unit_64").exists():  # the folders stood already
            assert check_left(world / "out") or text
        else:
            assert text


def test_the_disk_stays_full(world: Path, job: worlds.Job) -> None:
    for moment in range(1, count_operations(world, job) + 1):
        text = built(world, job, failing(moment, float("inf"), errno.ENOSPC))
        assert not text or "No space left on device" in text
        assert check_killed(world / "out") or text
        check_no_temporary_file(world / "out")


def test_a_read_only_file_system(world: Path, job: worlds.Job) -> None:
    text = built(world, job, failing(1, float("inf"), errno.EROFS))
    assert "Read-only file system" in text
    assert not (world / "out").exists()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_directory(world: Path, job: worlds.Job) -> None:
    (world / "closed").mkdir(mode=0o555)
    with pytest.raises(OutputWriteError, match="Permission denied"):
        worlds.run_job(world, **job | {"output": "closed/out"})


@pytest.mark.parametrize("limit", [0, 20, 500, 2000])
def test_a_limit_on_the_size_of_files(world: Path, job: worlds.Job, limit: int) -> None:
    def build() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
        with pytest.raises(OutputWriteError, match="File too large"):
            worlds.run_job(world, **job)

    assert end_of(forked(build)) == 0
    assert not (world / "out" / "manifest.json").exists()
    check_no_temporary_file(world / "out")
    notice = world / "out" / "unit_2" / "UNIT_BUILD_FAILED.md"
    assert notice.stat().st_size <= limit
    assert limit < 2000 or check_left(world / "out") is False


@pytest.mark.parametrize("part", ["out", "out/.mintdim-work", "out/unit_2"])
def test_a_directory_vanishes(world: Path, job: worlds.Job, part: str) -> None:
    for moment in range(1, count_operations(world, job) + 1, 2):
        text = built(world, job, at(moment, world, lambda: remove(world / part)))
        assert check_killed(world / "out") or text, moment


@pytest.mark.parametrize(
    "name",
    [
        "sample_index.jsonl",
        "sample_index.jsonl.0",
        "piece.0",
        "unit_2.shard_000000.bin",
        "hashes.0",
    ],
)
def test_an_unfinished_file_vanishes(world: Path, job: worlds.Job, name: str) -> None:
    """It is never begun anew: that would be a dataset without its first rows."""
    path = world / "out/.mintdim-work" / name
    for moment in range(1, count_operations(world, job) + 1, 2):
        text = built(world, job, at(moment, world, lambda: remove(path)))
        assert check_killed(world / "out") or text, moment


@pytest.mark.parametrize(
    "name",
    [
        "sample_index.bin",
        "sample_index.jsonl.1",
        "piece.1",
        "unit_16.shard_000000.bin",
        "hashes.0",
        "duplicates.0",
    ],
)
def test_an_unfinished_file_is_cut(world: Path, job: worlds.Job, name: str) -> None:
    path = world / "out/.mintdim-work" / name
    for moment in range(1, count_operations(world, job) + 1, 2):
        text = built(world, job, at(moment, world, lambda: cut(path)))
        assert check_killed(world / "out") or text, moment


def at(moment: int, world: Path, damage: Callable[[], object]) -> Callable[[str, int], None]:
    """Do the damage at the first write from ``moment`` on, while there are unfinished files.

    Nobody could notice what happens to a file after it was looked at for the last time.
    """
    done = []

    def act(name: str, n: int) -> None:
        unfinished = (world / "out/.mintdim-work").exists()
        if n >= moment and name in WRITING and unfinished and not done:
            done.append(n)
            damage()

    return act


def remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def cut(path: Path) -> None:
    if path.exists():
        os.truncate(path, path.stat().st_size // 2)
