"""Quick checks of a stream dataset: names, sizes, and its JSON files against each other."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from mintdim.formats.shards import bytes_per_token
from mintdim.formats.stream_consistency import contradictions
from mintdim.formats.stream_index import MOST_BYTES, parse_index, parse_shard
from mintdim.formats.stream_names import INDEX, LABELLED_SPLITS, languages_name, metadata_name
from mintdim.formats.stream_parsing import IndexProblemError, read_limited
from mintdim.shared.messages import os_reason, phrase
from mintdim.verification.findings import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from mintdim.formats.stream_index import StreamIndex, StreamShard

_SHOWN = 100  # characters of a value

Sizes = dict[str, int]


def read_index(root: Path) -> tuple[StreamIndex | None, list[Finding]]:
    """Return the index, or None and what makes it unreadable."""
    try:
        return parse_index(read_limited(root / INDEX, MOST_BYTES)), []
    except IndexProblemError as error:
        return None, [Finding(INDEX, error.problem)]
    except OSError as error:
        return None, [Finding(INDEX, phrase("unreadable", detail=str(os_reason(error))))]


def expected_sizes(index: StreamIndex) -> Sizes:
    """Return the bytes of every file whose size the index tells: tokens, language codes."""
    width = bytes_per_token(index.dtype)
    tokens = {shard.name: shard.tokens * width for shard in index.shards}
    labelled = (shard for shard in index.shards if shard.split in LABELLED_SPLITS)
    return tokens | {languages_name(shard.name): shard.docs for shard in labelled}


def check_quick(root: Path, index: StreamIndex) -> Iterator[Finding]:
    """Yield what is missing, what is there besides, and which sizes and entries do not fit."""
    for problem in contradictions(index):
        yield Finding(INDEX, problem)
    yield from _names(root, index)
    for name, expected in expected_sizes(index).items():
        path = root / name
        if path.is_file() and path.stat().st_size != expected:
            facts = {"found": path.stat().st_size, "expected": expected}
            yield Finding(name, phrase("other_size", **facts))
    for shard in index.shards:
        yield from _entry(root, shard)


def _names(root: Path, index: StreamIndex) -> Iterator[Finding]:
    entries = [metadata_name(shard.name) for shard in index.shards]
    known = {INDEX, *entries, *expected_sizes(index)}
    try:
        found = set(os.listdir(root))
    except OSError as error:
        yield Finding(".", phrase("unreadable", detail=str(os_reason(error))))
        return
    for name in sorted(known):
        if not (root / name).is_file():
            yield Finding(name, phrase("is_missing"))
    for name in sorted(found - known):
        yield Finding(name, phrase("stray_file"))


def _entry(root: Path, shard: StreamShard) -> Iterator[Finding]:
    """Yield the keys in which a ``.bin.json`` differs from its entry in the index."""
    name = metadata_name(shard.name)
    if not (root / name).is_file():
        return
    try:
        found = parse_shard(read_limited(root / name, MOST_BYTES)).as_dict()
    except IndexProblemError as error:
        yield Finding(name, error.problem)
        return
    except OSError as error:
        yield Finding(name, phrase("unreadable", detail=str(os_reason(error))))
        return
    expected = shard.as_dict()
    for key in {**expected, **found}:
        if found.get(key) != expected.get(key):
            facts = {"found": _short(found, key), "expected": _short(expected, key)}
            yield Finding(name, phrase("value_differs", name=key[:_SHOWN], **facts))


def _short(entry: dict[str, Any], key: str) -> str:
    text = str(entry.get(key, "-"))
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
