"""The engine changes the time of a build, never its bytes nor its first error."""

from __future__ import annotations

import gzip
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import worlds

from mintdim.shared.errors import EngineValidationError, SourceParseError, UnitOverflowError
from mintdim.sources import chunks

if TYPE_CHECKING:
    from mintdim.pipelines.unit_build.api import UnitBuild


@pytest.fixture
def job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Two files, one of them compressed, in many small chunks."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(chunks, "CHUNK_BYTES", 512)
    choose = random.Random(7)
    rows = [
        {"text": "ab" * choose.randrange(20) + "\u4e2d" * choose.randrange(2)} for _ in range(300)
    ]
    lines = b"".join(json.dumps(row).encode() + b"\n" for row in rows)
    files = {"a.jsonl": lines, "b.jsonl.gz": gzip.compress(lines), "tok.model": worlds.spm()}
    worlds.write_files(tmp_path, files)
    return worlds.make_job(
        files=["a.jsonl", "b.jsonl.gz"], sizes=[[8, 24, 48]], samples_per_shard=[50]
    )


def declared(job: dict[str, Any], output: str) -> UnitBuild:
    return worlds.declare({**job, "output": output})


@pytest.mark.parametrize("workers", [1, 2, 4])
def test_any_number_of_processes_writes_the_bytes_of_the_inline_engine(
    job: dict[str, Any], workers: int
) -> None:
    declared(job, "inline").engine.inline().run()
    declared(job, "workers").engine.processes(workers=workers).run()
    assert worlds.read_output(Path("workers")) == worlds.read_output(Path("inline"))


def test_the_first_error_in_source_order_wins_with_processes(job: dict[str, Any]) -> None:
    lines = Path("a.jsonl").read_bytes().split(b"\n")
    lines[250] = b"{broken"
    lines[200] = json.dumps({"text": "x" * 1000}).encode()
    lines[280] = b"[]"
    Path("a.jsonl").write_bytes(b"\n".join(lines))
    for number, engine in enumerate(("inline", "processes")):
        built = declared(job, f"out{number}")
        with pytest.raises(UnitOverflowError) as caught:
            getattr(built.engine, engine)().run()
        assert (caught.value.file, caught.value.line) == ("a.jsonl", 201)


def test_a_damaged_archive_is_reported_behind_the_lines_before_it(job: dict[str, Any]) -> None:
    whole = Path("b.jsonl.gz").read_bytes()
    Path("b.jsonl.gz").write_bytes(whole[: len(whole) // 2])
    seen = []
    for number, engine in enumerate(("inline", "processes")):
        with pytest.raises(SourceParseError) as caught:
            getattr(declared(job, f"out{number}").engine, engine)().run()
        seen.append((caught.value.file, caught.value.line, str(caught.value)))
    assert seen[0] == seen[1]
    assert seen[0][0] == "b.jsonl.gz"


def kill_a_worker(stop: threading.Event) -> None:
    """Kill one worker of this process, as soon as there is one."""
    children = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children")
    while not stop.wait(0.005):
        tasks = Path(f"/proc/{os.getpid()}/task").iterdir()
        found = [child for task in tasks for child in (task / "children").read_text().split()]
        for child in found:
            if b"mintdim.engines.worker" in Path(f"/proc/{child}/cmdline").read_bytes():
                time.sleep(0.3)
                os.kill(int(child), signal.SIGKILL)
                return
    assert children


@pytest.mark.skipif(not Path("/proc").exists(), reason="finds workers through /proc")
def test_a_worker_killed_in_the_middle_changes_no_byte(job: dict[str, Any]) -> None:
    declared(job, "inline").engine.inline().run()
    stop = threading.Event()
    killer = threading.Thread(target=kill_a_worker, args=(stop,))
    killer.start()
    try:
        declared(job, "workers").engine.processes(workers=2).run()
    finally:
        stop.set()
        killer.join()
    assert worlds.read_output(Path("workers")) == worlds.read_output(Path("inline"))


@pytest.mark.parametrize("workers", [0, -1, True, 2.5, "2", [2]])
def test_an_odd_number_of_workers_is_refused(job: dict[str, Any], workers: Any) -> None:
    with pytest.raises(EngineValidationError, match="workers"):
        declared(job, "out").engine.processes(workers=workers).validate()
    assert not Path("out").exists()


SCRIPT = """
import sys, time
sys.path[:0] = {path!r}
import worlds
from mintdim.sources import chunks
chunks.CHUNK_BYTES = 256
worlds.declare({job!r}).engine.processes(workers=2).run()
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_workers_and_leaves_notices(job: dict[str, Any], number: int) -> None:
    text = Path("a.jsonl").read_bytes()
    Path("a.jsonl").write_bytes(text * 400)
    job = {**job, "files": ["a.jsonl"], "output": "out"}
    script = SCRIPT.format(path=[str(Path(worlds.__file__).parent)], job=job)
    build = subprocess.Popen(
        [sys.executable, "-c", script], stderr=subprocess.DEVNULL, start_new_session=True
    )
    deadline = time.monotonic() + 60
    while not list(Path().glob("out/unit_*/shard_*.bin")) and time.monotonic() < deadline:
        time.sleep(0.01)
    os.kill(build.pid, number)
    assert build.wait(60) != 0
    assert not Path("out/manifest.json").exists()
    assert Path("out/unit_8/UNIT_BUILD_FAILED.md").exists()
    assert not Path("out/.mintdim-work").exists()
    group = subprocess.run(
        ["ps", "-o", "pid=", "-g", str(build.pid)], capture_output=True, text=True
    )
    assert group.stdout.split() == []
