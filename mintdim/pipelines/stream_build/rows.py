"""All rows of the sources, in order, as the scan leaves them on the disk."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from mintdim.pipelines.stream_build.contracts import ROW, Failure
from mintdim.pipelines.stream_build.scan import scan_chunk
from mintdim.shared.errors import MintDimDataError
from mintdim.sources.chunks import plan_chunks
from mintdim.sources.validate import check_unchanged
from mintdim.spill.spool import Spool

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from mintdim.engines.contract import Engine
    from mintdim.pipelines.stream_build.config import StreamBuildConfig
    from mintdim.pipelines.stream_build.contracts import Chunk


class ChunkFacts(NamedTuple):
    """Rows of a chunk, lines of its file before it, source bytes in it, digest of its lines."""

    rows: int
    lines_before: int
    consumed: int
    digest: bytes


@dataclass(slots=True)
class ScannedRows:
    """What the scan found: ``spool`` of ``ROW``, its chunks in order, rows of every file.

    ``characters`` of all texts that may be kept.
    """

    spool: Spool
    chunks: list[ChunkFacts]
    file_rows: list[int]
    characters: int = 0

    def file_of(self, row: int) -> int:
        """Return the number of the file in which a row (from 0) stands."""
        for file, rows in enumerate(self.file_rows):
            if row < rows:
                return file
            row -= rows
        raise IndexError(row)


def chunks_of(config: StreamBuildConfig) -> Iterator[Chunk]:
    """Yield the chunks of all files in order; a file that changed meanwhile is an error."""
    for job in config.jobs:
        yield from plan_chunks(job)
        check_unchanged(job)


def scan_rows(
    config: StreamBuildConfig, engine: Engine, path: Path, after: Callable[[ChunkFacts], None]
) -> ScannedRows:
    """Read all rows, spooled at ``path``; ``after`` is called with every chunk.

    Raises the first error of the data in source order.
    """
    scanned = ScannedRows(Spool(path, ROW), [], [0] * len(config.jobs))
    lines = [0] * len(config.jobs)
    for result in engine.map(scan_chunk, chunks_of(config)):
        file = result.chunk.job.index
        if isinstance(result, Failure):
            raise at_line(result, lines[file])
        facts = ChunkFacts(len(result.rows), lines[file], result.chunk.consumed, result.digest)
        result.rows["line"] += lines[file]
        scanned.spool.append(result.rows)
        scanned.chunks.append(facts)
        scanned.file_rows[file] += facts.rows
        scanned.characters += result.characters
        lines[file] += result.line_count
        after(facts)
    return scanned


def at_line(failure: Failure, lines_before: int) -> Exception:
    """Return the error with its line counted from the beginning of the file."""
    if isinstance(failure.error, MintDimDataError):
        check_unchanged(failure.chunk.job)  # a file cut in the middle reads as bad JSON
        failure.error.line += lines_before
    return failure.error
