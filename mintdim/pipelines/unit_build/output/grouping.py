"""Occurrences of tokens, sample by sample."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mintdim.encoders.flat import Occurrences


def by_sample(found: Occurrences) -> Iterator[tuple[int, list[int], list[int]]]:
    """Yield sample, positions and ids of every sample that holds one of the tokens."""
    samples, starts = np.unique(found.samples, return_index=True)
    bounds = pairwise([*starts.tolist(), len(found.samples)])
    positions, ids = found.positions.tolist(), found.ids.tolist()
    for sample, (start, stop) in zip(samples.tolist(), bounds, strict=False):
        yield sample, positions[start:stop], ids[start:stop]
