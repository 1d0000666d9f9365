"""The report as a page, and the short form for the README."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from benchmarks.granule import tables

if TYPE_CHECKING:
    from pathlib import Path

START, END = "<!-- AUTOGEN:results-start -->", "<!-- AUTOGEN:results-end -->"


def page(results: dict[str, Any]) -> str:
    """Return the whole report in Markdown."""
    return "\n\n".join([*_head(results), *_compression(results), *_speed(results)]) + "\n"


def _head(results: dict[str, Any]) -> list[str]:
    machine = results["machine"]
    versions = ", ".join(f"{name} {version}" for name, version in machine["versions"].items())
    return [
        "# granule: results",
        "Written by `granule bench --report`; `results.json` beside it has every run.",
        f"Machine: {machine['cpu']}, one thread per library. {versions}. Times are CPU seconds, "
        "medians of five alternating runs; ratios are medians over the pairs.",
    ]


def _compression(results: dict[str, Any]) -> list[str]:
    return [
        "## Compression",
        "Bytes per token on text that was not trained on; more is better. Our vocabularies "
        "learned other parts of the same corpora, so they know the kind of text; the published "
        "ones are larger and general. This compares what is practical, not who is better.",
        tables.compression(results, "bytes_per_token"),
        "![Bytes per token](bytes_per_token.svg)",
        "Characters per token:",
        tables.compression(results, "chars_per_token"),
        "Fertility, in tokens per word. Words are what white space separates, so for Japanese "
        "and Thai, which write none between words, the figure means nothing.",
        tables.compression(results, "fertility"),
        "## Vocabulary shared with others",
        tables.overlap(results),
    ]


def _speed(results: dict[str, Any]) -> list[str]:
    return [
        "## Encoding speed",
        "The same 32k vocabulary in every library, one megabyte of each corpus. Cold: nothing "
        "encoded before. Warm: the same text once more, every piece remembered.",
        tables.encoding(results),
        "![Encoding speed](encoding.svg)",
        "## Training: fast against naive",
        "Both learn the same 256 merges of English. The naive trainer counts over every "
        "occurrence. Text in many scripts repeats less, and the gap is smaller there.",
        tables.training(results, "naive"),
        "![Training time](training.svg)",
        "## Training: fast against Hugging Face tokenizers",
        "All eight corpora in turn. Memory is the peak above what was resident before training; "
        "the texts were resident.",
        tables.training(results, "tokenizers"),
    ]


def readme_block(results: dict[str, Any]) -> str:
    """Return the short form: compression and encoding."""
    return "\n\n".join(
        [
            START,
            "Bytes per token on unseen text of the same kinds (more is better):",
            tables.compression(results, "bytes_per_token"),
            "Encoding with one vocabulary, one thread:",
            tables.encoding(results),
            "Training, one thread:",
            tables.training(results, "tokenizers"),
            END,
        ]
    )


def splice(readme: Path, block: str) -> bool:
    """Replace what stands between the markers; say whether there were any."""
    text = readme.read_text("utf-8")
    before, start, rest = text.partition(START)
    _, end, after = rest.partition(END)
    if not (start and end):
        return False
    readme.write_text(before + block + after, "utf-8")
    return True
