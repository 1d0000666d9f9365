"""A call in a forked child: whatever becomes of it, this process lives on and says what it was."""

from __future__ import annotations

import faulthandler
import logging
import os
import pickle
import resource
import select
import signal
import sys
import tempfile
import time
import traceback
import warnings
from typing import IO, TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from collections.abc import Callable

MEMORY_LIMIT = 4 * 2**30  # address space: a mutant that asks for more fails alone
_SHOWN = 800  # characters of what a crashed child said


class CrashError(Exception):
    """The child hung, was killed by a signal, or ended with an exception."""


def in_child(call: Callable[[], Any], seconds: float) -> Any:
    """The (picklable) answer of ``call``; raises ``CrashError``."""
    with tempfile.TemporaryFile() as said:
        pid, reader = _start(call, said)
        with os.fdopen(reader, "rb", buffering=0) as pipe:
            answer = _read(pipe, time.monotonic() + seconds)
        if answer is None:
            os.kill(pid, signal.SIGKILL)
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        said.seek(0)
        words = said.read().decode("utf-8", "replace").strip()
    if answer is None:
        raise CrashError(f"did not end within {seconds:g} s")
    if code:
        reason = f"killed by {signal.Signals(-code).name}" if code < 0 else words.split("\n")[-1]
        raise CrashError(f"{reason}\n{words[:_SHOWN]}\n...\n{words[-_SHOWN:]}")
    return pickle.loads(answer)


def _start(call: Callable[[], Any], said: IO[bytes]) -> tuple[int, int]:
    reader, writer = os.pipe()
    with warnings.catch_warnings():
        # Python 3.12 and later warn of threads; this child only calls, answers and ends.
        warnings.simplefilter("ignore", DeprecationWarning)
        pid = os.fork()
    if pid == 0:
        _answer(call, writer, said)
    os.close(writer)
    return pid, reader


def _answer(call: Callable[[], Any], writer: int, said: IO[bytes]) -> NoReturn:
    code = 1
    try:
        os.dup2(said.fileno(), 2)
        sys.stderr = os.fdopen(2, "w", encoding="utf-8", errors="backslashreplace", closefd=False)
        logging.disable(logging.CRITICAL)
        faulthandler.disable()  # the parent says what happened
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT, MEMORY_LIMIT))
        with os.fdopen(writer, "wb") as pipe:
            pipe.write(pickle.dumps(call()))
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)


def _read(pipe: IO[bytes], deadline: float) -> bytes | None:
    """All bytes until the other end closes; None if it does not in time."""
    parts: list[bytes] = []
    while select.select([pipe], [], [], max(0.0, deadline - time.monotonic()))[0]:
        part = pipe.read(65536)
        if not part:
            return b"".join(parts)
        parts.append(part)
    return None
