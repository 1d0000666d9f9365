"""The encode stage: a pure task from a chunk of a file to arrays.

lines → values → texts → SHA-256 → ids → unit sizes. Everything it needs comes with the chunk;
a failure of the data is returned, not raised, so that the first one in source order wins
wherever the task runs.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from mintdim.encoders.acceleration import UnfitAcceleratorError, open_accelerator
from mintdim.encoders.batching import encode_texts, refused_text
from mintdim.encoders.cross_check import cross_check
from mintdim.encoders.flat import Occurrences, find_tokens
from mintdim.encoders.opening import open_encoder
from mintdim.formats.shards import numpy_dtype, to_storage
from mintdim.pipelines.unit_build.contracts import (
    Difference,
    EncodedChunk,
    EncodeTask,
    Failure,
    HashArray,
)
from mintdim.pipelines.unit_build.source.jsonl import SampleReader
from mintdim.pipelines.unit_build.tokenizer.special_tokens import (
    count_special,
    joined_special,
    special_in_values,
)
from mintdim.pipelines.unit_build.tokenizer.validate import storage_dtype
from mintdim.pipelines.unit_build.units.pieces import piece_path, write_piece
from mintdim.pipelines.unit_build.units.planner import smallest_fitting_unit
from mintdim.shared.errors import MintDimDataError, TokenizerEncodeError, UnitOverflowError
from mintdim.sources.chunks import read_error, read_lines
from mintdim.sources.jsonl import is_blank

if TYPE_CHECKING:
    from mintdim.encoders.contract import Encoded, Encoder, TextEncoder
    from mintdim.pipelines.unit_build.config import FileJob


def encode_chunk(task: EncodeTask) -> EncodedChunk | Failure | Difference:
    """Encode the samples of a chunk, or return its first error in source order.

    The tokens are written to the piece of the task.

    Only what the official library says counts: an error that an accelerator leads to is looked
    at again, and a sample of its ids is compared.

    Raises ``TokenizerChangedError`` if the tokenizer is no longer the one that was validated.
    """
    chunk, info = task.chunk, task.chunk.job.tokenizer
    official = open_encoder(info.kind, info.absolute, info.sha256)
    if not info.accelerator:
        return _encode_chunk(task, official, official)
    try:
        accelerator = open_accelerator(info.kind, info.absolute, info.sha256)
    except UnfitAcceleratorError as error:
        return Difference(chunk, line=0, unfit=str(error))
    outcome = _encode_chunk(task, official, accelerator)
    if not isinstance(outcome, Failure):
        return outcome
    truth = _encode_chunk(task, official, official)
    return truth if isinstance(truth, Failure) else Difference(chunk, line=0)


def _encode_chunk(
    task: EncodeTask, official: Encoder, encoder: TextEncoder
) -> EncodedChunk | Failure | Difference:
    chunk, job = task.chunk, task.chunk.job
    try:
        lines = read_lines(chunk)
    except OSError as error:
        return Failure(chunk, read_error(job, error))
    reader = SampleReader(job)
    texts, numbers, bad_line = _render(reader, lines)
    encoded, refused = _encode(encoder, texts, numbers, job)
    sizes = np.asarray(job.sizes, dtype=np.int64)
    units = smallest_fitting_unit(encoded.lengths, sizes)
    # Texts end before the first bad line, and ids before the first refused text.
    first = _overflow(encoded, units, numbers, job) or refused or bad_line or chunk.failure
    if first is not None:
        return Failure(chunk, first)
    if encoder is not official:
        different = cross_check(official, texts, encoded, f"{job.index} {chunk.start}")
        if different is not None:
            return Difference(chunk, numbers[different])
    tokens = to_storage(encoded.ids, numpy_dtype(storage_dtype(job.tokenizer)))
    write_piece(piece_path(task.work, task.piece), tokens, encoded.lengths, units)
    return EncodedChunk(
        chunk=replace(chunk, block=None),  # its bytes are used up
        piece=task.piece,
        lengths=encoded.lengths,
        hashes=_sha256(texts),
        units=sizes[units],
        lines=np.asarray(numbers, dtype=np.int64),
        line_count=len(lines),
        unk=find_tokens(tokens, encoded.lengths, [job.tokenizer.unk_id]),
        special=_special_tokens(official, encoded, reader, lines, numbers),
    )


def _render(
    reader: SampleReader, lines: list[bytes]
) -> tuple[list[str], list[int], MintDimDataError | None]:
    """Return the texts of all samples before the first bad line, their lines, and its error."""
    all_texts = reader.texts_of(lines)
    if all_texts is not None:
        return all_texts, list(range(1, len(lines) + 1)), None
    texts: list[str] = []
    numbers: list[int] = []
    for number, line in enumerate(lines, 1):
        if is_blank(line):
            continue
        try:
            texts.append(reader.text_of(line, number))
        except MintDimDataError as error:
            return texts, numbers, error
        numbers.append(number)
    return texts, numbers, None


def _encode(
    encoder: TextEncoder, texts: list[str], numbers: list[int], job: FileJob
) -> tuple[Encoded, TokenizerEncodeError | None]:
    """Return the ids before the first text that the library refuses, and its error."""
    encoded, refusal = encode_texts(encoder, texts, job.build_batch)
    if refusal is None:
        return encoded, None
    line = numbers[refusal.number]
    return encoded, refused_text(refusal, job.source.path, line, job.tokenizer.path)


def _overflow(
    encoded: Encoded, units: np.ndarray, numbers: list[int], job: FileJob
) -> UnitOverflowError | None:
    """Return the error of the first sample that fits into no unit."""
    too_long = np.flatnonzero(units == len(job.sizes))
    if not len(too_long):
        return None
    first = int(too_long[0])
    return UnitOverflowError(
        file=job.source.path,
        line=numbers[first],
        token_count=int(encoded.lengths[first]),
        max_unit_size=job.sizes[-1],
    )


def _sha256(texts: list[str]) -> HashArray:
    """Return the SHA-256 of every text in UTF-8 [n, 32]."""
    digests = b"".join([hashlib.sha256(text.encode()).digest() for text in texts])
    return np.frombuffer(digests, dtype=np.uint8).reshape(-1, 32)


def _special_tokens(
    encoder: Encoder,
    encoded: Encoded,
    reader: SampleReader,
    lines: list[bytes],
    numbers: list[int],
) -> Occurrences:
    """Return the special tokens of all samples that do not come from template literals."""
    found = find_tokens(encoded.ids, encoded.lengths, list(encoder.special_tokens))
    expected = count_special(encoder, reader.template.literals)
    if not len(found.samples) or not expected:
        return found
    per_sample = np.bincount(found.samples, minlength=len(numbers)).tolist()
    parts = [
        special_in_values(
            encoder,
            reader.template,
            reader.values_of(lines[numbers[sample] - 1], numbers[sample]),
            sample,
            exceeding=count > expected,
        )
        for sample, count in enumerate(per_sample)
        if count
    ]
    return joined_special(parts)
