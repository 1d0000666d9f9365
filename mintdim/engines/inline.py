"""The reference engine: every task runs here and now, one after the other."""

from collections.abc import Callable, Generator, Iterable
from typing import TypeVar

A = TypeVar("A")
B = TypeVar("B")


class InlineEngine:
    """Runs tasks in the calling thread."""

    kind = "inline"
    workers = 0

    def map(self, task: Callable[[A], B], items: Iterable[A]) -> Generator[B]:
        """Yield ``task(item)`` for every item, in order."""
        yield from map(task, items)
