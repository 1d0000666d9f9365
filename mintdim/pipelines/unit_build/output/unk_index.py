"""UNK index writer: samples whose field values the tokenizer could not represent."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mintdim.formats import names
from mintdim.formats.unk_index import row_text

if TYPE_CHECKING:
    from mintdim.formats.shards import IntArray, TokenArray
    from mintdim.pipelines.unit_build.contracts import Batch
    from mintdim.pipelines.unit_build.output.dir import OutputDirectory


def find_token(tokens: TokenArray, offsets: IntArray, token_id: int) -> tuple[IntArray, IntArray]:
    """Return sample number and position in that sample of every occurrence of ``token_id``.

    ``tokens`` [t] flat, ``offsets`` [n + 1]; returns two arrays [k], in order.
    """
    found = np.flatnonzero(tokens == token_id)
    samples = np.searchsorted(offsets, found, side="right") - 1
    return samples, found - offsets[samples]


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
        owners, positions = find_token(encoded.tokens, encoded.offsets, self._unk_id)
        if not len(owners):
            return
        samples, starts = np.unique(owners, return_index=True)
        digests = batch.digests()
        rows = [
            row_text(
                batch.first_id + sample,
                digests[sample],
                batch.source_file,
                int(batch.lines[sample]),
                inside.tolist(),
            )
            for sample, inside in zip(
                samples.tolist(), np.split(positions, starts[1:]), strict=True
            )
        ]
        self._rows.append("".join(rows).encode())
        self.samples += len(samples)
        self.tokens += len(owners)

    def finish(self) -> None:
        """Give the file its final name."""
        self._output.finish(self._rows, names.UNK_INDEX)
