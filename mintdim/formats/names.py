"""The names of all files of a unit dataset, relative to its directory."""

MANIFEST = "manifest.json"
HISTOGRAM = "histogram.json"
STATS = "stats.json"
SAMPLE_INDEX = "sample_index.jsonl"
SAMPLE_INDEX_BINARY = "sample_index.bin"
DUPLICATE_INDEX = "duplicate_index.jsonl"
UNK_INDEX = "unk_index.jsonl"
SPECIAL_INDEX = "special_index.jsonl"
SHARDS_INDEX = "shards_index.json"
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
