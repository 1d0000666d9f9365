"""Time and memory, taken so that they can be trusted on a shared machine.

CPU seconds of the process, all its threads together, and not seconds on the wall: a
neighbour then costs cache, but not time. What is compared runs alternately, in one
process, and the ratio is the median of the pairs' ratios.
"""

from __future__ import annotations

import platform
import time
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

RUNS = 5

# One thread for the libraries that would take more.
ONE_THREAD = {"RAYON_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false"}


def cpu_seconds(work: Callable[[], object]) -> float:
    """Return the CPU seconds that ``work`` takes."""
    start = time.process_time()
    work()
    return time.process_time() - start


def alternately(
    works: Mapping[str, Callable[[], object]], runs: int = RUNS
) -> dict[str, list[float]]:
    """Run all, one after another, ``runs`` times; return each one's CPU seconds."""
    seconds: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(runs):
        for name, work in works.items():
            seconds[name].append(cpu_seconds(work))
    return seconds


def ratio(ours: list[float], theirs: list[float]) -> float:
    """Return how many times ours they take: the median over the pairs."""
    return median(b / a for a, b in zip(ours, theirs, strict=True))


def peak_mb() -> float:
    """Return the most resident memory since ``forget_peak``, in MB (Linux)."""
    status = Path("/proc/self/status").read_text().splitlines()
    line = next(line for line in status if line.startswith("VmHWM"))
    return int(line.split()[1]) * 1024 / 1e6


def forget_peak() -> float:
    """Start the peak anew and return what is resident now, in MB (Linux)."""
    Path("/proc/self/clear_refs").write_text("5")
    return peak_mb()


def cpu_model() -> str:
    """Return the processor's name, as the system tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.machine())
