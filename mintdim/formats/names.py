"""The names of all files of a unit dataset, relative to its directory."""

import re

MANIFEST = "manifest.json"
HISTOGRAM = "histogram.json"
STATS = "stats.json"
SAMPLE_INDEX = "sample_index.jsonl"
SAMPLE_INDEX_BINARY = "sample_index.bin"
DUPLICATE_INDEX = "duplicate_index.jsonl"
UNK_INDEX = "unk_index.jsonl"
SPECIAL_INDEX = "special_index.jsonl"
SHARDS_INDEX = "shards_index.json"
BUILD_LOG = "build_log.json"
EMPTY_UNIT = "EMPTY_UNIT.md"
UNIT_BUILD_FAILED = "UNIT_BUILD_FAILED.md"

# Unfinished files live here; the folder is gone before the manifest appears.
WORK = ".mintdim-work"
MANIFEST_WORK = ".manifest.json.part"


def unit_directory(unit_size: int) -> str:
    """Return the directory of the shards of one unit size (tokens)."""
    return f"unit_{unit_size}"


def shard_path(unit_size: int, number: int) -> str:
    """Return the path of shard ``number`` (from 0) of one unit size."""
    return f"{unit_directory(unit_size)}/shard_{number:06d}.bin"


_LISTED = {
    HISTOGRAM,
    STATS,
    SAMPLE_INDEX,
    SAMPLE_INDEX_BINARY,
    DUPLICATE_INDEX,
    UNK_INDEX,
    SPECIAL_INDEX,
}
BESIDE_SHARDS = frozenset({*_LISTED, SHARDS_INDEX, BUILD_LOG})
_LISTED_IN_UNIT = re.compile(
    rf"unit_[1-9][0-9]{{0,17}}/(shard_[0-9]{{6,18}}\.bin|{re.escape(EMPTY_UNIT)})"
)


def is_listed(name: str) -> bool:
    """Say whether ``shards_index.json`` of a dataset may list a file of this name."""
    return name in _LISTED or _LISTED_IN_UNIT.fullmatch(name) is not None
