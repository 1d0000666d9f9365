"""How many workers keep the driver busy: CPU time of the driver against that of the workers.

    python benchmarks/unit_build/merge.py corpus.jsonl tokenizer.json

The workers encode; the driver merges their results in order and writes everything. Its CPU time
per MB of text does not depend on the number of workers, so the ratio is the number of workers
beyond which more of them gain nothing (on cores of their own).
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from typing import TYPE_CHECKING

import build

if TYPE_CHECKING:
    from pathlib import Path


def main() -> None:
    arguments = parsed()
    if arguments.child:
        print(json.dumps(measure(arguments, arguments.child, arguments.work)))
        return
    for exactness in ("official", "checked"):
        runs = [child(arguments, exactness) for _ in range(arguments.rounds)]
        median = {key: statistics.median(run[key] for run in runs) for key in runs[0]}
        shown = "  ".join(f"{key} {value:.2f} s" for key, value in median.items())
        ratio = statistics.median(run["workers"] / run["driver"] for run in runs)
        print(f"{exactness:<9}{shown}  workers to saturate the driver: {ratio:.1f}", flush=True)


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    build.add_options(parser)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--child", help=argparse.SUPPRESS)
    return parser.parse_args()


def child(arguments: argparse.Namespace, exactness: str) -> dict[str, float]:
    with tempfile.TemporaryDirectory(dir=arguments.work) as folder:
        command = [sys.executable, *sys.argv, "--child", exactness, "--work", folder]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return dict(json.loads(done.stdout))


def measure(arguments: argparse.Namespace, exactness: str, work: Path) -> dict[str, float]:
    """Build with two workers; the start of all processes is left out on neither side."""
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    logging.getLogger("mintdim").setLevel(logging.ERROR)
    started = time.monotonic()
    build.declared(arguments, work).engine.processes(2).run(exactness=exactness)
    wall = time.monotonic() - started
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    shutil.rmtree(work / "out")
    return {"driver": time.process_time(), "workers": used.ru_utime + used.ru_stime, "wall": wall}


if __name__ == "__main__":
    main()
