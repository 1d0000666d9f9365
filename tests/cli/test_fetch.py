"""``mintdim fetch``, as a user types it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from stream_reading import tiny_streams
from worlds import read_output

from mintdim.cli.main import main
from mintdim.fetching import limits

if TYPE_CHECKING:
    from pathlib import Path

SPLITS: tiny_streams.Splits = {
    "train": [[("en", [5, 6])], [("de", [7])]],
    "val": [[("en", [8])]],
}


@pytest.fixture
def origin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(limits, "BACK_OFF", 0.0)
    monkeypatch.delenv("MINTDIM_API_KEY", raising=False)
    return tiny_streams.write(tmp_path / "origin", SPLITS).path


def test_a_fetch_prints_what_was_done(
    origin: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    dest = tmp_path / "dest"
    assert main(["fetch", origin.as_uri(), str(dest)]) == 0
    assert read_output(dest) == read_output(origin)
    first = capsys.readouterr().out
    assert first.startswith(f"{dest}: stream-build dataset, 8 files fetched, 0 kept; ")
    assert main(["fetch", origin.as_uri(), str(dest)]) == 0
    assert " 0 files fetched, 8 kept; " in capsys.readouterr().out


def test_a_part_is_chosen_by_options(origin: Path, tmp_path: Path) -> None:
    dest = tmp_path / "dest"
    options = ["--only", "train,val", "--train-limit", "1"]
    assert main(["fetch", origin.as_uri(), str(dest), *options]) == 0
    assert "train_001.bin" not in read_output(dest)
    assert main(["verify", str(dest), "--full"]) == 0


@pytest.mark.parametrize(
    "options",
    [["--only", "valid"], ["--only", "test"], ["--train-limit", "0"]],
    ids=" ".join,
)
def test_a_wrong_option_is_wrong_usage(
    origin: Path, tmp_path: Path, options: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["fetch", origin.as_uri(), str(tmp_path / "dest"), *options]) == 2
    assert capsys.readouterr().err.startswith("FetchArgumentError:\n")
    assert not (tmp_path / "dest").exists()


def test_a_number_that_is_none_is_wrong_usage(origin: Path, tmp_path: Path) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["fetch", origin.as_uri(), str(tmp_path / "dest"), "--train-limit", "x"])
    assert caught.value.code == 2


def test_a_failed_file_is_exit_code_3_and_named(
    origin: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (origin / "train_000.bin").unlink()
    assert main(["fetch", origin.as_uri(), str(tmp_path / "dest")]) == 3
    told = capsys.readouterr().err
    assert "\nFile:\ntrain_000.bin\n" in told
    assert "\n6 files fetched, 0 kept, 1 failed; " in told
    assert not (tmp_path / "dest" / "shards_index.json").exists()


def test_quiet_prints_nothing_but_errors(
    origin: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["fetch", origin.as_uri(), str(tmp_path / "dest"), "--quiet"]) == 0
    assert capsys.readouterr().out == ""


def test_the_help_states_the_limits(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["fetch", "--help"])
    told = capsys.readouterr().out
    assert f"{limits.TRIES} per file" in told
    assert f"{limits.SILENCE:g} s to connect and for every read" in told
    assert f"{limits.PACE_BYTES:,} bytes in every {limits.PACE_SECONDS:g} s" in told
