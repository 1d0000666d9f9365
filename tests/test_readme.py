"""The README's blocks do what they say."""

from __future__ import annotations

import contextlib
import io
import itertools
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest

ROOT = Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def readme_blocks() -> list[tuple[str, str]]:
    return BLOCK.findall((ROOT / "README.md").read_text(encoding="utf-8"))


def console_commands() -> list[tuple[str, str]]:
    """Every command of the console blocks, with what it prints."""
    commands = []
    for kind, body in readme_blocks():
        if kind == "console":
            for part in body.split("$ ")[1:]:
                command, _, printed = part.partition("\n")
                commands.append((command, printed))
    return commands


def run_command(command: str) -> str:
    program, *arguments = shlex.split(command)
    module = {"mintdim": "mintdim", "granule": "mintdim.cli.granule"}[program]
    done = subprocess.run(
        [sys.executable, "-X", "utf8", "-m", module, *arguments], capture_output=True, check=True
    )
    return done.stdout.decode("utf-8")


def test_every_block_of_the_readme_prints_what_stands_after_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("examples", "benchmarks"):
        (tmp_path / name).symlink_to(ROOT / name)
    monkeypatch.chdir(tmp_path)
    blocks = [(kind, body) for kind, body in readme_blocks() if kind in ("python", "text")]
    namespace: dict[str, object] = {}
    ran = 0
    for (kind, code), (next_kind, expected) in itertools.pairwise(blocks):
        if kind != "python":
            continue
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, "README.md", "exec"), namespace)
        assert next_kind == "text"
        assert printed.getvalue() == expected
        ran += 1
    assert ran == sum(kind == "python" for kind, _ in blocks)
    for command, expected in console_commands():
        assert run_command(command) == expected, command


def test_the_readme_has_two_commands_that_each_do_all_set_up() -> None:
    commands = [body.strip() for kind, body in readme_blocks() if kind == "bash"]
    assert len(commands) == 2
    assert all(command.startswith("python3 -m venv .venv && ") for command in commands)
    assert commands[0].endswith("examples/unit_build_instruction.py")
    assert commands[1].endswith("pytest -n auto")


def test_files_that_the_readme_links_to_exist() -> None:
    targets = re.findall(r"\]\(([^)#:]+)\)", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert targets
    assert all((ROOT / target).exists() for target in targets)
