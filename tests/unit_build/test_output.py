"""The output directory: what a finished build leaves, and what a failed one does."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import logging
import os
import shutil
import signal
from typing import TYPE_CHECKING, Any

import pytest
import worlds
from worlds import jsonl, make_job, write_files

import mintdim
from mintdim.shared.errors import (
    BuildInterruptedError,
    OutputWriteError,
    SourceParseError,
)
from mintdim.sources import chunks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

ROWS = [{"text": "abc"}, {"text": "a" * 20}, {"text": "abc"}, {"text": "ß"}, {"text": ""}]
FAILED, EMPTY = "UNIT_BUILD_FAILED.md", "EMPTY_UNIT.md"


@pytest.fixture(autouse=True)
def world(tmp_path: Path) -> Path:
    """Five samples: four go to unit 8, one to unit 32, none to unit 16."""
    return write_files(tmp_path, {"in.jsonl": jsonl(*ROWS), "tok.model": worlds.spm()})


def build(root: Path, **job: Any) -> dict[str, bytes]:
    worlds.run_job(root, **make_job(samples_per_shard=[2]) | job)
    return worlds.read_output(root / "out")


def document(found: dict[str, bytes], name: str) -> dict[str, Any]:
    return dict(json.loads(found[name]))


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def units(out: Path) -> list[str]:
    return sorted(path.name for path in out.iterdir() if path.is_dir())


# ---------------------------------------------------------------------------- a finished build


def test_a_build_leaves_the_documented_files_and_nothing_unfinished(tmp_path: Path) -> None:
    found = build(tmp_path)
    documents = {"manifest.json", "histogram.json", "stats.json", "shards_index.json"}
    indexes = {"sample_index.jsonl", "duplicate_index.jsonl", "unk_index.jsonl"}
    assert documents | indexes | {"sample_index.bin"} <= set(found)
    assert {name for name in found if "/" in name} == {
        "unit_8/shard_000000.bin",
        "unit_8/shard_000001.bin",
        f"unit_16/{EMPTY}",
        "unit_32/shard_000000.bin",
    }
    assert units(tmp_path / "out") == ["unit_16", "unit_32", "unit_8"]
    assert not any(part.startswith(".") for name in found for part in name.split("/"))


def test_the_shards_index_lists_every_file_with_its_true_size_and_hash(tmp_path: Path) -> None:
    found = build(tmp_path)
    index = document(found, "shards_index.json")
    entries = index["shards"] + index["files"]
    for entry in entries:
        data = found[entry["name"]]
        assert (entry["bytes"], entry["sha256"]) == (len(data), sha256(data))
    names = [entry["name"] for entry in entries]
    assert sorted(names) == sorted(set(found) - {"manifest.json", "shards_index.json"})


def test_shards_are_listed_by_unit_and_number_with_samples_and_tokens(tmp_path: Path) -> None:
    index = document(build(tmp_path), "shards_index.json")
    assert [list(entry)[:4] for entry in index["shards"]] == [
        ["name", "samples", "tokens", "bytes"]
    ] * 3
    assert [tuple(entry.values())[:4] for entry in index["shards"]] == [
        ("unit_8/shard_000000.bin", 2, 6, 32),
        ("unit_8/shard_000001.bin", 2, 1, 32),
        ("unit_32/shard_000000.bin", 1, 20, 64),
    ]
    names = [entry["name"] for entry in index["files"]]
    assert names == sorted(names)


def test_the_hashes_and_sizes_in_the_manifest_are_true(tmp_path: Path) -> None:
    found = build(tmp_path)
    manifest = document(found, "manifest.json")
    assert manifest["shards_index_sha256"] == sha256(found["shards_index.json"])
    assert manifest["tokenizer"]["sha256"] == sha256((tmp_path / "tok.model").read_bytes())
    assert manifest["source"]["bytes"] == [(tmp_path / "in.jsonl").stat().st_size]


def test_the_manifest_has_the_shape_of_the_example(tmp_path: Path) -> None:
    manifest = document(build(tmp_path), "manifest.json")
    assert manifest["pipeline"] == "unit-build"
    assert manifest["mintdim_version"] == mintdim.__version__
    assert manifest["tokenizer"] | {"sha256": ""} == {
        "type": "sentencepiece",
        "path": "tok.model",
        "vocab_size": 4 + len(worlds.ALPHABET.replace(" ", "")),
        "unk_id": 0,
        "pad_id": 1,
        "sha256": "",
        "largest_id": 3 + len(worlds.ALPHABET.replace(" ", "")),
    }
    storage = {"dtype": "uint16", "bytes_per_token": 2, "byte_order": "little"}
    assert manifest["token_storage"] == storage
    assert manifest["units"] == {"sizes": [8, 16, 32], "build_batch": 4}
    assert manifest["source"] | {"bytes": 0} == {
        "files": ["in.jsonl"],
        "fields": [["text"]],
        "templates": ["{text}"],
        "bytes": 0,
    }
    assert manifest["output"] == {"samples_per_shard": 2}
    assert manifest["format_version"] == 1


def test_histogram_and_statistics_list_the_units_that_received_samples(tmp_path: Path) -> None:
    found = build(tmp_path)
    assert list(document(found, "histogram.json").items()) == [("8", 4), ("32", 1)]
    stats = document(found, "stats.json")
    assert stats["unit_distribution"] == {"8": 4, "32": 1}
    assert (stats["total_samples"], stats["total_tokens"]) == (5, 27)
    assert (stats["token_dtype"], stats["bytes_per_token"]) == ("uint16", 2)
    assert (stats["duplicate_groups"], stats["duplicate_samples"]) == (1, 2)
    assert (stats["samples_with_unk"], stats["unk_tokens"]) == (1, 1)


def test_building_twice_gives_identical_bytes(tmp_path: Path) -> None:
    again = write_files(tmp_path / "again", worlds.read_output(tmp_path))
    assert build(tmp_path) == build(again)


def test_text_in_documents_is_utf_8_and_not_escaped(tmp_path: Path) -> None:
    write_files(tmp_path, {"日本.jsonl": jsonl({"поле": "a"})})
    found = build(tmp_path, files=["日本.jsonl"], fields=[["поле"]], templates=["é{поле}"])
    for text in ("日本.jsonl", "поле", "é{поле}"):
        assert f'"{text}"'.encode() in found["manifest.json"]


# ------------------------------------------------------------------------------------- notices


def test_only_a_unit_without_samples_holds_the_notice_of_an_empty_unit(tmp_path: Path) -> None:
    found = build(tmp_path)
    assert {name for name in found if name.endswith(".md")} == {f"unit_16/{EMPTY}"}
    assert "16" in found[f"unit_16/{EMPTY}"].decode()


@pytest.fixture
def warnings() -> Iterator[list[str]]:
    records: list[str] = []
    handler = logging.Handler(logging.WARNING)
    handler.emit = lambda record: records.append(  # type: ignore[method-assign]
        record.getMessage()
    )
    logging.getLogger("mintdim").addHandler(handler)
    yield records
    logging.getLogger("mintdim").removeHandler(handler)


@pytest.mark.parametrize("content", [b"", b"\n\r\n \t\n", b"\xef\xbb\xbf"])
def test_a_source_without_samples_gives_a_valid_empty_data_set_and_a_warning(
    tmp_path: Path, warnings: list[str], content: bytes
) -> None:
    write_files(tmp_path, {"in.jsonl": content})
    found = build(tmp_path)
    assert len(warnings) == 1
    assert "out" in warnings[0]
    assert {name for name in found if "/" in name} == {f"unit_{u}/{EMPTY}" for u in (8, 16, 32)}
    assert document(found, "histogram.json") == {}
    assert document(found, "stats.json")["total_samples"] == 0
    assert document(found, "shards_index.json")["shards"] == []
    for name in ("sample_index.jsonl", "sample_index.bin", "duplicate_index.jsonl"):
        assert found[name] == b""
    assert "manifest.json" in found


def test_one_empty_source_beside_others_is_no_warning(tmp_path: Path, warnings: list[str]) -> None:
    write_files(tmp_path, {"empty.jsonl": b""})
    build(tmp_path, files=["empty.jsonl", "in.jsonl"])
    assert warnings == []


def failed(root: Path, error: type[BaseException], **job: Any) -> dict[str, bytes]:
    """Build; the error comes; what is left is whole shards and notices. Its files."""
    with pytest.raises(error):
        build(root, **job)
    return left_by_a_failed_build(root / "out")


def left_by_a_failed_build(out: Path) -> dict[str, bytes]:
    found = worlds.read_output(out)
    assert "manifest.json" not in found
    assert not any(part.startswith(".") for name in found for part in name.split("/"))
    assert {path.name for path in out.iterdir() if path.is_dir()} == set(units(out))
    for unit in units(out):
        assert f"{unit}/{FAILED}" in found
    return found


def test_a_failed_build_leaves_a_notice_in_every_unit(tmp_path: Path) -> None:
    write_files(tmp_path, {"in.jsonl": jsonl(*ROWS, "{")})
    found = failed(tmp_path, SourceParseError)
    assert {name for name in found if name.endswith(".md")} == {
        f"unit_{size}/{FAILED}" for size in (8, 16, 32)
    }


def test_the_notice_says_what_failed_and_how_many_samples_were_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is part of the output, and so in English whatever the language of the user."""
    monkeypatch.setattr(chunks.plan_chunks, "__defaults__", (1,))
    monkeypatch.setenv("MINTDIM_LANG", "vi")
    write_files(tmp_path, {"in.jsonl": jsonl(*ROWS[:3], "{", *ROWS)})
    notice = failed(tmp_path, SourceParseError)[f"unit_8/{FAILED}"].decode()
    assert "SourceParseError:\nJSONL line could not be parsed." in notice
    assert "\nin.jsonl\n" in notice
    assert "\n4\n" in notice
    assert ": 3\n" in notice


def test_whole_shards_stay_and_open_ones_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chunks.plan_chunks, "__defaults__", (1,))
    whole = build(write_files(tmp_path / "good", worlds.read_output(tmp_path)))
    write_files(tmp_path, {"in.jsonl": jsonl(*ROWS[:4], "{")})
    found = failed(tmp_path, SourceParseError)
    shards = {name for name in found if name.endswith(".bin")}
    assert shards == {"unit_8/shard_000000.bin"}
    assert all(found[name] == whole[name] for name in shards)


def test_outputs_before_the_failed_one_stay_complete_and_later_ones_are_not_begun(
    tmp_path: Path,
) -> None:
    write_files(tmp_path, {"bad.jsonl": b"{\n"})
    outputs = ["out", "second", "third"]
    with pytest.raises(SourceParseError):
        build(tmp_path, files=["in.jsonl", "bad.jsonl", "in.jsonl"], output=outputs)
    complete = worlds.read_output(tmp_path / "out")
    alone = write_files(tmp_path / "alone", {"in.jsonl": jsonl(*ROWS), "tok.model": worlds.spm()})
    assert complete == build(alone)
    left_by_a_failed_build(tmp_path / "second")
    assert not (tmp_path / "third").exists()


# --------------------------------------------------------------------- failures of the disk


class Hook:
    """Counts the calls of a function of `os`, and fails at one of them."""

    def __init__(self, name: str, fail_at: int, error: BaseException) -> None:
        self._call: Callable[..., Any] = getattr(os, name)
        self._fail_at, self._error = fail_at, error
        self.calls = 0

    def __call__(self, *arguments: Any) -> Any:
        self.calls += 1
        if self.calls == self._fail_at:
            raise self._error
        return self._call(*arguments)


@contextlib.contextmanager
def hooked(name: str, fail_at: int, error: BaseException) -> Iterator[Hook]:
    hook = Hook(name, fail_at, error)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, name, hook)
        yield hook


def disk_full() -> OSError:
    return OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize("name", ["write", "fsync", "replace"])
def test_wherever_the_disk_fails_the_error_says_so_and_no_manifest_is_left(
    tmp_path: Path, name: str
) -> None:
    """Every single write, flush and rename of a build is made to fail once."""
    whole = build(tmp_path)
    shutil.rmtree(tmp_path / "out")
    with hooked(name, 0, disk_full()) as hook:
        build(tmp_path)
    assert hook.calls > 5
    for fail_at in range(1, hook.calls + 1):
        shutil.rmtree(tmp_path / "out")
        with hooked(name, fail_at, disk_full()), pytest.raises(OutputWriteError) as caught:
            build(tmp_path)
        assert caught.value.path.startswith(str(tmp_path / "out"))
        assert isinstance(caught.value.__cause__, OSError)
        found = worlds.read_output(tmp_path / "out")
        if "manifest.json" in found:
            # Only the flush after the manifest's rename may fail so late. The data set is
            # complete, and nothing in it may say the opposite.
            assert (name, fail_at) == ("fsync", hook.calls)
            assert found == whole
            continue
        left_by_a_failed_build(tmp_path / "out")
        for file in found:
            if file.endswith((".bin", ".jsonl", ".json", EMPTY)):
                assert found[file] == whole[file]


def test_a_work_folder_that_cannot_be_removed_is_an_error_that_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*arguments: object, **named: object) -> None:
        raise OSError(errno.EBUSY, os.strerror(errno.EBUSY))

    monkeypatch.setattr(os, "rmdir", refuse)
    with pytest.raises(OutputWriteError):
        build(tmp_path)
    assert not (tmp_path / "out" / "manifest.json").exists()


def test_an_interrupt_in_the_middle_of_a_write_leaves_a_notice_too(tmp_path: Path) -> None:
    with hooked("replace", 3, KeyboardInterrupt()):
        failed(tmp_path, KeyboardInterrupt)


def test_short_writes_are_continued(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file system may take fewer bytes than it was given."""
    expected = build(tmp_path)
    shutil.rmtree(tmp_path / "out")
    write = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, data: write(descriptor, data[:7]))
    assert build(tmp_path) == expected


def test_the_manifest_appears_last_and_all_else_is_there_by_then(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []
    at_the_end: dict[str, bytes] = {}
    replace = os.replace

    def watched(source: Any, target: Any) -> None:
        seen.append(os.path.relpath(target, tmp_path / "out"))
        if seen[-1] == "manifest.json":
            at_the_end.update(worlds.read_output(tmp_path / "out"))
        replace(source, target)

    monkeypatch.setattr(os, "replace", watched)
    found = build(tmp_path)
    assert seen[-1] == "manifest.json"
    assert sorted(seen) == sorted([*found, "build_log.json"])  # each appears once, by a rename
    unfinished = [name for name in at_the_end if name not in found]
    assert len(unfinished) == 1  # the manifest itself, under another name
    assert at_the_end[unfinished[0]] == found["manifest.json"]
    del at_the_end[unfinished[0]]
    assert at_the_end == {name: data for name, data in found.items() if name != "manifest.json"}


def test_no_work_folder_and_no_open_file_is_left_by_many_units(tmp_path: Path) -> None:
    """One file grows for each unit: their number is not bounded by the files a process opens."""
    rows = [{"text": "a" * count} for count in range(1, 301)]
    write_files(tmp_path, {"in.jsonl": jsonl(*rows)})
    before = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0
    found = build(tmp_path, sizes=[list(range(1, 301))])
    after = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0
    assert after == before
    assert sum(name.endswith("shard_000000.bin") for name in found) == 300


# -------------------------------------------------------------- in the middle: disk and signals


@pytest.fixture
def during(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Callable[[], object]], None]]:
    """Do something when the first shard is closed; every line is a chunk of its own."""
    monkeypatch.setattr(chunks.plan_chunks, "__defaults__", (1,))
    logger, handlers = logging.getLogger("mintdim"), []
    level = logger.level
    logger.setLevel(logging.INFO)

    def register(action: Callable[[], object]) -> None:
        actions = [action]
        handler = logging.Handler(logging.INFO)
        handler.emit = lambda record: (  # type: ignore[method-assign]
            actions.pop()() if actions else None  # type: ignore[assignment]
        )
        logger.addHandler(handler)
        handlers.append(handler)

    yield register
    for handler in handlers:
        logger.removeHandler(handler)
    logger.setLevel(level)


def test_a_directory_that_vanishes_is_an_error_that_says_so(
    tmp_path: Path, during: Callable[[Callable[[], object]], None]
) -> None:
    during(lambda: shutil.rmtree(tmp_path / "out"))
    with pytest.raises(OutputWriteError):
        build(tmp_path)


def test_a_notice_that_cannot_be_written_changes_no_error(
    tmp_path: Path, during: Callable[[Callable[[], object]], None]
) -> None:
    write_files(tmp_path, {"in.jsonl": jsonl(*ROWS[:3], "{")})
    during(lambda: shutil.rmtree(tmp_path / "out" / "unit_16"))
    with pytest.raises(SourceParseError):
        build(tmp_path)
    found = worlds.read_output(tmp_path / "out")
    assert f"unit_8/{FAILED}" in found
    assert f"unit_32/{FAILED}" in found


def test_an_interrupt_ends_the_build_in_good_order_and_is_then_raised(
    tmp_path: Path, during: Callable[[Callable[[], object]], None]
) -> None:
    before = signal.getsignal(signal.SIGINT)
    during(lambda: signal.raise_signal(signal.SIGINT))
    found = failed(tmp_path, KeyboardInterrupt)
    assert "SIGINT" in found[f"unit_8/{FAILED}"].decode()
    assert signal.getsignal(signal.SIGINT) is before


def test_a_termination_reaches_the_handler_of_the_user_after_the_build_has_ended(
    tmp_path: Path, during: Callable[[Callable[[], object]], None]
) -> None:
    received = []

    def handler(number: int, frame: object) -> None:
        received.append((number, sorted(worlds.read_output(tmp_path / "out"))))

    before = signal.signal(signal.SIGTERM, handler)
    try:
        during(lambda: signal.raise_signal(signal.SIGTERM))
        found = failed(tmp_path, BuildInterruptedError)
        assert received == [(signal.SIGTERM, sorted(found))]
        assert signal.getsignal(signal.SIGTERM) is handler
    finally:
        signal.signal(signal.SIGTERM, before)


def test_signal_handlers_are_back_after_a_build(tmp_path: Path) -> None:
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    build(tmp_path)
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == before


def test_an_interrupted_build_keeps_outputs_that_are_finished(
    tmp_path: Path, during: Callable[[Callable[[], object]], None]
) -> None:
    """The signal comes while the first output is built: no second one is begun as finished."""
    during(lambda: signal.raise_signal(signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        build(tmp_path, files=["in.jsonl"] * 2, output=["out", "second"])
    left_by_a_failed_build(tmp_path / "out")
    assert not (tmp_path / "second").exists()
