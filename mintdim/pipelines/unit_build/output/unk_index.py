"""UNK index writer: samples whose field values the tokenizer could not represent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mintdim.formats import names
from mintdim.pipelines.unit_build.output.grouping import count_samples

if TYPE_CHECKING:
    from mintdim.pipelines.unit_build.contracts import Batch
    from mintdim.pipelines.unit_build.output.dir import OutputDirectory
    from mintdim.pipelines.unit_build.output.index_rows import WrittenRows


class UnkIndexWriter:
    """Writes ``unk_index.jsonl``: a row for every sample that holds UNK tokens."""

    def __init__(self, output: OutputDirectory) -> None:
        self._output = output
        self._rows = output.new_file(names.UNK_INDEX)
        self.samples = 0
        self.tokens = 0

    def count(self, batch: Batch) -> None:
        """Count the UNK tokens of a batch."""
        found = batch.encoded.unk
        self.samples += count_samples(found)
        self.tokens += len(found.samples)

    def write(self, rows: WrittenRows) -> None:
        """Append the rows of a batch, if it has any."""
        if names.UNK_INDEX in rows.files:
            self._rows.take_over(*rows.files[names.UNK_INDEX])

    def finish(self) -> None:
        """Give the file its final name."""
        self._output.finish(self._rows, names.UNK_INDEX)
