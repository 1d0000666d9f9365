"""What a build returns: counts per output and per unit; printed, a table for people."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class UnitCounts:
    """One unit size: samples, tokens without padding, slots (tokens with padding), shards."""

    unit_size: int
    samples: int
    tokens: int
    shards: int

    @property
    def slots(self) -> int:
        """Token slots on the disk, padding included."""
        return self.samples * self.unit_size


@dataclass(frozen=True, slots=True)
class OutputResult:
    """One finished output directory (``output_dir`` as it was given)."""

    output_dir: str
    total_samples: int
    total_tokens: int
    samples_with_unk: int
    unk_tokens: int
    duplicate_groups: int
    duplicate_samples: int
    units: tuple[UnitCounts, ...]

    @property
    def unit_counts(self) -> dict[int, int]:
        """Samples by unit size; units without samples count 0."""
        return {unit.unit_size: unit.samples for unit in self.units}

    @property
    def padding_share(self) -> float:
        """Share of the token slots that hold padding, from 0 to 1."""
        return _padding_share(self.total_tokens, sum(unit.slots for unit in self.units))

    def __str__(self) -> str:
        lines = [self.output_dir, _table(self), "", *_facts(self)]
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class BuildResult:
    """All outputs of a build, in the order of their declaration."""

    outputs: tuple[OutputResult, ...]

    def __str__(self) -> str:
        return "\n\n".join(str(output) for output in self.outputs)


def _table(output: OutputResult) -> str:
    rows = [("unit", "samples", "tokens", "padding", "shards")]
    rows += [_row(f"{unit.unit_size:,}", unit) for unit in output.units]
    shards = sum(unit.shards for unit in output.units)
    total = (f"{output.total_samples:,}", f"{output.total_tokens:,}")
    rows.append(("total", *total, f"{output.padding_share:.1%}", f"{shards:,}"))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join("  " + "  ".join(_padded(row, widths)) for row in rows)


def _row(name: str, unit: UnitCounts) -> tuple[str, str, str, str, str]:
    share = f"{_padding_share(unit.tokens, unit.slots):.1%}" if unit.samples else "-"
    return name, f"{unit.samples:,}", f"{unit.tokens:,}", share, f"{unit.shards:,}"


def _padded(row: tuple[str, ...], widths: list[int]) -> list[str]:
    return [cell.rjust(width) for cell, width in zip(row, widths, strict=True)]


def _facts(output: OutputResult) -> list[str]:
    duplicates = f"{output.duplicate_samples:,} samples in {output.duplicate_groups:,} groups"
    unk = f"{output.unk_tokens:,} tokens in {output.samples_with_unk:,} samples"
    return [f"  duplicates  {duplicates}", f"  UNK         {unk}"]


def _padding_share(tokens: int, slots: int) -> float:
    return 1 - tokens / slots if slots else 0.0
