"""Results as Markdown tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from benchmarks.granule.corpora import CORPORA

if TYPE_CHECKING:
    from collections.abc import Iterable

TITLES = {corpus.name: corpus.title for corpus in CORPORA}


def table(head: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """Return a Markdown table, its first column to the left and the rest to the right."""
    names = list(head)
    lines = [names, ["---", *["---:"] * (len(names) - 1)], *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def compression(results: dict[str, Any], figure: str, digits: int = 2) -> str:
    """One figure of every tokenizer for every corpus."""
    found = results["compression"]["corpora"]
    names = list(next(iter(found.values())))
    rows = (
        [TITLES[corpus], *(f"{by[name][figure]:.{digits}f}" for name in names)]
        for corpus, by in found.items()
    )
    return table(["corpus", *names], rows)


def overlap(results: dict[str, Any]) -> str:
    """How many of our tokens the published vocabularies have."""
    found = results["compression"]["overlap"]
    others = list(next(iter(found.values())))
    rows = ([name, *(f"{by[other]:.0%}" for other in others)] for name, by in found.items())
    return table(["tokens learned by", *(f"also in {other}" for other in others)], rows)


def encoding(results: dict[str, Any]) -> str:
    """Megabytes per CPU second, and ours as a multiple of tiktoken."""
    found = results["encoding"]
    names = list(next(iter(found.values()))["mb_per_s"])
    rows = (
        [
            TITLES[corpus],
            *(f"{by['mb_per_s'][name]:.1f}" for name in names),
            f"{by['times_tiktoken']['granule cold']:.2f}",
            f"{by['times_tiktoken']['granule warm']:.2f}",
        ]
        for corpus, by in found.items()
    )
    return table(["MB/s of CPU time", *names, "cold ÷ tiktoken", "warm ÷ tiktoken"], rows)


def training(results: dict[str, Any], other: str) -> str:
    """CPU seconds and memory of the fast trainer and another one."""
    rows = (
        [
            _size(case["bytes"]),
            case["vocab_size"],
            f"{case['cpu_s']['fast']:.3g}",
            f"{case['cpu_s'][other]:.3g}",
            f"{case['times_fast']:.3g}",
            f"{case['peak_mb']['fast']:.0f}",
            f"{case['peak_mb'][other]:.0f}",
        ]
        for case in results["training"][other]
    )
    head = ["text", "vocabulary", "fast, CPU s", f"{other}, CPU s", f"{other} ÷ fast"]
    return table([*head, "fast, MB", f"{other}, MB"], rows)


def _size(count: int) -> str:
    return f"{count / 1e6:g} MB" if count >= 1_000_000 else f"{count / 1e3:g} kB"
