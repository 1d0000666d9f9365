"""Questions to flat ids: the tokens of many samples one after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from mintdim.encoders.contract import IntArray


class Occurrences(NamedTuple):
    """Where certain tokens stand, in order; three arrays [k].

    ``samples`` and ``positions`` (of the token in its sample) count from 0; ``ids`` are the
    tokens.
    """

    samples: IntArray
    positions: IntArray
    ids: IntArray


def find_tokens(ids: npt.NDArray[Any], lengths: IntArray, wanted: Sequence[int]) -> Occurrences:
    """Return every occurrence of the ``wanted`` ids in ``ids`` [t]; ``lengths`` [n] in tokens."""
    found = np.flatnonzero(np.isin(ids, wanted))
    ends = np.cumsum(lengths)
    samples = np.searchsorted(ends, found, side="right")
    return Occurrences(samples, found - (ends - lengths)[samples], ids[found].astype(np.int64))
