"""A synthetic dataset of any size, written directly in its format: random tokens, no source.

It can be opened, read and verified quickly; the text indexes are empty, so ``--full`` finds that.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

import numpy as np

from mintdim.formats import names
from mintdim.formats.manifest import FORMAT_VERSION
from mintdim.formats.sample_index import BINARY_ROW

if TYPE_CHECKING:
    from pathlib import Path

VOCABULARY = 32_000


def write(root: Path, samples: int, sizes: list[int], samples_per_shard: int, seed: int) -> None:
    """Write ``samples`` of random unit sizes and lengths under ``root``."""
    random = np.random.default_rng(seed)
    index = _index(random, samples, sizes, samples_per_shard)
    shards = [
        _shard(root, random, size, number, lengths)
        for size in sizes
        for number, lengths in enumerate(_by_shard(index, size, samples_per_shard))
    ]
    index.tofile(root / names.SAMPLE_INDEX_BINARY)
    for name in (names.SAMPLE_INDEX, names.UNK_INDEX, names.DUPLICATE_INDEX):
        (root / name).touch()
    units = {str(size): int((index["unit_size"] == size).sum()) for size in sizes}
    _write_documents(root, shards, units, sizes)


def _index(random: Any, samples: int, sizes: list[int], samples_per_shard: int) -> Any:
    index = np.zeros(samples, dtype=BINARY_ROW)
    index["unit_size"] = random.choice(sizes, size=samples)
    for below, size in zip([0, *sizes], sizes, strict=False):
        members = np.flatnonzero(index["unit_size"] == size)
        index["token_count"][members] = random.integers(below + 1, size + 1, size=len(members))
        places = np.arange(len(members))
        index["shard"][members], index["row"][members] = np.divmod(places, samples_per_shard)
    return index


def _by_shard(index: Any, size: int, samples_per_shard: int) -> list[Any]:
    lengths = index["token_count"][index["unit_size"] == size].astype(np.int64)
    return np.split(lengths, np.arange(samples_per_shard, len(lengths), samples_per_shard))


def _shard(root: Path, random: Any, size: int, number: int, lengths: Any) -> dict[str, Any]:
    rows = random.integers(2, VOCABULARY, size=(len(lengths), size), dtype=np.uint16)
    rows[np.arange(size) >= lengths[:, None]] = 1
    name = names.shard_path(size, number)
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    rows.astype("<u2").tofile(root / name)
    return {"samples": len(rows), "tokens": int(lengths.sum()), **_entry(root, name)}


def _write_documents(
    root: Path, shards: list[dict[str, Any]], units: dict[str, int], sizes: list[int]
) -> None:
    stats = {
        "total_samples": sum(units.values()),
        "total_tokens": sum(shard["tokens"] for shard in shards),
        "token_dtype": "uint16",
        "bytes_per_token": 2,
        "duplicate_groups": 0,
        "duplicate_samples": 0,
        "samples_with_unk": 0,
        "unk_tokens": 0,
        "unit_distribution": units,
    }
    _dump(root, names.STATS, stats)
    _dump(root, names.HISTOGRAM, units)
    listed = [path.name for path in root.iterdir() if path.is_file()]
    files = [_entry(root, name) for name in sorted(listed)]
    _dump(root, names.SHARDS_INDEX, {"shards": shards, "files": files})
    tokenizer = {
        "type": "hf_json",
        "path": "none.json",
        "vocab_size": VOCABULARY,
        "largest_id": VOCABULARY - 1,
        "unk_id": 0,
        "pad_id": 1,
        "sha256": "0" * 64,
    }
    manifest = {
        "pipeline": "unit-build",
        "mintdim_version": "0.0.0",
        "format_version": FORMAT_VERSION,
        "tokenizer": tokenizer,
        "token_storage": {"dtype": "uint16", "bytes_per_token": 2, "byte_order": "little"},
        "units": {"sizes": sizes, "build_batch": 1},
        "source": {"files": [], "fields": [], "templates": [], "bytes": []},
        "output": {"samples_per_shard": max(shard["samples"] for shard in shards)},
        "shards_index_sha256": _entry(root, names.SHARDS_INDEX)["sha256"],
    }
    _dump(root, names.MANIFEST, manifest)


def _entry(root: Path, name: str) -> dict[str, Any]:
    with open(root / name, "rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return {"name": name, "bytes": (root / name).stat().st_size, "sha256": digest}


def _dump(root: Path, name: str, value: object) -> None:
    (root / name).write_text(json.dumps(value, indent=2))
