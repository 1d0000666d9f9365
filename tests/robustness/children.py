"""Builds in a forked child, stopped at chosen moments.

The child is warm: everything is imported and the tokenizer is known, so that hundreds of builds
take seconds. ``Operations`` counts what the build asks of the file system, and acts at one of
those moments.
"""

from __future__ import annotations

import builtins
import contextlib
import logging
import os
import signal
import sys
from typing import TYPE_CHECKING, Any

import worlds

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

MADE = ("mkdir", "rmdir", "unlink", "replace", "fsync", "open")


class Operations:
    """Replaces the calls that change the disk; ``act(name, n)`` runs before the n-th of them.

    A write is cut in two: the moment in the middle counts as one of its own.
    """

    def __init__(self, act: Callable[[str, int], None], under: Path) -> None:
        self._act, self._under, self.count = act, os.fspath(under), 0

    @contextlib.contextmanager
    def installed(self) -> Iterator[Operations]:
        earlier = {name: getattr(os, name) for name in (*MADE, "write")}
        plain_open = builtins.open
        for name in MADE:
            setattr(os, name, self._before(name, earlier[name]))
        os.write = self._halved(earlier["write"])
        builtins.open = self._creating(plain_open)  # type: ignore[assignment]
        try:
            yield self
        finally:
            builtins.open = plain_open
            for name, call in earlier.items():
                setattr(os, name, call)

    def _moment(self, name: str) -> None:
        self.count += 1
        self._act(name, self.count)

    def _before(self, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*args: Any, **kwargs: Any) -> Any:
            self._moment(name)
            return call(*args, **kwargs)

        return counted

    def _halved(self, write: Callable[..., int]) -> Callable[..., int]:
        def counted(descriptor: int, data: Any) -> int:
            self._moment("write")
            half = len(data) // 2
            done = write(descriptor, data[:half]) if half else 0
            self._moment("half")
            return done + write(descriptor, data[half:])

        return counted

    def _creating(self, plain_open: Callable[..., Any]) -> Callable[..., Any]:
        def counted(file: Any, mode: str = "r", *args: Any, **kwargs: Any) -> Any:
            if set(mode) & set("wxa") and str(file).startswith(self._under):
                self._moment("create")
            return plain_open(file, mode, *args, **kwargs)

        return counted


def count_operations(world: Path, job: worlds.Job) -> int:
    """How many moments a build has; it runs here and stays whole."""
    with Operations(lambda name, n: None, world).installed() as operations:
        worlds.run_job(world, **job)
    return operations.count


def killed_at(moment: int) -> Callable[[str, int], None]:
    def act(name: str, n: int) -> None:
        if n == moment:
            os.kill(os.getpid(), signal.SIGKILL)

    return act


def forked(work: Callable[[], object]) -> int:
    """Run ``work`` in a child and return the child's id; it ends without pytest noticing."""
    child = os.fork()
    if child:
        return child
    status = 1
    try:
        logging.getLogger("mintdim").setLevel(logging.CRITICAL)
        work()
        status = 0
    finally:
        sys.stdout.flush()
        os._exit(status)


def end_of(child: int) -> int:
    """The exit status of a child, negative for a signal."""
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
