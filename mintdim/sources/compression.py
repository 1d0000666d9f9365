"""Compressed sources: a stream of decompressed blocks of bounded size."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from mintdim.shared.messages import Phrase, phrase

if TYPE_CHECKING:
    from collections.abc import Iterator

_BLOCK_BYTES = 256 * 1024


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

    Raises ``ArchiveError`` after the blocks that could still be read.
    """
    stream, corrupt = _open(raw, kind)
    try:
        while block := stream.read(_BLOCK_BYTES):
            yield block
    except EOFError as error:
        raise ArchiveError(phrase("archive_truncated", kind=kind)) from error
    except corrupt as error:
        raise ArchiveError(phrase("archive_corrupt", kind=kind, detail=str(error))) from error


def _open(raw: BinaryIO, kind: str) -> tuple[BinaryIO, tuple[type[Exception], ...]]:
    """Return a reader of ``raw`` and the exceptions by which it reports corruption."""
    if not raw.peek(1):  # type: ignore[attr-defined]
        raise ArchiveError(phrase("archive_truncated", kind=kind))
    if kind == "gzip":
        import gzip

        return cast("BinaryIO", gzip.GzipFile(fileobj=raw)), (gzip.BadGzipFile, zlib.error)
    zstd = _zstd_module()
    return zstd.ZstdFile(raw), (zstd.ZstdError,)


def _zstd_module() -> Any:
    try:
        from compression import zstd  # Python 3.14 and later
    except ImportError:
        from backports import zstd
    return zstd
