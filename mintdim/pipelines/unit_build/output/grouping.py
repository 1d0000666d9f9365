"""Occurrences of tokens, sample by sample."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from mintdim.encoders.contract import IntArray
    from mintdim.encoders.flat import Occurrences


class Grouped(NamedTuple):
    """The samples that hold one of the tokens [k]; positions and ids in each of them."""

    samples: IntArray
    positions: list[list[int]]
    ids: list[list[int]]


def count_samples(found: Occurrences) -> int:
    """Return how many samples hold one of the tokens; occurrences stand in order of samples."""
    return int(np.count_nonzero(np.diff(found.samples, prepend=-1)))


def by_sample(found: Occurrences) -> Grouped:
    """Group occurrences by sample, in order."""
    samples, starts = np.unique(found.samples, return_index=True)
    bounds = list(pairwise([*starts.tolist(), len(found.samples)]))
    positions, ids = found.positions.tolist(), found.ids.tolist()
    return Grouped(
        samples,
        [positions[start:stop] for start, stop in bounds],
        [ids[start:stop] for start, stop in bounds],
    )
