"""Sample index writer: where every sample came from and where it went."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mintdim.formats import names
from mintdim.formats.sample_index import BINARY_ROW, rows_text

if TYPE_CHECKING:
    from mintdim.pipelines.unit_build.contracts import Batch, Places
    from mintdim.pipelines.unit_build.output.dir import OutputDirectory


class SampleIndexWriter:
    """Appends the rows of a batch to ``sample_index.jsonl`` and ``sample_index.bin``."""

    def __init__(self, output: OutputDirectory) -> None:
        self._output = output
        self._rows = output.new_file(names.SAMPLE_INDEX)
        self._binary = output.new_file(names.SAMPLE_INDEX_BINARY)

    def write(self, batch: Batch, places: Places) -> None:
        """Append one row per sample; ``places`` says where the shard writer put them."""
        encoded = batch.encoded
        text = rows_text(
            batch.first_id,
            batch.digests(),
            encoded.lengths.tolist(),
            encoded.units.tolist(),
            batch.source_file,
            batch.lines.tolist(),
            places.shards.tolist(),
        )
        self._rows.append(text.encode())
        rows = np.empty(len(batch), dtype=BINARY_ROW)
        rows["token_count"], rows["unit_size"] = encoded.lengths, encoded.units
        rows["shard"], rows["row"] = places.shards, places.rows
        self._binary.append(rows.tobytes())

    def finish(self) -> None:
        """Give both files their final names."""
        self._output.finish(self._rows, names.SAMPLE_INDEX)
        self._output.finish(self._binary, names.SAMPLE_INDEX_BINARY)
