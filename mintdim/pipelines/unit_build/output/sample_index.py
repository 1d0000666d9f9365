"""Sample index writer: where every sample came from and where it went."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mintdim.formats import names
from mintdim.formats.sample_index import BINARY_ROW, rows_text

if TYPE_CHECKING:
    from mintdim.pipelines.unit_build.contracts import Batch, EncodedChunk, Places
    from mintdim.pipelines.unit_build.output.dir import OutputDirectory

# A row of text takes some ten times the memory of its numbers: never all rows of a batch at once.
_BLOCK_ROWS = 8192


class SampleIndexWriter:
    """Appends the rows of a batch to ``sample_index.jsonl`` and ``sample_index.bin``."""

    def __init__(self, output: OutputDirectory) -> None:
        self._output = output
        self._rows = output.new_file(names.SAMPLE_INDEX)
        self._binary = output.new_file(names.SAMPLE_INDEX_BINARY)

    def write(self, batch: Batch, places: Places) -> None:
        """Append one row per sample; ``places`` says where the shard writer put them."""
        digests = batch.digests()
        for start in range(0, len(batch), _BLOCK_ROWS):
            part = slice(start, start + _BLOCK_ROWS)
            self._rows.append(_text(batch, digests, places, part).encode())
        self._append_binary(batch.encoded, places)

    def _append_binary(self, encoded: EncodedChunk, places: Places) -> None:
        rows = np.empty(len(encoded.units), dtype=BINARY_ROW)
        rows["token_count"], rows["unit_size"] = encoded.lengths, encoded.units
        rows["shard"], rows["row"] = places.shards, places.rows
        self._binary.append(rows.tobytes())

    def finish(self) -> None:
        """Give both files their final names."""
        self._output.finish(self._rows, names.SAMPLE_INDEX)
        self._output.finish(self._binary, names.SAMPLE_INDEX_BINARY)


def _text(batch: Batch, digests: str, places: Places, part: slice) -> str:
    encoded = batch.encoded
    return rows_text(
        batch.first_id + part.start,
        digests[64 * part.start : 64 * part.stop],
        encoded.lengths[part].tolist(),
        encoded.units[part],
        batch.source_file,
        batch.lines[part].tolist(),
        places.shards[part],
    )
