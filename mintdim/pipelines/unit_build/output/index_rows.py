"""Index rows: a task that makes the rows of a placed batch, of all indexes in order of samples.

They go to files of their own in the folder of unfinished files; the writers of the indexes take
these over in order. The task may run twice: its files are begun anew.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from mintdim.formats import names
from mintdim.formats.sample_index import BINARY_ROW, rows_text
from mintdim.formats.token_index import special_rows, unk_rows
from mintdim.pipelines.unit_build.output.grouping import by_sample
from mintdim.shared.files import remove, write_rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mintdim.pipelines.unit_build.contracts import Batch, Places

# A row of text takes some ten times the memory of its numbers: never all rows of a batch at once.
_BLOCK_ROWS = 8192


@dataclass(frozen=True, slots=True)
class RowsTask:
    """A batch whose rows are to be made; ``special_texts``: special tokens as JSON, by id."""

    work: str
    batch: Batch
    places: Places
    special_texts: dict[int, str]


@dataclass(frozen=True, slots=True)
class WrittenRows:
    """The rows of a batch: for each index a file and its size in bytes; what the batch held."""

    samples: int
    tokens: int
    source_bytes: int
    files: dict[str, tuple[Path, int]]


def write_index_rows(task: RowsTask) -> WrittenRows:
    """Write the rows of a batch.

    Raises ``OutputWriteError``.
    """
    batch, encoded = task.batch, task.batch.encoded
    blocks: dict[str, Iterable[bytes]] = {
        names.SAMPLE_INDEX: _sample_rows(batch, task.places),
        names.SAMPLE_INDEX_BINARY: [_binary_rows(batch, task.places)],
    }
    if len(encoded.unk.samples):
        grouped = by_sample(encoded.unk)
        rows = unk_rows(batch.origins(grouped.samples), grouped.positions)
        blocks[names.UNK_INDEX] = map(str.encode, rows)
    if len(encoded.special.samples):
        blocks[names.SPECIAL_INDEX] = map(str.encode, _special_rows(task))
    return WrittenRows(
        samples=len(batch),
        tokens=int(encoded.lengths.sum()),
        source_bytes=encoded.chunk.consumed,
        files={name: _written(task, name, rows) for name, rows in blocks.items()},
    )


def _written(task: RowsTask, name: str, blocks: Iterable[bytes]) -> tuple[Path, int]:
    path = Path(task.work) / f"{name}.{task.batch.encoded.piece}"
    remove(path)
    return path, write_rows(path, blocks)


def _sample_rows(batch: Batch, places: Places) -> Iterator[bytes]:
    encoded, digests = batch.encoded, batch.digests()
    for start in range(0, len(batch), _BLOCK_ROWS):
        part = slice(start, start + _BLOCK_ROWS)
        yield rows_text(
            batch.first_id + start,
            digests[64 * part.start : 64 * part.stop],
            encoded.lengths[part].tolist(),
            encoded.units[part],
            batch.source_file,
            batch.lines[part].tolist(),
            places.shards[part],
        ).encode()


def _binary_rows(batch: Batch, places: Places) -> bytes:
    rows = np.empty(len(batch), dtype=BINARY_ROW)
    rows["token_count"], rows["unit_size"] = batch.encoded.lengths, batch.encoded.units
    rows["shard"], rows["row"] = places.shards, places.rows
    return rows.tobytes()


def _special_rows(task: RowsTask) -> Iterator[str]:
    grouped = by_sample(task.batch.encoded.special)
    shown = ([task.special_texts[token_id] for token_id in ids] for ids in grouped.ids)
    return special_rows(task.batch.origins(grouped.samples), grouped.positions, shown)
