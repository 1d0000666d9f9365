"""Fetching when all goes well: whole datasets, parts of them, and fetching again."""

from __future__ import annotations

import json
import os
import shutil
from typing import TYPE_CHECKING

import pytest
from fetching.world import INDEX, SPLITS, check_part, commit_name
from stream_reading import tiny_streams
from worlds import read_output

import mintdim
from mintdim.shared.errors import FetchArgumentError, FetchError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from fetching.server import Serve


def names_in(index: Path) -> list[str]:
    return [entry["name"] for entry in json.loads(index.read_text())["shards"]]


# --------------------------------------------------------------------------------- whole datasets


def test_a_fetched_dataset_is_the_origin_byte_by_byte(
    dataset: Path, dest: Path, serve: Serve
) -> None:
    result = mintdim.fetch(serve(dataset).url, dest)
    expected = read_output(dataset)
    assert read_output(dest) == expected
    assert (result.fetched, result.kept) == (len(expected), 0)
    assert result.bytes == sum(map(len, expected.values()))
    assert mintdim.verify(dest, full=True).ok


def test_a_folder_is_an_origin_as_well(dataset: Path, dest: Path) -> None:
    result = mintdim.fetch(dataset.as_uri(), dest)
    assert read_output(dest) == read_output(dataset)
    assert result.url == dataset.as_uri()
    assert result.kind == ("unit-build" if (dataset / "manifest.json").exists() else "stream-build")


def test_the_index_is_asked_for_first_and_appears_last(
    stream: Path, dest: Path, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    origin, appeared = serve(stream), []
    _note_renames(monkeypatch, appeared)
    mintdim.fetch(origin.url, dest)
    assert origin.names()[0] == INDEX
    assert appeared[-1] == INDEX
    assert appeared.count(INDEX) == 1


def test_the_manifest_of_a_unit_dataset_appears_last(
    unit: Path, dest: Path, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    origin, appeared = serve(unit), []
    _note_renames(monkeypatch, appeared)
    mintdim.fetch(origin.url, dest)
    assert origin.names()[:2] == [INDEX, "manifest.json"]
    assert appeared[-2:] == [INDEX, "manifest.json"]


def _note_renames(monkeypatch: pytest.MonkeyPatch, appeared: list[str]) -> None:
    replace = os.replace

    def noted(source: Path, target: Path) -> None:
        appeared.append(target.name)
        replace(source, target)

    monkeypatch.setattr(os, "replace", noted)


def test_a_url_may_have_no_slash_at_its_end_a_query_and_odd_characters(
    tmp_path: Path, dest: Path, serve: Serve
) -> None:
    world = tiny_streams.write(tmp_path / "a set" / "日本", SPLITS)
    origin = serve(tmp_path)
    mintdim.fetch(f"http://{origin.host}{origin.prefix}a set/日本?sig=a/b=", dest)
    assert read_output(dest) == read_output(world.path)
    assert origin.asked[0].target == "/set/a%20set/%E6%97%A5%E6%9C%AC/shards_index.json?sig=a/b="


def test_a_dataset_of_wide_tokens_is_fetched(tmp_path: Path, dest: Path, serve: Serve) -> None:
    world = tiny_streams.write(tmp_path / "wide", SPLITS, dtype="uint32", vocab_size=70_000)
    mintdim.fetch(serve(world.path).url, dest)
    assert read_output(dest) == read_output(world.path)


def test_the_result_prints_what_was_done(stream: Path, dest: Path) -> None:
    result = mintdim.fetch(stream.as_uri(), str(dest))
    assert str(result).startswith(f"{dest}: stream-build dataset, 16 files fetched, 0 kept; ")


# ------------------------------------------------------------------- sets of the original producer


def test_a_dataset_without_our_keys_is_fetched(tmp_path: Path, dest: Path, serve: Serve) -> None:
    world = tiny_streams.write(tmp_path / "theirs", SPLITS, original=True)
    mintdim.fetch(serve(world.path).url, dest)
    assert read_output(dest) == read_output(world.path)
    assert mintdim.verify(dest, full=True).ok


def test_there_a_missing_language_file_is_only_a_warning(
    tmp_path: Path, dest: Path, serve: Serve, caplog: pytest.LogCaptureFixture
) -> None:
    world = tiny_streams.write(tmp_path / "theirs", SPLITS, original=True)
    (world.path / "test_001.langs.u8").unlink()
    mintdim.fetch(serve(world.path).url, dest)
    assert read_output(dest) == read_output(world.path)
    assert "test_001.langs.u8" in caplog.text


def test_there_a_language_file_has_a_byte_per_document(
    tmp_path: Path, dest: Path, serve: Serve
) -> None:
    world = tiny_streams.write(tmp_path / "theirs", SPLITS, original=True)
    (world.path / "val_000.langs.u8").write_bytes(b"\0\1\2")
    with pytest.raises(FetchError) as caught:
        mintdim.fetch(serve(world.path).url, dest)
    assert (caught.value.file, caught.value.problem.code) == (
        "val_000.langs.u8",
        "fetch_other_size",
    )


def test_in_a_dataset_of_ours_no_language_file_may_be_missing(
    stream: Path, dest: Path, serve: Serve
) -> None:
    (stream / "test_001.langs.u8").unlink()
    with pytest.raises(FetchError) as caught:
        mintdim.fetch(serve(stream).url, dest)
    assert caught.value.file == "test_001.langs.u8"


# ------------------------------------------------------------------------------ parts of a dataset

PARTS = {
    "only val": ({"only": "val"}, ["val_000.bin"]),
    "only val and train": (
        {"only": "val,train"},
        ["train_000.bin", "train_001.bin", "train_002.bin", "val_000.bin"],
    ),
    "a list": ({"only": ["test"]}, ["test_000.bin", "test_001.bin"]),
    "two training shards": (
        {"train_limit": 2},
        ["train_000.bin", "train_001.bin", "val_000.bin", "test_000.bin", "test_001.bin"],
    ),
    "both": ({"only": ["train"], "train_limit": 1}, ["train_000.bin"]),
}


@pytest.mark.parametrize(("part", "shards"), PARTS.values(), ids=PARTS)
def test_a_part_is_a_dataset_whose_index_lists_that_part(
    stream: Path, dest: Path, serve: Serve, part: dict[str, object], shards: list[str]
) -> None:
    origin = serve(stream)
    mintdim.fetch(origin.url, dest, **part)  # type: ignore[arg-type]
    assert names_in(dest / INDEX) == shards
    check_part(dest)
    expected = read_output(stream)
    assert all(data == expected[name] for name, data in read_output(dest).items() if name != INDEX)
    assert {name.partition(".")[0] for name in origin.names()} == (
        {name.partition(".")[0] for name in shards} | {"shards_index"}
    )


def test_the_index_of_a_part_keeps_everything_else_in_the_form_of_the_contract(
    stream: Path, dest: Path
) -> None:
    world = tiny_streams.World(stream, SPLITS)
    world.change_index(lambda index: index.update(boundaries={"mode": "x", "n": 1}, extra=["é"]))
    mintdim.fetch(stream.as_uri(), dest, only="val")
    whole = world.index()
    part = whole | {"shards": [e for e in whole["shards"] if e["split"] == "val"]}
    assert (dest / INDEX).read_text() == json.dumps(part, indent=2)


def test_a_part_that_is_everything_keeps_the_bytes_of_the_index(stream: Path, dest: Path) -> None:
    (stream / INDEX).write_bytes((stream / INDEX).read_bytes() + b"\n")
    mintdim.fetch(stream.as_uri(), dest, only="train,val,test", train_limit=3)
    assert read_output(dest) == read_output(stream)


def test_a_part_grows_and_what_is_there_is_kept(stream: Path, dest: Path, serve: Serve) -> None:
    mintdim.fetch(stream.as_uri(), dest, only="val")
    result = mintdim.fetch(serve(stream).url, dest)
    assert (result.fetched, result.kept) == (13, 3)
    assert read_output(dest) == read_output(stream)


def test_a_dataset_does_not_shrink(stream: Path, dest: Path) -> None:
    mintdim.fetch(stream.as_uri(), dest)
    before = read_output(dest)
    with pytest.raises(FetchArgumentError):
        mintdim.fetch(stream.as_uri(), dest, only="val")
    assert read_output(dest) == before


WRONG_PARTS = {
    "an unknown split": ({"only": "valid"}, "fetch_split"),
    "one unknown split of two": ({"only": "val,tset"}, "fetch_split"),
    "no split": ({"only": []}, "empty"),
    "an empty text": ({"only": ""}, "fetch_split"),
    "no text": ({"only": 3}, "fetch_split"),
    "no training shard": ({"train_limit": 0}, "wrong_type"),
    "half a training shard": ({"train_limit": 1.5}, "wrong_type"),
    "training shards without train": (
        {"only": "val", "train_limit": 1},
        "fetch_limit_without_train",
    ),
}


@pytest.mark.parametrize(("part", "code"), WRONG_PARTS.values(), ids=WRONG_PARTS)
def test_a_part_that_makes_no_sense_is_an_error_before_anything_is_asked_for(
    stream: Path, dest: Path, serve: Serve, part: dict[str, object], code: str
) -> None:
    origin = serve(stream)
    with pytest.raises(FetchArgumentError) as caught:
        mintdim.fetch(origin.url, dest, **part)  # type: ignore[arg-type]
    assert caught.value.problem.code == code
    assert origin.asked == []
    assert not dest.exists()


def test_a_split_that_the_dataset_lacks_is_an_error(tmp_path: Path, dest: Path) -> None:
    world = tiny_streams.write(tmp_path / "set", {"train": SPLITS["train"]})
    with pytest.raises(FetchArgumentError) as caught:
        mintdim.fetch(world.path.as_uri(), dest, only="train,val")
    assert caught.value.problem.facts == {"split": "val", "known": "train"}
    assert not dest.exists()


def test_a_unit_dataset_is_fetched_whole(unit: Path, dest: Path) -> None:
    for part in ({"only": "train"}, {"train_limit": 1}):
        with pytest.raises(FetchArgumentError) as caught:
            mintdim.fetch(unit.as_uri(), dest, **part)  # type: ignore[arg-type]
        assert caught.value.problem.code == "fetch_whole_only"
    assert not dest.exists()


# --------------------------------------------------------------------------------- fetching again


def test_fetching_again_asks_for_the_index_only(dataset: Path, dest: Path, serve: Serve) -> None:
    origin = serve(dataset)
    first = mintdim.fetch(origin.url, dest)
    origin.asked.clear()
    again = mintdim.fetch(origin.url, dest)
    assert (again.fetched, again.kept) == (0, first.fetched)
    assert set(origin.names()) <= {INDEX, "manifest.json"}


def _spoil(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(bytes([data[0] ^ 1]) + data[1:])


DAMAGE = {
    "missing": lambda path: path.unlink(),
    "cut": lambda path: path.write_bytes(path.read_bytes()[:-1]),
    "longer": lambda path: path.write_bytes(path.read_bytes() + b"\0"),
    "other": _spoil,
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
@pytest.mark.parametrize("index_too", [False, True], ids=["index stays", "index gone"])
def test_fetching_again_brings_only_what_is_missing_or_wrong(
    dataset: Path, dest: Path, serve: Serve, damage: Callable[[Path], None], index_too: bool
) -> None:
    mintdim.fetch(dataset.as_uri(), dest)
    last = commit_name(dataset)
    for name in [name for name in read_output(dest) if name.endswith((".bin", ".u8"))][::2]:
        damage(dest / name)
    if index_too:
        (dest / last).unlink()
    wrong = {
        name for name, data in read_output(dataset).items() if read_output(dest).get(name) != data
    }
    origin = serve(dataset)
    result = mintdim.fetch(origin.url, dest)
    assert read_output(dest) == read_output(dataset)
    assert set(origin.names()) - {INDEX, "manifest.json"} == wrong - {last}
    assert result.fetched == len(wrong)


def test_a_description_that_says_something_else_is_fetched_again(stream: Path, dest: Path) -> None:
    mintdim.fetch(stream.as_uri(), dest)
    for name, data in (("val_000.bin.json", b"{}"), ("train_001.bin.json", b"[")):
        (dest / name).write_bytes(data)
    assert mintdim.fetch(stream.as_uri(), dest).fetched == 2
    assert read_output(dest) == read_output(stream)


def test_shards_copied_by_hand_are_kept(stream: Path, dest: Path, serve: Serve) -> None:
    dest.mkdir()
    shutil.copy(stream / "train_000.bin", dest)
    origin = serve(stream)
    assert mintdim.fetch(origin.url, dest).kept == 1
    assert "train_000.bin" not in origin.names()


def test_an_origin_fetched_into_itself_is_kept(dataset: Path) -> None:
    before = read_output(dataset)
    assert mintdim.fetch(dataset.as_uri(), dataset).fetched == 0
    assert read_output(dataset) == before
