"""Opening a dataset: what must stand on the disk before a reader trusts it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mintdim.datasets.stream_opening import open_stream_dataset
from mintdim.datasets.unit_dataset import UnitDataset
from mintdim.formats import names
from mintdim.formats.manifest import FORMAT_VERSION
from mintdim.formats.sample_index import BINARY_ROW
from mintdim.formats.stream_kind import is_stream
from mintdim.shared.errors import DatasetDamagedError, NotADatasetError
from mintdim.shared.files import sha256_of
from mintdim.shared.messages import Phrase, phrase

if TYPE_CHECKING:
    from mintdim.datasets.stream_dataset import StreamDataset
    from mintdim.shared.types import StrPath


def open_dataset(path: StrPath) -> UnitDataset | StreamDataset:
    """Open a finished dataset for reading.

    ``path`` is the output directory of a build: of ``unit-build``, which has a manifest, or of
    ``stream-build``, which has an index of shards only. The check is quick: names and sizes of all
    files against ``shards_index.json``, its SHA-256 against the manifest, counts against each
    other. ``mintdim.verify`` looks at every byte.

    Raises ``NotADatasetError`` if something that a dataset needs is not there (no manifest, or
    written by another tool), ``DatasetDamagedError`` if what is there does not agree.
    """
    root = Path(path)
    return open_stream_dataset(root) if is_stream(root) else open_unit_dataset(root)


def open_unit_dataset(root: Path) -> UnitDataset:
    """Open an output of ``unit-build``; raises as ``open_dataset`` does."""
    manifest = _manifest(root)
    index = _shards_index(root, manifest)
    name = names.SHARDS_INDEX
    try:
        _check_files(root, index)
        _check_counts(root, index)
        name = names.MANIFEST
        return UnitDataset(root, manifest, index)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        detail = f"{type(error).__name__}: {error}"
        raise _damaged(root, name, phrase("unreadable", detail=detail)) from error


def _manifest(root: Path) -> dict[str, Any]:
    if not root.is_dir():
        raise _not_a_dataset(root, phrase("no_directory"))
    if not (root / names.MANIFEST).is_file():
        has_index = (root / names.SHARDS_INDEX).is_file()
        raise _not_a_dataset(root, phrase("no_manifest" if has_index else "no_index"))
    manifest = _document(root, names.MANIFEST, _read(root, names.MANIFEST))
    if manifest.get("pipeline") != "unit-build":
        raise _not_a_dataset(root, phrase("other_pipeline", found=str(manifest.get("pipeline"))))
    if manifest.get("format_version") != FORMAT_VERSION:
        found = str(manifest.get("format_version"))
        raise _not_a_dataset(root, phrase("other_version", found=found, known=FORMAT_VERSION))
    return manifest


def _shards_index(root: Path, manifest: dict[str, Any]) -> dict[str, Any]:
    for name in (names.SHARDS_INDEX, names.SAMPLE_INDEX_BINARY):
        if not (root / name).is_file():
            raise _not_a_dataset(root, phrase("no_file", name=name))
    data = _read(root, names.SHARDS_INDEX)
    if sha256_of(data) != manifest.get("shards_index_sha256"):
        raise _damaged(root, names.SHARDS_INDEX, phrase("other_hash"))
    return _document(root, names.SHARDS_INDEX, data)


def _check_files(root: Path, index: dict[str, Any]) -> None:
    for entry in [*index["shards"], *index["files"]]:
        try:
            size = (root / entry["name"]).stat().st_size
        except OSError:
            raise _damaged(root, entry["name"], phrase("is_missing")) from None
        if size != entry["bytes"]:
            problem = phrase("other_size", found=size, expected=entry["bytes"])
            raise _damaged(root, entry["name"], problem)


def _check_counts(root: Path, index: dict[str, Any]) -> None:
    samples = sum(entry["samples"] for entry in index["shards"])
    rows = (root / names.SAMPLE_INDEX_BINARY).stat().st_size / BINARY_ROW.itemsize
    if rows != samples:
        problem = phrase("other_count", found=f"{rows:g}", expected=samples)
        raise _damaged(root, names.SAMPLE_INDEX_BINARY, problem)


def _read(root: Path, name: str) -> bytes:
    try:
        return (root / name).read_bytes()
    except OSError as error:
        detail = error.strerror or str(error)
        raise _damaged(root, name, phrase("unreadable", detail=detail)) from error


def _document(root: Path, name: str, data: bytes) -> dict[str, Any]:
    try:
        value = json.loads(data.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise _damaged(root, name, phrase("unreadable", detail=str(error))) from error
    if not isinstance(value, dict):
        raise _damaged(root, name, phrase("unreadable", detail="not a JSON object"))
    return value


def _not_a_dataset(root: Path, problem: Phrase) -> NotADatasetError:
    return NotADatasetError(path=str(root), problem=problem)


def _damaged(root: Path, name: str, problem: Phrase) -> DatasetDamagedError:
    return DatasetDamagedError(path=str(root), file=name, problem=problem)
