"""The tasks of a build, in whatever process they run, and the order in which they are handed out.

encode (a chunk → a piece) → [the driver places] → rows (a batch → index rows), shard (pieces → a
shard). A task that became possible goes before the next chunk, so that little waits at any time.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, TypeAlias

from mintdim.pipelines.unit_build.contracts import Difference, EncodedChunk, EncodeTask, Failure
from mintdim.pipelines.unit_build.encode import encode_chunk
from mintdim.pipelines.unit_build.output.index_rows import (
    RowsTask,
    WrittenRows,
    write_index_rows,
)
from mintdim.pipelines.unit_build.units.shard_writer import ShardTask, WrittenShard, write_shard

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

Task: TypeAlias = EncodeTask | RowsTask | ShardTask | None
Outcome: TypeAlias = EncodedChunk | Failure | Difference | WrittenRows | WrittenShard | None


def perform(task: Task) -> Outcome:
    """Run a task; None is one that does nothing."""
    match task:
        case EncodeTask():
            return encode_chunk(task)
        case RowsTask():
            return write_index_rows(task)
        case ShardTask():
            return write_shard(task)
    return None


class Agenda:
    """Hands out the chunks in order, and in between what follows from them.

    Tasks are drawn ahead of their results, perhaps by other threads: while nothing can be done
    before a result is in, there are tasks that do nothing.
    """

    def __init__(self, chunks: Iterable[EncodeTask], last: Callable[[], Iterable[Task]]) -> None:
        self._chunks, self._last = iter(chunks), last
        self._ready: deque[Task] = deque()
        self._drawn = self._done = 0

    def tasks(self) -> Iterator[Task]:
        """Yield all tasks; ``last`` says what is left when all results are in."""
        yield from self._possible()
        for chunk in self._chunks:
            self._drawn += 1
            yield chunk
            yield from self._possible()
        yield from self._rest()
        self._ready.extend(self._last())
        yield from self._rest()

    def done(self, following: Iterable[Task]) -> None:
        """Say that a result is in, and what it makes possible."""
        self._ready.extend(following)
        self._done += 1

    def _possible(self) -> Iterator[Task]:
        while self._ready:
            self._drawn += 1
            yield self._ready.popleft()

    def _rest(self) -> Iterator[Task]:
        # Asked in this order: what follows from a result is there before it counts as done.
        while self._done < self._drawn or self._ready:
            yield from self._possible()
            if self._done < self._drawn:
                yield None
