"""Quick checks: names, sizes and counts; no content of shards or indexes is read."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from mintdim.formats import names
from mintdim.formats.sample_index import BINARY_ROW
from mintdim.formats.shards import record_bytes
from mintdim.shared.messages import phrase
from mintdim.verification.documents import samples_per_shard
from mintdim.verification.findings import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mintdim.verification.documents import Documents

_ALWAYS = {
    names.SAMPLE_INDEX,
    names.SAMPLE_INDEX_BINARY,
    names.DUPLICATE_INDEX,
    names.UNK_INDEX,
    names.HISTOGRAM,
    names.STATS,
}


def check_names(documents: Documents) -> list[Finding]:
    """Return what is missing and what is there besides."""
    listed = Counter(entry["name"] for entry in documents.entries)
    wanted = _wanted(documents)
    files, directories = _on_disk(documents)
    known = wanted | {names.MANIFEST, names.SHARDS_INDEX}
    known |= {names.BUILD_LOG} & files
    units = {names.unit_directory(size) for size in documents.unit_sizes}
    return [
        *(Finding(name, phrase("is_missing")) for name in sorted(known - files)),
        *(Finding(name, phrase("stray_file")) for name in sorted(files - known)),
        *(Finding(name, phrase("stray_file")) for name in sorted(directories - units)),
        *_listing(listed, wanted),
    ]


def check_sizes(documents: Documents) -> list[Finding]:
    """Return which sizes and counts of files that are there do not fit."""
    return [*_sizes(documents), *_shard_geometry(documents), *_binary_rows(documents)]


def check_totals(documents: Documents) -> list[Finding]:
    """Return which totals differ from the sums over all shards."""
    stats, by_unit = documents.stats, _samples_by_unit(documents)
    storage = documents.manifest["token_storage"]
    expectations = [
        (names.HISTOGRAM, "histogram", documents.histogram, by_unit),
        (names.STATS, "unit_distribution", stats.get("unit_distribution"), by_unit),
        (names.STATS, "total_samples", stats["total_samples"], documents.samples),
        (names.STATS, "total_tokens", stats["total_tokens"], _tokens(documents)),
        (names.STATS, "token_dtype", stats.get("token_dtype"), storage["dtype"]),
        (names.STATS, "bytes_per_token", stats.get("bytes_per_token"), storage["bytes_per_token"]),
    ]
    return [
        _differs(file, name, found, expected)
        for file, name, found, expected in expectations
        if found != expected
    ]


def unit_of(shard_name: str) -> int | None:
    """Return the unit size that the path of a shard names."""
    digits = shard_name.split("/", 1)[0].removeprefix("unit_")
    return int(digits) if digits.isdecimal() else None


def _wanted(documents: Documents) -> set[str]:
    """Return the names of all files that the index must list."""
    filled = {unit_of(entry["name"]) for entry in documents.shards}
    notices = {
        f"{names.unit_directory(size)}/{names.EMPTY_UNIT}"
        for size in documents.unit_sizes
        if size not in filled
    }
    special = {names.SPECIAL_INDEX} if "samples_with_special_tokens" in documents.stats else set()
    return _ALWAYS | special | notices | {entry["name"] for entry in documents.shards}


def _on_disk(documents: Documents) -> tuple[set[str], set[str]]:
    files: set[str] = set()
    directories: set[str] = set()
    for path in documents.root.rglob("*"):
        is_directory = path.is_dir() and not path.is_symlink()
        found = directories if is_directory else files
        found.add(path.relative_to(documents.root).as_posix())
    return files, directories


def _listing(listed: Counter[str], wanted: set[str]) -> Iterator[Finding]:
    for name, count in sorted(listed.items()):
        if count > 1 or name not in wanted:
            yield _differs(names.SHARDS_INDEX, name, count, int(name in wanted))
    for name in sorted(wanted - set(listed)):
        yield _differs(names.SHARDS_INDEX, name, 0, 1)


def _sizes(documents: Documents) -> Iterator[Finding]:
    for entry in documents.entries:
        path = documents.root / entry["name"]
        if path.is_file() and path.stat().st_size != entry["bytes"]:
            facts = {"found": path.stat().st_size, "expected": entry["bytes"]}
            yield Finding(entry["name"], phrase("other_size", **facts))


def _shard_geometry(documents: Documents) -> Iterator[Finding]:
    """Shards of a unit are numbered from 0, as large as their rows, and full but for the last."""
    dtype = documents.manifest["token_storage"]["dtype"]
    known = documents.unit_sizes
    in_unit: dict[int, list[dict[str, Any]]] = {}
    for entry in documents.shards:
        unit = unit_of(entry["name"])
        if unit is None or unit not in known:
            yield Finding(entry["name"], phrase("unknown_unit", size=unit))
            continue
        in_unit.setdefault(unit, []).append(entry)
        expected = entry["samples"] * record_bytes(unit, dtype)
        if entry["bytes"] != expected:
            yield _differs(names.SHARDS_INDEX, entry["name"], entry["bytes"], expected)
    for unit, entries in in_unit.items():
        yield from _numbering(unit, entries)
        yield from _fullness(entries, samples_per_shard(documents.manifest))


def _numbering(unit: int, entries: list[dict[str, Any]]) -> Iterator[Finding]:
    for number, entry in enumerate(entries):
        name = names.shard_path(unit, number)
        if entry["name"] != name:
            yield _differs(names.SHARDS_INDEX, "name", entry["name"], name)


def _fullness(entries: list[dict[str, Any]], lengths: list[int]) -> Iterator[Finding]:
    """Where files have shards of their own length, one may end early when its file ends."""
    most = max(lengths)
    for entry in entries:
        may_be_short = entry is entries[-1] or len(set(lengths)) > 1
        least = 1 if may_be_short else most
        if not least <= entry["samples"] <= most:
            name = f"{entry['name']}, samples"
            yield _differs(names.SHARDS_INDEX, name, entry["samples"], most)


def _binary_rows(documents: Documents) -> Iterator[Finding]:
    path = documents.root / names.SAMPLE_INDEX_BINARY
    if path.is_file() and path.stat().st_size != documents.samples * BINARY_ROW.itemsize:
        rows = f"{path.stat().st_size / BINARY_ROW.itemsize:g}"
        yield _differs(names.SAMPLE_INDEX_BINARY, "rows", rows, documents.samples)


def _samples_by_unit(documents: Documents) -> dict[str, int]:
    by_unit: Counter[str] = Counter()
    for entry in documents.shards:
        by_unit[str(unit_of(entry["name"]))] += entry["samples"]
    return dict(by_unit)


def _tokens(documents: Documents) -> int:
    return sum(entry["tokens"] for entry in documents.shards)


def _differs(file: str, name: str, found: Any, expected: Any) -> Finding:
    return Finding(file, phrase("value_differs", name=name, found=found, expected=expected))
