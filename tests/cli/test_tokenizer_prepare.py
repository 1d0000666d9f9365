"""The command `mintdim tokenizer prepare`, and what all commands have in common."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
import worlds

import mintdim
from mintdim.cli.main import main

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

COMMAND = ["tokenizer", "prepare", "tok.model", "ready.model", "--pad", "<pad>"]
NOTHING_HEAVY = {"numpy", "tokenizers", "sentencepiece", "orjson", "tqdm", "google"}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("mintdim.encoders.prepare.corpus", lambda new, added: [*new, "ab"])
    (tmp_path / "tok.model").write_bytes(worlds.spm(pad=False))
    yield tmp_path
    mintdim.set_language(None)


def test_the_command_prints_what_the_function_returns(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(COMMAND) == 0
    result = mintdim.prepare_tokenizer("tok.model", "again.model", pad="<pad>")
    printed = capsys.readouterr()
    assert printed.out == str(result).replace("again", "ready") + "\n"
    assert printed.err == ""
    assert (here / "ready.model").read_bytes() == (here / "again.model").read_bytes()


def test_an_error_goes_to_stderr_and_ends_with_three(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(COMMAND[:4]) == 3
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("TokenizerPrepareMissingError:\nTokenizer lacks")


@pytest.mark.parametrize("place", [0, 1, 2, 6])
def test_common_options_may_stand_anywhere(
    place: int, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = [*COMMAND[:place], "--lang", "vi", "--quiet", *COMMAND[place:]]
    assert main(arguments) == 0
    assert main(arguments) == 3
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("OutputFileExistsError:\nFile output đã tồn tại.")


@pytest.mark.parametrize(
    "arguments",
    [[], ["tokenizer"], ["tokenizer", "prepare"], ["nonsense"], [*COMMAND, "--lang", "fr"]],
)
def test_wrong_usage_ends_with_two_and_says_how_it_is_used(
    arguments: list[str], here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        code: object = main(arguments)
    except SystemExit as exit_:
        code = exit_.code
    assert code == 2
    assert "usage: mintdim" in capsys.readouterr().err


def fresh(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def test_the_module_runs_as_the_command() -> None:
    run = fresh("-m", "mintdim", "--version")
    assert (run.returncode, run.stdout) == (0, f"mintdim {mintdim.__version__}\n")


def test_help_shows_examples_and_imports_nothing_heavy() -> None:
    code = (
        "import sys\nfrom mintdim.cli.main import main\n"
        "try: main(['tokenizer', 'prepare', '--help'])\n"
        "except SystemExit: print(*{name.split('.')[0] for name in sys.modules})"
    )
    run = fresh("-c", code)
    assert "mintdim tokenizer prepare tokenizer.json ready.json --pad" in run.stdout
    assert not NOTHING_HEAVY & set(run.stdout.splitlines()[-1].split())


def test_a_terminal_without_the_characters_of_a_token_shows_escapes(here: Path) -> None:
    code = "import sys\nfrom mintdim.cli.main import main\nsys.exit(main(sys.argv[1:]))"
    arguments = [*COMMAND[:-1], "<日>"]
    run = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        env={"PYTHONIOENCODING": "ascii"},
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert (run.returncode, run.stderr) == (0, b"")
    assert b'"<\\u65e5>" (appended)' in run.stdout
