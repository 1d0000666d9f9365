"""Paths: recorded as given, used as absolute, compared as real."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from mintdim.shared.errors import MintDimFileNotFoundError, NotAFileError
from mintdim.shared.paths import absolute, as_given, is_path, require_file, same_or_nested


class Spelled:
    def __init__(self, path: str | bytes) -> None:
        self.path = path

    def __fspath__(self) -> str | bytes:
        return self.path


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_a_path_is_recorded_exactly_as_it_was_given() -> None:
    for path in ("./a/../b", "a//b", "~/a", " a "):
        assert as_given(path) == path
        assert as_given(Spelled(path)) == path  # type: ignore[arg-type]


@pytest.mark.parametrize("value", ["a", " ", Path("a"), Spelled("a")])
def test_text_and_path_objects_are_paths(value: object) -> None:
    assert is_path(value)


@pytest.mark.parametrize("value", ["", b"a", Spelled(b"a"), Spelled(""), None, 3, ["a"]])
def test_bytes_empty_paths_and_other_things_are_no_paths(value: object) -> None:
    assert not is_path(value)


def test_a_relative_path_starts_at_the_working_directory(tmp_path: Path) -> None:
    assert absolute("./a/b") == str(tmp_path / "a" / "b")


def test_a_required_file_is_returned_as_absolute(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text("")
    (tmp_path / "link.jsonl").symlink_to("a.jsonl")
    assert require_file("./a.jsonl", "source") == str(tmp_path / "a.jsonl")
    assert require_file("link.jsonl", "source") == str(tmp_path / "link.jsonl")


@pytest.mark.parametrize("path", ["none", "none/a", "x" * 300, "dangling"])
def test_what_does_not_exist_is_not_found(path: str, tmp_path: Path) -> None:
    (tmp_path / "dangling").symlink_to("nowhere")
    with pytest.raises(MintDimFileNotFoundError) as caught:
        require_file(path, "tokenizer")
    assert type(caught.value) is MintDimFileNotFoundError
    assert (caught.value.context, caught.value.file) == ("tokenizer", path)


def test_a_directory_or_a_pipe_is_no_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (".", "pipe"):
        with pytest.raises(NotAFileError):
            require_file(path, "source")


PAIRS = [
    ("a", "a", True),
    ("a", "./b/../a/", True),
    ("a", "a/b/c", True),
    ("a", "ab", False),
    ("a/b", "a/c", False),
    ("/", "a", True),
    ("a", "link", True),
    ("a/b", "link", True),
    ("b", "link", False),
]


@pytest.mark.parametrize(("first", "second", "expected"), PAIRS)
def test_two_directories_meet_if_one_is_or_holds_the_other(
    first: str, second: str, expected: bool, tmp_path: Path
) -> None:
    (tmp_path / "link").symlink_to("a", target_is_directory=True)
    assert same_or_nested(first, second) is expected
    assert same_or_nested(second, first) is expected
