"""Shards of one split: documents in order go in, whole shards that were read back come out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mintdim.formats.stream_names import LABELLED_SPLITS, Split
from mintdim.pipelines.stream_build.output.cuts import pieces
from mintdim.shared.files import HashedFile, check_written

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from mintdim.formats.shards import IntArray
    from mintdim.pipelines.stream_build.contracts import Codes, Packed

_CODES = 256


@dataclass(slots=True)
class WrittenShard:
    """A shard under its working name: ``docs`` and ``tokens`` by language code [256].

    ``codes`` holds the language of every document; train has none.
    """

    file: HashedFile
    codes: HashedFile | None
    docs: IntArray
    tokens: IntArray


class ShardWriter:
    """Writes the shards of a split; ``path`` gives the place of a file by its working name."""

    def __init__(self, path: Callable[[str], Path], split: Split, limit: int, width: int) -> None:
        self._path, self._split, self._limit, self._width = path, split, limit, width
        self._filled = 0
        self._open: WrittenShard | None = None
        self.shards: list[WrittenShard] = []

    def write(self, packed: Packed) -> None:
        """Write documents in their order."""
        ends_at = np.cumsum(packed.lengths) * self._width
        for start, stop, ends in pieces(packed.lengths, self._limit, self._filled):
            first, last = (int(ends_at[i - 1]) if i else 0 for i in (start, stop))
            self._append(
                packed.lengths[start:stop],
                packed.codes[start:stop],
                memoryview(packed.tokens)[first:last],
            )
            if ends:
                self.close()

    def close(self) -> None:
        """Finish the open shard, if there is one."""
        if self._open is None:
            return
        for file in (self._open.file, self._open.codes):
            if file is not None:
                check_written(file)
        self._open, self._filled = None, 0

    def _append(self, lengths: IntArray, codes: Codes, tokens: memoryview) -> None:
        if not len(lengths):
            return
        shard = self._open or self._begin()
        shard.file.append(tokens)
        if shard.codes is not None:
            shard.codes.append(codes.tobytes())
        shard.docs += np.bincount(codes, minlength=_CODES)
        # Floating point holds whole numbers up to 2**53, far above the tokens of a call.
        shard.tokens += np.bincount(codes, lengths, minlength=_CODES).astype(np.int64)
        self._filled += int(lengths.sum())

    def _begin(self) -> WrittenShard:
        stem = f"{self._split}.{len(self.shards)}"
        labelled = self._split in LABELLED_SPLITS
        self._open = WrittenShard(
            file=HashedFile(self._path(f"{stem}.tokens")),
            codes=HashedFile(self._path(f"{stem}.codes")) if labelled else None,
            docs=np.zeros(_CODES, dtype=np.int64),
            tokens=np.zeros(_CODES, dtype=np.int64),
        )
        self.shards.append(self._open)
        return self._open
