"""The examples run, and can be run again."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def run_in_copy(copy: Path) -> str:
    script = copy / "examples" / "unit_build_instruction.py"
    done = subprocess.run(
        [sys.executable, str(script)],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUTF8": "1"},
    )
    return done.stdout


def copy_of_examples(tmp_path: Path) -> Path:
    import shutil

    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    return tmp_path


def test_the_instruction_example_builds_into_fresh_directories_each_time(tmp_path: Path) -> None:
    copy = copy_of_examples(tmp_path)
    first, second = run_in_copy(copy), run_in_copy(copy)
    assert "instruction_shared_001" in first
    assert "instruction_shared_002" in second
    manifests = sorted(copy.glob("artifacts/*/manifest.json"))
    assert len(manifests) == 2
    assert len(sorted(copy.glob("artifacts/*/*/manifest.json"))) == 6


def test_the_instruction_example_finds_real_unk_and_real_duplicates(tmp_path: Path) -> None:
    copy = copy_of_examples(tmp_path)
    printed = run_in_copy(copy)
    stats = json.loads((copy / "artifacts/instruction_shared_001/stats.json").read_text())
    assert stats["total_samples"] == 1319 + 164 + 175 + 164
    assert stats["duplicate_groups"] == 164
    assert stats["duplicate_samples"] == 328
    assert stats["samples_with_unk"] == 19
    for word in ("unit", "samples", "tokens", "padding", "duplicates", "UNK", "built in"):
        assert word in printed


def test_two_runs_of_the_example_write_the_same_bytes(tmp_path: Path) -> None:
    copy = copy_of_examples(tmp_path)
    run_in_copy(copy)
    run_in_copy(copy)
    for kind in ("instruction_shared", "instruction_mapped"):
        first, second = (copy / "artifacts" / f"{kind}_00{n}" for n in (1, 2))
        files = sorted(path.relative_to(first) for path in first.rglob("*") if path.is_file())
        assert files == sorted(p.relative_to(second) for p in second.rglob("*") if p.is_file())
        for path in files:
            assert (first / path).read_bytes() == (second / path).read_bytes(), path
