"""Runs one command and prints what it and everything it started took; fresh for every run.

    python peer_clock.py LOG COMMAND ...

CPU seconds and the peak of the largest process are those of the kernel for waited-for children.
A pool may leave behind children that outlive their parent (a fork server does): where the system
lets it, this process adopts and waits for those too, so that none of their CPU time is lost.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import resource
import subprocess
import sys
import time

_SET_CHILD_SUBREAPER = 36  # prctl(2), Linux
_PATIENCE = 10.0  # seconds for what the command left behind


def main() -> None:
    log, *command = sys.argv[1:]
    _adopt_orphans()
    started = time.monotonic()
    with open(log, "wb") as output:
        status = subprocess.run(command, stdout=output, stderr=subprocess.STDOUT).returncode
    wall = time.monotonic() - started
    _wait_for_orphans()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    unit = 1024 * 1024 if sys.platform == "darwin" else 1024
    facts = {"cpu": used.ru_utime + used.ru_stime, "wall": wall, "mb": used.ru_maxrss / unit}
    print(json.dumps({"status": status, **facts}))


def _adopt_orphans() -> None:
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _wait_for_orphans() -> None:
    deadline = time.monotonic() + _PATIENCE
    with contextlib.suppress(ChildProcessError):
        while time.monotonic() < deadline:
            pid, _ = os.waitpid(-1, os.WNOHANG)
            if not pid:
                time.sleep(0.02)


if __name__ == "__main__":
    main()
