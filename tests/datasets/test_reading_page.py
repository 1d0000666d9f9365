"""docs/reading.md: every block of code runs, and prints the block of text behind it."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "reading.md"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks() -> list[tuple[str, str]]:
    """Code and what it prints; nothing where no text follows before the next block of code."""
    found = [entry for entry in BLOCK.findall(PAGE.read_text("utf-8")) if entry[0] != "bash"]
    following = [*found[1:], ("python", "")]
    return [
        (code, text if next_kind == "text" else "")
        for (kind, code), (next_kind, text) in zip(found, following, strict=True)
        if kind == "python"
    ]


def test_every_block_of_the_page_prints_what_stands_behind_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("torch")
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, object] = {}
    for code, text in blocks():
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, str(PAGE), "exec"), namespace)
        assert printed.getvalue() == text
    assert len(blocks()) > 8


def test_files_that_the_page_names_exist() -> None:
    text = PAGE.read_text("utf-8")
    for target in re.findall(r"\]\(([^)#:]+)\)", text):
        assert (PAGE.parent / target).exists()
    for command in re.findall(r"^python (\S+)", text, re.MULTILINE):
        assert (ROOT / command).exists()
