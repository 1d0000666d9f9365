"""Experiment 2: how fast text becomes ids, everybody with the same vocabulary.

One megabyte of each corpus. Cold: a tokenizer that has not encoded anything, except that
its vocabulary lies ready, as it does after the first call. Warm: the same text again. The
specification's figure is the cold one; the warm one is what a long text approaches.
"""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, Any

from benchmarks.granule.baselines import hugging_face
from benchmarks.granule.clock import RUNS, alternately, ratio
from benchmarks.granule.corpora import CORPORA
from mintdim.bpe import Tokenizer

if TYPE_CHECKING:
    from collections.abc import Callable

MEGABYTE = 1_000_000


def measure(tokenizer: Tokenizer, runs: int = RUNS) -> dict[str, Any]:
    """Return megabytes per CPU second by corpus and library, and ratios to tiktoken."""
    return {corpus.name: _one(tokenizer, _megabyte(corpus.text()), runs) for corpus in CORPORA[:8]}


def _megabyte(text: str) -> str:
    return text.encode()[:MEGABYTE].decode(errors="ignore")


def _one(tokenizer: Tokenizer, text: str, runs: int) -> dict[str, Any]:
    seconds = alternately(_works(tokenizer, text), runs)
    size = len(text.encode()) / MEGABYTE
    theirs = seconds["tiktoken"]
    return {
        "mb_per_s": {name: size / median(taken) for name, taken in seconds.items()},
        "times_tiktoken": {name: ratio(taken, theirs) for name, taken in seconds.items()},
        "cpu_seconds": seconds,
    }


def _works(tokenizer: Tokenizer, text: str) -> dict[str, Callable[[], object]]:
    tiktoken = tokenizer.to_tiktoken()
    others: dict[str, Callable[[], object]] = {"tiktoken": lambda: tiktoken.encode_ordinary(text)}
    if (hf := hugging_face(tokenizer)) is not None:
        others["tokenizers"] = lambda: hf.encode(text).ids
    # New tokenizers are made before the clock starts; one is used up by each cold run.
    fresh = [_ready(tokenizer) for _ in range(RUNS * 2)]
    warm = _ready(tokenizer)
    if warm.encode(text) != tiktoken.encode_ordinary(text):
        raise ValueError("the libraries disagree about the ids: nothing to compare")
    return {
        "granule cold": lambda: fresh.pop().encode(text),
        "granule warm": lambda: warm.encode(text),
        **others,
    }


def _ready(tokenizer: Tokenizer) -> Tokenizer:
    copy = Tokenizer(tokenizer.__reduce__()[1][0])
    copy.encode("")
    return copy
