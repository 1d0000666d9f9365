"""Special tokens that data brings in: ``<|endoftext|>`` written by a web page.

The tokenizer encodes them as special tokens, exactly as its library does; people must see that.
Those of the template's own literals were put there on purpose and do not count.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from mintdim.encoders.contract import Span
from mintdim.encoders.flat import Occurrences
from mintdim.encoders.opening import open_encoder

if TYPE_CHECKING:
    from collections.abc import Container, Mapping, Sequence

    from mintdim.encoders.contract import Encoder
    from mintdim.pipelines.unit_build.config import TokenizerInfo
    from mintdim.sources.template import Template


def special_tokens(info: TokenizerInfo) -> Mapping[int, str]:
    """Return id and text of the special tokens that a tokenizer finds in data."""
    return open_encoder(info.kind, info.absolute, info.sha256).special_tokens


def count_special(encoder: Encoder, literals: Sequence[str]) -> int:
    """Return how many special tokens the literals of a template hold."""
    encoded = encoder.encode_batch([literal for literal in literals if literal])
    return int(np.isin(encoded.ids, list(encoder.special_tokens)).sum())


def special_in_values(
    encoder: Encoder,
    template: Template,
    values: tuple[str, ...],
    sample: int,
    *,
    exceeding: bool,
) -> Occurrences:
    """Return the special tokens of one sample that reach into the text of a value.

    The slow way, with the characters of every token, is taken only if there are more of them
    than the literals bring (``exceeding``), or if a value holds the text of one.
    """
    text, inside = template.render(values), template.value_spans(values)
    if not exceeding and not _written_in(text, inside, encoder.special_tokens):
        return joined_special([])
    spans = [_without_margins(span, text, encoder) for span in encoder.encode_spans(text)]
    return _special_inside(spans, inside, encoder.special_tokens, sample)


def _without_margins(span: Span, text: str, encoder: Encoder) -> Span:
    """Return a special token without the white space that it may swallow beside its text."""
    content = encoder.special_tokens.get(span.token_id)
    if content is None or text[span.start : span.stop].strip() != content.strip():
        return span
    at = text.find(content, span.start, span.stop)
    return Span(span.token_id, at, at + len(content)) if at >= 0 else span


def _written_in(text: str, values: Sequence[tuple[int, int]], special: Mapping[int, str]) -> bool:
    """Say whether the text of a special token shares characters with one of ``values``."""
    matches = _any_of(tuple(special.values())).finditer(text)
    return any(_overlaps(Span(0, *match.span()), values) for match in matches)


@lru_cache(maxsize=16)
def _any_of(texts: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(map(re.escape, sorted(texts, key=len, reverse=True))))


def _special_inside(
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
