"""An independent checker: recomputes every hash, size and count of a dataset from the disk.

It imports nothing of the library: what a dataset promises is spelled out here once more.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from pathlib import Path

INDEX_ROW = np.dtype([("count", "<u4"), ("unit", "<u4"), ("shard", "<u4"), ("row", "<u4")])
NOT_INDEXED = {"manifest.json", "shards_index.json", "build_log.json"}
Row = dict[str, Any]


def check_killed(root: Path) -> bool:
    """A directory that a stop left: no manifest, or a whole dataset; says which."""
    if not (root / "manifest.json").exists():
        return False
    check_whole(root)
    return True


def check_whole(root: Path) -> None:
    """Raise ``AssertionError`` for the first thing in a dataset that is not as it should be."""
    dataset = Dataset(root, _read_json(root / "manifest.json"))
    check_files(dataset)
    check_manifest(dataset)
    check_samples(dataset)
    check_shards(dataset)
    check_counts(dataset)
    check_duplicates(dataset)
    check_token_index(dataset)


@dataclass(frozen=True)
class Dataset:
    root: Path
    manifest: Row

    def json(self, name: str) -> Any:
        return _read_json(self.root / name)

    def rows(self, name: str) -> list[Row]:
        return [json.loads(line) for line in (self.root / name).read_text("utf-8").splitlines()]

    @property
    def shards(self) -> list[Row]:
        return list(self.json("shards_index.json")["shards"])

    @property
    def sizes(self) -> list[int]:
        sizes = self.manifest["units"]["sizes"]
        nested = sizes if isinstance(sizes[0], list) else [sizes]
        return sorted({size for group in nested for size in group})

    @property
    def tokenizer(self) -> Row:
        entry = self.manifest["tokenizer"]
        return dict(entry[0] if isinstance(entry, list) else entry)

    def records(self, shard: Row) -> Any:
        """The tokens of a shard [samples, unit size]."""
        unit = _unit_of(shard["name"])
        dtype = {"uint16": "<u2", "uint32": "<u4"}[self.manifest["token_storage"]["dtype"]]
        return np.fromfile(self.root / shard["name"], dtype=dtype).reshape(-1, unit)


def check_files(dataset: Dataset) -> None:
    """Every file is listed with its size and hash, every listed file is there, no other is."""
    index = dataset.json("shards_index.json")
    listed = index["shards"] + index["files"]
    assert len({entry["name"] for entry in listed}) == len(listed)
    for entry in listed:
        content = (dataset.root / entry["name"]).read_bytes()
        assert len(content) == entry["bytes"], entry
        assert hashlib.sha256(content).hexdigest() == entry["sha256"], entry
    paths = list(dataset.root.rglob("*"))
    names = {p.relative_to(dataset.root).as_posix() for p in paths if not p.is_dir()}
    assert names == {entry["name"] for entry in listed} | NOT_INDEXED
    folders = {p.relative_to(dataset.root).as_posix() for p in paths if p.is_dir()}
    assert folders == {f"unit_{size}" for size in dataset.sizes}


def check_manifest(dataset: Dataset) -> None:
    content = (dataset.root / "shards_index.json").read_bytes()
    assert dataset.manifest["shards_index_sha256"] == hashlib.sha256(content).hexdigest()
    assert dataset.manifest["pipeline"] == "unit-build"


def check_samples(dataset: Dataset) -> None:
    """Rows run from sample 0 without a gap, and the binary index says the same."""
    rows = dataset.rows("sample_index.jsonl")
    binary = np.fromfile(dataset.root / "sample_index.bin", dtype=INDEX_ROW)
    assert [row["sample_id"] for row in rows] == list(range(len(binary)))
    for row, (count, unit, shard, _) in zip(rows, binary.tolist(), strict=True):
        assert (row["token_count"], row["unit_size"]) == (count, unit)
        assert row["shard_path"] == f"unit_{unit}/shard_{shard:06d}.bin"
        assert (
            unit == min(size for size in dataset.sizes if size >= count)
            or len(dataset.manifest["source"]["files"]) > 1
        )


def check_shards(dataset: Dataset) -> None:
    """Shards hold the samples of the index in order, their tokens, and PAD behind them."""
    binary = np.fromfile(dataset.root / "sample_index.bin", dtype=INDEX_ROW)
    for shard in dataset.shards:
        unit, number = _unit_of(shard["name"]), int(shard["name"][-10:-4])
        rows = binary[(binary["unit"] == unit) & (binary["shard"] == number)]
        records = dataset.records(shard)
        assert rows["row"].tolist() == list(range(len(records)))
        assert shard["samples"] == len(records) > 0
        assert shard["tokens"] == int(rows["count"].sum())
        tail = np.arange(unit) >= rows["count"][:, None]
        assert (records[tail] == dataset.tokenizer["pad_id"]).all()
    held = {(_unit_of(s["name"]), int(s["name"][-10:-4])) for s in dataset.shards}
    assert held == set(zip(binary["unit"].tolist(), binary["shard"].tolist(), strict=True))


def check_counts(dataset: Dataset) -> None:
    """Statistics, histogram and notices are what the index and the shards say."""
    rows, stats = dataset.rows("sample_index.jsonl"), dataset.json("stats.json")
    per_unit = Counter(row["unit_size"] for row in rows)
    histogram = {str(size): count for size, count in sorted(per_unit.items())}
    assert dataset.json("histogram.json") == stats["unit_distribution"] == histogram
    assert stats["total_samples"] == len(rows) == sum(s["samples"] for s in dataset.shards)
    tokens = sum(row["token_count"] for row in rows)
    assert stats["total_tokens"] == tokens == sum(s["tokens"] for s in dataset.shards)
    empty = {f"unit_{size}" for size in dataset.sizes if size not in per_unit}
    assert {path.parent.name for path in dataset.root.glob("*/EMPTY_UNIT.md")} == empty
    assert not list(dataset.root.rglob("UNIT_BUILD_FAILED.md"))


def check_duplicates(dataset: Dataset) -> None:
    groups: dict[str, list[Row]] = {}
    for row in dataset.rows("sample_index.jsonl"):
        member = {key: row[key] for key in ("sample_id", "source_file", "source_line")}
        groups.setdefault(row["hash"], []).append(member)
    expected = [
        {"hash": digest, "count": len(members), "samples": members}
        for digest, members in groups.items()
        if len(members) > 1
    ]
    stats = dataset.json("stats.json")
    assert dataset.rows("duplicate_index.jsonl") == expected
    assert stats["duplicate_groups"] == len(expected)
    assert stats["duplicate_samples"] == sum(group["count"] for group in expected)


def check_token_index(dataset: Dataset) -> None:
    """Every UNK in the shards stands in the index at its place, and nothing else does."""
    binary = np.fromfile(dataset.root / "sample_index.bin", dtype=INDEX_ROW)
    found: dict[int, list[int]] = {}
    for shard in dataset.shards:
        unit, number = _unit_of(shard["name"]), int(shard["name"][-10:-4])
        ids = np.flatnonzero((binary["unit"] == unit) & (binary["shard"] == number))
        records = dataset.records(shard)
        inside = np.arange(unit) < binary["count"][ids][:, None]
        for row, position in np.argwhere((records == dataset.tokenizer["unk_id"]) & inside):
            found.setdefault(int(ids[row]), []).append(int(position))
    rows, stats = dataset.rows("unk_index.jsonl"), dataset.json("stats.json")
    assert [(r["sample_id"], r["unk_positions"]) for r in rows] == sorted(found.items())
    assert all(row["unk_count"] == len(row["unk_positions"]) for row in rows)
    assert stats["samples_with_unk"] == len(rows)
    assert stats["unk_tokens"] == sum(map(len, found.values()))


def _unit_of(name: str) -> int:
    return int(name.partition("/")[0].removeprefix("unit_"))


def _read_json(path: Path) -> Any:
    return json.loads(path.read_text("utf-8"))
