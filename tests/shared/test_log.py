"""The log: on stderr for a plain program, elsewhere or nowhere as the program decides."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import worlds
from worlds import jsonl, write_files

TESTS = Path(__file__).parents[1]
SHARD = "[unit-build] shard=000000 samples=2 bytes=0.0 MiB unit=8"
WARNING = '[unit-build:warning] template "{text}  x": '
BUILD = """
import worlds
from pathlib import Path
worlds.run_job(Path.cwd(), **worlds.make_job(templates=["{text}  x"], output=OUTPUT))
"""


@pytest.fixture
def world(tmp_path: Path) -> Path:
    """A model that makes one space of two: the template deserves a warning."""
    model = worlds.spm(remove_extra_whitespaces=True)
    return write_files(
        tmp_path, {"in.jsonl": jsonl({"text": "a"}, {"text": "b"}), "tok.model": model}
    )


def lines_of(world: Path, *steps: str) -> list[str]:
    """What a fresh program writes to stderr; "build" is a step of its own."""
    program = "\n".join(
        f"OUTPUT = 'out{i}'\n{BUILD}" if step == "build" else step for i, step in enumerate(steps)
    )
    process = subprocess.run(
        [sys.executable, "-c", program],
        cwd=world,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(TESTS), *filter(None, sys.path)])},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert process.stdout == ""
    return process.stderr.splitlines()


def test_a_plain_program_shows_every_line_once_however_often_it_builds(world: Path) -> None:
    lines = lines_of(world, "build", "build")
    assert len(lines) == 4
    assert lines[1] == lines[3] == SHARD
    assert lines[0] == lines[2]
    assert lines[0].startswith(WARNING)


def test_after_a_build_the_logger_is_as_it_was(world: Path) -> None:
    state = "logger = __import__('logging').getLogger('mintdim')\n"
    check = state + "assert (logger.handlers, logger.level, logger.propagate) == ([], 0, True)"
    assert len(lines_of(world, check, "build", check)) == 2


def test_a_level_on_the_logger_silences_what_is_below_it(world: Path) -> None:
    level = "import logging; logging.getLogger('mintdim').setLevel(logging.{})"
    assert lines_of(world, level.format("ERROR"), "build") == []
    (only,) = lines_of(world, level.format("WARNING"), "import shutil", "build")
    assert only.startswith(WARNING)


def test_a_null_handler_silences_the_log(world: Path) -> None:
    null = "import logging; logging.getLogger('mintdim').addHandler(logging.NullHandler())"
    assert lines_of(world, null, "build") == []


def test_basic_config_redirects_the_log_into_a_file(world: Path) -> None:
    redirect = "import logging; logging.basicConfig(filename='build.log', level=logging.INFO)"
    assert lines_of(world, redirect, "build") == []
    warning, shard = (world / "build.log").read_text("utf-8").splitlines()
    assert shard == f"INFO:mintdim:{SHARD}"
    assert warning.startswith(f"WARNING:mintdim:{WARNING}")


def test_basic_config_to_stderr_shows_every_line_once(world: Path) -> None:
    lines = lines_of(world, "import logging; logging.basicConfig(level=logging.INFO)", "build")
    assert len(lines) == 2
    assert lines[1] == f"INFO:mintdim:{SHARD}"
