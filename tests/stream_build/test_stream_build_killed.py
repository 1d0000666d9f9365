"""SIGKILL, signals, full disks: no index, or a set that is whole; and a rerun mends all."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import pytest
from robustness.children import Operations, end_of, forked, killed_at
from streams import MEMORY, declare, plan, read, write_world

from mintdim.pipelines.stream_build.output import staging
from mintdim.shared import files
from mintdim.shared.errors import (
    BuildInterruptedError,
    OutputValidationError,
    OutputWriteError,
    SourceChangedError,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

ROWS = [{"text": f"t{n}", "published": f"2026-01-0{n + 1}", "url": f"u{n % 4}"} for n in range(6)]
JOB = plan(
    documents={"time": "published", "key": "url"},
    splits=("per_language_count", {"test_docs": 0, "val_docs": 4}),
    tokens=6,
)
UNFINISHED = ".out.mintdim-unfinished"


@pytest.fixture
def world() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(dir=MEMORY) as folder:
        write_world(Path(folder), ROWS)
        yield Path(folder)


def run(world: Path, output: str = "out") -> Any:
    return declare(world, ["news0.jsonl"], output, JOB).run()


def left(world: Path) -> set[str]:
    return {path.name for path in world.iterdir()} - {"news0.jsonl", "sp.model"}


def test_killed_at_every_operation_on_the_disk_and_run_again(world: Path) -> None:
    run(world, "whole")
    expected = read(world / "whole")
    moments = moments_of(world)
    assert moments > 60
    complete = [killed_and_run_again(world, moment, expected) for moment in range(1, moments + 1)]
    # The rename of the index is the one moment at which the dataset appears.
    assert complete == sorted(complete)
    assert complete[0] is False
    assert complete[-1] is True


def moments_of(world: Path) -> int:
    with Operations(lambda name, n: None, world).installed() as operations:
        run(world)
    empty(world)
    return operations.count


def killed_and_run_again(world: Path, moment: int, expected: dict[str, bytes]) -> bool:
    """Say whether the killed build was complete."""
    with Operations(killed_at(moment), world).installed():
        assert end_of(forked(lambda: run(world))) == -signal.SIGKILL
    complete = (world / "out/shards_index.json").exists()
    if complete:
        assert read(world / "out") == expected
        with pytest.raises(OutputValidationError):
            run(world)
    else:
        run(world)
        assert left(world) == {"out", "whole"}
    assert read(world / "out") == expected
    empty(world)
    return complete


def empty(world: Path) -> None:
    for folder in (world / "out", world / UNFINISHED):
        shutil.rmtree(folder, ignore_errors=True)


def test_all_is_flushed_before_the_index_appears(
    world: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Power failure: what the index names was flushed, and so were the names."""
    events: list[tuple[str, str]] = []
    fsync, replace = os.fsync, os.replace

    def watched_fsync(descriptor: int) -> None:
        events.append(("fsync", Path(os.readlink(f"/proc/self/fd/{descriptor}")).name))
        fsync(descriptor)

    def watched_replace(source: Path, target: Path) -> None:
        assert ("fsync", source.name) in events
        events.append(("rename", target.name))
        replace(source, target)

    monkeypatch.setattr(os, "fsync", watched_fsync)
    monkeypatch.setattr(os, "replace", watched_replace)
    run(world)
    renamed = [name for event, name in events if event == "rename"]
    assert set(renamed) == set(read(world / "out"))
    at = events.index(("rename", "shards_index.json"))
    assert renamed[-1] == "shards_index.json"
    assert events[at - 1] == events[at + 1] == ("fsync", "out")


@pytest.mark.parametrize("call", ["write", "fsync", "replace"])
def test_a_disk_that_refuses_leaves_everything_as_it_was(
    call: str, world: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    count, plain = 0, getattr(os, call)

    def full(*arguments: Any) -> Any:
        nonlocal count
        count += 1
        if count == 5:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return plain(*arguments)

    monkeypatch.setattr(os, call, full)
    with pytest.raises(OutputWriteError, match="No space left"):
        run(world)
    monkeypatch.undo()
    assert left(world) == set()
    run(world)


def test_an_empty_output_directory_survives_a_failure(world: Path) -> None:
    (world / "out").mkdir()
    refused = OSError(errno.EIO, "no")
    with patch.object(os, "replace", side_effect=refused), pytest.raises(OutputWriteError):
        run(world)
    assert left(world) == {"out"}
    assert read(world / "out") == {}


def test_what_is_read_back_must_be_what_was_written(
    world: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def damaged(path: Path) -> None:
        if path.suffix == ".tokens":
            path.write_bytes(b"\0" + path.read_bytes()[1:])

    monkeypatch.setattr(files, "_drop_from_cache", damaged)
    with pytest.raises(OutputWriteError, match="read back differs"):
        run(world)
    assert left(world) == set()


def test_a_signal_ends_the_build_and_cleans_up(world: Path) -> None:
    def interrupted() -> None:
        def act(name: str, n: int) -> None:
            if n == 30:
                os.kill(os.getpid(), signal.SIGTERM)

        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # what the build puts back and raises again
        with Operations(act, world).installed(), pytest.raises(BuildInterruptedError):
            run(world)

    assert end_of(forked(interrupted)) == 0
    assert left(world) == set()


def test_a_source_that_changes_between_the_passes_is_an_error(world: Path) -> None:
    from mintdim.pipelines.stream_build import runtime

    decide = runtime.decide

    def meddling(*arguments: Any) -> Any:
        with open(world / "news0.jsonl", "ab") as file:
            file.write(b'{"text": "late"}\n')
        return decide(*arguments)

    with patch.object(runtime, "decide", meddling), pytest.raises(SourceChangedError):
        run(world)
    assert left(world) == set()


def test_lines_that_change_places_between_the_passes_are_an_error(world: Path) -> None:
    from mintdim.pipelines.stream_build import runtime

    decide, source = runtime.decide, world / "news0.jsonl"

    def meddling(*arguments: Any) -> Any:
        facts = os.stat(source)
        first, second, *others = source.read_bytes().splitlines(keepends=True)
        source.write_bytes(b"".join([second, first, *others]))
        os.utime(source, ns=(facts.st_atime_ns, facts.st_mtime_ns))
        return decide(*arguments)

    with patch.object(runtime, "decide", meddling), pytest.raises(SourceChangedError):
        run(world)
    assert left(world) == set()


def test_a_source_with_more_chunks_than_before_is_an_error(world: Path) -> None:
    from mintdim.pipelines.stream_build import pack

    more = list(pack.chunks_of(declare(world, ["news0.jsonl"], "out", JOB).validate())) * 2
    with patch.object(pack, "chunks_of", lambda _: iter(more)), pytest.raises(SourceChangedError):
        run(world)
    with patch.object(pack, "chunks_of", lambda _: iter(())), pytest.raises(SourceChangedError):
        run(world)


def test_what_others_put_into_the_output_meanwhile_is_not_mixed_in(world: Path) -> None:
    with staging.Staging(str(world / "out")) as unfinished:
        write_foreign(world / "out/train_000.bin")
        with pytest.raises(OutputValidationError):
            unfinished.commit([(unfinished.path("index"), "shards_index.json")])
    assert left(world) == {"out"}
    assert {path.name for path in (world / "out").iterdir()} == {"train_000.bin"}


def write_foreign(path: Path) -> None:
    path.parent.mkdir()
    path.touch()


def test_an_output_that_stands_alone_keeps_unfinished_files_inside(world: Path) -> None:
    """A killed build there leaves the folder inside, and the next one clears it."""
    (world / "out/.mintdim-unfinished").mkdir(parents=True)
    (world / "out/val_000.bin").touch()
    with patch.object(os, "access", return_value=False):
        run(world)
    run(world, "beside")
    assert read(world / "out") == read(world / "beside")


def test_two_builds_of_one_output_at_once_are_an_error(world: Path) -> None:
    with staging.Staging(str(world / "out")) as first:
        first.path("rows").touch()
        with pytest.raises(OutputWriteError, match="another build is writing there"):
            run(world)
        assert first.path("rows").exists()
    assert left(world) == set()
    run(world)


def test_an_output_that_was_finished_since_it_was_checked_is_left_alone(world: Path) -> None:
    later = staging.Staging(str(world / "out"))
    run(world)
    whole = read(world / "out")
    with pytest.raises(OutputValidationError), later:
        pass
    assert read(world / "out") == whole
    assert left(world) == {"out"}


def test_the_root_of_the_file_system_is_no_new_output(world: Path) -> None:
    with pytest.raises(OutputValidationError):
        run(world, "/")


def test_what_is_no_folder_of_ours_makes_an_output_full(world: Path) -> None:
    (world / "out").mkdir()
    (world / "out/val_000.bin").touch()
    with pytest.raises(OutputValidationError):
        run(world)
