"""The examples run, and can be run again."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import mintdim

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "examples"


def run_in_copy(copy: Path, name: str = "unit_build_instruction.py", *options: str) -> str:
    script = copy / "examples" / name
    done = subprocess.run(
        [sys.executable, str(script), *options],
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
        # The log says when and how long, which differs.
        for path in (path for path in files if path.name != "build_log.json"):
            assert (first / path).read_bytes() == (second / path).read_bytes(), path


# ------------------------------------------------------------------------------------------ stream


def test_the_stream_example_counts_its_awkward_rows_and_finds_nothing_wrong(
    tmp_path: Path,
) -> None:
    printed = run_in_copy(copy_of_examples(tmp_path), "stream_build.py")
    reasons = "no_language 2, other_language 1, too_short 2, duplicate_key 5"
    assert f"dropped   10 of 1,704 rows ({reasons})" in printed
    assert "dates     3 missing or bad, 1 future" in printed
    assert "no findings" in printed
    assert "document 0 of val, en, 417 tokens: 'Changing how we think" in printed
    assert "a batch: inputs (4, 128), targets (4, 128), int64" in printed
    folder = tmp_path / "artifacts" / "stream_001"
    entries = json.loads((folder / "shards_index.json").read_text())["shards"]
    longer = [entry for entry in entries if entry["tokens"] > 12_000]
    assert [(entry["name"], entry["docs"]) for entry in longer] == [("train_009.bin", 1)]
    borders = json.loads((folder / "shards_index.json").read_text())["boundaries"]["langs"]
    assert borders["hi"]["test_docs_actual"] == 23  # five share the time of the border
    alone = [ids for ids in mintdim.open(folder).documents("train") if not len(ids)]
    assert len(alone) == 1  # the text of zero-width spaces


def test_two_runs_of_the_stream_example_write_the_same_bytes(tmp_path: Path) -> None:
    copy = copy_of_examples(tmp_path)
    run_in_copy(copy, "stream_build.py")
    run_in_copy(copy, "stream_build.py")
    first, second = (copy / "artifacts" / f"stream_00{number}" for number in (1, 2))
    names = sorted(path.name for path in first.iterdir())
    assert names == sorted(path.name for path in second.iterdir())
    assert len(names) == 1 + 17 * 2 + 2 * 3
    for name in names:
        assert (first / name).read_bytes() == (second / name).read_bytes(), name


# ---------------------------------------------------------------------------------------- training

# 120 batches of 2,560 slots, a transformer of 477,312 parameters, seed 1. A model that has learned
# nothing is at ln(2,000) = 7.6; the last ten steps were at 4.76 when this was written.
LOSS_TO_REACH = 4.9


def test_the_training_example_learns_and_goes_on_after_a_stop(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    printed = run_in_copy(copy_of_examples(tmp_path), "train_on_units.py")
    assert "477,312 parameters, 142 batches in an epoch" in printed
    assert "stopped after step 60; everything is read again from" in printed
    steps = re.findall(r"^step +(\d+)  unit +\d+  loss (\S+)", printed, re.MULTILINE)
    assert [int(step) for step, _ in steps] == list(range(10, 121, 10))
    losses = [float(loss) for _, loss in steps]
    assert losses[0] > losses[5] > losses[-1]
    assert losses[-1] < LOSS_TO_REACH


def test_the_training_example_goes_on_as_if_it_had_not_been_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("torch")
    spec = importlib.util.spec_from_file_location("train_on_units", EXAMPLES / "train_on_units.py")
    assert spec is not None
    assert spec.loader is not None
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    monkeypatch.chdir(copy_of_examples(tmp_path))
    example.build("artifacts")
    dataset = mintdim.open("artifacts/units")
    whole = list(example.Run(dataset).train(6))
    stopped = example.Run(dataset)
    before = list(stopped.train(3))
    stopped.save("artifacts")
    resumed = example.Run(dataset)
    resumed.load("artifacts")
    assert before + list(resumed.train(3)) == whole


def test_the_baseline_trains_on_what_the_stream_example_builds(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    copy = copy_of_examples(tmp_path)
    run_in_copy(copy, "stream_build.py")
    options = {
        "preset": "tiny",
        "shards": copy / "artifacts" / "stream_001",
        "out": copy / "artifacts" / "tiny",
        "steps": 4,
        "batch": 2,
        "log-every": 2,
        "eval-every": 2,
        "eval-tokens": 2_000,
        "final-eval-tokens": 2_000,
        "device": "cpu",
        "tokenizer": copy / "examples" / "data" / "stream" / "stream_sp.model",
    }
    pairs = (f"--{name}={value}" for name, value in options.items())
    printed = run_in_copy(copy, "train_baseline.py", *pairs).splitlines()
    assert printed[0] == "preset tiny: 0.5M params (0.1M non-embedding), ctx 64, device cpu"
    last = json.loads(next(line for line in printed if '"val_full"' in line))
    assert list(last) == ["step", "eval", "all", "en", "hi", "ja", "ta"]
    assert 4_000 < last["all"] < 8_000  # of 6,000 ids: nothing is learned in four steps
    assert (copy / "artifacts" / "tiny" / "ckpt_final.pt").is_file()
    assert any(line.startswith("sample: ") for line in printed)
