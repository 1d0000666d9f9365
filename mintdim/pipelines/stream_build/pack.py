"""From decisions to shards: documents are encoded in source order and put where they belong.

Documents of val and test go straight into their shards. Those of train go through buckets, each to
the position that the shuffle gives it; how many there are is known before the first is encoded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mintdim.formats.shards import bytes_per_token
from mintdim.formats.stream_names import LABELLED_SPLITS, SPLITS, Split
from mintdim.pipelines.stream_build.contracts import (
    DECISION,
    SORT_RUN_BYTES,
    EncodeTask,
    Failure,
    Packed,
)
from mintdim.pipelines.stream_build.encode import encode_chunk
from mintdim.pipelines.stream_build.output.shard_writer import ShardWriter
from mintdim.pipelines.stream_build.packing.buckets import Buckets, documents_per_bucket
from mintdim.pipelines.stream_build.packing.order import PLACE_ROW_BYTES, positions
from mintdim.pipelines.stream_build.rows import at_line, chunks_of
from mintdim.shared.errors import SourceChangedError
from mintdim.shared.messages import phrase
from mintdim.spill.external_sort import ExternalSorter
from mintdim.spill.spool import Taking

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from mintdim.engines.contract import Engine
    from mintdim.pipelines.stream_build.config import StreamBuildConfig
    from mintdim.pipelines.stream_build.contracts import EncodedChunk
    from mintdim.pipelines.stream_build.decide import Decided
    from mintdim.pipelines.stream_build.output.shard_writer import WrittenShard
    from mintdim.pipelines.stream_build.rows import ScannedRows

_TRAIN = SPLITS.index("train")
# The least that a character gives: text of Latin letters has four to a token.
_TOKENS_PER_CHARACTER = 0.5


def encoded_chunks(
    config: StreamBuildConfig, scanned: ScannedRows, decided: Decided, engine: Engine
) -> Iterator[EncodedChunk]:
    """Yield the encoded chunks of all files in order; raise the first failure."""
    results = engine.map(encode_chunk, _tasks(config, scanned, decided))
    for facts, result in zip(scanned.chunks, results, strict=True):
        if isinstance(result, Failure):
            raise at_line(result, facts.lines_before)
        yield result


def _tasks(
    config: StreamBuildConfig, scanned: ScannedRows, decided: Decided
) -> Iterator[EncodeTask]:
    decisions = Taking(decided.spool.blocks(), np.empty(0, dtype=DECISION))
    known = iter(scanned.chunks)
    for chunk in chunks_of(config):
        facts = next(known, None)
        if facts is None:
            raise _changed(chunk.job.source.path)
        yield EncodeTask(chunk, facts.digest, decisions.take(facts.rows))
    if next(known, None) is not None:
        raise _changed(config.jobs[-1].source.path)


def _changed(file: str) -> SourceChangedError:
    return SourceChangedError(file=file, reason=phrase("changed_content"))


class Packer:
    """Takes encoded chunks in source order; ``finish`` returns all shards.

    ``path`` gives the place of an unfinished file by its name.
    """

    def __init__(
        self,
        config: StreamBuildConfig,
        scanned: ScannedRows,
        decided: Decided,
        path: Callable[[str], Path],
    ) -> None:
        width, limit = bytes_per_token(config.dtype), config.shards.tokens
        count = int(decided.documents[_TRAIN].sum())
        expected = int(scanned.characters * _TOKENS_PER_CHARACTER * width)
        sorter = ExternalSorter(path("positions"), PLACE_ROW_BYTES, SORT_RUN_BYTES)
        order = positions(count, config.shards.seed, sorter)
        self._positions = Taking(order, np.empty(0, dtype=np.int64))
        size = documents_per_bucket(count, expected)
        self._buckets = Buckets(path("bucket"), count, size, width)
        self._writers = {split: ShardWriter(path, split, limit, width) for split in SPLITS}

    def add(self, encoded: EncodedChunk) -> None:
        """Put the documents of a chunk where they belong."""
        train = _chosen(encoded, _TRAIN)
        if len(train.lengths):
            self._buckets.add(self._positions.take(len(train.lengths)), train)
        for split in LABELLED_SPLITS:
            self._writers[split].write(_chosen(encoded, SPLITS.index(split)))

    def finish(self) -> dict[Split, list[WrittenShard]]:
        """Put the training documents in order and return the shards of every split."""
        for block in self._buckets.documents():
            self._writers["train"].write(block)
        for writer in self._writers.values():
            writer.close()
        return {split: writer.shards for split, writer in self._writers.items()}


def _chosen(encoded: EncodedChunk, split: int) -> Packed:
    """Return the documents of a chunk that belong to a split."""
    mine = encoded.splits == split
    if mine.all():
        return Packed(encoded.lengths, encoded.codes, encoded.tokens.tobytes())
    tokens = encoded.tokens[np.repeat(mine, encoded.lengths)]
    return Packed(encoded.lengths[mine], encoded.codes[mine], tokens.tobytes())
