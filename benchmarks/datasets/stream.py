"""Speed of reading a stream dataset with one process, and of verifying it.

    python benchmarks/datasets/stream.py
    python benchmarks/datasets/stream.py --shards 8 --tokens 50000000 --ctx 1024

The dataset is synthetic (random tokens, uint16, documents of 500 tokens on average) and in the page
cache. Printed: seconds of CPU, and what was done in one of them.
"""

from __future__ import annotations

import argparse
import hashlib
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import mintdim
from mintdim.formats.stream_index import StreamIndex, StreamShard, document
from mintdim.formats.stream_names import languages_name, metadata_name, shard_name

if TYPE_CHECKING:
    from collections.abc import Callable

LANGUAGES = ("en", "de", "fr", "ja")
EOS, VOCABULARY = 2, 48_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--shards", type=int, default=4, help="of train; val has one")
    parser.add_argument("--tokens", type=int, default=10_000_000, help="of every shard")
    parser.add_argument("--ctx", type=int, default=1024)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--draws", type=int, default=500, help="batches to draw")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder), arguments.shards, arguments.tokens)
        measure(Path(folder), arguments)


def measure(root: Path, arguments: argparse.Namespace) -> None:
    """Print one line per way of reading."""
    dataset, ctx, batch = mintdim.open(root), arguments.ctx, arguments.batch
    sampler = dataset.sampler(ctx, seed=0)
    sampler.draw(batch)
    drawn = arguments.draws * batch * ctx
    timed("sampler", drawn, "tokens", lambda: [sampler.draw(batch) for _ in range(arguments.draws)])
    windows = dataset.epochs(ctx, seed=0)
    targets = len(windows) * ctx
    timed("epoch", targets, "tokens", lambda: [None for _ in windows.batches(batch)])
    shard = dataset.shards("train")[0]
    timed("first document", shard.tokens, "tokens", lambda: dataset.documents("train")[0])
    documents = dataset.documents("train")[: shard.docs]
    timed("documents", len(documents), "documents", lambda: [None for _ in documents])
    val = dataset.shards("val")[0].tokens
    timed("token_languages", val, "tokens", lambda: dataset.token_languages("val"))
    evaluation = dataset.evaluation_windows("val", ctx)
    timed(
        "evaluation_windows",
        evaluation.targets,
        "tokens",
        lambda: [None for _ in evaluation.batches(batch)],
    )
    size = sum(path.stat().st_size for path in root.iterdir())
    timed("verify --full", size, "bytes", lambda: mintdim.verify(root, full=True))


def timed(name: str, count: int, what: str, action: Callable[[], Any]) -> None:
    start = time.process_time()
    action()
    seconds = time.process_time() - start
    print(f"{name:<20}{seconds:>8.3f} s  {count / max(seconds, 1e-9):>16,.0f} {what} per second")


def write(root: Path, shards: int, tokens: int) -> None:
    """Write a synthetic dataset: `shards` of train and one of val."""
    random = np.random.default_rng(0)
    entries = [
        write_shard(root, shard_name("train", number, shards), tokens, random)
        for number in range(shards)
    ]
    entries.append(write_shard(root, shard_name("val", 0, 1), tokens, random))
    index = StreamIndex(
        tokenizer="none.model",
        dtype="uint16",
        shard_tokens=tokens,
        seed=0,
        created="2026-01-01T00:00:00",
        boundaries={"mode": "none"},
        shards=tuple(entries),
        tokenizer_sha256="0" * 64,
        vocab_size=VOCABULARY,
        eos_id=EOS,
        lang_codes=LANGUAGES,
    )
    (root / "shards_index.json").write_bytes(document(index))


def write_shard(root: Path, name: str, tokens: int, random: np.random.Generator) -> StreamShard:
    ids = random.integers(3, VOCABULARY, tokens, dtype=np.uint16)
    ids[random.random(tokens) < 1 / 500] = EOS
    ids[-1] = EOS
    ends = np.flatnonzero(ids == EOS)
    codes = random.integers(0, len(LANGUAGES), len(ends), dtype=np.uint8)
    sums = np.bincount(codes, np.diff(ends, prepend=-1), len(LANGUAGES)).astype(int).tolist()
    data, split = ids.astype("<u2").tobytes(), name.split("_")[0]
    labels = None if split == "train" else codes.tobytes()
    entry = StreamShard(
        name=name,
        split="train" if labels is None else "val",
        tokens=tokens,
        docs=len(ends),
        sha256=hashlib.sha256(data).hexdigest(),
        langs=dict(zip(LANGUAGES, sums, strict=True)),
        langs_sha256=None if labels is None else hashlib.sha256(labels).hexdigest(),
    )
    (root / name).write_bytes(data)
    (root / metadata_name(name)).write_bytes(document(entry))
    if labels is not None:
        (root / languages_name(name)).write_bytes(labels)
    return entry


if __name__ == "__main__":
    main()
