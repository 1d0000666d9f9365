"""Worker processes give what the inline engine gives, whatever happens to them."""

from __future__ import annotations

import math
import operator
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mintdim.engines.inline import InlineEngine
from mintdim.engines.processes import ProcessEngine
from mintdim.shared.errors import EngineError

if TYPE_CHECKING:
    from collections.abc import Iterator


def workers_alive() -> list[str]:
    """Command lines of live children of this process that serve as workers."""
    children = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children")
    found = []
    for child in children.read_text().split():
        command = Path(f"/proc/{child}/cmdline").read_bytes().decode()
        found += [command] if "mintdim.engines.worker" in command else []
    return found


@settings(max_examples=5, deadline=None)
@given(st.lists(st.integers(0, 10**6), max_size=30), st.integers(1, 3))
def test_the_results_are_those_of_the_inline_engine_in_order(items: list[int], n: int) -> None:
    assert list(ProcessEngine(n).map(math.isqrt, items)) == list(
        InlineEngine().map(math.isqrt, items)
    )


def test_items_are_drawn_only_a_little_ahead_of_the_results() -> None:
    drawn = 0

    def items() -> Iterator[int]:
        nonlocal drawn
        while True:
            drawn += 1
            yield drawn

    results = ProcessEngine(2).map(math.isqrt, items())
    for _ in range(10):
        next(results)
    time.sleep(0.2)
    assert drawn <= 10 + 2 * 2
    results.close()  # type: ignore[attr-defined]


def test_an_exception_of_the_task_is_raised_at_its_place() -> None:
    results = ProcessEngine(2).map(math.sqrt, [4, 9, -1, 16])
    assert [next(results), next(results)] == [2, 3]
    with pytest.raises(ValueError, match="domain"):
        next(results)


def test_an_exception_of_the_items_is_raised_after_the_results_before_it() -> None:
    def items() -> Iterator[int]:
        yield 4
        raise KeyError("no more")

    results = ProcessEngine(2).map(math.sqrt, items())
    assert next(results) == 2
    with pytest.raises(KeyError, match="no more"):
        next(results)


def die_once(path: str) -> str:
    """Kill the process that runs this, the first time."""
    marker = Path(path)
    if not marker.exists():
        marker.write_text("was here")
        os.kill(os.getpid(), signal.SIGKILL)
    return path


def test_the_work_of_a_killed_worker_runs_again(tmp_path: Path) -> None:
    paths = [str(tmp_path / str(i)) for i in range(4)]
    assert list(ProcessEngine(2).map(die_once, paths)) == paths


def test_a_worker_that_dies_every_time_is_an_error_that_says_so() -> None:
    with pytest.raises(EngineError, match="died 3 times"):
        list(ProcessEngine(2).map(os._exit, [7]))


@pytest.mark.skipif(not Path("/proc").exists(), reason="looks at processes through /proc")
@pytest.mark.parametrize("how", ["finished", "closed", "failed"])
def test_no_worker_is_left(how: str) -> None:
    results: Any = ProcessEngine(2).map(math.sqrt, [4, 9, -1] if how == "failed" else [4, 9, 16])
    if how == "finished":
        list(results)
    elif how == "closed":
        next(results)
        results.close()
    else:
        with pytest.raises(ValueError, match="domain"):
            list(results)
    assert workers_alive() == []


def test_a_map_that_is_closed_while_its_workers_still_begin_ends_quietly() -> None:
    """pytest fails a test whose threads end with an exception."""
    for _ in range(8):
        results = ProcessEngine(3).map(math.isqrt, range(100))
        next(results)
        results.close()  # type: ignore[attr-defined]
    assert workers_alive() == []


def test_what_a_task_prints_does_not_reach_the_answers() -> None:
    assert list(ProcessEngine(1).map(print, ["a", "b"])) == [None, None]


def test_a_script_without_a_main_guard_just_works(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import operator\nfrom mintdim.engines.processes import ProcessEngine\n"
        "print(list(ProcessEngine(2).map(operator.neg, [1, 2, 3])))\n"
    )
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout == "[-1, -2, -3]\n"


def test_the_name_of_a_task_is_enough_to_run_it() -> None:
    assert list(ProcessEngine(1).map(operator.neg, [1])) == [-1]
