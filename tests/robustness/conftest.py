"""One small world that has everything: several units, full shards, duplicates, UNK, an empty unit.

With ``spilling`` the search for duplicates goes to the disk, as it does in a large build.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import worlds
from everything import lines

from mintdim.sources import chunks
from mintdim.spill import external_sort

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MEMORY_DISK = "/dev/shm"


@pytest.fixture
def fast_disk(tmp_path: Path) -> Iterator[Path]:
    """A folder in memory where the system has one: hundreds of builds flush there in no time."""
    if not os.access(MEMORY_DISK, os.W_OK):
        yield tmp_path
        return
    with tempfile.TemporaryDirectory(dir=MEMORY_DISK) as folder:
        yield Path(folder)


@pytest.fixture
def make_world(fast_disk: Path) -> Callable[..., Path]:
    """Write the world with the lines repeated ``copies`` times."""

    def make(copies: int = 1) -> Path:
        files = {"in.jsonl": lines(copies), "tok.model": worlds.spm()}
        return worlds.write_files(fast_disk, files)

    return make


@pytest.fixture
def world(make_world: Callable[..., Path]) -> Path:
    return make_world()


@pytest.fixture
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of a few lines has several chunks."""
    monkeypatch.setattr(chunks, "CHUNK_BYTES", 64)
    monkeypatch.setattr(chunks, "_SMALLEST_CHUNK", 64)


@pytest.fixture
def spilling(monkeypatch: pytest.MonkeyPatch) -> None:
    """The sorter writes runs to the disk after every few rows."""
    monkeypatch.setattr(external_sort.ExternalSorter.__init__, "__defaults__", (200,))


@pytest.fixture
def job() -> worlds.Job:
    return worlds.make_job(sizes=[[2, 4, 8, 16, 64]], samples_per_shard=[3])
