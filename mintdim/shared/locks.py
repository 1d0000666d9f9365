"""Locks on folders: one process at a time, where the system can; a lock ends with its holder."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from mintdim.shared.files import make_directory, using

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

if TYPE_CHECKING:
    from pathlib import Path


class FolderLock:
    """Makes a folder and holds the lock on it until ``release``; ``taken``: another holds it.

    A system or a disk without such locks lets everybody have one.
    """

    def __init__(self, path: Path) -> None:
        self.taken = False
        self._descriptor: int | None = None
        if fcntl is None:
            make_directory(path)
            return
        while not self._try(path):
            self.release()

    def release(self) -> None:
        """Give the lock back; to do so again is no error."""
        if self._descriptor is not None:
            os.close(self._descriptor)
        self._descriptor = None

    def _try(self, path: Path) -> bool:
        """Lock the folder; False if its last holder removed it meanwhile."""
        make_directory(path)
        try:
            self._descriptor = os.open(path, os.O_RDONLY)
        except FileNotFoundError:
            return False
        except OSError:
            with using(path):
                raise
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self.taken = True
        except OSError:
            return True
        return self.taken or self._is_still(path)

    def _is_still(self, path: Path) -> bool:
        try:
            return os.path.samestat(os.fstat(self._descriptor or 0), os.stat(path))
        except FileNotFoundError:
            return False
