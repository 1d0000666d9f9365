"""Windows to evaluate on: fixed ones that do not overlap, with the language of every target.

Each shard is cut into windows of ``ctx + 1`` tokens from its beginning; what is left at its end
is in none. A window predicts its last ``ctx`` tokens, the targets, from those before them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from mintdim.datasets.options import integer, positive
from mintdim.formats.stream_arrays import document_of_tokens
from mintdim.shared.errors import DatasetArgumentError
from mintdim.shared.messages import phrase

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mintdim.datasets.stream_shards import StreamShards
    from mintdim.formats.shards import IntArray
    from mintdim.formats.stream_arrays import CodeArray
    from mintdim.formats.stream_index import StreamShard


class EvaluationBatch(NamedTuple):
    """``tokens`` [n, ctx + 1] int64; ``languages`` [n, ctx]: the code of every target, or None.

    Inputs are ``tokens[:, :-1]``, targets ``tokens[:, 1:]``. None: the dataset has no codes.
    """

    tokens: IntArray
    languages: CodeArray | None


class EvaluationWindows:
    """The windows of all shards of a split, or with ``max_tokens`` evenly chosen ones of them.

    ``len()`` counts windows. ``windows[i]``, a number or a slice, are tokens [ctx + 1] or
    [n, ctx + 1]; ``batches(n)`` yields tokens and languages together, so that no more than a
    batch is in memory.
    """

    def __init__(
        self, opened: StreamShards, shards: Sequence[StreamShard], *, ctx: int, max_tokens: int
    ) -> None:
        self.ctx = positive("ctx", ctx)
        self._opened, self._shards = opened, tuple(shards)
        # Windows up to the end of each shard [shards].
        self._stops = np.cumsum([shard.tokens // (self.ctx + 1) for shard in shards])
        if not self._stops[-1]:
            longest = max(shard.tokens for shard in shards)
            problem = phrase("no_window", ctx=self.ctx, longest=longest)
            raise DatasetArgumentError(problem=problem)
        most = integer("max_tokens", max_tokens, at_least=0)
        self._numbers = _chosen(int(self._stops[-1]), self.ctx + 1, most)

    def __len__(self) -> int:
        return len(self._numbers)

    def __getitem__(self, number: int | slice) -> IntArray:
        chosen = self._numbers[number]
        found = self._tokens(np.atleast_1d(chosen))
        return found if isinstance(number, slice) else found[0]

    def __iter__(self) -> Iterator[IntArray]:
        return (self[number] for number in range(len(self)))

    @property
    def targets(self) -> int:
        """Tokens that are predicted: ``len(windows) * ctx``."""
        return len(self) * self.ctx

    def batches(self, count: int) -> Iterator[EvaluationBatch]:
        """Yield ``EvaluationBatch`` of ``count`` windows; the last one may hold fewer."""
        step = positive("n", count)
        for start in range(0, len(self), step):
            numbers = self._numbers[start : start + step]
            yield EvaluationBatch(self._tokens(numbers), self._languages(numbers))

    def _tokens(self, numbers: IntArray) -> IntArray:
        shards, starts = self._places(numbers)
        of_rows = [self._shards[at] for at in shards.tolist()]
        return self._opened.windows(of_rows, starts.tolist(), self.ctx + 1)

    def _languages(self, numbers: IntArray) -> CodeArray | None:
        shards, starts = self._places(numbers)
        found = np.empty((len(numbers), self.ctx), dtype=np.uint8)
        for at in np.unique(shards).tolist():
            rows, shard = np.flatnonzero(shards == at), self._shards[at]
            if not self._opened.has_codes(shard):
                return None
            targets = starts[rows][:, None] + np.arange(1, self.ctx + 1)
            documents = document_of_tokens(self._opened.ends(shard), targets)
            found[rows] = self._opened.codes(shard)[documents]
        return found

    def _places(self, numbers: IntArray) -> tuple[IntArray, IntArray]:
        """Return the shard of every window and its first token in it."""
        shards = np.searchsorted(self._stops, numbers, side="right")
        return shards, (numbers - np.append(0, self._stops)[shards]) * (self.ctx + 1)


def _chosen(windows: int, length: int, max_tokens: int) -> IntArray:
    """Return the numbers of the windows to evaluate, ascending; all of them for 0."""
    if not 0 < max_tokens < windows * length:
        return np.arange(windows)
    count = max(1, max_tokens // length)
    return np.linspace(0, windows - 1, count).astype(np.int64)
