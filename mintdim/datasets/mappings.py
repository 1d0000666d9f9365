"""Files mapped into memory when they are first touched, and closed again before handles run out."""

from __future__ import annotations

import errno
import mmap
from collections import OrderedDict
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

Key = TypeVar("Key")
Mapped = TypeVar("Mapped")

# A mapping costs address space, not memory; but it keeps a handle open (Python before 3.13).
_MOST_MAPPINGS = 16_384


class Mappings(Generic[Key, Mapped]):
    """What ``make`` maps of each key, kept.

    At most half of the handles that this process may have are used; the mapping that was not
    touched for the longest time is closed first.
    """

    def __init__(self, make: Callable[[Key], Mapped]) -> None:
        self._make = make
        self._kept: OrderedDict[Key, Mapped] = OrderedDict()
        self.most = max(1, min(_MOST_MAPPINGS, _handles() // 2))

    def __getitem__(self, key: Key) -> Mapped:
        if (found := self._kept.get(key)) is not None:
            self._kept.move_to_end(key)
            return found
        while len(self._kept) >= self.most:
            self._kept.popitem(last=False)
        made = self._kept[key] = self._made(key)
        return made

    def _made(self, key: Key) -> Mapped:
        while True:
            try:
                return self._make(key)
            except OSError as error:  # the rest of the process needs more than half of them
                if error.errno != errno.EMFILE or not self._kept:
                    raise
                self._kept.popitem(last=False)


def map_file(path: Path) -> mmap.mmap:
    """Return the content of a file that is not empty, read-only."""
    with open(path, "rb") as file:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


def _handles() -> int:
    """Return how many handles this process may have open."""
    try:
        import resource
    except ImportError:  # Windows: the limit of the C library
        return 512
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return 2 * _MOST_MAPPINGS if limit == resource.RLIM_INFINITY else int(limit)
