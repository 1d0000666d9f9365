"""Room on the disk: estimated before the first write, one warning where it will not do."""

from __future__ import annotations

import errno
import json
import logging
import os
import shutil
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
import worlds
from everything import lines
from whole import check_whole

from mintdim.pipelines.unit_build.output import space

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

HASH_ROW, START = 48, 8
GB = 10**9


class Usage(NamedTuple):
    total: int
    used: int
    free: int


@pytest.fixture
def free(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Make every disk have so many bytes left."""

    def set_free(count: int) -> None:
        monkeypatch.setattr(shutil, "disk_usage", lambda path: Usage(GB, GB - count, count))

    return set_free


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [r.getMessage() for r in caplog.records if r.levelno == logging.WARNING]


@pytest.mark.usefixtures("small_chunks")
def test_one_warning_where_the_disk_is_too_small(
    make_world: Callable[..., Path],
    job: worlds.Job,
    free: Callable[[int], None],
    caplog: pytest.LogCaptureFixture,
) -> None:
    free(100)
    world = make_world(5)
    worlds.run_job(world, **job | {"files": ["in.jsonl"] * 3})
    (text,) = warnings(caplog)
    assert text.startswith("[unit-build:warning] out will take about 0.1 MiB, but 0.0 MiB are free")
    check_whole(world / "out")


def test_one_warning_for_each_output(
    world: Path, job: worlds.Job, free: Callable[[int], None], caplog: pytest.LogCaptureFixture
) -> None:
    free(100)
    worlds.run_job(world, **job | {"files": ["in.jsonl"] * 2, "output": ["a", "b"]})
    assert [text.split()[1] for text in warnings(caplog)] == ["a", "b"]


def test_no_warning_where_there_is_room_or_nothing_to_write(
    world: Path, job: worlds.Job, free: Callable[[int], None], caplog: pytest.LogCaptureFixture
) -> None:
    free(GB)
    worlds.run_job(world, **job)
    free(0)
    (world / "in.jsonl").write_bytes(b"\n\n")
    worlds.run_job(world, **job | {"output": "none"})
    assert [text for text in warnings(caplog) if "free" in text] == []


def test_a_file_system_that_does_not_tell(
    world: Path, job: worlds.Job, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(path: object) -> None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))

    monkeypatch.setattr(shutil, "disk_usage", refuse)
    worlds.run_job(world, **job)
    assert warnings(caplog) == []


def test_the_warning_comes_before_anything_but_pieces_is_written(
    world: Path, job: worlds.Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []

    def look(root: Path) -> Usage:
        seen.extend(path.name for path in root.rglob("*") if path.is_file() and path.stat().st_size)
        return Usage(GB, 0, GB)

    monkeypatch.setattr(shutil, "disk_usage", look)
    worlds.run_job(world, **job)
    assert seen == ["piece.0"]


def estimate(root: Path, job: worlds.Job, monkeypatch: pytest.MonkeyPatch) -> int:
    found: list[int] = []
    estimated_bytes = space.estimated_bytes

    def noted(session: Any, first: Any) -> int:
        found.append(estimated_bytes(session, first))
        return found[-1]

    monkeypatch.setattr(space, "estimated_bytes", noted)
    worlds.run_job(root, **job)
    (estimate,) = found
    return estimate


def taken(root: Path) -> int:
    """Shards, sample indexes, rows of the sort, pieces: what grows with the samples."""
    files = [*root.glob("*/*.bin"), *root.glob("sample_index.*")]
    stats = json.loads((root / "stats.json").read_text())
    tokens = stats["total_tokens"] * stats["bytes_per_token"]
    rows = (HASH_ROW + START) * stats["total_samples"]
    return sum(path.stat().st_size for path in files) + tokens + rows


def test_the_estimate_is_exact_for_one_chunk(
    make_world: Callable[..., Path], job: worlds.Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = make_world(20)
    guess, real = estimate(world, job, monkeypatch), taken(world / "out")
    assert real <= guess <= real * 1.02  # numbers in the index are taken to be as long as the last


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize("pack", [bytes, worlds.gz, worlds.zst])
def test_the_estimate_is_near_for_many_chunks(
    make_world: Callable[..., Path],
    job: worlds.Job,
    monkeypatch: pytest.MonkeyPatch,
    pack: Callable[[bytes], bytes],
) -> None:
    """Small archives are read at one go; for those it is only a part."""
    world = make_world()
    suffix = {worlds.gz: ".gz", worlds.zst: ".zst"}.get(pack, "")
    worlds.write_files(world, {f"in.jsonl{suffix}": pack(lines(200))})
    guess = estimate(world, job | {"files": [f"in.jsonl{suffix}"]}, monkeypatch)
    assert guess < 3 * taken(world / "out")
    assert suffix or guess > taken(world / "out") / 3
