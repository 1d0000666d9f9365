"""``python -m benchmarks.granule [--report] [--quick] [--redraw]``, which is ``granule bench``."""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

from benchmarks.granule import clock

# Read by the libraries when they start.
os.environ |= clock.ONE_THREAD

from benchmarks.granule import compression, encoding, report, training

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "benchmarks" / "results" / "granule"


def main() -> int:
    parser = _parser()
    options = parser.parse_args()
    if options.report and options.quick:
        parser.error("--quick figures are no results; use --report alone")
    if options.redraw:
        results = json.loads((RESULTS / "results.json").read_text("utf-8"))
    else:
        results = measure(options.quick)
    print(report.page(results))
    if options.report or options.redraw:
        write(results)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="granule bench", description=__doc__)
    parser.add_argument("--report", action="store_true", help="write results, tables and plots")
    parser.add_argument("--quick", action="store_true", help="small sizes, to see that it runs")
    parser.add_argument("--redraw", action="store_true", help="report again from results.json")
    return parser


def measure(quick: bool) -> dict[str, Any]:
    """Run the three experiments."""
    runs = 1 if quick else clock.RUNS
    _say("compression")
    compressed = compression.measure((2_000,) if quick else (8_000, 32_000))
    _say("encoding")
    encoded = encoding.measure(compression.trained(2_000 if quick else 32_000), runs)
    _say("training (some minutes)")
    return {
        "machine": _machine(),
        "compression": compressed,
        "encoding": encoded,
        "training": training.measure(runs, quick),
    }


def _say(what: str) -> None:
    print(f"measuring {what} ...", file=sys.stderr, flush=True)


def _machine() -> dict[str, Any]:
    names = ("tiktoken", "tokenizers")
    return {
        "cpu": clock.cpu_model(),
        "versions": {"Python": platform.python_version()} | {name: version(name) for name in names},
    }


def write(results: dict[str, Any]) -> None:
    """Write results, report and plots, and the README's block where it has the markers."""
    from benchmarks.granule import plots

    RESULTS.mkdir(parents=True, exist_ok=True)
    text = json.dumps(results, indent=1) + "\n"
    (RESULTS / "results.json").write_text(text, "utf-8")
    (RESULTS / "README.md").write_text(report.page(results), "utf-8")
    plots.draw(results, RESULTS)
    report.splice(ROOT / "README.md", report.readme_block(results))


if __name__ == "__main__":
    sys.exit(main())
