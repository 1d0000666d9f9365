"""Speed of shuffled batches: slots per second of one process, every batch read and laid out.

    python benchmarks/datasets/batches.py
    python benchmarks/datasets/batches.py --sizes 128 192 256 320 640 --batch-size 64

The dataset is synthetic (random tokens, uint16) and in the page cache; the first epoch is not
counted. A slot is one place of a row, padding included.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path
from typing import Any

import synthetic

import mintdim


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=200_000)
    parser.add_argument("--sizes", type=int, nargs="+", default=[128, 192, 256, 320, 640])
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--samples-per-shard", type=int, default=10_000)
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        synthetic.write(
            root,
            arguments.samples,
            arguments.sizes,
            arguments.samples_per_shard,
            arguments.seed,
        )
        dataset = mintdim.open(root)
        print(dataset, f"{len(dataset.shards)} shards")
        for options in ({}, {"drop_padding": True}, {"shuffle": False}):
            print(f"{options or 'shuffled, padded'}: {measured(dataset, arguments, options)}")


def measured(dataset: Any, arguments: argparse.Namespace, options: dict[str, bool]) -> str:
    loader = dataset.batches(batch_size=arguments.batch_size, seed=arguments.seed, **options)
    rates, setup = [], 0.0
    for _ in range(arguments.epochs):
        start = time.process_time()
        next(iter(loader.sample_ids()))
        setup = time.process_time() - start
        start, slots, batches = time.process_time(), 0, 0
        for batch in loader:
            slots += len(batch["lengths"]) * batch["unit_size"]
            batches += 1
        seconds = time.process_time() - start
        rates.append((slots / seconds / 1e6, seconds / batches * 1e6, batches))
    rates = sorted(rates[1:])
    rate, per_batch, batches = rates[len(rates) // 2]
    spread = f"{rates[0][0]:.0f}-{rates[-1][0]:.0f}"
    return (
        f"{rate:.0f} M slots/s (of {len(rates)} epochs: {spread}), "
        f"{per_batch:.0f} us per batch, {batches:,} batches; first batch after {setup:.3f} s"
    )


if __name__ == "__main__":
    main()
