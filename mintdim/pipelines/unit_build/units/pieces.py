"""Pieces: the tokens of a chunk on the disk, grouped by unit, until their shards are complete.

First the tokens of all samples, unit by unit, then (uint64) where each sample begins, counted in
tokens, and where the last one ends. A piece lives in the folder of unfinished files; who encodes
a chunk writes it, who writes a shard reads from it, and no token passes through the driver.
"""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from mintdim.shared.files import remove, using, write_rows

if TYPE_CHECKING:
    import numpy.typing as npt

    from mintdim.formats.shards import IntArray, TokenArray

_START = np.dtype("<u8")


class Share(NamedTuple):
    """The samples of one unit in a piece: from the ``first`` on, in the order of the piece.

    ``starts_at`` is the place in bytes of the numbers behind the tokens of the piece.
    """

    unit_size: int
    samples: int
    first: int
    starts_at: int


def piece_path(work: str, piece: int) -> Path:
    """Return the path of a piece by its number, in the folder of unfinished files."""
    return Path(work) / f"piece.{piece}"


def write_piece(path: Path, tokens: TokenArray, lengths: IntArray, units: IntArray) -> None:
    """Write the samples of a chunk: ``tokens`` [t] flat, ``lengths`` and ``units`` [n].

    Raises ``OutputWriteError``.
    """
    order = np.argsort(units, kind="stable")
    source, width = tokens.view(np.uint8).data, tokens.itemsize
    ends = np.cumsum(lengths)
    begins = ((ends - lengths)[order] * width).tolist()
    samples = [source[a:b] for a, b in zip(begins, (ends[order] * width).tolist(), strict=True)]
    starts = np.concatenate([[0], np.cumsum(lengths[order])]).astype(_START)
    remove(path)  # of an attempt that was lost
    write_rows(path, [b"".join(samples), starts.tobytes()])


def shares_of(lengths: IntArray, units: IntArray, token_bytes: int) -> list[Share]:
    """Return what the piece of samples with these ``lengths`` and ``units`` [n] holds."""
    sizes, counts = np.unique(units, return_counts=True)
    starts_at = int(lengths.sum()) * token_bytes
    columns = (sizes.tolist(), counts.tolist(), (np.cumsum(counts) - counts).tolist())
    return [Share(*column, starts_at) for column in zip(*columns, strict=True)]


def read_samples(
    path: Path, starts_at: int, first: int, count: int, dtype: np.dtype[Any]
) -> tuple[TokenArray, IntArray]:
    """Return tokens (flat) and lengths [count] of samples of a piece, from the ``first`` on.

    Raises ``OutputWriteError`` for a piece that is gone or was cut.
    """
    with using(path), open(path, "rb") as file:
        starts = _read(file.fileno(), starts_at + first * _START.itemsize, count + 1, _START)
        begin, end = int(starts[0]), int(starts[-1])
        tokens = _read(file.fileno(), begin * dtype.itemsize, end - begin, dtype)
        return tokens, (starts[1:] - starts[:-1]).astype(np.int64)


def _read(descriptor: int, at: int, count: int, dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    data = bytearray()
    wanted = count * dtype.itemsize
    while len(data) < wanted:
        block = os.pread(descriptor, wanted - len(data), at + len(data))
        if not block:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        data += block
    return np.frombuffer(data, dtype=dtype)
