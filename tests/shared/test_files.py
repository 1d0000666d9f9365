"""Writing: whole and flushed before the final name, and every failure names its path."""

from __future__ import annotations

import errno
import hashlib
import os
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mintdim.shared.errors import OutputWriteError
from mintdim.shared.files import (
    HashedFile,
    flush,
    make_directory,
    remove,
    rename,
    sha256_of,
    sha256_of_file,
    using,
    write_whole,
)

if TYPE_CHECKING:
    from pathlib import Path


@given(parts=st.lists(st.binary(max_size=50)))
def test_a_growing_file_knows_its_size_and_hash_at_any_time(
    parts: list[bytes], tmp_path_factory: pytest.TempPathFactory
) -> None:
    file = HashedFile(tmp_path_factory.mktemp("grow") / "work")
    content = b""
    for part in parts:
        file.append(part)
        content += part
        assert file.path.read_bytes() == content
        assert file.bytes == len(content)
        assert file.sha256 == hashlib.sha256(content).hexdigest() == sha256_of(content)


@given(before=st.binary(max_size=50), after=st.binary(max_size=50))
def test_a_file_of_an_earlier_run_goes_on_as_if_there_had_been_one_run(
    before: bytes, after: bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("again") / "work"
    HashedFile(path).append(before)
    file = HashedFile.reopened(path)
    file.append(after)
    file.publish(path.with_name("final"))
    assert path.with_name("final").read_bytes() == before + after
    assert file.bytes == len(before + after)
    assert file.sha256 == sha256_of(before + after) == sha256_of_file(file.path)


def test_a_link_is_neither_gone_on_with_nor_appended_to(tmp_path: Path) -> None:
    (tmp_path / "theirs").write_bytes(b"theirs")
    (tmp_path / "work").symlink_to(tmp_path / "theirs")
    with pytest.raises(OutputWriteError):
        HashedFile.reopened(tmp_path / "work")
    file = HashedFile(tmp_path / "other")
    remove(tmp_path / "other")
    (tmp_path / "other").symlink_to(tmp_path / "theirs")
    with pytest.raises(OutputWriteError):
        file.append(b"x")
    remove(tmp_path / "work")
    remove(tmp_path / "work")
    assert (tmp_path / "theirs").read_bytes() == b"theirs"


def test_a_file_that_exists_is_not_written_over(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("mine")
    with pytest.raises(OutputWriteError):
        HashedFile(tmp_path / "a")
    assert (tmp_path / "a").read_text() == "mine"


def test_no_handle_stays_open_between_two_calls(tmp_path: Path) -> None:
    before = os.listdir("/dev/fd")
    files = [HashedFile(tmp_path / str(i)) for i in range(20)]
    for file in files:
        file.append(b"x")
    assert len(os.listdir("/dev/fd")) == len(before)


def test_the_final_name_appears_with_the_whole_content(tmp_path: Path) -> None:
    work, final = tmp_path / "work", tmp_path / "final"
    file = HashedFile(work)
    file.append(b"abc")
    assert not final.exists()
    file.publish(final)
    assert not work.exists()
    assert final.read_bytes() == b"abc"
    assert file.path == final


def test_a_file_is_flushed_before_it_gets_its_final_name(tmp_path: Path) -> None:
    order = []
    with (
        patch("os.fsync", lambda descriptor: order.append("flush")),
        patch("os.replace", lambda source, target: order.append("rename")),
    ):
        write_whole(tmp_path / "work", tmp_path / "final", b"abc")
    assert order == ["flush", "rename"]


def test_a_short_write_is_continued(tmp_path: Path) -> None:
    write = os.write

    def one_byte(descriptor: int, data: Any) -> int:
        return write(descriptor, bytes(data[:1]))

    with patch("os.write", one_byte):
        write_whole(tmp_path / "work", tmp_path / "final", b"abc")
    assert (tmp_path / "final").read_bytes() == b"abc"


def test_a_failure_of_the_system_names_the_path_and_what_it_said(tmp_path: Path) -> None:
    full = OSError(errno.ENOSPC, "No space left on device")
    with pytest.raises(OutputWriteError) as caught, using(tmp_path / "a"):
        raise full
    assert caught.value.path == str(tmp_path / "a")
    assert "No space left on device" in str(caught.value)
    assert caught.value.__cause__ is full


def test_other_exceptions_pass_unchanged(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), using(tmp_path):
        raise ZeroDivisionError


def test_every_step_that_fails_is_a_write_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    gone = tmp_path / "gone"
    file = HashedFile(tmp_path / "work")
    file.path.unlink()
    steps = [
        lambda: HashedFile(gone / "a"),
        lambda: make_directory(tmp_path / "file" / "a"),
        lambda: flush(gone),
        lambda: rename(gone, tmp_path / "a"),
        lambda: file.publish(tmp_path / "final"),
        lambda: write_whole(gone / "work", gone / "final", b""),
    ]
    for step in steps:
        with pytest.raises(OutputWriteError):
            step()


def test_an_existing_directory_is_left_as_it_is(tmp_path: Path) -> None:
    make_directory(tmp_path / "a" / "b")
    (tmp_path / "a" / "b" / "c").write_text("mine")
    make_directory(tmp_path / "a" / "b")
    assert (tmp_path / "a" / "b" / "c").read_text() == "mine"
