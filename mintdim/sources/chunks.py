"""Chunks: a file cut into pieces at line ends, in source order.

A plain file is cut into byte ranges without being read; a range owns the lines whose first
byte lies in it, so every line belongs to exactly one chunk. A compressed file has no ranges:
it is read here and handed on in blocks of whole lines.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from mintdim.shared.errors import SourceParseError, SourceReadError
from mintdim.shared.messages import os_reason
from mintdim.sources.compression import (
    ArchiveError,
    archive_kind,
    decompressed,
)
from mintdim.sources.contract import Chunk, Job, SourceJob
from mintdim.sources.lines import BOM
from mintdim.sources.template import parse_template

if TYPE_CHECKING:
    from collections.abc import Iterator

# Also the most text that a chunk gives, unless a single line gives more.
CHUNK_BYTES = 4 * 1024 * 1024
_SMALLEST_CHUNK = 1024


def plan_chunks(job: Job, chunk_bytes: int | None = None) -> Iterator[Chunk[Job]]:
    """Yield the chunks of a file; their size has no effect on what is written."""
    chunk_bytes = chunk_bytes or _chunk_bytes(job)
    kind = archive_kind(job.source.absolute)
    if kind is not None:
        yield from _stream_chunks(job, kind, chunk_bytes)
        return
    for start in range(0, job.source.bytes, chunk_bytes):
        stop = min(start + chunk_bytes, job.source.bytes)
        yield Chunk(job, start, stop, consumed=stop - start)


def _chunk_bytes(job: SourceJob) -> int:
    """Return the size of a chunk: smaller where the template makes much text of little data."""
    template = parse_template(job.template, job.fields)
    repeats = max(Counter(template.placeholders).values(), default=1)
    # The shortest line {"key":"",...} is what the literals multiply most.
    shortest_line = 1 + sum(len('"":"",') + len(name) for name in job.fields)
    growth = repeats + sum(map(len, template.literals)) / shortest_line
    return max(_SMALLEST_CHUNK, int(CHUNK_BYTES / growth))


def read_lines(chunk: Chunk[Job]) -> list[bytes]:
    """Return the lines of a chunk without their ``\\n``; a byte order mark of the file is cut.

    Raises ``OSError``.
    """
    data, rest = _read_range(chunk) if chunk.block is None else (chunk.block, b"")
    lines = data.split(b"\n")
    # Joined to the last line alone: a copy of the whole chunk would cost more than its JSON.
    lines[-1] += rest.removesuffix(b"\n")
    if chunk.start == 0:
        lines[0] = lines[0].removeprefix(BOM)
    if not lines[-1] and not rest.endswith(b"\n"):
        lines.pop()  # what stands behind the last line end is no line
    return lines


def read_error(job: SourceJob, error: OSError) -> SourceReadError:
    """Return the error that names the source which the system could not read."""
    reason = os_reason(error)
    failure = SourceReadError(file=job.source.path, reason=reason)
    failure.__cause__ = error
    return failure


def _read_range(chunk: Chunk[Job]) -> tuple[bytes, bytes]:
    """Return the lines whose first byte lies in ``[start, stop)``, and the rest of the last one."""
    with open(chunk.job.source.absolute, "rb") as file:
        start = chunk.start
        if start > 0:
            # A line is ours only if the byte before it ends a line.
            file.seek(start - 1)
            start += len(file.readline(chunk.stop - start + 1)) - 1
        data = file.read(chunk.stop - start)
        rest = file.readline() if data and not data.endswith(b"\n") else b""
    return data, rest


def _stream_chunks(job: Job, kind: str, chunk_bytes: int) -> Iterator[Chunk[Job]]:
    """Yield blocks of whole lines; only the last may lack its ``\\n``, or bear a failure."""
    place = start = 0
    for lines, position, failure in _line_blocks(job, kind, chunk_bytes):
        *blocks, last = _pieces(lines, chunk_bytes)
        for block in blocks:
            yield Chunk(job, start, start + len(block), position - place, block)
            place, start = position, start + len(block)
        yield Chunk(job, start, start + len(last), position - place, last, failure)
        place, start = position, start + len(last)


def _pieces(lines: bytes, chunk_bytes: int) -> Iterator[bytes]:
    """Cut whole lines into pieces of at most ``chunk_bytes``, or one line."""
    start = 0
    while len(lines) - start > chunk_bytes:
        limit = start + chunk_bytes
        stop = lines.rfind(b"\n", start, limit) + 1 or lines.find(b"\n", limit) + 1
        if not stop:
            break
        yield lines[start:stop]
        start = stop
    yield lines[start:]


def _line_blocks(
    job: SourceJob, kind: str, chunk_bytes: int
) -> Iterator[tuple[bytes, int, SourceParseError | SourceReadError | None]]:
    """Yield whole lines, the position in the archive, and what ended it if it ended badly."""
    pending: list[bytes] = []
    position = pending_bytes = 0
    try:
        with open(job.source.absolute, "rb") as raw:
            for block in decompressed(raw, kind):
                pending.append(block)
                pending_bytes += len(block)
                if pending_bytes >= chunk_bytes and b"\n" in block:
                    whole, rest = _cut_at_last_line_end(pending)
                    pending, pending_bytes, position = [rest], len(rest), raw.tell()
                    yield whole, position, None
            position = raw.tell()
    except ArchiveError as error:
        whole, _ = _cut_at_last_line_end(pending)
        yield whole, position, _damaged(job, whole.count(b"\n") + 1, error)
    except OSError as error:
        yield b"", position, read_error(job, error)
    else:
        yield b"".join(pending), position, None


def _damaged(job: SourceJob, line: int, cause: ArchiveError) -> SourceParseError:
    error = SourceParseError(file=job.source.path, line=line, reason=cause.reason)
    error.__cause__ = cause.__cause__
    return error


def _cut_at_last_line_end(blocks: list[bytes]) -> tuple[bytes, bytes]:
    data = b"".join(blocks)
    end = data.rfind(b"\n") + 1
    return data[:end], data[end:]
