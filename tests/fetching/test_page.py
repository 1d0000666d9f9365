"""docs/fetching.md: its example with the server of Python, and its table of limits."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from stream_reading.tiny_streams import digest
from worlds import read_output

import mintdim
from mintdim.fetching import limits
from mintdim.fetching.target import part_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PAGE = (Path(__file__).parents[2] / "docs" / "fetching.md").read_text("utf-8")


@pytest.fixture
def plainest() -> Iterator[Callable[[Path], str]]:
    """Start ``python -m http.server``; it answers a request for a range with all of the file."""
    running: list[subprocess.Popen[str]] = []

    def start(root: Path) -> str:
        command = [sys.executable, "-u", "-m", "http.server", "0", "--bind", "127.0.0.1"]
        server = subprocess.Popen(
            [*command, "--directory", str(root)],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        running.append(server)
        assert server.stdout
        matched = re.search(r"http://127\.0\.0\.1:\d+/", server.stdout.readline())
        assert matched
        return matched[0]

    yield start
    for server in running:
        server.kill()
        server.communicate()


def test_the_plainest_server_will_do(
    dataset: Path, dest: Path, plainest: Callable[[Path], str]
) -> None:
    url = plainest(dataset)
    fetched = mintdim.fetch(url, dest).fetched
    assert read_output(dest) == read_output(dataset)
    assert mintdim.fetch(url, dest).kept == fetched
    assert mintdim.verify(dest, full=True).ok


def test_a_file_left_unfinished_is_begun_anew_there(
    stream: Path, dest: Path, plainest: Callable[[Path], str]
) -> None:
    data = (stream / "train_000.bin").read_bytes()
    dest.mkdir()
    (dest / part_name("train_000.bin", digest(data))).write_bytes(data[:100])
    mintdim.fetch(plainest(stream), dest)
    assert read_output(dest) == read_output(stream)


def test_the_page_states_the_limits_that_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()  # the waits of the tests
    stated = {row[0].strip(): row[1] for row in re.findall(r"^\|([^|]+)\|([^|]+)\|$", PAGE, re.M)}
    waits = [f"{limits.BACK_OFF * 2**number:g}" for number in range(limits.TRIES - 1)]
    assert (
        f" {limits.TRIES}, after waits of {waits[0]}, {waits[1]} and {waits[2]} seconds"
        in (stated["tries per file"])
    )
    assert f"{limits.SILENCE:g} s to connect" in stated["time"]
    assert f"{limits.ANSWER:g} s for the head" in stated["time"]
    assert f"{limits.PACE_BYTES:,} bytes in every {limits.PACE_SECONDS:g} s" in stated["speed"]
    assert f" {limits.REDIRECTS} per file" in stated["redirects"]
    assert f"after {limits.UNREACHABLE} files" in stated["lost servers"]
    assert f"{limits.INDEX_BYTES >> 20} MiB" in stated["sizes"]
    assert f"{limits.METADATA_BYTES >> 20} MiB" in stated["sizes"]
