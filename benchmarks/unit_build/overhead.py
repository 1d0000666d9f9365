"""What a build costs beyond the tokenizer: it against the bare library, each as its own process.

    python benchmarks/unit_build/overhead.py corpus.jsonl tokenizer.json

Both encode the same texts, in lists of the same length, one thread, without special tokens,
padding or truncation, and take arrays where the library gives arrays; both load the tokenizer
within the time. The bare run reads texts that were rendered before, and keeps no ids.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import bare
import build

RUNNERS = {"build": build.measure, "bare": bare.measure}
COLUMNS = {"cpu": "CPU s", "wall": "wall s", "mb": "peak MB", "encode": "encode CPU s"}


def main() -> None:
    arguments = parsed()
    if arguments.child:
        facts = RUNNERS[arguments.child](arguments, arguments.work)
        print(json.dumps(facts))
        return
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    with tempfile.TemporaryDirectory(dir=arguments.work) as folder:
        arguments.work = Path(folder)
        text_bytes = bare.render(arguments, arguments.work)
        runs = interleaved(arguments)
    report(runs, text_bytes / 1e6)


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    build.add_options(parser)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--child", choices=RUNNERS, help=argparse.SUPPRESS)
    return parser.parse_args()


def interleaved(arguments: argparse.Namespace) -> dict[str, list[dict[str, float]]]:
    """Run both in turn, so that what else the machine does meets both."""
    runs: dict[str, list[dict[str, float]]] = {name: [] for name in RUNNERS}
    for number in range(1, arguments.rounds + 1):
        for name, results in runs.items():
            results.append(child(name, arguments))
            shown = "  ".join(f"{key} {results[-1][key]:.2f}" for key in COLUMNS)
            print(f"round {number}  {name:<6}{shown}", flush=True)
            shutil.rmtree(arguments.work / "out", ignore_errors=True)
    return runs


def child(name: str, arguments: argparse.Namespace) -> dict[str, float]:
    command = [sys.executable, *sys.argv, "--child", name, "--work", str(arguments.work)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return dict(json.loads(done.stdout))


def report(runs: dict[str, list[dict[str, float]]], megabytes: float) -> None:
    median = {
        name: {key: statistics.median(run[key] for run in results) for key in COLUMNS}
        for name, results in runs.items()
    }
    print(f"\nmedians{''.join(f'{title:>14}' for title in COLUMNS.values())}")
    for name, facts in median.items():
        print(f"{name:<7}" + "".join(f"{facts[key]:>14.2f}" for key in COLUMNS))
    ratios = [b["cpu"] / a["cpu"] for a, b in zip(runs["bare"], runs["build"], strict=True)]
    rest = median["build"]["cpu"] - median["build"]["encode"]
    print(f"\ntext                 {megabytes:.1f} MB")
    print(f"CPU build : bare     {statistics.median(ratios):.3f}  (median of the rounds' ratios)")
    print(f"all but encoding     {megabytes / rest:.0f} MB of text per CPU s, start-up included")


if __name__ == "__main__":
    main()
