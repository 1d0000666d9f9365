"""How many workers keep the driver busy: its CPU time against that of the workers, per sample.

    python benchmarks/unit_build/merge.py corpus.jsonl tokenizer.json

The workers encode, make index rows and write shards; the driver numbers and places samples,
appends rows and sorts hashes. The corpus and its first third are built with two workers: what
the whole takes more is the cost of the samples alone, without the start of all processes. The
driver's part does not depend on the number of workers, so the ratio is the number of them beyond
which more gain nothing (on cores of their own).
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
from itertools import islice
from pathlib import Path

import build

Facts = dict[str, float]


def main() -> None:
    arguments = parsed()
    if arguments.child:
        print(json.dumps(measure(arguments, arguments.child, arguments.work)))
        return
    with tempfile.TemporaryDirectory(dir=arguments.work) as folder:
        third = first_third(arguments.corpus, Path(folder))
        for exactness in arguments.exactness:
            report(exactness, [more(arguments, exactness, third) for _ in range(arguments.rounds)])


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    build.add_options(parser)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--exactness", nargs="+", default=["official", "checked"])
    parser.add_argument("--child", help=argparse.SUPPRESS)
    return parser.parse_args()


def first_third(corpus: Path, folder: Path) -> Path:
    """Write the first third of the lines of a corpus to a file of its own."""
    with open(corpus, "rb") as source:
        count = sum(1 for _ in source) // 3
    third = folder / "third.jsonl"
    with open(corpus, "rb") as source, open(third, "wb") as target:
        target.writelines(islice(source, count))
    return third


def more(arguments: argparse.Namespace, exactness: str, third: Path) -> Facts:
    """Return what the corpus takes more than its third."""
    whole, part = (child(arguments, exactness, corpus) for corpus in (arguments.corpus, third))
    return {key: whole[key] - part[key] for key in whole}


def child(arguments: argparse.Namespace, exactness: str, corpus: Path) -> Facts:
    with tempfile.TemporaryDirectory(dir=arguments.work) as folder:
        given = [str(corpus) if word == str(arguments.corpus) else word for word in sys.argv]
        command = [sys.executable, *given, "--child", exactness, "--work", folder]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return dict(json.loads(done.stdout))


def report(exactness: str, runs: list[Facts]) -> None:
    median = {key: statistics.median(run[key] for run in runs) for key in runs[0]}
    shown = "  ".join(f"{key} {value:.2f} s" for key, value in median.items())
    ratio = statistics.median(run["workers"] / run["driver"] for run in runs)
    print(f"{exactness:<9}{shown}  workers that the driver serves: {ratio:.1f}", flush=True)


def measure(arguments: argparse.Namespace, exactness: str, work: Path) -> Facts:
    """Build with two workers."""
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
