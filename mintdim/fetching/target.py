"""The folder that a dataset is fetched into: what may stand there, and what is whole already."""

from __future__ import annotations

import contextlib
import os
import re
import stat
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from mintdim.fetching import limits
from mintdim.formats.names import BUILD_LOG
from mintdim.formats.stream_index import parse_shard
from mintdim.formats.stream_parsing import IndexProblemError
from mintdim.shared.errors import FetchArgumentError
from mintdim.shared.files import (
    flush,
    make_directory,
    remove,
    sha256_of_file,
    using,
    write_whole,
)
from mintdim.shared.locks import FolderLock
from mintdim.shared.messages import Phrase, phrase

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mintdim.fetching.contracts import Plan, Wanted
    from mintdim.formats.stream_index import StreamShard

# The hash of the content is part of the name, so only the same content is ever continued.
_PART = re.compile(r"\.(.+?)(\.[0-9a-f]{16})?\.part")


def part_name(name: str, sha256: str | None) -> str:
    """Return the name of an unfinished file, beside the one that it will be."""
    path = PurePosixPath(name)
    mark = f".{sha256[:16]}" if sha256 else ""
    return str(path.with_name(f".{path.name}{mark}.part"))


def describes(data: bytes, shard: StreamShard) -> bool:
    """Say whether a ``.bin.json`` says of its shard what the index says."""
    try:
        return parse_shard(data) == shard
    except IndexProblemError:
        return False


class Target:
    """The folder ``root`` while it is filled as ``plan`` says. No link in it is followed."""

    def __init__(self, root: Path, plan: Plan) -> None:
        self.root = root
        self._plan = plan
        self._names = {file.name for file in plan.files} | {name for name, _ in plan.last}
        self._directories = {str(PurePosixPath(name).parent) for name in self._names} - {"."}
        self._parts = {part_name(file.name, file.sha256) for file in plan.files}

    @contextlib.contextmanager
    def opened(self) -> Iterator[None]:
        """Make the folder ready; raises ``FetchArgumentError`` if something else stands there."""
        if os.path.lexists(self.root) and not self.root.is_dir():
            raise _error("fetch_not_a_directory", path=str(self.root))
        with _alone(self.root):
            left = self._check()
            for path in left:
                remove(path)
            for name in sorted(self._directories):
                make_directory(self.root / name)
            yield

    def path(self, name: str) -> Path:
        """Return where a file lies; its parent is a folder of ours, not a link."""
        path = self.root / name
        if path.parent != self.root and not _is(path.parent, stat.S_ISDIR):
            raise _error("fetch_link", path=str(path.parent))
        return path

    def is_whole(self, wanted: Wanted) -> bool:
        """Say whether a file is there with the size and content that the index records."""
        path = self.path(wanted.name)
        if wanted.shard is not None:
            data = self.read(wanted.name, limits.METADATA_BYTES)
            return data is not None and describes(data, wanted.shard)
        if wanted.sha256 is None or not _is(path, stat.S_ISREG):
            return False
        with using(path):
            right_size = os.lstat(path).st_size == wanted.bytes
            return right_size and sha256_of_file(path) == wanted.sha256

    def missing_bytes(self) -> int:
        """Return how much is still to be written, as far as sizes tell."""
        return sum(
            max(0, wanted.bytes - max(self._size(wanted.name), self._size(part)))
            for wanted in self._plan.files
            if wanted.bytes is not None
            for part in [part_name(wanted.name, wanted.sha256)]
        )

    def _size(self, name: str) -> int:
        try:
            return os.lstat(self.root / name).st_size
        except FileNotFoundError:
            return 0

    def read(self, name: str, most: int) -> bytes | None:
        """Return a small file, None where it is missing or has more bytes than ``most``."""
        path = self.path(name)
        if not _is(path, stat.S_ISREG) or os.lstat(path).st_size > most:
            return None
        with using(path):
            return path.read_bytes()

    def write(self, name: str, data: bytes) -> None:
        """Write a small file whole."""
        part = self.path(part_name(name, None))
        remove(part)
        write_whole(part, self.path(name), data)

    def flush(self) -> None:
        """Make sure that all names are on the disk."""
        for name in sorted(self._directories):
            flush(self.root / name)
        flush(self.root)

    def _check(self) -> list[Path]:
        """Look at all that is there; return unfinished files that are of no use any more."""
        left = []
        for path in _below(self.root):
            name = path.relative_to(self.root).as_posix()
            if path.is_symlink():
                raise _error("fetch_link", path=str(path))
            if self._is_useless_part(path, name):
                left.append(path)
            elif not self._belongs(path, name):
                raise _error("fetch_foreign", path=str(self.root), name=name)
        self._check_earlier()
        return left

    def _belongs(self, path: Path, name: str) -> bool:
        if _is(path, stat.S_ISDIR):
            return name in self._directories
        log = self._plan.kind == "unit-build" and name == BUILD_LOG  # no other file depends on it
        return _is(path, stat.S_ISREG) and (log or name in self._names or name in self._parts)

    def _is_useless_part(self, path: Path, name: str) -> bool:
        matched = _PART.fullmatch(path.name)
        if matched is None or name in self._parts or not _is(path, stat.S_ISREG):
            return False
        return str(PurePosixPath(name).with_name(matched[1])) in self._names

    def _check_earlier(self) -> None:
        path = self.root / self._plan.commit_name
        if not path.exists():
            return
        with using(path):
            earlier = path.read_bytes()
        if not self._plan.extends(earlier):
            facts = {"path": str(self.root), "name": self._plan.commit_name}
            raise _error("fetch_other_dataset", **facts)


def _below(root: Path) -> Iterator[Path]:
    """Everything in a folder and its folders, links not followed."""
    with using(root):
        entries = sorted(root.iterdir())
    for path in entries:
        yield path
        if _is(path, stat.S_ISDIR):
            yield from _below(path)


def _is(path: Path, kind: object) -> bool:
    """Say whether something of that kind stands there itself, not behind a link."""
    try:
        return bool(kind(os.lstat(path).st_mode))  # type: ignore[operator]
    except FileNotFoundError:
        return False


@contextlib.contextmanager
def _alone(root: Path) -> Iterator[None]:
    """Make the folder and keep a second fetch out of it, where the system can."""
    lock = FolderLock(root)
    try:
        if lock.taken:
            raise _error("fetch_busy", path=str(root))
        yield
    finally:
        lock.release()


def _error(code: str, **facts: object) -> FetchArgumentError:
    problem: Phrase = phrase(code, **facts)
    return FetchArgumentError(problem=problem)
