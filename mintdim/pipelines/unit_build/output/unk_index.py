"""UNK index writer: samples whose field values the tokenizer could not represent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mintdim.encoders.flat import find_tokens
from mintdim.formats import names
from mintdim.formats.token_index import unk_rows
from mintdim.pipelines.unit_build.output.grouping import by_sample

if TYPE_CHECKING:
    from mintdim.pipelines.unit_build.contracts import Batch
    from mintdim.pipelines.unit_build.output.dir import OutputDirectory


class UnkIndexWriter:
    """Appends a row to ``unk_index.jsonl`` for every sample that holds UNK tokens."""

    def __init__(self, output: OutputDirectory, unk_id: int) -> None:
        self._output, self._unk_id = output, unk_id
        self._rows = output.new_file(names.UNK_INDEX)
        self.samples = 0
        self.tokens = 0

    def write(self, batch: Batch) -> None:
        """Append the rows of a batch and count them."""
        encoded = batch.encoded
        found = find_tokens(encoded.tokens, encoded.lengths, [self._unk_id])
        grouped = by_sample(found)
        rows = unk_rows(batch.origins(grouped.samples), grouped.positions)
        self.samples += self._rows.append_rows(rows)
        self.tokens += len(found.samples)

    def finish(self) -> None:
        """Give the file its final name."""
        self._output.finish(self._rows, names.UNK_INDEX)
