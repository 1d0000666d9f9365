"""The counts of a finished build, as its result shows them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mintdim.formats.stream_names import SPLITS, Split
from mintdim.pipelines.stream_build.result import LanguageCounts, SplitCounts, StreamBuildResult

if TYPE_CHECKING:
    from mintdim.pipelines.stream_build.config import StreamBuildConfig
    from mintdim.pipelines.stream_build.decide import Decided
    from mintdim.pipelines.stream_build.output.shard_writer import WrittenShard


def result_of(
    config: StreamBuildConfig, decided: Decided, shards: dict[Split, list[WrittenShard]]
) -> StreamBuildResult:
    """Return the counts of a finished build."""
    dropped = decided.dropped
    by_time = config.documents.time is not None
    return StreamBuildResult(
        output_dir=config.directory,
        splits=tuple(
            _counts(split, shards[split], config.documents.languages)
            for split in SPLITS
            if shards[split]
        ),
        rows=int(decided.statuses.sum()),
        dropped=dropped,
        undated=decided.undated if by_time else 0,
        future=decided.future if by_time else 0,
    )


def _counts(split: Split, shards: list[WrittenShard], languages: tuple[str, ...]) -> SplitCounts:
    docs = np.sum([shard.docs for shard in shards], axis=0).tolist()
    tokens = np.sum([shard.tokens for shard in shards], axis=0).tolist()
    counts = (LanguageCounts(*row) for row in zip(languages, docs, tokens, strict=False))
    return SplitCounts(split, len(shards), tuple(row for row in counts if row.docs))
