"""Opening a dataset of ten million samples, and what its first batch takes.

    python benchmarks/datasets/open.py

The dataset is synthetic (units of 4 and 8 tokens, 1,000 samples per shard: 10,000 shards), written
to a temporary folder (about 300 MB). Memory is what the kernel counted for this process (VmHWM)
beyond what it had before opening; pages of mapped files are part of it.
"""

from __future__ import annotations

import argparse
import multiprocessing
import tempfile
import time
from pathlib import Path

import synthetic

import mintdim


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=10_000_000)
    parser.add_argument("--samples-per-shard", type=int, default=1_000)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        # In a process of its own: its memory is none of ours.
        write = (root, arguments.samples, [4, 8], arguments.samples_per_shard, 0)
        writer = multiprocessing.get_context("spawn").Process(target=synthetic.write, args=write)
        writer.start()
        writer.join()
        measure(root)


def measure(root: Path) -> None:
    before, start = peak_memory(), time.perf_counter()

    def report(what: str) -> None:
        seconds, memory = time.perf_counter() - start, peak_memory() - before
        print(f"{what:<28}{seconds:8.3f} s{memory:8.0f} MB")

    dataset = mintdim.open(root)
    report(f"open {len(dataset):,} samples")
    dataset.unit(8).rows(slice(0, 64))
    report("+ rows of one unit")
    loader = dataset.batches(batch_size=64)
    report("+ a loader")
    next(iter(loader))
    report("+ its first batch")
    for _ in zip(range(1000), loader, strict=False):
        pass
    report("+ 1,000 batches")
    len(loader), loader.state_dict(delivered=100_000)
    report("+ length and state")


def peak_memory() -> float:
    """Return the peak memory of this process in MB."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))


if __name__ == "__main__":
    main()
