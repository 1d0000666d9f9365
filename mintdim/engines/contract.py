"""The protocol of all engines, an ordered map, and what a job says of its engine."""

from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass
from typing import Protocol, TypeVar

from mintdim.shared.types import EngineKind

A = TypeVar("A")
B = TypeVar("B")


class Engine(Protocol):
    """Runs a pure, importable task over picklable items.

    Results come back in the order of the items, whatever ran where; items are drawn only as
    fast as results are taken. A task may run more than once, and reports a failure of the
    data as its result, not by raising.
    """

    @property
    def kind(self) -> str:
        """The name of the engine."""
        ...

    @property
    def workers(self) -> int:
        """Worker processes; 0 if tasks run in this process."""
        ...

    def map(self, task: Callable[[A], B], items: Iterable[A]) -> Generator[B]:
        """Yield ``task(item)`` for every item, in order; no task runs any more once closed."""
        ...


@dataclass(frozen=True, slots=True)
class EngineConfig:
    """``.engine.inline()`` or ``.engine.processes(workers)``; decides where, never what.

    ``workers`` 0 means one per core.
    """

    kind: EngineKind = "auto"
    workers: int = 0
