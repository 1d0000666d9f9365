"""SIGINT and SIGTERM at any moment: an orderly end, then the signal has its usual effect."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import worlds
from children import Operations, count_operations, end_of, forked
from stopped import check_left

from mintdim.shared.errors import BuildInterruptedError

if TYPE_CHECKING:
    from collections.abc import Callable

SIGNALS = [signal.SIGINT, signal.SIGTERM]
INTERRUPTED, HANDLED = 42, 43
pytestmark = pytest.mark.usefixtures("small_chunks", "spilling")


def build_with_defaults(world: Path, job: worlds.Job) -> None:
    """Ctrl-C is a ``KeyboardInterrupt``, SIGTERM ends the process: as in any program."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    try:
        worlds.run_job(world, **job)
    except KeyboardInterrupt:
        os._exit(INTERRUPTED)


def build_with_handler(world: Path, job: worlds.Job) -> None:
    """The program has a handler of its own: it must be back, and called exactly once."""
    seen: list[int] = []

    def handler(number: int, frame: object) -> None:
        seen.append(number)

    for number in SIGNALS:
        signal.signal(number, handler)
    failure = None
    try:
        worlds.run_job(world, **job)
    except BuildInterruptedError as error:
        failure = error
    assert all(signal.getsignal(number) is handler for number in SIGNALS)
    if failure is not None:
        assert [signal.Signals(number).name for number in seen] == [failure.signal_name]
        os._exit(HANDLED)


@pytest.mark.parametrize("number", SIGNALS)
@pytest.mark.parametrize("build", [build_with_defaults, build_with_handler])
def test_at_operations_on_the_disk(
    world: Path, job: worlds.Job, number: signal.Signals, build: Callable[..., None]
) -> None:
    def act(name: str, n: int) -> None:
        if n == moment:
            signal.raise_signal(number)

    moments = count_operations(world, job)
    for moment in range(1 + number % 2, moments + 1, 6):
        shutil.rmtree(world / "out", ignore_errors=True)
        with Operations(act, world).installed():
            status = end_of(forked(lambda: build(world, job)))
        complete = check_left(world / "out")
        assert status in expected(number, build, complete), moment


def expected(number: signal.Signals, build: Callable[..., None], complete: bool) -> tuple[int, ...]:
    """Exit statuses; a program that handles the signal returns from a build that was done."""
    if build is build_with_handler:
        return (0,) if complete else (HANDLED,)
    return (INTERRUPTED,) if number == signal.SIGINT else (-signal.SIGTERM,)


def test_at_random_moments(make_world: Callable[..., Path], job: worlds.Job) -> None:
    world, rng = make_world(3), random.Random(2)
    for _ in range(40):
        shutil.rmtree(world / "out", ignore_errors=True)
        child = forked(lambda: build_with_defaults(world, job))
        time.sleep(rng.uniform(0, 0.06))
        os.kill(child, number := rng.choice(SIGNALS))
        # A signal may come before the handlers of the build, or of this program, are set.
        early = (1, -signal.SIGINT)
        assert end_of(child) in (0, *early, *expected(number, build_with_defaults, True))
        check_left(world / "out")


PROGRAM = """
import logging, sys, time
from pathlib import Path
import worlds

class Slow(logging.Handler):
    def emit(self, record):
        print("started", flush=True)
        time.sleep(0.05)

logging.getLogger("mintdim").addHandler(Slow())
logging.getLogger("mintdim").setLevel(logging.INFO)
worlds.run_job(Path.cwd(), **worlds.make_job(sizes=[[2, 4, 8, 16, 64]], samples_per_shard=[1]))
"""


@pytest.mark.parametrize("number", SIGNALS)
def test_a_program_of_its_own_ends_by_the_signal(
    make_world: Callable[..., Path], number: signal.Signals
) -> None:
    world = make_world(10)
    path = os.pathsep.join([str(Path(worlds.__file__).parent), *filter(None, sys.path)])
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM],
        cwd=world,
        env={**os.environ, "PYTHONPATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    assert process.stdout is not None
    process.stdout.readline()
    process.send_signal(number)
    _, stderr = process.communicate(timeout=60)
    assert process.returncode == -number, stderr
    assert check_left(world / "out") is False
    assert number.name in (world / "out/unit_2/UNIT_BUILD_FAILED.md").read_text("utf-8")
    with pytest.raises(ProcessLookupError):  # no process of its group is left
        os.killpg(process.pid, 0)
