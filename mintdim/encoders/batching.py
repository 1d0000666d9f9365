"""Many texts through a tokenizer: in batches of bounded size, up to the first refused text."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from mintdim.encoders.contract import Encoded, TextEncoder
from mintdim.shared.errors import TokenizerEncodeError
from mintdim.shared.messages import phrase

if TYPE_CHECKING:
    from collections.abc import Iterator

# Bounds the memory of a tokenizer call: libraries take up to 300 bytes per character.
_BATCH_CHARACTERS = 500_000


class Refusal(NamedTuple):
    """The first text (``number`` from 0 among all) that the library refuses, and what it said."""

    number: int
    cause: ValueError


def encode_texts(
    encoder: TextEncoder, texts: list[str], build_batch: int
) -> tuple[Encoded, Refusal | None]:
    """Encode in batches; return the ids before the first text that the library refuses."""
    batches = []
    for start, stop in _batches(texts, build_batch):
        batch = texts[start:stop]
        try:
            batches.append(encoder.encode_batch(batch))
        except ValueError:
            done, cause = _encode_one_by_one(encoder, batch)
            batches += done
            if cause is not None:
                return _joined(batches), Refusal(start + len(done), cause)
    return _joined(batches), None


def refused_text(refusal: Refusal, file: str, line: int, tokenizer: str) -> TokenizerEncodeError:
    """Return the error of a refused text; ``file`` and ``tokenizer`` as they were given."""
    error = TokenizerEncodeError(
        file=file,
        line=line,
        tokenizer=tokenizer,
        problem=phrase("library_error", detail=str(refusal.cause)),
    )
    error.__cause__ = refusal.cause
    return error


def _batches(texts: list[str], build_batch: int) -> Iterator[tuple[int, int]]:
    """Yield ranges of at most ``build_batch`` texts and, beyond one, ``_BATCH_CHARACTERS``."""
    ends = np.cumsum(np.fromiter(map(len, texts), dtype=np.int64, count=len(texts)))
    start = before = 0
    while start < len(texts):
        fitting = int(np.searchsorted(ends, before + _BATCH_CHARACTERS, side="right"))
        stop = min(max(fitting, start + 1), start + build_batch)
        yield start, stop
        start, before = stop, int(ends[stop - 1])


def _encode_one_by_one(
    encoder: TextEncoder, texts: list[str]
) -> tuple[list[Encoded], ValueError | None]:
    """Return the ids of the texts before the refused one, and what the library said."""
    done: list[Encoded] = []
    try:
        for text in texts:
            done.append(encoder.encode_batch([text]))  # noqa: PERF401 (kept up to the refusal)
    except ValueError as error:
        return done, error
    return done, None


def _joined(batches: list[Encoded]) -> Encoded:
    ids = [batch.ids for batch in batches] or [np.empty(0, dtype=np.uint32)]
    lengths = [batch.lengths for batch in batches] or [np.empty(0, dtype=np.int64)]
    return Encoded(np.concatenate(ids), np.concatenate(lengths))
