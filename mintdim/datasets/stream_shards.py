"""The shards of a stream dataset: tokens mapped, documents and languages found when asked for."""

from __future__ import annotations

from collections import OrderedDict
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from mintdim.datasets.mappings import Mappings, map_file
from mintdim.formats.shards import numpy_dtype
from mintdim.formats.stream_arrays import document_ends
from mintdim.formats.stream_names import languages_name
from mintdim.shared.errors import DatasetArgumentError, DatasetDamagedError
from mintdim.shared.messages import phrase

if TYPE_CHECKING:
    from pathlib import Path

    import numpy.typing as npt

    from mintdim.formats.shards import IntArray, TokenArray
    from mintdim.formats.stream_arrays import CodeArray
    from mintdim.formats.stream_index import StreamIndex, StreamShard

# Where documents end, of the shards that were used last: 4 bytes per document.
_MOST_TABLE_BYTES = 128 * 2**20


class StreamShards:
    """All shards of a dataset by their entries in the index."""

    def __init__(self, root: Path, index: StreamIndex) -> None:
        self.root, self.index, self.eos_id = root, index, index.eos_id
        self.dtype = numpy_dtype(index.dtype)
        self._mapped = Mappings(partial(_map, root, self.dtype))
        self._ends: OrderedDict[str, npt.NDArray[np.uint32]] = OrderedDict()

    def __reduce__(self) -> Any:
        """Let a copy in another process map the files again."""
        return StreamShards, (self.root, self.index)

    def tokens(self, shard: StreamShard) -> TokenArray:
        """Return the tokens of one shard [tokens], a read-only view of its file.

        Raises ``DatasetDamagedError`` where the file is gone, or changed its size since it was
        opened.
        """
        try:
            tokens = self._mapped[shard.name]
        except (OSError, ValueError) as error:  # an empty file cannot be mapped
            detail = f"{type(error).__name__}: {error}"
            problem = phrase("unreadable", detail=detail)
            raise DatasetDamagedError(
                path=str(self.root), file=shard.name, problem=problem
            ) from error
        if len(tokens) != shard.tokens:
            sizes = tokens.nbytes, shard.tokens * self.dtype.itemsize
            raise self._damaged(shard.name, "other_size", *sizes)
        return tokens

    def windows(self, shards: list[StreamShard], starts: list[int], length: int) -> IntArray:
        """Return ``length`` tokens from each start [n] in its shard [n] as [n, length] int64."""
        found: IntArray = np.empty((len(starts), length), dtype=np.int64)
        for row, (shard, start) in enumerate(zip(shards, starts, strict=True)):
            found[row] = self.tokens(shard)[start : start + length]
        return found

    def ends(self, shard: StreamShard) -> npt.NDArray[np.uint32]:
        """Return the position of every EOS of one shard [docs], ascending.

        Raises ``DatasetDamagedError`` where they are not as many as the index says, or tokens
        follow the last one.
        """
        if (kept := self._ends.get(shard.name)) is not None:
            self._ends.move_to_end(shard.name)
            return kept
        ends = document_ends(self.tokens(shard), self.eos_id)
        if len(ends) != shard.docs:
            raise self._damaged(shard.name, "other_eos_count", len(ends), shard.docs)
        if int(ends[-1]) != shard.tokens - 1:
            raise self._damaged(shard.name, "last_eos", int(ends[-1]), shard.tokens - 1)
        self._keep(shard.name, ends)
        return ends

    def has_codes(self, shard: StreamShard) -> bool:
        """Say whether the languages of the documents of one shard are recorded."""
        return (self.root / languages_name(shard.name)).is_file()

    def codes(self, shard: StreamShard) -> CodeArray:
        """Return the language code of every document of one shard [docs].

        Raises ``DatasetArgumentError`` where there are none.
        """
        name = languages_name(shard.name)
        if not self.has_codes(shard):
            raise DatasetArgumentError(problem=phrase("no_language_codes", name=name))
        codes = np.fromfile(self.root / name, dtype=np.uint8)
        if len(codes) != shard.docs:
            raise self._damaged(name, "other_size", len(codes), shard.docs)
        return codes

    def _keep(self, name: str, ends: npt.NDArray[np.uint32]) -> None:
        self._ends[name] = ends
        while sum(kept.nbytes for kept in self._ends.values()) > _MOST_TABLE_BYTES:
            if len(self._ends) == 1:
                return
            self._ends.popitem(last=False)

    def _damaged(self, name: str, code: str, found: int, expected: int) -> DatasetDamagedError:
        problem = phrase(code, found=found, expected=expected)
        return DatasetDamagedError(path=str(self.root), file=name, problem=problem)


def _map(root: Path, dtype: np.dtype[Any], name: str) -> TokenArray:
    tokens: TokenArray = np.frombuffer(map_file(root / name), dtype=dtype)
    return tokens
