"""Special tokens that data brings in: ``<|endoftext|>`` written by a web page.

The tokenizer encodes them as special tokens, exactly as its library does; people must see that.
Those of the template's own literals were put there on purpose and do not count.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mintdim.encoders.flat import Occurrences
from mintdim.encoders.opening import open_encoder

if TYPE_CHECKING:
    from collections.abc import Container, Mapping, Sequence

    from mintdim.encoders.contract import Encoder, Span
    from mintdim.pipelines.unit_build.config import TokenizerInfo


def special_tokens(info: TokenizerInfo) -> Mapping[int, str]:
    """Return id and text of the special tokens that a tokenizer finds in data."""
    return open_encoder(info.kind, info.absolute, info.sha256).special_tokens


def count_special(encoder: Encoder, literals: Sequence[str]) -> int:
    """Return how many special tokens the literals of a template hold."""
    encoded = encoder.encode_batch([literal for literal in literals if literal])
    return int(np.isin(encoded.ids, list(encoder.special_tokens)).sum())


def special_inside(
    spans: Sequence[Span],
    values: Sequence[tuple[int, int]],
    special: Container[int],
    sample: int,
) -> Occurrences:
    """Return the special tokens among ``spans`` that share characters with one of ``values``."""
    hits = [
        (position, span.token_id)
        for position, span in enumerate(spans)
        if span.token_id in special and _overlaps(span, values)
    ]
    positions, ids = np.asarray(hits, dtype=np.int64).reshape(-1, 2).T
    return Occurrences(np.full(len(hits), sample, dtype=np.int64), positions, ids)


def joined_special(parts: Sequence[Occurrences]) -> Occurrences:
    """Return several results as one, in order."""
    empty = np.empty(0, dtype=np.int64)
    columns = zip(Occurrences(empty, empty, empty), *parts, strict=True)
    return Occurrences(*(np.concatenate(column) for column in columns))


def _overlaps(span: Span, values: Sequence[tuple[int, int]]) -> bool:
    return any(span.start < stop and start < span.stop for start, stop in values)
