"""Progress: a bar on a terminal, nothing anywhere else."""

from __future__ import annotations

import io
import os
import pty
import re
import subprocess
import sys
import termios
from pathlib import Path

import pytest
import worlds
from worlds import jsonl, write_files

from mintdim.shared.progress import Progress, above_bar

TESTS = Path(__file__).parents[1]
BUILD = """
import logging, time
from pathlib import Path
import worlds

class Slow(logging.Handler):
    def emit(self, record):
        time.sleep(0.15)  # a bar is redrawn ten times a second at most

logging.getLogger("mintdim").addHandler(Slow())
logging.getLogger("mintdim").setLevel(logging.INFO)
worlds.run_job(Path.cwd(), **worlds.make_job(samples_per_shard=[1], output=OUTPUT))
"""
SHOWN = """
from pathlib import Path
import worlds
worlds.run_job(Path.cwd(), **worlds.make_job(samples_per_shard=[1], output=OUTPUT))
"""


@pytest.fixture
def world(tmp_path: Path) -> Path:
    return write_files(
        tmp_path, {"in.jsonl": jsonl({"text": "a"}, {"text": "b"}), "tok.model": worlds.spm()}
    )


def on_a_terminal(world: Path, program: str) -> str:
    """What a program writes to stderr when that is a terminal."""
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (24, 160))
    path = os.pathsep.join([str(TESTS), *filter(None, sys.path)])
    process = subprocess.Popen(
        [sys.executable, "-c", program],
        cwd=world,
        env={**os.environ, "PYTHONPATH": path, "TERM": "xterm"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=theirs,
    )
    os.close(theirs)
    written = b""
    try:
        while block := os.read(ours, 65536):
            written += block
    except OSError:  # Linux reports the end of a terminal as an error
        pass
    os.close(ours)
    assert process.wait(timeout=60) == 0, written
    return written.decode()


def test_nothing_is_drawn_where_stderr_is_no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    stderr = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stderr)
    with Progress(100, "unit-build") as progress:
        progress.advance(50, 1, 2)
        progress.advance(50, 1, 2)
    assert stderr.getvalue() == ""


def test_a_program_without_stderr_makes_progress_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", None)
    with Progress(100, "unit-build") as progress:
        progress.advance(100, 1, 2)


def test_a_bar_shows_bytes_samples_tokens_and_the_time_left(world: Path) -> None:
    drawn = on_a_terminal(world, "OUTPUT = 'out'" + BUILD)
    size = (world / "in.jsonl").stat().st_size
    assert re.search(rf"unit-build:.*\b{size}(\.0)?/{size}(\.0)?\b", drawn)
    assert re.search(r"[\d,]+ samples/s, [\d,]+ tokens/s", drawn)
    assert re.search(r"\[\d\d:\d\d<(\d\d:\d\d|\?)", drawn)


def test_a_bar_is_gone_at_the_end(world: Path) -> None:
    last = on_a_terminal(world, "OUTPUT = 'out'" + BUILD).rpartition("unit-build:")[2]
    assert re.search(r"\r +\r$", last)


def test_lines_of_the_log_stand_alone_on_a_terminal(world: Path) -> None:
    """A line begins at the left margin, where no bar is left standing before it."""
    drawn = on_a_terminal(world, "OUTPUT = 'out'" + SHOWN)
    for number in (0, 1):
        assert re.search(rf"(^|\r|\n)\[unit-build\] shard={number:06d} .* unit=8\r\n", drawn)


def test_printing_above_a_bar_needs_no_bar(capsys: pytest.CaptureFixture[str]) -> None:
    with above_bar():
        sys.stderr.write("line\n")
    assert capsys.readouterr().err == "line\n"
