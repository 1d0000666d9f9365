"""Time and memory of `verify` over one gigabyte: quick, and every hash.

    python benchmarks/datasets/verify.py
    python benchmarks/datasets/verify.py --full

The dataset is synthetic, so its text indexes are empty: `--full` reads every byte of it, hashes it
and compares all shards with `sample_index.bin`, and then finds that the rows are missing. What rows
cost is measured with a built dataset: `python benchmarks/datasets/verify.py --path DIR --full`.
Memory is the most that this process had for itself (RssAnon, looked at a hundred times a second)
beyond what it had before; pages of mapped files can be taken away at any time and do not count.
"""

from __future__ import annotations

import argparse
import tempfile
import threading
import time
from pathlib import Path

import synthetic

import mintdim


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=2_600_000)
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--path", type=Path)
    arguments = parser.parse_args()
    if arguments.path:
        measure(arguments.path, arguments.full)
        return
    with tempfile.TemporaryDirectory() as folder:
        synthetic.write(Path(folder), arguments.samples, [128, 256], 10_000, 0)
        measure(Path(folder), arguments.full)


def measure(path: Path, full: bool) -> None:
    mintdim.verify  # imports what it needs  # noqa: B018
    before, peak, done = own_memory(), [0.0], threading.Event()
    watcher = threading.Thread(target=watch, args=(peak, done))
    watcher.start()
    start = time.perf_counter()
    report = mintdim.verify(path, full=full)
    seconds = time.perf_counter() - start
    done.set()
    watcher.join()
    print(report)
    megabytes = peak[0] - before
    print(f"{seconds:.3f} s, {megabytes:.0f} MB")


def watch(peak: list[float], done: threading.Event) -> None:
    while not done.wait(0.01):
        peak[0] = max(peak[0], own_memory())


def own_memory() -> float:
    """Return the memory of this process that no file stands behind, in MB."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("RssAnon"))


if __name__ == "__main__":
    main()
