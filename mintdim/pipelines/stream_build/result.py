"""What a build returns: counts per split and language; printed, a table for people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mintdim.formats.stream_names import Split


@dataclass(frozen=True, slots=True)
class LanguageCounts:
    """Documents and tokens (EOS included) of one language in one split."""

    language: str
    docs: int
    tokens: int


@dataclass(frozen=True, slots=True)
class SplitCounts:
    """One split; ``languages`` lists those that have documents, in the order of their codes."""

    split: Split
    shards: int
    languages: tuple[LanguageCounts, ...]

    @property
    def docs(self) -> int:
        """Documents of all languages."""
        return sum(counts.docs for counts in self.languages)

    @property
    def tokens(self) -> int:
        """Tokens of all languages, EOS included."""
        return sum(counts.tokens for counts in self.languages)


@dataclass(frozen=True, slots=True)
class StreamBuildResult:
    """A finished dataset (``output_dir`` as it was given).

    ``splits`` lists those that have shards; ``dropped`` counts the rows that are no documents, by
    the reason; ``undated`` and ``future`` count documents without a time, and after now.
    """

    output_dir: str
    splits: tuple[SplitCounts, ...]
    rows: int
    dropped: dict[str, int]
    undated: int
    future: int

    @property
    def total_docs(self) -> int:
        """Documents of all splits."""
        return sum(split.docs for split in self.splits)

    @property
    def total_tokens(self) -> int:
        """Tokens of all splits, EOS included."""
        return sum(split.tokens for split in self.splits)

    def __str__(self) -> str:
        return "\n".join([self.output_dir, _table(self), "", *_facts(self)])


def _table(result: StreamBuildResult) -> str:
    rows: list[tuple[str, ...]] = [("split", "language", "documents", "tokens", "shards")]
    for split in result.splits:
        rows.append(_row(split.split, "all", split.docs, split.tokens, f"{split.shards:,}"))
        if len(split.languages) > 1:
            rows += [_row("", row.language, row.docs, row.tokens, "") for row in split.languages]
    shards = sum(split.shards for split in result.splits)
    rows.append(_row("total", "", result.total_docs, result.total_tokens, f"{shards:,}"))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join("  " + "  ".join(_padded(row, widths)).rstrip() for row in rows)


def _row(split: str, language: str, docs: int, tokens: int, shards: str) -> tuple[str, ...]:
    return split, language, f"{docs:,}", f"{tokens:,}", shards


def _padded(row: tuple[str, ...], widths: list[int]) -> list[str]:
    names = [cell.ljust(width) for cell, width in zip(row[:2], widths, strict=False)]
    return names + [cell.rjust(width) for cell, width in zip(row[2:], widths[2:], strict=True)]


def _facts(result: StreamBuildResult) -> list[str]:
    reasons = ", ".join(f"{name} {count:,}" for name, count in result.dropped.items() if count)
    total = sum(result.dropped.values())
    dropped = f"{total:,} of {result.rows:,} rows{f' ({reasons})' if reasons else ''}"
    facts = [f"  dropped   {dropped}"]
    if result.undated or result.future:
        facts.append(f"  dates     {result.undated:,} missing or bad, {result.future:,} future")
    return facts
