"""The checker itself: it accepts a dataset and sees every kind of damage."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import worlds
from whole import check_whole

if TYPE_CHECKING:
    from pathlib import Path

NAMES = [
    "manifest.json",
    "shards_index.json",
    "sample_index.jsonl",
    "sample_index.bin",
    "duplicate_index.jsonl",
    "unk_index.jsonl",
    "histogram.json",
    "stats.json",
    "unit_2/shard_000000.bin",
    "unit_4/EMPTY_UNIT.md",
]


@pytest.fixture
def dataset(world: Path, job: worlds.Job) -> Path:
    job["sizes"] = [[2, 3, 4, 8, 16, 64]]
    worlds.run_job(world, **job)
    check_whole(world / "out")
    return world / "out"


@pytest.mark.parametrize("name", NAMES)
def test_a_changed_or_missing_file_is_seen(dataset: Path, name: str) -> None:
    content = (dataset / name).read_bytes()
    digits = [i for i, byte in enumerate(content) if byte in b"123456789"] or [0]
    place = digits[-1]
    (dataset / name).write_bytes(content[:place] + b"\x30" + content[place + 1 :])
    with pytest.raises((AssertionError, ValueError)):
        check_whole(dataset)
    (dataset / name).unlink()
    with pytest.raises((AssertionError, OSError)):
        check_whole(dataset)


@pytest.mark.parametrize(
    "name", ["stray", ".manifest.json.part", "unit_2/UNIT_BUILD_FAILED.md", "unit_2/shard_9.bin"]
)
def test_a_stray_file_is_seen(dataset: Path, name: str) -> None:
    (dataset / name).touch()
    with pytest.raises(AssertionError):
        check_whole(dataset)


def test_a_working_folder_is_seen(dataset: Path) -> None:
    (dataset / ".mintdim-work").mkdir()
    with pytest.raises(AssertionError):
        check_whole(dataset)
