"""The comparison with other tools: its pure parts, and that its command line stands."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "benchmarks" / "unit_build"


def facts(cpu: float, wall: float = 1.0, mb: float = 100.0, **more: float) -> dict[str, float]:
    return {"cpu": cpu, "wall": wall, "mb": mb, "out": 2.0, **more}


@pytest.fixture
def load(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))
    return importlib.import_module


def test_a_ratio_is_the_median_of_the_rounds_ratios_not_the_ratio_of_medians(load):
    theirs, ours = [facts(10), facts(90), facts(30)], [facts(1), facts(3), facts(10)]
    assert load("peer_tables").ratio(theirs, ours, "cpu") == 10  # 10, 30 and 3
    with pytest.raises(ValueError, match="zip"):
        load("peer_tables").ratio(theirs, ours[:2], "cpu")


def test_a_row_is_compared_with_ours_of_as_many_workers(load):
    runs = {
        ("mintdim", 1): [facts(2, 4)],
        ("slow", 1): [facts(20, 40, 300)],
        ("mintdim", 2): [facts(5, 2)],
        ("slow", 2): [facts(20, 20, 50)],
        ("alone", 4): [facts(7)],
    }
    rows = load("peer_tables").table(runs).splitlines()
    assert rows[3] == "| slow | 1 | 20.0 | 40.0 | 300.0 | 2.0 | 10.00 | 10.00 | 3.00 |"
    assert rows[5] == "| slow | 2 | 20.0 | 20.0 | 50.0 | 2.0 | 4.00 | 10.00 | 0.50 |"
    assert rows[6].endswith("| - | - | - |")


def test_the_summary_sets_ours_against_bare_encoding_and_two_workers_against_one(load):
    runs = {
        ("mintdim", 1): [facts(6, 8)],
        ("bare", 1): [facts(3, encode=2.0)],
        ("mintdim", 2): [facts(9, 4)],
    }
    numbers = [line.split()[-1] for line in load("peer_tables").summary(runs)]
    assert numbers == ["2.00", "3.00", "0.50", "1.50"]
    assert load("peer_tables").summary({("slow", 1): [facts(1)]}) == []


def test_every_tool_has_its_program_and_its_environment(load):
    tools, pins = load("peers").TOOLS, load("peer_environments").PINS
    for tool in tools.values():
        assert (FOLDER / "peer_programs" / tool.program).is_file()
        assert not tool.environment or all("==" in pin for pin in pins[tool.environment])


def test_the_clock_counts_what_a_child_of_the_command_took(tmp_path):
    child = "sum(range(3_000_000))"
    parent = f"import subprocess, sys; subprocess.run([sys.executable, '-c', '{child}'])"
    clock = [sys.executable, FOLDER / "peer_clock.py", tmp_path / "log", sys.executable]
    done = subprocess.run([*clock, "-c", parent], stdout=subprocess.PIPE, check=True)
    shown = json.loads(done.stdout)
    assert shown["status"] == 0
    assert shown["cpu"] > 0
    assert shown["mb"] > 1


def test_the_command_explains_itself():
    command = [sys.executable, FOLDER / "peers.py", "--help"]
    shown = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout
    for option in ("--peers", "--rounds", "--environments", "--python312", "--work", "--compare"):
        assert option in shown
