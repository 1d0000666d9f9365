"""The lines of one file, plain or compressed, one after the other."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from mintdim.sources.compression import archive_kind, decompressed

if TYPE_CHECKING:
    from collections.abc import Iterator

BOM = b"\xef\xbb\xbf"


def numbered_lines(path: str) -> Iterator[tuple[int, bytes]]:
    """Yield number (from 1) and bytes of every line, without its line end.

    A byte order mark at the beginning is cut. Raises ``OSError`` or ``ArchiveError``.
    """
    for number, line in enumerate(_lines(path), 1):
        yield number, line.removeprefix(BOM) if number == 1 else line


def _lines(path: str) -> Iterator[bytes]:
    kind = archive_kind(path)
    with open(path, "rb") as raw:
        if kind is None:
            for line in raw:
                yield line.removesuffix(b"\n")
            return
        pending: list[bytes] = []
        for block in decompressed(raw, kind):
            first, *rest = block.split(b"\n")
            pending.append(first)
            if rest:
                yield b"".join(pending)
                yield from rest[:-1]
                pending = [rest[-1]]
        if last := b"".join(pending):
            yield last


def digest_of(lines: list[bytes]) -> bytes:
    """Return 16 bytes that stand for the lines of a chunk: they are read twice."""
    return hashlib.blake2b(b"\n".join(lines), digest_size=16).digest()
