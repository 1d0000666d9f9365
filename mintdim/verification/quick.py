"""Quick checks: names, sizes and counts; no content of shards or indexes is read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mintdim.formats import names
from mintdim.formats.sample_index import BINARY_ROW
from mintdim.formats.shards import bytes_per_token, record_bytes
from mintdim.shared.messages import phrase
from mintdim.verification.findings import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mintdim.verification.documents import Documents


def check_quick(documents: Documents) -> list[Finding]:
    """Return what names, sizes and counts tell."""
    return [
        *_names(documents),
        *_sizes(documents),
        *_shard_geometry(documents),
        *_counts(documents),
        *_empty_units(documents),
    ]


def _names(documents: Documents) -> Iterator[Finding]:
    root, index = documents.root, documents.shards_index
    listed = {entry["name"] for entry in [*index["shards"], *index["files"]]}
    known = listed | {names.MANIFEST, names.SHARDS_INDEX}
    found = {
        path.relative_to(root).as_posix()
        for path in root.rglob("*")
        if not path.is_dir() or path.is_symlink()
    }
    for name in sorted(known - found):
        yield Finding(name, phrase("is_missing"))
    for name in sorted(found - known):
        yield Finding(name, phrase("stray_file"))


def _sizes(documents: Documents) -> Iterator[Finding]:
    index = documents.shards_index
    for entry in [*index["shards"], *index["files"]]:
        path = documents.root / entry["name"]
        if path.is_file() and path.stat().st_size != entry["bytes"]:
            facts = {"found": path.stat().st_size, "expected": entry["bytes"]}
            yield Finding(entry["name"], phrase("other_size", **facts))


def _shard_geometry(documents: Documents) -> Iterator[Finding]:
    storage = documents.manifest["token_storage"]
    if storage.get("bytes_per_token") != bytes_per_token(storage["dtype"]):
        yield _differs(
            names.MANIFEST,
            "bytes_per_token",
            storage.get("bytes_per_token"),
            bytes_per_token(storage["dtype"]),
        )
    sizes = set(unit_sizes(documents.manifest))
    for entry in documents.shards_index["shards"]:
        unit = unit_of(entry["name"])
        if unit not in sizes:
            yield Finding(entry["name"], phrase("unknown_unit", size=unit))
        elif entry["bytes"] != entry["samples"] * record_bytes(unit, storage["dtype"]):
            expected = entry["samples"] * record_bytes(unit, storage["dtype"])
            yield _differs(names.SHARDS_INDEX, entry["name"], entry["bytes"], expected)


def _counts(documents: Documents) -> Iterator[Finding]:
    shards = documents.shards_index["shards"]
    by_unit: dict[str, int] = {}
    for entry in sorted(shards, key=lambda entry: unit_of(entry["name"]) or 0):
        unit = str(unit_of(entry["name"]))
        by_unit[unit] = by_unit.get(unit, 0) + entry["samples"]
    stats = documents.stats
    rows = documents.root / names.SAMPLE_INDEX_BINARY
    expectations = [
        (names.HISTOGRAM, "histogram", documents.histogram, by_unit),
        (names.STATS, "unit_distribution", stats.get("unit_distribution"), by_unit),
        (names.STATS, "total_samples", stats.get("total_samples"), documents.samples),
        (names.STATS, "total_tokens", stats.get("total_tokens"), _tokens(shards)),
        (
            names.STATS,
            "token_dtype",
            stats.get("token_dtype"),
            documents.manifest["token_storage"]["dtype"],
        ),
    ]
    if rows.is_file():
        found = rows.stat().st_size / BINARY_ROW.itemsize
        expectations.append((names.SAMPLE_INDEX_BINARY, "rows", found, documents.samples))
    for file, name, found_value, expected in expectations:
        if found_value != expected:
            yield _differs(file, name, found_value, expected)


def _empty_units(documents: Documents) -> Iterator[Finding]:
    filled = {unit_of(entry["name"]) for entry in documents.shards_index["shards"]}
    for size in unit_sizes(documents.manifest):
        notice = f"{names.unit_directory(size)}/{names.EMPTY_UNIT}"
        if size not in filled and not (documents.root / notice).is_file():
            yield Finding(notice, phrase("is_missing"))


def unit_sizes(manifest: dict[str, Any]) -> list[int]:
    """Return the union of the unit sizes of a manifest, ascending."""
    sizes = manifest["units"]["sizes"]
    lists = sizes if sizes and isinstance(sizes[0], list) else [sizes]
    return sorted({size for entry in lists for size in entry})


def unit_of(shard_name: str) -> int | None:
    """Return the unit size that the path of a shard names."""
    digits = shard_name.split("/", 1)[0].removeprefix("unit_")
    return int(digits) if digits.isdecimal() else None


def _tokens(shards: list[dict[str, Any]]) -> int:
    return sum(entry["tokens"] for entry in shards)


def _differs(file: str, name: str, found: object, expected: object) -> Finding:
    return Finding(file, phrase("value_differs", name=name, found=found, expected=expected))
