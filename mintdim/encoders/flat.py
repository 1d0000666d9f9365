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


# Up to here comparing with one id after the other is faster than a search.
_FEW = 8


def find_tokens(ids: npt.NDArray[Any], lengths: IntArray, wanted: Sequence[int]) -> Occurrences:
    """Return every occurrence of the ``wanted`` ids in ``ids`` [t]; ``lengths`` [n] in tokens."""
    found = np.flatnonzero(_among(ids, wanted))
    ends = np.cumsum(lengths)
    samples = np.searchsorted(ends, found, side="right")
    return Occurrences(samples, found - (ends - lengths)[samples], ids[found].astype(np.int64))


def _among(ids: npt.NDArray[Any], wanted: Sequence[int]) -> npt.NDArray[np.bool_]:
    if len(wanted) > _FEW:
        return np.isin(ids, wanted)
    found = np.zeros(len(ids), dtype=bool)
    for token_id in wanted:
        found |= ids == token_id
    return found
