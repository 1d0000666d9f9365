"""From the runs of the rounds to medians, ratios and tables; nothing here touches a process."""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

Facts = dict[str, float]
Runs = dict[tuple[str, int], list[Facts]]  # (tool, workers) → one entry per round

OURS, BARE = "mintdim", "bare"
_COLUMNS = {"cpu": "CPU s", "wall": "wall s", "mb": "peak MB", "out": "output MB"}


def median(runs: Sequence[Facts], key: str) -> float:
    return statistics.median(run[key] for run in runs)


def ratio(above: Sequence[Facts], below: Sequence[Facts], key: str, key_below: str = "") -> float:
    """Return the median of the ratios of the rounds; never the ratio of medians."""
    pairs = zip(above, below, strict=True)
    return statistics.median(a[key] / b[key_below or key] for a, b in pairs)


def table(runs: Runs) -> str:
    """Return the runs as a Markdown table; ratios are to ours with as many workers."""
    titles = ["tool", "workers", *_COLUMNS.values(), "CPU : ours", "wall : ours", "peak : ours"]
    rows = [titles, ["---"] * len(titles)]
    for (name, workers), results in runs.items():
        ours = runs.get((OURS, workers), [])
        shown = [f"{median(results, key):.1f}" for key in _COLUMNS]
        rows.append([name, str(workers), *shown, *_ratios(results, ours)])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _ratios(results: list[Facts], ours: list[Facts]) -> list[str]:
    if not ours:
        return ["-"] * 3
    return [f"{ratio(results, ours, key):.2f}" for key in ("cpu", "wall", "mb")]


def summary(runs: Runs) -> list[str]:
    """Return what the table does not show: ours against bare encoding, two workers against one."""
    one, two, bare = (runs.get(key) for key in ((OURS, 1), (OURS, 2), (BARE, 1)))
    lines = []
    if one and bare:
        lines.append(f"ours : bare, CPU, loading in both       {ratio(one, bare, 'cpu'):.2f}")
        encode = ratio(one, bare, "cpu", "encode")
        lines.append(f"ours : bare, CPU, encode calls alone    {encode:.2f}")
    if one and two:
        lines.append(f"two workers : one, wall                 {ratio(two, one, 'wall'):.2f}")
        lines.append(f"two workers : one, CPU                  {ratio(two, one, 'cpu'):.2f}")
    return lines
