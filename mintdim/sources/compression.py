"""Compressed sources: a stream of decompressed blocks of bounded size."""

from __future__ import annotations

import contextlib
import zlib
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from mintdim.shared.messages import Phrase, phrase

if TYPE_CHECKING:
    from collections.abc import Iterator
    from io import BufferedReader

_BLOCK_BYTES = 256 * 1024
_SLOW_BLOCK_BYTES = 8 * 1024
_HEADER_BYTES = 64


class ArchiveError(Exception):
    """A compressed file is truncated or corrupt; ``reason`` says so in words."""

    def __init__(self, reason: Phrase) -> None:
        super().__init__(reason)
        self.reason = reason


def archive_kind(path: str) -> str | None:
    """Return ``"gzip"`` or ``"zstd"`` by the suffix of ``path``, or None for plain text."""
    lowered = path.lower()
    if lowered.endswith(".gz"):
        return "gzip"
    return "zstd" if lowered.endswith(".zst") else None


def decompressed(raw: BinaryIO, kind: str) -> Iterator[bytes]:
    """Yield the content of an archive in blocks of at most 256 KiB.

    Raises ``ArchiveError`` after every byte that stands before the damage.
    """
    if not raw.peek(1):  # type: ignore[attr-defined]
        raise ArchiveError(phrase("archive_truncated", kind=kind))
    done = 0
    try:
        for block in _blocks(raw, kind):
            done += len(block)
            yield block
    except ArchiveError:
        yield _sound_rest(raw, kind, done)
        raise


def _blocks(raw: BinaryIO, kind: str) -> Iterator[bytes]:
    stream, corrupt = _open(raw, kind)
    try:
        while block := stream.read(_BLOCK_BYTES):
            yield block
    except EOFError as error:
        raise ArchiveError(phrase("archive_truncated", kind=kind)) from error
    except corrupt as error:
        raise ArchiveError(phrase("archive_corrupt", kind=kind, detail=str(error))) from error


def _sound_rest(raw: BinaryIO, kind: str, done: int) -> bytes:
    """Return the bytes between the first ``done`` and the damage.

    A read that fails gives nothing of what it had; hence once more, slowly near the damage.
    """
    slow = _SlowReader(raw, raw.tell() - 2 * _BLOCK_BYTES)
    raw.seek(0)
    stream, corrupt = _open(slow, kind)
    rest = bytearray()
    with contextlib.suppress(EOFError, *corrupt):
        while block := stream.read1(_SLOW_BLOCK_BYTES):
            rest += block[done:]
            done = max(0, done - len(block))
    return bytes(rest)


class _SlowReader:
    """A file that gives its data byte by byte from a position on; headers are read as asked."""

    def __init__(self, file: BinaryIO, start: int) -> None:
        self._file = file
        self._start = start

    def read(self, size: int = -1) -> bytes:
        of_data = size > _HEADER_BYTES and self._file.tell() >= self._start
        return self._file.read(1 if of_data else size)


def _open(raw: Any, kind: str) -> tuple[BufferedReader, tuple[type[Exception], ...]]:
    """Return a reader of ``raw`` and the exceptions by which it reports corruption."""
    if kind == "gzip":
        import gzip

        return cast("BufferedReader", gzip.GzipFile(fileobj=raw)), (gzip.BadGzipFile, zlib.error)
    zstd = _zstd_module()
    return zstd.ZstdFile(raw), (zstd.ZstdError,)


def _zstd_module() -> Any:
    try:
        from compression import zstd  # Python 3.14 and later
    except ImportError:
        from backports import zstd
    return zstd
