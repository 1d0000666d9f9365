"""``shards_index.json``: size and SHA-256 of every file of the dataset but the manifest."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True)
class ShardEntry:
    """One shard: ``tokens`` counts without padding, ``bytes`` is the size of the file."""

    name: str
    samples: int
    tokens: int
    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class FileEntry:
    """One other file."""

    name: str
    bytes: int
    sha256: str


def shards_index(shards: Iterable[ShardEntry], files: Iterable[FileEntry]) -> dict[str, Any]:
    """Return the document; shards by unit and number, files by name."""
    return {
        "shards": [asdict(entry) for entry in shards],
        "files": [asdict(entry) for entry in sorted(files, key=lambda entry: entry.name)],
    }
