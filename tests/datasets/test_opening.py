"""What `mintdim.open` refuses, in words."""

from __future__ import annotations

import hashlib
import json
import shutil
from typing import TYPE_CHECKING, Any

import pytest

import mintdim
from mintdim.shared.errors import DatasetDamagedError, NotADatasetError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tiny import World


@pytest.fixture
def copy(mixed: World, tmp_path: Path) -> Path:
    return shutil.copytree(mixed.path, tmp_path / "out")


def change(path: Path, edit: Callable[[Any], None]) -> None:
    value = json.loads(path.read_text())
    edit(value)
    path.write_text(json.dumps(value))


def forge(root: Path) -> None:
    """Let the manifest agree with `shards_index.json` as it stands now."""
    digest = hashlib.sha256((root / "shards_index.json").read_bytes()).hexdigest()
    change(root / "manifest.json", lambda manifest: manifest.update(shards_index_sha256=digest))


def refusal(path: Path) -> str:
    with pytest.raises((NotADatasetError, DatasetDamagedError)) as caught:
        mintdim.open(path)
    assert caught.value.path == str(path)
    return str(caught.value)


# ------------------------------------------------------------------------------- not a dataset


def test_a_path_that_is_no_directory(tmp_path: Path) -> None:
    assert "there is no such directory" in refusal(tmp_path / "nothing")
    (tmp_path / "file").touch()
    assert "there is no such directory" in refusal(tmp_path / "file")


def test_a_directory_without_manifest_is_an_unfinished_build(copy: Path) -> None:
    (copy / "manifest.json").unlink()
    assert "manifest.json is missing: the build is still running" in refusal(copy)


@pytest.mark.parametrize("name", ["shards_index.json", "sample_index.bin"])
def test_what_another_implementation_does_not_write_is_named(copy: Path, name: str) -> None:
    (copy / name).unlink()
    assert f"{name} is missing; it was written by another tool" in refusal(copy)


def test_a_manifest_without_our_format_version(copy: Path) -> None:
    change(copy / "manifest.json", lambda manifest: manifest.pop("format_version"))
    assert "manifest.json has format_version None" in refusal(copy)


@pytest.mark.parametrize("version", [0, 2, "1", None])
def test_a_manifest_of_another_format_version(copy: Path, version: Any) -> None:
    change(copy / "manifest.json", lambda manifest: manifest.update(format_version=version))
    assert f"format_version {version}" in refusal(copy)


def test_a_manifest_of_another_pipeline(copy: Path) -> None:
    change(copy / "manifest.json", lambda manifest: manifest.update(pipeline="stream-build"))
    assert "stream-build; only unit-build is read here" in refusal(copy)


# -------------------------------------------------------------------------------------- damaged


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "it cannot be read"),
        (b"{", "it cannot be read"),
        (b"[]", "not a JSON object"),
        (b"\xff{}", "it cannot be read"),
        (b"[" * 100_000, "it cannot be read"),
    ],
)
def test_a_manifest_that_is_no_json_object(copy: Path, content: bytes, words: str) -> None:
    (copy / "manifest.json").write_bytes(content)
    assert words in refusal(copy)


def test_an_index_that_is_not_the_one_of_the_manifest(copy: Path) -> None:
    with open(copy / "shards_index.json", "a") as file:
        file.write(" ")
    text = refusal(copy)
    assert "shards_index.json" in text
    assert "its SHA-256 is not the one in manifest.json" in text


@pytest.mark.parametrize(
    "name", ["unit_8/shard_000000.bin", "sample_index.jsonl", "stats.json", "unk_index.jsonl"]
)
def test_a_file_that_is_missing_or_has_another_size_is_named(copy: Path, name: str) -> None:
    with open(copy / name, "ab") as file:
        file.write(b"x")
    size = (copy / name).stat().st_size
    text = refusal(copy)
    assert name in text
    assert f"it has {size} bytes, its index says {size - 1}" in text
    (copy / name).unlink()
    assert "the file is missing" in refusal(copy)


def test_fewer_rows_than_the_shards_hold(copy: Path) -> None:
    path = copy / "sample_index.bin"
    path.write_bytes(path.read_bytes()[:-8])

    def edit(index: Any) -> None:
        entry = next(entry for entry in index["files"] if entry["name"] == path.name)
        entry["bytes"] -= 8

    change(copy / "shards_index.json", edit)
    forge(copy)
    assert "it has 89.5 rows, the shards hold 90 samples" in refusal(copy)


@pytest.mark.parametrize(
    ("name", "edit"),
    [
        ("shards_index.json", lambda value: value.pop("files")),
        ("shards_index.json", lambda value: value["shards"][0].pop("samples")),
        ("shards_index.json", lambda value: value["shards"][0].update(name=5)),
        ("shards_index.json", lambda value: value.update(shards=7)),
        ("manifest.json", lambda value: value.pop("tokenizer")),
        ("manifest.json", lambda value: value["tokenizer"].pop("pad_id")),
        ("manifest.json", lambda value: value.update(tokenizer=[])),
        ("manifest.json", lambda value: value["token_storage"].update(dtype="int8")),
        ("manifest.json", lambda value: value.update(token_storage=None)),
    ],
)
def test_documents_that_lack_what_every_dataset_has(
    copy: Path, name: str, edit: Callable[[Any], None]
) -> None:
    change(copy / name, edit)
    forge(copy)
    text = refusal(copy)
    assert name in text
    assert "it cannot be read" in text


def test_refusals_are_spoken_in_vietnamese_too(tmp_path: Path) -> None:
    mintdim.set_language("vi")
    try:
        assert "không có thư mục này" in refusal(tmp_path / "nothing")
    finally:
        mintdim.set_language(None)
