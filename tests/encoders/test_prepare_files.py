"""What `prepare_tokenizer` reads, refuses to touch, and returns."""

from __future__ import annotations

import errno
import os
import pickle
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
import worlds
from tokenizer_files import byte_level, few_texts

import mintdim
from mintdim.encoders.adversarial_texts import corpus
from mintdim.shared import errors as E  # noqa: N812

BOTH = {"pad": "<pad>", "unk": "<unk>"}


@pytest.fixture(autouse=True)
def _few_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mintdim.encoders.prepare.corpus", few_texts)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("tok.json").write_bytes(byte_level())
    Path("tok.model").write_bytes(worlds.spm(pad=False))
    return tmp_path


def names(root: Path) -> list[str]:
    return sorted(path.name for path in root.iterdir())


def test_the_kind_is_seen_from_the_content(here: Path) -> None:
    os.rename("tok.json", "a.model")
    os.rename("tok.model", "b.json")
    assert mintdim.prepare_tokenizer("a.model", "c", **BOTH).kind == "hf_json"
    assert mintdim.prepare_tokenizer("b.json", "d", pad="<pad>").kind == "sentencepiece"


@pytest.mark.parametrize("out", ["tok.json", "./tok.json", "taken", "folder", "dangling"])
def test_nothing_is_overwritten(out: str, here: Path) -> None:
    Path("taken").write_bytes(b"mine")
    Path("folder").mkdir()
    Path("dangling").symlink_to("nowhere")
    before = names(here)
    with pytest.raises(E.OutputFileExistsError) as caught:
        mintdim.prepare_tokenizer("tok.json", out, **BOTH)
    assert caught.value.directory == out
    assert (names(here), Path("taken").read_bytes()) == (before, b"mine")
    assert Path("tok.json").read_bytes() == byte_level()


def test_what_appears_at_the_path_meanwhile_is_not_overwritten(here: Path) -> None:
    def corpus_and_a_rival(*literals: Any) -> Any:
        Path("ready.json").write_bytes(b"mine")
        return []

    with (
        patch("mintdim.encoders.prepare.corpus", corpus_and_a_rival),
        pytest.raises(E.OutputFileExistsError),
    ):
        mintdim.prepare_tokenizer("tok.json", "ready.json", **BOTH)
    assert Path("ready.json").read_bytes() == b"mine"
    assert names(here) == ["ready.json", "tok.json", "tok.model"]


def test_folders_of_the_copy_are_made(here: Path) -> None:
    mintdim.prepare_tokenizer("tok.json", "new/folder/ready.json", **BOTH)
    assert names(here / "new/folder") == ["ready.json"]


def test_a_full_disk_leaves_nothing(here: Path) -> None:
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    with patch("os.write", side_effect=full), pytest.raises(E.OutputWriteError):
        mintdim.prepare_tokenizer("tok.json", "ready.json", **BOTH)
    assert names(here) == ["tok.json", "tok.model"]


def test_a_missing_tokenizer_is_named(here: Path) -> None:
    with pytest.raises(E.MintDimFileNotFoundError) as caught:
        mintdim.prepare_tokenizer("none.json", "ready.json")
    assert (caught.value.context, caught.value.file) == ("tokenizer", "none.json")


@pytest.mark.parametrize("path", [None, 3, "", b"tok.json", "a\0b", ["tok.json"]])
def test_a_path_that_is_no_path_is_refused(path: Any, here: Path) -> None:
    for arguments in ((path, "ready.json"), ("tok.json", path)):
        with pytest.raises(E.TokenizerPrepareError):
            mintdim.prepare_tokenizer(*arguments, **BOTH)


def test_the_result_is_frozen_pickles_and_says_what_was_done(here: Path) -> None:
    result = mintdim.prepare_tokenizer("tok.json", Path("ready.json"), **BOTH)
    assert pickle.loads(pickle.dumps(result)) == result
    with pytest.raises(AttributeError):
        result.pad_id = 3  # type: ignore[misc]
    assert str(result).splitlines() == [
        "ready.json: Hugging Face tokenizer, ready for unit-build",
        '  PAD  id 257     "<pad>" (appended)',
        '  UNK  id 258     "<unk>" (appended)',
        f"  every other id is unchanged, compared on {result.texts_compared:,} texts",
        "  a model that is trained on it needs at least 259 embeddings",
    ]


@pytest.mark.parametrize(("kind", "out"), [("hf_json", "r.json"), ("sentencepiece", "r.model")])
def test_unit_build_refuses_the_original_and_takes_the_copy(
    kind: str, out: str, here: Path
) -> None:
    Path("in.jsonl").write_bytes(worlds.jsonl({"text": "ab ß"}, {"text": "<pad>"}))
    original = f"tok{Path(out).suffix}"
    job = worlds.make_job(tokenizer_type=kind, tokenizer={"path": original})
    with pytest.raises(E.TokenizerSpecialTokenError):
        worlds.declare(job).validate()
    wanted = BOTH if kind == "hf_json" else {"pad": "<pad>"}
    mintdim.prepare_tokenizer(original, out, **wanted)
    result = worlds.declare(job | {"tokenizer": {"path": out}}).run()
    assert result.outputs[0].total_samples == 2


# ------------------------------------------------------------------------------------ the corpus


def test_texts_of_all_scripts_are_compared(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mintdim.encoders.prepare.corpus", corpus)
    for name, wanted in (("tok.json", BOTH), ("tok.model", {"pad": "<pad>"})):
        assert mintdim.prepare_tokenizer(name, f"ready.{name}", **wanted).texts_compared > 15_000


def test_the_corpus_is_the_same_at_every_call_and_valid_text() -> None:
    first, second = (list(corpus(("<pad>",), ("<s>",))) for _ in range(2))
    assert first == second
    assert all(text.encode("utf-8").decode("utf-8") == text for text in first)


def test_the_corpus_holds_every_code_point_of_the_planes_with_characters() -> None:
    seen = set("".join(corpus((), ())))
    expected = {*range(0xD800), *range(0xE000, 0x40000), *range(0xE0000, 0xE1000)}
    assert {chr(code) for code in expected} <= seen
    assert {"\U00040000", "\U000f0000", "\U0010f000"} <= seen


def test_the_corpus_holds_literals_alone_and_in_context() -> None:
    texts = list(corpus(("<new>",), ("<old>",)))
    assert {"<new>", "a<new>b", " <new> ", "<new><new>", "<old>"} <= set(texts)
    assert any("a<old>b" in text for text in texts)
