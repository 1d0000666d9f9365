"""``boundaries`` of the index: how documents were split, and what became of the others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mintdim.formats.stream_index import LanguageBorders, per_language_count
from mintdim.pipelines.stream_build.config import Fraction
from mintdim.shared.times import written

if TYPE_CHECKING:
    from mintdim.pipelines.stream_build.config import NoSplits, PerLanguageCount
    from mintdim.pipelines.stream_build.splits.borders import Borders

Meta = dict[str, Any]


def by_count(
    splits: PerLanguageCount,
    borders: dict[str, Borders],
    computed_at: str,
    snapshot: str,
    meta: Meta,
) -> dict[str, Any]:
    """Return the boundaries of a split by time."""
    return per_language_count(
        test_docs=splits.test_docs,
        val_docs=splits.val_docs,
        computed_at=computed_at,
        snapshot=snapshot,
        langs={language: _borders(found) for language, found in borders.items()},
        meta=meta,
    )


def by_hash(
    splits: Fraction | NoSplits, computed_at: str, snapshot: str, meta: Meta
) -> dict[str, Any]:
    """Return the boundaries of a split by fractions, or of none."""
    head: dict[str, Any] = {"mode": "none"}
    if isinstance(splits, Fraction):
        head = {"mode": "fraction", "test": splits.test, "val": splits.val, "seed": splits.seed}
    return {**head, "computed_at": computed_at, "snapshot": snapshot, "_meta": meta}


def _borders(found: Borders) -> LanguageBorders:
    return LanguageBorders(
        docs=found.rows,
        max_pub_date=_time(found.newest),
        test_start=_time(found.test_start),
        val_start=_time(found.val_start),
        test_docs_actual=found.test_rows,
        val_docs_actual=found.val_rows,
    )


def _time(moment: int | None) -> str | None:
    return None if moment is None else written(moment)
