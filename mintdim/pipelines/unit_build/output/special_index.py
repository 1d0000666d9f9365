"""Special index writer: samples whose field values hold special tokens of the tokenizer.

Most datasets have none; the file appears only if there are any.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from mintdim.formats import json_text, names
from mintdim.formats.token_index import special_rows
from mintdim.pipelines.unit_build.output.grouping import by_sample
from mintdim.shared.log import logger

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mintdim.pipelines.unit_build.contracts import Batch
    from mintdim.pipelines.unit_build.output.dir import OutputDirectory
    from mintdim.shared.files import HashedFile


class SpecialIndexWriter:
    """Appends a row to ``special_index.jsonl`` for every sample with special tokens in its data.

    ``special_tokens``: their ids and texts.
    """

    def __init__(self, output: OutputDirectory, special_tokens: Mapping[int, str]) -> None:
        self._output, self._texts = output, special_tokens
        self._shown = {token_id: json_text.text(text) for token_id, text in special_tokens.items()}
        self._rows: HashedFile | None = None
        self._counts: Counter[int] = Counter()
        self.samples = 0

    @property
    def counts(self) -> dict[str, int]:
        """Occurrences by the text of the token, in order of the ids."""
        return {self._texts[token_id]: n for token_id, n in sorted(self._counts.items())}

    def write(self, batch: Batch) -> None:
        """Append the rows of a batch and count them."""
        found = batch.encoded.special
        if not len(found.samples):
            return
        self._rows = self._rows or self._output.new_file(names.SPECIAL_INDEX)
        grouped = by_sample(found)
        shown = ([self._shown[token_id] for token_id in ids] for ids in grouped.ids)
        rows = special_rows(batch.origins(grouped.samples), grouped.positions, shown)
        self.samples += self._rows.append_rows(rows)
        self._counts.update(found.ids.tolist())

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
