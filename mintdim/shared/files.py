"""Writing: every byte, every flush and every rename of an output goes through here.

Nothing appears under its final name before it is whole and flushed: contents are written
under a working name, flushed to the disk, then renamed. A failure of the operating system
becomes an ``OutputWriteError`` that names the path.
"""

import contextlib
import hashlib
import os
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Self

from mintdim.shared.errors import OutputWriteError
from mintdim.shared.messages import os_reason, phrase

_BLOCK_ROWS = 4096
_BLOCK_BYTES = 2**20
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)


@contextlib.contextmanager
def using(path: Path) -> Iterator[None]:
    """Turn an ``OSError`` raised inside into an ``OutputWriteError`` that names ``path``."""
    try:
        yield
    except OSError as error:
        reason = os_reason(error)
        raise OutputWriteError(path=str(path), reason=reason) from error


class HashedFile:
    """A file that grows by appending; knows its size in bytes and its SHA-256.

    No handle stays open between two calls, so that any number of them can be in progress. A file
    that is gone or was cut in the meantime is an error, never begun anew.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.bytes = 0
        self._sha256 = hashlib.sha256()
        with using(path), open(path, "xb"):
            pass

    @classmethod
    def reopened(cls, path: Path) -> Self:
        """Return an unfinished regular file of an earlier run, to go on behind its last byte."""
        file = cls.__new__(cls)
        file.path = path
        with using(path), _opened(path, os.O_RDONLY | _NO_LINK) as descriptor:
            file.bytes = os.fstat(descriptor).st_size
            file._sha256 = hashlib.sha256()
            while block := os.read(descriptor, _BLOCK_BYTES):
                file._sha256.update(block)
        return file

    @property
    def sha256(self) -> str:
        """The SHA-256 of all bytes so far, as hex digits."""
        return self._sha256.hexdigest()

    def append(self, data: bytes | memoryview) -> None:
        """Append all bytes of ``data``."""
        view = memoryview(data)
        if not view.nbytes:
            return
        view = view.cast("B")
        flags = os.O_WRONLY | os.O_APPEND | _NO_LINK
        with using(self.path), _opened(self.path, flags) as descriptor:
            _write_all(descriptor, view)
        self._sha256.update(view)
        self.bytes += len(view)

    def append_rows(self, rows: Iterable[str]) -> int:
        """Append rows of text in UTF-8, block by block; return how many there were."""
        count, left = 0, iter(rows)
        while block := list(islice(left, _BLOCK_ROWS)):
            self.append("".join(block).encode())
            count += len(block)
        return count

    def take_over(self, path: Path, size: int) -> None:
        """Append a whole file of ``size`` bytes, block by block, and remove it."""
        with using(path), open(path, "rb") as file:
            left = size
            while block := file.read(_BLOCK_BYTES):
                self.append(block)
                left -= len(block)
        if left:
            raise OutputWriteError(
                path=str(path), reason=phrase("changed_size", before=size, now=size - left)
            )
        remove(path)

    def publish(self, final: Path) -> None:
        """Flush the file to the disk and give it its final name."""
        self._check_size()
        flush(self.path)
        rename(self.path, final)
        self.path = final

    def _check_size(self) -> None:
        with using(self.path):
            size = os.stat(self.path).st_size
        if size != self.bytes:
            reason = phrase("changed_size", before=self.bytes, now=size)
            raise OutputWriteError(path=str(self.path), reason=reason)


def _write_all(descriptor: int, view: memoryview) -> None:
    # A full disk shows as a short write first and as an error at the next one.
    while view:
        view = view[os.write(descriptor, view) :]


def write_rows(path: Path, rows: Iterable[bytes]) -> int:
    """Write a file of rows for a while, neither hashed nor flushed; return its size in bytes."""
    with using(path), open(path, "xb") as file:
        file.writelines(rows)
        return file.tell()


def write_whole(work: Path, final: Path, data: bytes) -> HashedFile:
    """Write ``data`` under the working name ``work``, flush, and rename it to ``final``."""
    file = HashedFile(work)
    file.append(data)
    file.publish(final)
    return file


def flush(path: Path) -> None:
    """Flush a file or directory to the disk."""
    with using(path), _opened(path, os.O_RDONLY) as descriptor:
        os.fsync(descriptor)


@contextlib.contextmanager
def _opened(path: Path, flags: int) -> Iterator[int]:
    """Open an existing file or directory; what it lacks is never created."""
    descriptor = os.open(path, flags | getattr(os, "O_BINARY", 0))
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def rename(source: Path, target: Path) -> None:
    """Rename atomically; both lie in the same file system."""
    with using(target):
        os.replace(source, target)


def remove(path: Path) -> None:
    """Remove a file (of a link: the link); one that is gone already is no error."""
    with using(path):
        path.unlink(missing_ok=True)


def check_written(file: HashedFile) -> None:
    """Flush a file, drop it from the cache where the system allows, and read it back.

    Raises ``OutputWriteError`` if its SHA-256 is not that of what was written.
    """
    flush(file.path)
    with using(file.path):
        _drop_from_cache(file.path)
        found = sha256_of_file(file.path)
    if found != file.sha256:
        raise OutputWriteError(path=str(file.path), reason=phrase("read_back_differs"))


def _drop_from_cache(path: Path) -> None:
    if not hasattr(os, "posix_fadvise"):
        return
    with _opened(path, os.O_RDONLY) as descriptor, contextlib.suppress(OSError):
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)


def make_directory(path: Path) -> None:
    """Create a directory and its parents; an existing one is left as it is."""
    with using(path):
        path.mkdir(parents=True, exist_ok=True)


def sha256_of_file(path: Path) -> str:
    """Return the SHA-256 of a file as hex digits; raises ``OSError`` as the system does."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def sha256_of(data: bytes) -> str:
    """Return the SHA-256 of ``data`` as hex digits."""
    return hashlib.sha256(data).hexdigest()
