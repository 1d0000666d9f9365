"""Special index writer: samples whose field values hold special tokens of the tokenizer.

Most datasets have none; the file appears only if there are any.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from mintdim.formats import json_text, names
from mintdim.pipelines.unit_build.output.grouping import count_samples
from mintdim.shared.log import logger

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mintdim.pipelines.unit_build.contracts import Batch
    from mintdim.pipelines.unit_build.output.dir import OutputDirectory
    from mintdim.pipelines.unit_build.output.index_rows import WrittenRows
    from mintdim.shared.files import HashedFile


class SpecialIndexWriter:
    """Writes ``special_index.jsonl``: a row for every sample with special tokens in its data.

    ``special_tokens``: their ids and texts.
    """

    def __init__(self, output: OutputDirectory, special_tokens: Mapping[int, str]) -> None:
        self._output, self._texts = output, special_tokens
        self._rows: HashedFile | None = None
        self._counts: Counter[int] = Counter()
        self.samples = 0

    @property
    def counts(self) -> dict[str, int]:
        """Occurrences by the text of the token, in order of the ids."""
        return {self._texts[token_id]: n for token_id, n in sorted(self._counts.items())}

    def count(self, batch: Batch) -> dict[int, str]:
        """Count the special tokens of a batch; return those that occur, as JSON, by id."""
        found = batch.encoded.special
        self.samples += count_samples(found)
        counts = Counter(found.ids.tolist())
        self._counts.update(counts)
        return {token_id: json_text.text(self._texts[token_id]) for token_id in counts}

    def write(self, rows: WrittenRows) -> None:
        """Append the rows of a batch, if it has any."""
        if names.SPECIAL_INDEX in rows.files:
            self._rows = self._rows or self._output.new_file(names.SPECIAL_INDEX)
            self._rows.take_over(*rows.files[names.SPECIAL_INDEX])

    def finish(self) -> None:
        """Give the file its final name, and say what was found, if anything was."""
        if self._rows is None:
            return
        self._output.finish(self._rows, names.SPECIAL_INDEX)
        shown = ", ".join(f"{text} x {count}" for text, count in self.counts.items())
        logger.warning(
            "[unit-build:warning] field values hold special tokens of the tokenizer: %s "
            "(in %d samples, see %s).",
            shown,
            self.samples,
            names.SPECIAL_INDEX,
        )
