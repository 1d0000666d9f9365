"""``mintdim build`` with a job file of stream-build."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from streams import declare, plan, read, write_world

from mintdim.cli.main import main

if TYPE_CHECKING:
    from pathlib import Path

JOB = """
pipeline = "stream-build"

[source]
files = ["news0.jsonl"]
fields = [["text"]]
templates = ["<{text}>"]

[documents]
time = "published"
key = "url"

[tokenizer]
type = "sentencepiece"
path = "sp.model"

[splits]
mode = "per_language_count"
test_docs = 1
val_docs = 0
as_of = 2026-10-10T00:00:00

[shards]
tokens = 10
seed = 7

[output]
dir = "out"
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MINTDIM_LANG", raising=False)
    write_world(tmp_path, [{"text": f"t{n}", "published": f"2026-01-0{n + 1}"} for n in range(4)])
    (tmp_path / "job.toml").write_text(JOB)
    return tmp_path


def test_a_job_file_builds_what_the_fluent_api_builds(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["build", "job.toml"]) == 0
    assert "test   all" in capsys.readouterr().out
    splits = ("per_language_count", {"test_docs": 1, "val_docs": 0})
    documents = {"time": "published", "key": "url"}
    declare(here, ["news0.jsonl"], "same", plan(documents=documents, splits=splits)).run()
    assert read(here / "out") == read(here / "same")


def test_a_dry_run_writes_nothing(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["build", "job.toml", "--dry-run"]) == 0
    assert "1 source file(s)" in capsys.readouterr().out
    assert not (here / "out").exists()


@pytest.mark.parametrize(
    ("old", "new", "place"),
    [
        ('"per_language_count"', '"by_time"', "splits.mode"),
        ("val_docs = 0", "", "splits.val_docs"),
        ("val_docs = 0", "val_docs = 0\nval = 0.1", "splits.val"),
        ("[shards]", "[units]", "units"),
        ('key = "url"', 'keys = "url"', "documents.keys"),
        ('path = "sp.model"', 'path = "sp.model"\neos = "</s>"', "tokenizer.eos"),
        ('"stream-build"', '"other"', "pipeline"),
    ],
)
def test_a_key_that_makes_no_sense_is_named(
    old: str, new: str, place: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "job.toml").write_text(JOB.replace(old, new))
    assert main(["build", "job.toml"]) == 2
    assert f"Key:\n{place}\n" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("old", "new", "place"),
    [
        ("val_docs = 0", "val_docs = -1", "splits.val_docs"),
        ("val_docs = 0", "val_docs = 9", "splits"),
        ("tokens = 10", "tokens = 0", "shards.tokens"),
        ('key = "url"', 'language = "lang"', "documents.language"),
    ],
)
def test_an_error_of_the_job_names_its_place(
    old: str, new: str, place: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "job.toml").write_text(JOB.replace(old, new))
    assert main(["build", "job.toml"]) == 3
    assert f"job.toml: {place}\n" in capsys.readouterr().err
