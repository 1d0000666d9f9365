"""A wrong accelerator changes no byte of a dataset: it is caught, at load or while building.

A module named `fastokens` is put in front on `sys.path`, which worker processes inherit. It
encodes by the official library, and lies as the plan beside it says.
"""

from __future__ import annotations

import json
import logging
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import worlds
from encoders import tokenizer_files
from worlds import jsonl, make_job

import mintdim
from mintdim.encoders import acceleration
from mintdim.shared.errors import (
    EngineValidationError,
    MintDimDataError,
    SourceParseError,
    UnitOverflowError,
)
from mintdim.sources import chunks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

FAKE = """
import json
import struct
from pathlib import Path

import tokenizers

PLAN = json.loads((Path(__file__).parent / "plan.json").read_text())
(Path(__file__).parent / "imported").touch()
if PLAN["lie"] == "broken":
    raise ImportError("no such symbol")


class Panic(BaseException):
    pass


class Tokenizer:
    @classmethod
    def from_json_str(cls, document):
        if PLAN["lie"] == "refuses the tokenizer":
            raise Panic("what is this")
        self = cls()
        self.library = tokenizers.Tokenizer.from_str(document)
        return self

    def encode_batch_flat(self, texts):
        rows = [self.row(text) for text in texts]
        ids = [number for row in rows for number in row]
        ends = [0]
        for row in rows:
            ends.append(ends[-1] + len(row))
        if PLAN["lie"] == "nonsense" and any(PLAN["word"] in text for text in texts):
            ends = ends[:-1]
        return struct.pack(f"<{len(ids)}I", *ids), struct.pack(f"<{len(ends)}Q", *ends)

    def row(self, text):
        ids = self.library.encode(text, add_special_tokens=False).ids
        if PLAN["word"] not in text:
            return ids
        if PLAN["lie"] == "other ids":
            return [ids[0] ^ 1, *ids[1:]]
        if PLAN["lie"] == "too long":
            return ids * 100
        if PLAN["lie"] == "no such id":
            return [70_000, *ids]
        if PLAN["lie"] == "refuses":
            raise ValueError("no")
        if PLAN["lie"] == "panics":
            raise Panic
        if PLAN["lie"] == "crashes":
            raise KeyError(text)
        return ids
"""
WORD = "ggabhhe"  # in no text of the self-check
TEXTS = [f"abab {n} {'cd' * (n % 5)}" for n in range(60)]
LYING = [f"{WORD} {n}" for n in range(60)]


@pytest.fixture
def job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Two outputs; only the second one's texts hold the word."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(chunks, "CHUNK_BYTES", 500)
    monkeypatch.setattr(acceleration, "pays", lambda *sizes: True)
    blocks = {"padding": worlds.padding(pad_id=257, pad_token="<pad>")}
    document = json.loads(tokenizer_files.byte_level(**blocks))
    document["model"] |= {"unk_token": "<unk>"}
    document["model"]["vocab"] |= {"<pad>": 257, "<unk>": 258}
    files = {
        "a.jsonl": jsonl(*({"text": text} for text in TEXTS)),
        "b.jsonl": jsonl(*({"text": text} for text in LYING)),
        "tok.json": json.dumps(document),
    }
    worlds.write_files(tmp_path, files)
    return make_job(files=["a.jsonl", "b.jsonl"], tokenizer_type="hf_json", sizes=[[8, 32, 64]])


@pytest.fixture
def lie(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Path]]:
    room = tmp_path / "fake"

    def plan(lie: str, word: str = WORD) -> Path:
        files = {"fastokens.py": FAKE, "plan.json": json.dumps({"lie": lie, "word": word})}
        worlds.write_files(room, files)
        return room / "imported"

    monkeypatch.syspath_prepend(str(room))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.delitem(sys.modules, "fastokens", raising=False)
    acceleration.open_accelerator.cache_clear()
    yield plan
    acceleration.open_accelerator.cache_clear()
    sys.modules.pop("fastokens", None)


def build(
    job: dict[str, Any], name: str, exactness: Any = "checked", workers: int = 0
) -> list[dict[str, bytes]]:
    """Build both outputs; their files but the log."""
    outputs = [f"{name}_1", f"{name}_2"]
    declared = worlds.declare(job | {"output": outputs})
    engine = declared.engine.processes(workers=workers) if workers else declared.engine.inline()
    engine.run(exactness=exactness)
    return [worlds.read_output(Path(output)) for output in outputs]


def log(output: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((Path(output) / "build_log.json").read_text("utf-8"))
    return found


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [r.getMessage() for r in caplog.records if "fastokens" in r.getMessage()]


def accelerator(output: str) -> str | None:
    (tokenizer,) = log(output)["tokenizers"]
    return tokenizer["accelerator"]


# ------------------------------------------------------------------------------------- used


@pytest.mark.parametrize("workers", [0, 2])
def test_an_honest_accelerator_is_used_and_the_log_says_so(
    job: dict[str, Any], lie: Callable[..., Path], caplog: pytest.LogCaptureFixture, workers: int
) -> None:
    imported = lie("never")
    assert build(job, "checked", workers=workers) == build(job, "official", "official")
    assert imported.exists()
    assert warnings(caplog) == []
    found = log("checked_1")
    kind = "processes" if workers else "inline"
    assert found["engine"] == {"kind": kind, "workers": workers}
    assert found["tokenizers"] == [
        {"path": "tok.json", "library": "tokenizers", "accelerator": "fastokens"}
    ]
    assert found["rebuilt"] is None
    assert found["wall_seconds"] >= 0
    assert {"mintdim", "python", "tokenizers"} <= set(found["versions"])
    assert accelerator("official_1") is None


def test_official_never_imports_an_accelerator(
    job: dict[str, Any], lie: Callable[..., Path]
) -> None:
    imported = lie("never")
    build(job, "official", "official", workers=1)
    assert not imported.exists()


def test_the_log_is_no_part_of_the_dataset_and_verify_lets_it_be(
    job: dict[str, Any], lie: Callable[..., Path]
) -> None:
    lie("never")
    files = build(job, "out")[0]
    assert not any(b"build_log" in content for content in files.values())
    assert mintdim.verify("out_1", full=True).ok
    (Path("out_1") / "build_log.json").unlink()
    assert mintdim.verify("out_1", full=True).ok


# ------------------------------------------------------------------------------ caught at load


@pytest.mark.parametrize(
    "what", ["other ids", "too long", "no such id", "refuses", "panics", "crashes", "nonsense"]
)
def test_a_lie_about_a_text_of_the_self_check_is_one_warning_and_official_output(
    job: dict[str, Any], lie: Callable[..., Path], caplog: pytest.LogCaptureFixture, what: str
) -> None:
    lie(what, "quick brown fox")
    assert build(job, "checked") == build(job, "official", "official")
    (warning,) = warnings(caplog)
    assert "fastokens cannot stand in for the library of tok.json" in warning
    assert accelerator("checked_1") is accelerator("checked_2") is None
    assert log("checked_1")["rebuilt"] in warning


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("what", ["refuses the tokenizer", "broken"])
def test_an_accelerator_that_does_not_load_is_one_warning(
    job: dict[str, Any],
    lie: Callable[..., Path],
    caplog: pytest.LogCaptureFixture,
    what: str,
    workers: int,
) -> None:
    lie(what)
    assert build(job, "checked", workers=workers) == build(job, "official", "official")
    (warning,) = warnings(caplog)
    assert "it does not load" in warning
    assert accelerator("checked_1") is None


def test_without_the_library_everything_works_and_nothing_is_said(
    job: dict[str, Any], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setitem(sys.modules, "fastokens", None)  # as if it were not there
    assert build(job, "checked") == build(job, "official", "official")
    assert warnings(caplog) == []
    assert accelerator("checked_1") is None


# ------------------------------------------------------------------- caught in the middle


@pytest.mark.parametrize(
    ("what", "workers"),
    [
        *((what, 0) for what in ("other ids", "too long", "refuses", "panics", "nonsense")),
        *((what, 2) for what in ("other ids", "too long")),
    ],
)
def test_a_lie_that_shows_while_building_discards_all_outputs_and_builds_them_again(
    job: dict[str, Any],
    lie: Callable[..., Path],
    caplog: pytest.LogCaptureFixture,
    what: str,
    workers: int,
) -> None:
    lie(what)
    expected = build(job, "official", "official")
    caplog.clear()
    with caplog.at_level(logging.INFO, "mintdim"):
        assert build(job, "checked", workers=workers) == expected
    (warning,) = warnings(caplog)
    assert "Building again" in warning
    for output in ("checked_1", "checked_2"):
        assert accelerator(output) is None
        assert "fastokens gives other ids" in log(output)["rebuilt"]
        assert "b.jsonl" in log(output)["rebuilt"]
        assert mintdim.verify(output).ok


@pytest.mark.parametrize("what", ["too long", "refuses", "panics", "crashes", "no such id"])
def test_an_error_that_only_the_accelerator_leads_to_is_no_error(
    job: dict[str, Any], lie: Callable[..., Path], what: str
) -> None:
    """One wrong sample among many right ones, which no sample of the cross-check need hit."""
    lie(what)
    rows = [{"text": text} for text in [*TEXTS, WORD, *TEXTS]]
    Path("b.jsonl").write_bytes(jsonl(*rows))
    assert build(job, "checked") == build(job, "official", "official")


# --------------------------------------------------------------------------------- errors


@pytest.mark.parametrize("what", ["never", "other ids", "too long", "refuses"])
@pytest.mark.parametrize(
    ("line", "kind"),
    [("{broken", SourceParseError), (json.dumps({"text": "x" * 900}), UnitOverflowError)],
)
def test_bad_lines_are_reported_as_without_an_accelerator(
    job: dict[str, Any],
    lie: Callable[..., Path],
    what: str,
    line: str,
    kind: type[MintDimDataError],
) -> None:
    lie(what)
    lines = Path("b.jsonl").read_text("utf-8").splitlines()
    lines[40] = line
    Path("b.jsonl").write_text("\n".join(lines), "utf-8")
    said = []
    for name, exactness in (("checked", "checked"), ("official", "official")):
        with pytest.raises(MintDimDataError) as caught:
            build(job, name, exactness)
        assert type(caught.value) is kind
        assert (caught.value.file, caught.value.line) == ("b.jsonl", 41)
        assert not (Path(f"{name}_2") / "manifest.json").exists()
        said.append(str(caught.value))
    assert said[0] == said[1]


@pytest.mark.parametrize("wrong", ["fast", "", None, True, ["checked"], {}])
def test_another_exactness_is_an_error_before_anything_is_written(
    job: dict[str, Any], wrong: object
) -> None:
    with pytest.raises(EngineValidationError) as caught:
        build(job, "out", wrong)
    for language in ("en", "vi"):
        mintdim.set_language(language)  # type: ignore[arg-type]
        try:
            text = str(caught.value)
        finally:
            mintdim.set_language(None)
        assert repr(wrong) in text
        assert "exactness" in text.partition("\n\n")[2]
    assert not Path("out_1").exists()


def test_a_small_job_is_not_worth_an_accelerator() -> None:
    assert not acceleration.pays(1_000, 10)
    assert not acceleration.pays(2**24, 2**25)
    assert acceleration.pays(2**30, 2**22)
