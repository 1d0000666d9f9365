"""A source that changes, shrinks or goes away while it is read."""

from __future__ import annotations

import logging
import os
from typing import TYPE_CHECKING

import pytest
import worlds
from everything import lines
from stopped import check_left

from mintdim.shared.errors import SourceChangedError, SourceReadError
from mintdim.shared.log import logger

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

pytestmark = pytest.mark.usefixtures("small_chunks")
PACK = {"": bytes, ".gz": worlds.gz, ".zst": worlds.zst}


class Meanwhile(logging.Handler):
    """Does something to the world when the first shard is closed."""

    def __init__(self, change: Callable[[], object]) -> None:
        super().__init__()
        self._change: Callable[[], object] | None = change

    def emit(self, record: logging.LogRecord) -> None:
        if self._change is not None:
            change, self._change = self._change, None
            change()


@pytest.fixture
def meanwhile() -> Iterator[Callable[[Callable[[], object]], None]]:
    handlers = []

    def install(change: Callable[[], object]) -> None:
        handlers.append(Meanwhile(change))
        logger.addHandler(handlers[-1])

    level = logger.level
    logger.setLevel(logging.INFO)
    yield install
    logger.setLevel(level)
    for handler in handlers:
        logger.removeHandler(handler)


def grow(path: Path) -> None:
    with open(path, "ab") as file:
        file.write(b"\n")


def shrink(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def empty(path: Path) -> None:
    os.truncate(path, 0)


def touch(path: Path) -> None:
    os.utime(path, ns=(0, path.stat().st_mtime_ns + 1))


def replace(path: Path) -> None:
    other = path.with_name("other")
    other.write_bytes(path.read_bytes().swapcase())
    os.utime(other, ns=(0, path.stat().st_mtime_ns + 1_000))
    os.replace(other, path)


@pytest.mark.parametrize("suffix", PACK)
@pytest.mark.parametrize("change", [grow, shrink, empty, touch, replace])
def test_a_source_that_changes(
    fast_disk: Path, job: worlds.Job, meanwhile: Callable[..., None], suffix: str, change: object
) -> None:
    path = write_source(fast_disk, suffix)
    assert callable(change)
    meanwhile(lambda: change(path))
    with pytest.raises(SourceChangedError) as caught:
        worlds.run_job(fast_disk, **job | {"files": [path.name]})
    assert caught.value.file == path.name
    assert check_left(fast_disk / "out") is False


@pytest.mark.parametrize("suffix", PACK)
@pytest.mark.parametrize("put", [None, "folder"])
def test_a_source_that_goes_away(
    fast_disk: Path, job: worlds.Job, meanwhile: Callable[..., None], suffix: str, put: str | None
) -> None:
    path = write_source(fast_disk, suffix)
    meanwhile(lambda: path.rename(path.with_name("gone")) and put and path.mkdir())
    with pytest.raises((SourceReadError, SourceChangedError)) as caught:
        worlds.run_job(fast_disk, **job | {"files": [path.name]})
    assert caught.value.file == path.name
    assert check_left(fast_disk / "out") is False


def write_source(root: Path, suffix: str) -> Path:
    name = f"in.jsonl{suffix}"
    content = PACK[suffix](lines(2))
    worlds.write_files(root, {name: content, "tok.model": worlds.spm()})
    return root / name


def test_no_folder_for_temporary_files_is_needed(
    world: Path, job: worlds.Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*args: object, **kwargs: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setenv("TMPDIR", "/nonexistent")
    for name in ("mkstemp", "mkdtemp", "TemporaryFile", "NamedTemporaryFile", "gettempdir"):
        monkeypatch.setattr(f"tempfile.{name}", refuse)
    worlds.run_job(world, **job)
    assert check_left(world / "out") is True
