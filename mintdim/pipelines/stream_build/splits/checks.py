"""Whether the documents give the splits that were asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mintdim.formats.stream_names import SPLITS
from mintdim.pipelines.stream_build.config import Fraction, PerLanguageCount
from mintdim.shared.errors import SplitError
from mintdim.shared.log import logger
from mintdim.shared.messages import phrase

if TYPE_CHECKING:
    from mintdim.formats.shards import IntArray
    from mintdim.pipelines.stream_build.config import Splits
    from mintdim.pipelines.stream_build.splits.borders import Borders


def check_borders(
    borders: list[Borders], languages: tuple[str, ...], splits: PerLanguageCount
) -> None:
    """Raise ``SplitError`` for a language with too few dated documents; one is left for train."""
    asked = splits.test_docs + splits.val_docs
    needed = asked + 1 if asked else 0
    for language, found in zip(languages, borders, strict=True):
        if found.rows < needed:
            facts = {"language": language, "found": found.rows, "needed": needed}
            raise SplitError(problem=phrase("too_few_dated", **facts))
        if splits.val_docs and not found.val_rows:
            logger.warning(
                "[stream-build:warning] language %s gets no val documents: all of them have the "
                "time at which test begins, or a later one.",
                language,
            )


def check_filled(documents: IntArray, splits: Splits, rows: int, dropped: int) -> None:
    """Raise ``SplitError`` if a split that was asked for has no documents.

    ``documents`` [split, language] counts them.
    """
    if not documents.any():
        raise SplitError(problem=phrase("no_documents", rows=rows, dropped=dropped))
    for split, counts in zip(SPLITS, documents, strict=True):
        if split in _asked(splits) and not np.any(counts):
            raise SplitError(problem=phrase("split_empty", split=split))


def _asked(splits: Splits) -> set[str]:
    sizes: dict[str, float] = {"train": 1}
    if isinstance(splits, PerLanguageCount):
        sizes |= {"val": splits.val_docs, "test": splits.test_docs}
    if isinstance(splits, Fraction):
        sizes |= {"val": splits.val, "test": splits.test}
    return {split for split, size in sizes.items() if size}
