"""Documents → splits, as pure functions over arrays.

A split is its place in ``SPLITS``; ``DROPPED`` stands for no split.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from mintdim.formats.stream_names import SPLITS
from mintdim.pipelines.stream_build.contracts import BAD_TIME, DROPPED

if TYPE_CHECKING:
    from mintdim.formats.shards import IntArray
    from mintdim.pipelines.stream_build.config import Fraction, Future
    from mintdim.pipelines.stream_build.contracts import Codes

TRAIN, VAL, TEST = (SPLITS.index(split) for split in ("train", "val", "test"))
# Later than every time: the border of a split that was not asked for.
NEVER = 2**63 - 1


class Starts(NamedTuple):
    """The first times of test and of val by language code [256]; NEVER where there is none."""

    test: IntArray
    val: IntArray


def by_time(codes: Codes, times: IntArray, starts: Starts, now: int, future: Future) -> Codes:
    """Return the split of every document [n] by its time [n].

    Undated documents go to train. Those after ``now`` are as new as any, unless ``future`` says
    otherwise.
    """
    splits = np.full(len(codes), TRAIN, dtype=np.uint8)
    splits[times >= starts.val[codes]] = VAL
    splits[times >= starts.test[codes]] = TEST
    splits[times <= BAD_TIME] = TRAIN
    if future == "train":
        splits[times > now] = TRAIN
    if future == "drop":
        splits[times > now] = DROPPED
    return splits


def by_lot(lots: npt.NDArray[np.uint64], fraction: Fraction) -> Codes:
    """Return the split of every document [n] by its lot, evenly spread below 2**64.

    The lowest lots are for test, those above them for val; so a document keeps its split whatever
    others come.
    """
    test, val = (np.uint64(int(share * 2**64)) for share in (fraction.test, fraction.val))
    splits = np.full(len(lots), TRAIN, dtype=np.uint8)
    splits[(lots >= test) & (lots - test < val)] = VAL
    splits[lots < test] = TEST
    return splits
