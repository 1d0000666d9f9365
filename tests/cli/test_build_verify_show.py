"""``mintdim build``, ``verify`` and ``show``, as a user types them."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import worlds

import mintdim
from mintdim.cli.build import _EPILOG
from mintdim.cli.main import main

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

JOB = """
[source]
files = ["a.jsonl", "b.jsonl"]
fields = [["text"]]
templates = ["<{text}>"]

[tokenizer]
type = "sentencepiece"
path = "tok.model"

[units]
sizes = [[4, 16]]
build_batch = [2]

[output]
dir = "out"
samples_per_shard = [2]
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MINTDIM_LANG", raising=False)
    files = {
        "a.jsonl": worlds.jsonl({"text": "ab"}, {"text": "abcdef"}, {"text": "ab"}),
        "b.jsonl": worlds.jsonl({"text": "a\u4e2db"}),
        "tok.model": worlds.spm(),
        "job.toml": JOB.encode(),
    }
    worlds.write_files(tmp_path, files)
    yield tmp_path
    mintdim.set_language(None)


@pytest.fixture
def edited(here: Path) -> Callable[[str, str], None]:
    def edit(old: str, new: str) -> None:
        assert old in JOB
        (here / "job.toml").write_text(JOB.replace(old, new), encoding="utf-8")

    return edit


def test_a_job_file_builds_what_the_fluent_api_builds(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["build", "job.toml"]) == 0
    assert "out" in capsys.readouterr().out
    job = worlds.make_job(
        files=["a.jsonl", "b.jsonl"],
        templates=["<{text}>"],
        tokenizer_type="sentencepiece",
        tokenizer={"path": "tok.model"},
        sizes=[[4, 16]],
        build_batch=[2],
        output="same",
        samples_per_shard=[2],
    )
    worlds.declare(job).run()
    assert worlds.read_output(here / "out") == worlds.read_output(here / "same")


@pytest.mark.usefixtures("here")
def test_a_dry_run_checks_everything_and_writes_nothing(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["build", "job.toml", "--dry-run"]) == 0
    assert "Nothing was written" in capsys.readouterr().out
    assert not Path("out").exists()


@pytest.mark.parametrize(
    ("old", "new", "code", "key"),
    [
        ("sizes = [[4, 16]]", "sizes = [[16, 4]]", 3, "units.sizes[0]"),
        ("build_batch = [2]", "build_batch = [true]", 3, "units.build_batch[0]"),
        ('fields = [["text"]]', 'fields = ["text"]', 3, "source.fields[0]"),
        ("<{text}>", "<{txt}>", 3, "source.templates"),
        ("samples_per_shard = [2]", "samples_per_shard = [0]", 3, "output.samples_per_shard"),
        ("sizes = [[4, 16]]", "sizes = [[4]]", 3, "units.sizes"),
        ("build_batch", "batch", 2, "units.batch"),
        ("[units]", "[unit]", 2, "unit"),
        ('type = "sentencepiece"', 'type = "bpe"', 2, "tokenizer.type"),
        ('path = "tok.model"', 'path = "a"\npaths = ["a"]', 2, "tokenizer.path"),
        ("[source]", 'pipeline = "other"\n[source]', 2, "pipeline"),
        ("[source]", "units = 3\n[source]", 2, "job.toml"),
        ("sizes = [[", "sizes = [[[", 2, "job.toml"),
    ],
)
def test_an_error_points_at_the_key_of_the_job_file(
    edited: Callable[[str, str], None],
    capsys: pytest.CaptureFixture[str],
    old: str,
    new: str,
    code: int,
    key: str,
) -> None:
    edited(old, new)
    assert main(["build", "job.toml"]) == code
    assert key in capsys.readouterr().err


@pytest.mark.usefixtures("here")
def test_a_job_file_that_is_not_there_is_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["build", "nowhere.toml"]) == 2
    assert "nowhere.toml" in capsys.readouterr().err


def test_the_job_files_of_the_help_are_complete_toml() -> None:
    _, units, rest = re.split(r"a job file.*:\n", _EPILOG)
    assert set(tomllib.loads(units)) == {"source", "tokenizer", "units", "output"}
    stream = tomllib.loads(rest.partition("examples:")[0])
    assert stream.pop("pipeline") == "stream-build"
    assert set(stream) == {"source", "documents", "tokenizer", "splits", "shards", "output"}


def test_verify_says_fine_or_what_is_wrong(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["build", "job.toml"]) == 0
    assert main(["verify", "out", "--full", "--source"]) == 0
    (here / "out" / "stray").write_text("?")
    assert main(["verify", "out"]) == 1
    capsys.readouterr()
    assert main(["verify", "out", "--json"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert [finding["file"] for finding in report["findings"]] == ["stray"]
    (here / "out" / "manifest.json").unlink()
    assert main(["verify", "out"]) == 3


@pytest.mark.usefixtures("here")
def test_show_finds_a_sample_by_number_hash_and_source(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["build", "job.toml"]) == 0
    capsys.readouterr()
    for question in (["--sample", "1"], ["--source", "a.jsonl:2"]):
        assert main(["show", "out", *question]) == 0
        printed = capsys.readouterr().out
        assert "sample 1  a.jsonl:2" in printed
        assert "8 tokens in unit 16" in printed
        assert "a│b│c│d│e│f" in printed
    digest = printed.partition("hash ")[2][:12]
    assert main(["show", "out", "--hash", digest]) == 0
    assert "sample 1  a.jsonl:2" in capsys.readouterr().out


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    "question", [["--sample", "99"], ["--hash", "zz"], ["--source", "a.jsonl:77"]]
)
def test_show_says_if_there_is_no_such_sample(
    capsys: pytest.CaptureFixture[str], question: list[str]
) -> None:
    assert main(["build", "job.toml"]) == 0
    assert main(["show", "out", *question]) == 1
    assert "nothing to show" in capsys.readouterr().out


@pytest.mark.usefixtures("here")
def test_show_gives_an_overview_duplicates_and_unk(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["build", "job.toml"]) == 0
    capsys.readouterr()
    assert main(["show", "out"]) == 0
    overview = capsys.readouterr().out
    assert "4 samples" in overview
    assert "b.jsonl" in overview
    assert main(["show", "out", "--duplicates"]) == 0
    duplicates = capsys.readouterr().out
    assert "2 equal samples" in duplicates
    assert "sample 2  a.jsonl:3" in duplicates
    assert main(["show", "out", "--unk"]) == 0
    unk = capsys.readouterr().out
    assert "sample 3  b.jsonl:1, 1 UNK" in unk
    assert "token 2: '<a' [UNK] 'b>'" in unk


@pytest.mark.usefixtures("here")
def test_quiet_prints_nothing_and_lang_chooses_the_language(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["build", "job.toml", "--quiet"]) == 0
    assert capsys.readouterr().out == ""
    assert main(["build", "job.toml", "--lang", "vi"]) == 3
    assert "Thư mục output đã tồn tại" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["build", "verify", "show"])
def test_help_teaches_with_examples_and_imports_nothing_heavy(command: str) -> None:
    code = (
        "import sys; from mintdim.cli.main import main\n"
        f"try: main(['{command}', '--help'])\nexcept SystemExit: pass\n"
        "heavy = {'numpy', 'tokenizers', 'sentencepiece', 'orjson', 'tqdm'} & set(sys.modules)\n"
        "sys.exit(f'imported {heavy}' if heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "examples:" in done.stdout
    assert f"mintdim {command} " in done.stdout


def test_workers_and_exactness_change_nothing_but_the_log(here: Path) -> None:
    """One worker is this process; more are processes; the bytes are the same."""
    assert main(["build", "job.toml", "--workers", "1", "--exactness", "official"]) == 0
    inline, log = worlds.read_output(here / "out"), worlds.read_log(here / "out")
    shutil.rmtree(here / "out")
    assert main(["build", "job.toml", "--workers", "2"]) == 0
    assert worlds.read_output(here / "out") == inline
    kinds = [log["engine"]["kind"], worlds.read_log(here / "out")["engine"]["kind"]]
    assert kinds == ["inline", "processes"]


def test_no_workers_is_a_wrong_value(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["build", "job.toml", "--workers", "0"]) == 3
    assert "EngineValidationError" in capsys.readouterr().err
