"""Comparing an accelerator with the official library, which defines the ids."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import numpy as np

from mintdim.encoders.adversarial_texts import selection

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mintdim.encoders.contract import Encoded, Encoder, TextEncoder

_SHARE = 0.001  # of the bytes of a chunk
_CANDIDATES = 32
_TEXTS_OF_IDS = 100
_IDS_PER_TEXT = 20


def self_check(official: Encoder, accelerator: TextEncoder) -> str | None:
    """Return a text that the accelerator encodes otherwise than ``official``, or None.

    The texts are the adversarial ones that come with the package, and what random sequences of
    ids decode to. Takes less than 0.2 s.
    """
    texts = [*selection(official.special_tokens.values()), *_of_random_ids(official)]
    try:
        found = accelerator.encode_batch(texts)
    except ValueError:
        return ""
    place = first_difference(official.encode_batch(texts), found)
    return None if place is None else texts[place]


def cross_check(official: Encoder, texts: Sequence[str], encoded: Encoded, seed: str) -> int | None:
    """Return the place of a text whose ids differ from the official ones, or None.

    ``encoded`` holds the ids of ``texts``. A seeded sample is looked at: as many texts as fit
    into 0.1 % of the bytes, and at least one.
    """
    chosen = _sample(texts, random.Random(seed))
    if not chosen:
        return None
    ends = np.cumsum(encoded.lengths)
    parts = [encoded.ids[ends[i] - encoded.lengths[i] : ends[i]] for i in chosen]
    try:
        expected = official.encode_batch([texts[i] for i in chosen])
    except ValueError:
        return chosen[0]
    starts = np.cumsum(expected.lengths)[:-1]
    pairs = zip(chosen, parts, np.split(expected.ids, starts), strict=True)
    return next((i for i, part, wanted in pairs if not np.array_equal(part, wanted)), None)


def first_difference(expected: Encoded, found: Encoded) -> int | None:
    """Return the place of the first text whose ids differ, or None."""
    if len(expected.lengths) != len(found.lengths):
        return min(len(expected.lengths), len(found.lengths)) - 1
    tokens = min(len(expected.ids), len(found.ids))
    differing = np.flatnonzero(expected.ids[:tokens] != found.ids[:tokens])
    by_ids = np.searchsorted(np.cumsum(expected.lengths), differing[:1], side="right")
    by_length = np.flatnonzero(expected.lengths != found.lengths)[:1]
    return min([*by_ids.tolist(), *by_length.tolist()], default=None)


def _of_random_ids(official: Encoder) -> list[str]:
    dice = random.Random(official.vocab_size)
    ids = [dice.randrange(official.vocab_size) for _ in range(_TEXTS_OF_IDS * _IDS_PER_TEXT)]
    starts = range(0, len(ids), _IDS_PER_TEXT)
    return [official.decode(ids[start : start + _IDS_PER_TEXT]) for start in starts]


def _sample(texts: Sequence[str], dice: random.Random) -> list[int]:
    """Return places of texts that fit into their share of the bytes together, or of one text."""
    if not texts:
        return []
    candidates = list(dict.fromkeys(dice.randrange(len(texts)) for _ in range(_CANDIDATES)))
    sizes = {place: len(texts[place].encode()) for place in candidates}
    left = _SHARE * sum(map(len, texts))
    chosen = []
    for place in candidates:
        if sizes[place] <= left:
            chosen.append(place)
            left -= sizes[place]
    return chosen or [min(candidates, key=sizes.__getitem__)]
