"""What passes between the stages: a chunk of a file, its encoded samples, or one failure.

All of them are plain values that pickle, so that a stage may run anywhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from mintdim.formats.token_index import Origins
from mintdim.pipelines.unit_build.config import FileJob
from mintdim.sources.contract import Chunk as SourceChunk

if TYPE_CHECKING:
    from mintdim.encoders.flat import Occurrences
    from mintdim.formats.shards import IntArray
    from mintdim.shared.errors import MintDimDataError, SourceReadError

HashArray = npt.NDArray[np.uint8]
Chunk: TypeAlias = SourceChunk[FileJob]


@dataclass(frozen=True, slots=True)
class EncodeTask:
    """A chunk to encode; its tokens go to the piece of this number in the folder ``work``."""

    chunk: Chunk
    work: str
    piece: int


@dataclass(frozen=True, slots=True)
class EncodedChunk:
    """The samples of a chunk, but for their tokens, which lie in the piece of number ``piece``.

    ``lengths`` [n] in tokens, ``hashes`` [n, 32] (SHA-256 of each text), ``units`` [n] unit
    sizes, ``lines`` [n] counted from 1 within the chunk; ``line_count`` includes blank lines.
    ``unk``: the UNK tokens. ``special``: special tokens that stand in data, not in the literals
    of the template.
    """

    chunk: Chunk
    piece: int
    lengths: IntArray
    hashes: HashArray
    units: IntArray
    lines: IntArray
    line_count: int
    unk: Occurrences
    special: Occurrences


@dataclass(frozen=True, slots=True)
class Failure:
    """The first error of a chunk; its ``line`` counts from 1 within the chunk."""

    chunk: Chunk
    error: MintDimDataError | SourceReadError


class DisagreementError(Exception):
    """An accelerator proved to be wrong while a build ran; the build starts again without it."""


@dataclass(frozen=True, slots=True)
class Difference:
    """The accelerator and the official library disagree on a sample of a chunk.

    ``line`` counts from 1 within the chunk; 0 if it is not known which sample it is. ``unfit``:
    why it did not come to a chunk at all.
    """

    chunk: Chunk
    line: int
    unfit: str = ""


class Places(NamedTuple):
    """Where samples went: shard number [n] and row in that shard [n]."""

    shards: IntArray
    rows: IntArray


@dataclass(frozen=True, slots=True)
class Batch:
    """An encoded chunk in its place in the output: what the index writers see.

    ``first_id`` is the id of its first sample in the output, ``lines`` [n] are physical lines
    of the file.
    """

    encoded: EncodedChunk
    first_id: int
    lines: IntArray

    def __len__(self) -> int:
        return len(self.lines)

    @property
    def source_file(self) -> str:
        """The path of the source as it was given."""
        return self.encoded.chunk.job.source.path

    def origins(self, samples: IntArray) -> Origins:
        """Return where some samples of the batch come from."""
        digits = self.encoded.hashes[samples].tobytes().hex()
        digests = [digits[at : at + 64] for at in range(0, len(digits), 64)]
        sample_ids, lines = samples + self.first_id, self.lines[samples]
        return Origins(self.source_file, sample_ids.tolist(), digests, lines.tolist())

    def digests(self) -> str:
        """Return the SHA-256 of all texts, 64 hex digits each, one after the other."""
        return self.encoded.hashes.tobytes().hex()
