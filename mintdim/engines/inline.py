"""The reference engine: every task runs here and now, one after the other."""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

A = TypeVar("A")
B = TypeVar("B")


class InlineEngine:
    """Runs tasks in the calling thread."""

    kind = "inline"
    workers = 0

    def map(self, task: Callable[[A], B], items: Iterable[A]) -> Iterator[B]:
        """Yield ``task(item)`` for every item, in order."""
        return map(task, items)
