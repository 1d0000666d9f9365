"""Room on the disk: what an output will take, told from its first samples, against what is free."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import numpy as np

from mintdim.formats.sample_index import BINARY_ROW, rows_text
from mintdim.formats.shards import bytes_per_token
from mintdim.pipelines.unit_build.output.duplicate_index import SAMPLE_ROW_BYTES
from mintdim.shared.log import logger

if TYPE_CHECKING:
    from pathlib import Path

    from mintdim.pipelines.unit_build.config import Session
    from mintdim.pipelines.unit_build.contracts import Batch

_MIB = 1024 * 1024
_PIECE_ROW_BYTES = 8  # where a sample begins


def warn_if_short_of_space(root: Path, session: Session, first: Batch) -> None:
    """Warn if the disk of ``root`` has no room for the output whose ``first`` batch this is."""
    if not len(first):
        return
    needed = estimated_bytes(session, first)
    try:
        free = shutil.disk_usage(root).free
    except OSError:
        return  # some file systems do not tell; a full one is still met by a clear error
    if needed > free:
        logger.warning(
            "[unit-build:warning] %s will take about %.1f MiB, but %.1f MiB are free on its disk.\n"
            "Build continues and fails if the disk gets full.",
            session.directory,
            needed / _MIB,
            free / _MIB,
        )


def estimated_bytes(session: Session, first: Batch) -> int:
    """Return the bytes of shards, pieces, indexes and the sort of hashes; exact for one chunk."""
    slots = int((first.encoded.units + first.encoded.lengths).sum())
    slots *= bytes_per_token(session.dtype)
    rows = len(first) * (_index_row_bytes(first) + SAMPLE_ROW_BYTES + _PIECE_ROW_BYTES)
    return int((slots + rows) * _remaining(session, first))


def _index_row_bytes(batch: Batch) -> int:
    """Return what the last sample takes in both sample indexes: the longest numbers stand there."""
    text = rows_text(
        batch.first_id + len(batch) - 1,
        batch.digests()[-64:],
        batch.encoded.lengths[-1:].tolist(),
        batch.encoded.units[-1:],
        batch.source_file,
        batch.lines[-1:].tolist(),
        np.zeros(1, dtype=np.int64),
    )
    return len(text.encode()) + BINARY_ROW.itemsize


def _remaining(session: Session, first: Batch) -> float:
    """Return how many times the bytes read so far all sources of the output are."""
    total = sum(job.source.bytes for job in session.jobs)
    return max(1.0, total / max(1, first.encoded.chunk.consumed))
