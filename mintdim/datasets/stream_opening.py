"""Opening a stream dataset: what must stand on the disk before a reader trusts it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mintdim.datasets.stream_dataset import StreamDataset
from mintdim.formats.shards import bytes_per_token
from mintdim.formats.stream_consistency import contradictions
from mintdim.formats.stream_index import MOST_BYTES, parse_index
from mintdim.formats.stream_names import INDEX, LABELLED_SPLITS, languages_name, metadata_name
from mintdim.formats.stream_parsing import IndexProblemError, read_limited
from mintdim.shared.errors import DatasetDamagedError
from mintdim.shared.messages import Phrase, os_reason, phrase

if TYPE_CHECKING:
    from pathlib import Path

    from mintdim.formats.stream_index import StreamIndex, StreamShard


def open_stream_dataset(root: Path) -> StreamDataset:
    """Open the stream dataset in the folder ``root``, which has an index.

    The check is quick: names, sizes and counts against ``shards_index.json``, and what that says
    against itself. Raises ``DatasetDamagedError``.
    """
    try:
        index = parse_index(read_limited(root / INDEX, MOST_BYTES))
    except OSError as error:
        raise _damaged(root, INDEX, os_reason(error)) from error
    except IndexProblemError as error:
        raise _damaged(root, INDEX, error.problem) from error
    for problem in contradictions(index):
        raise _damaged(root, INDEX, problem)
    for shard in index.shards:
        _check_files(root, index, shard)
    return StreamDataset(root, index)


def _check_files(root: Path, index: StreamIndex, shard: StreamShard) -> None:
    _check_size(root, shard.name, shard.tokens * bytes_per_token(index.dtype))
    _check_size(root, metadata_name(shard.name), None)
    labels = languages_name(shard.name)
    if shard.split in LABELLED_SPLITS and (shard.langs_sha256 or (root / labels).exists()):
        _check_size(root, labels, shard.docs)


def _check_size(root: Path, name: str, expected: int | None) -> None:
    path = root / name
    if not path.is_file():
        raise _damaged(root, name, phrase("is_missing"))
    found = path.stat().st_size
    if expected is not None and found != expected:
        raise _damaged(root, name, phrase("other_size", found=found, expected=expected))


def _damaged(root: Path, name: str, problem: Phrase) -> DatasetDamagedError:
    return DatasetDamagedError(path=str(root), file=name, problem=problem)
