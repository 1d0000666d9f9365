"""The encode stage: a pure task from a chunk, and what was decided of its rows, to tokens.

A failure of the data is returned, not raised, so that the first one in source order wins wherever
the task runs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mintdim.encoders.batching import encode_texts, refused_text
from mintdim.encoders.flat import find_tokens
from mintdim.encoders.opening import open_encoder
from mintdim.formats.shards import numpy_dtype, to_storage
from mintdim.formats.stream_index import token_dtype
from mintdim.pipelines.stream_build.contracts import DROPPED, EncodedChunk, EncodeTask, Failure
from mintdim.shared.errors import DocumentError, MintDimDataError, SourceChangedError
from mintdim.shared.messages import phrase
from mintdim.sources.chunks import read_error, read_lines
from mintdim.sources.jsonl import is_blank
from mintdim.sources.lines import digest_of
from mintdim.sources.samples import SampleReader

if TYPE_CHECKING:
    from mintdim.encoders.contract import Encoded
    from mintdim.formats.shards import TokenArray
    from mintdim.pipelines.stream_build.config import FileJob, TokenizerInfo


def encode_chunk(task: EncodeTask) -> EncodedChunk | Failure:
    """Encode the documents of a chunk, or return its first error in source order.

    Raises ``TokenizerChangedError`` if the tokenizer is no longer the one that was validated.
    """
    chunk, job = task.chunk, task.chunk.job
    try:
        lines = read_lines(chunk)
    except OSError as error:
        return Failure(chunk, read_error(job, error))
    rows = [(number, line) for number, line in enumerate(lines, 1) if not is_blank(line)]
    if len(rows) != len(task.decisions):
        return Failure(chunk, _changed(job, len(task.decisions), len(rows)))
    if digest_of(lines) != task.digest:
        return Failure(chunk, _changed_content(job))
    kept = task.decisions["split"] != DROPPED
    try:
        texts, numbers = _render(job, rows, kept.tolist())
    except MintDimDataError as error:  # every line was read before
        return Failure(chunk, error)
    encoded, failure = _encode(job, texts, numbers)
    if failure is not None:
        return Failure(chunk, failure)
    return EncodedChunk(
        consumed=chunk.consumed,
        tokens=_with_eos(encoded, job.tokenizer),
        lengths=encoded.lengths + 1,
        splits=task.decisions["split"][kept],
        codes=task.decisions["code"][kept],
    )


def _render(
    job: FileJob, rows: list[tuple[int, bytes]], kept: list[bool]
) -> tuple[list[str], list[int]]:
    """Return the texts of the rows that are kept, and their lines."""
    reader = SampleReader(job)
    chosen = [row for row, keep in zip(rows, kept, strict=True) if keep]
    return [reader.text_of(line, number) for number, line in chosen], [n for n, _ in chosen]


def _encode(
    job: FileJob, texts: list[str], numbers: list[int]
) -> tuple[Encoded, MintDimDataError | None]:
    """Return the ids of all texts, or of those before the first bad one with its error."""
    info = job.tokenizer
    encoder = open_encoder(info.kind, info.absolute, info.sha256)
    encoded, refusal = encode_texts(encoder, texts, job.build_batch)
    found = find_tokens(encoded.ids, encoded.lengths, [info.eos_id])
    if len(found.samples):
        line, position = numbers[int(found.samples[0])], int(found.positions[0])
        problem = phrase("eos_in_text", token_id=info.eos_id, position=position)
        return encoded, DocumentError(file=job.source.path, line=line, problem=problem)
    if refusal is not None:
        line = numbers[refusal.number]
        return encoded, refused_text(refusal, job.source.path, line, info.path)
    return encoded, None


def _with_eos(encoded: Encoded, info: TokenizerInfo) -> TokenArray:
    """Return the ids in the storage type, every text followed by EOS."""
    dtype = numpy_dtype(token_dtype(info.vocab_size))
    tokens = np.full(len(encoded.ids) + len(encoded.lengths), info.eos_id, dtype=dtype)
    inside = np.ones(len(tokens), dtype=bool)
    inside[np.cumsum(encoded.lengths + 1) - 1] = False
    tokens[inside] = to_storage(encoded.ids, dtype)
    return tokens


def _changed(job: FileJob, before: int, now: int) -> SourceChangedError:
    reason = phrase("changed_rows", before=before, now=now)
    return SourceChangedError(file=job.source.path, reason=reason)


def _changed_content(job: FileJob) -> SourceChangedError:
    return SourceChangedError(file=job.source.path, reason=phrase("changed_content"))
