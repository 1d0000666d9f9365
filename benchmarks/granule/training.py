"""Experiment 3: time and memory of training.

Every run is a process of its own, so that peaks are its own, and runs alternate. CPU time
and memory are counted around the training alone, the texts being in memory before.
``python -m benchmarks.granule.training TRAINER BYTES VOCAB`` is one such run.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from benchmarks.granule.clock import ONE_THREAD, RUNS, cpu_seconds, forget_peak, peak_mb, ratio
from benchmarks.granule.corpora import CORPORA, mixture
from mintdim.bpe import Tokenizer
from mintdim.bpe.patterns import CANONICAL

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).parents[2]

# (bytes, vocabulary): against the naive trainer on English, and against tokenizers on all corpora
NAIVE_CASES = ((25_000, 512), (50_000, 512), (100_000, 512), (200_000, 512))
RIVAL_CASES = ((1_000_000, 8_000), (10_000_000, 8_000), (10_000_000, 32_000))
MIXED = 1_000_000
QUICK_CASES = ((25_000, 300),)


def measure(runs: int = RUNS, quick: bool = False) -> dict[str, Any]:
    """Return the runs of every case, and how many times ours the other took."""
    naive, rival = (QUICK_CASES, QUICK_CASES) if quick else (NAIVE_CASES, RIVAL_CASES)
    return {
        "naive": [_case("naive", *case, runs=max(1, runs // 2)) for case in naive],
        "tokenizers": [_case("tokenizers", *case, runs=runs) for case in rival],
    }


def _case(other: str, size: int, vocab_size: int, runs: int) -> dict[str, Any]:
    taken: dict[str, list[dict[str, float]]] = {"fast": [], other: []}
    for _ in range(runs):
        for trainer, results in taken.items():
            results.append(_run(trainer, size, vocab_size))
    cpu = {name: [run["cpu_s"] for run in results] for name, results in taken.items()}
    return {
        "bytes": size,
        "vocab_size": vocab_size,
        "cpu_s": {name: median(values) for name, values in cpu.items()},
        "peak_mb": {
            name: median(run["peak_mb"] for run in results) for name, results in taken.items()
        },
        "times_fast": ratio(cpu["fast"], cpu[other]),
        "runs": taken,
    }


def _run(trainer: str, size: int, vocab_size: int) -> dict[str, float]:
    command = [sys.executable, "-m", __spec__.name, trainer, str(size), str(vocab_size)]
    done = subprocess.run(
        command, cwd=ROOT, env=os.environ | ONE_THREAD, check=True, capture_output=True
    )
    result: dict[str, float] = json.loads(done.stdout)
    return result


def _train_with(trainer: str, texts: list[str], vocab_size: int) -> Callable[[], object]:
    if trainer == "tokenizers":
        return _hugging_face(texts, vocab_size)
    return lambda: Tokenizer.train(texts, vocab_size, fast=trainer == "fast")


def _hugging_face(texts: list[str], vocab_size: int) -> Callable[[], object]:
    from tokenizers import Regex, models, pre_tokenizers, trainers
    from tokenizers import Tokenizer as HuggingFace

    # Its engine reads "{1,3}+" as a repetition of repetitions, and "$" as any line end.
    pattern = Regex(CANONICAL["gpt4"].replace("{1,3}+", "{1,3}").replace("$", r"\z"))
    tokenizer = HuggingFace(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(pattern, "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=vocab_size, show_progress=False, initial_alphabet=alphabet
    )
    return lambda: tokenizer.train_from_iterator(texts, trainer)


def _texts(size: int) -> list[str]:
    """Return a mixture of all corpora, or English alone where there is little text."""
    if size < MIXED:
        return [CORPORA[0].text().encode()[:size].decode(errors="ignore")]
    return mixture(size)


def _child(trainer: str, size: int, vocab_size: int) -> dict[str, float]:
    # Compiling a pattern takes as long as training on many kilobytes, and is done once. Each
    # of these texts needs another one of its three sizes.
    Tokenizer.train(["aa", "éé", "😀😀"], 257)
    work = _train_with(trainer, _texts(size), vocab_size)
    before = forget_peak()
    seconds = cpu_seconds(work)
    return {"cpu_s": seconds, "peak_mb": peak_mb() - before}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(_child(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))))
