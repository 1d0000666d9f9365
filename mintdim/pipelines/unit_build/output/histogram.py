"""Histogram: how many samples and tokens each unit size received."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from mintdim.pipelines.unit_build.contracts import EncodedChunk


class Histogram:
    """Counts per unit size; units without samples do not appear."""

    def __init__(self) -> None:
        self._samples: dict[int, int] = {}
        self._tokens: dict[int, int] = {}

    def add(self, chunk: EncodedChunk) -> None:
        """Count the samples of a chunk."""
        sizes, which, counts = np.unique(chunk.units, return_inverse=True, return_counts=True)
        tokens = np.zeros(len(sizes), dtype=np.int64)
        np.add.at(tokens, which, chunk.lengths)
        for size, count, total in zip(
            sizes.tolist(), counts.tolist(), tokens.tolist(), strict=True
        ):
            self._samples[size] = self._samples.get(size, 0) + count
            self._tokens[size] = self._tokens.get(size, 0) + total

    @property
    def samples(self) -> dict[int, int]:
        """Samples by unit size, ascending."""
        return dict(sorted(self._samples.items()))

    @property
    def tokens(self) -> dict[int, int]:
        """Tokens (without padding) by unit size, ascending."""
        return dict(sorted(self._tokens.items()))

    def document(self) -> dict[str, int]:
        """Return the content of ``histogram.json``."""
        return {str(size): count for size, count in self.samples.items()}
