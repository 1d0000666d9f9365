"""What passes between the stages: rows of facts about documents, their tokens, or one failure.

All of them are plain values that pickle, so that a stage may run anywhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from mintdim.pipelines.stream_build.config import FileJob
from mintdim.sources.contract import Chunk as SourceChunk

if TYPE_CHECKING:
    from mintdim.formats.shards import IntArray, TokenArray
    from mintdim.shared.errors import MintDimDataError, SourceChangedError, SourceReadError

Chunk: TypeAlias = SourceChunk[FileJob]
Rows = npt.NDArray[Any]
Codes = npt.NDArray[np.uint8]


class Status(IntEnum):
    """Why a row is no document of the dataset, or that it is one."""

    KEPT = 0
    NO_LANGUAGE = 1
    OTHER_LANGUAGE = 2
    SHORT = 3
    DUPLICATE = 4
    FUTURE = 5


# Bytes that a sort holds in memory; it takes a few times that while it sorts them.
SORT_RUN_BYTES = 2 * 1024 * 1024

# Every row of the sources: ``keyed`` says whether ``key`` (a hash) is one; ``lot`` decides a split
# by fraction; ``line`` counts from 1 within the chunk, in the spool within the file.
ROW = np.dtype(
    [
        ("status", "u1"),
        ("code", "u1"),
        ("keyed", "?"),
        ("key", "u1", (16,)),
        ("time", "<i8"),
        ("lot", "<u8"),
        ("line", "<i8"),
    ]
)

# Times that are none; all others are larger.
NO_TIME, BAD_TIME = -(2**63), -(2**63) + 1

# What becomes of a row: the split (place in ``SPLITS``) or DROPPED, and its language code.
DECISION = np.dtype([("split", "u1"), ("code", "u1")])
DROPPED = 255


@dataclass(frozen=True, slots=True)
class ScannedChunk:
    """The rows of a chunk [n] of ``ROW``; ``characters`` of all texts that may be kept.

    ``digest`` stands for all of its bytes.
    """

    chunk: Chunk
    digest: bytes
    rows: Rows
    line_count: int
    characters: int


@dataclass(frozen=True, slots=True)
class Failure:
    """The first error of a chunk; its ``line`` counts from 1 within the chunk."""

    chunk: Chunk
    error: MintDimDataError | SourceReadError | SourceChangedError


@dataclass(frozen=True, slots=True)
class EncodeTask:
    """A chunk, the digest of its lines, and what was decided of its rows [n] of ``DECISION``."""

    chunk: Chunk
    digest: bytes
    decisions: Rows


@dataclass(frozen=True, slots=True)
class EncodedChunk:
    """The documents of a chunk; ``consumed`` counts source bytes, for progress.

    ``tokens`` [t] in the storage type, each document followed by EOS; ``lengths`` [n] in tokens
    with EOS, ``splits`` [n], ``codes`` [n] of languages.
    """

    consumed: int
    tokens: TokenArray
    lengths: IntArray
    splits: Codes
    codes: Codes


class Packed(NamedTuple):
    """Documents one after the other.

    ``lengths`` [n] in tokens with EOS, ``codes`` [n] of languages, ``tokens``: the bytes of all.
    """

    lengths: IntArray
    codes: Codes
    tokens: bytes | memoryview
