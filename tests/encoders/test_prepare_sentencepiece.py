"""Ready copies of SentencePiece models."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import pytest
import worlds
from sentencepiece import SentencePieceProcessor

import mintdim
from mintdim.encoders.prepare_sentencepiece import PROTOBUF
from mintdim.shared import errors as E  # noqa: N812

if TYPE_CHECKING:
    from mintdim.encoders.prepare_result import PreparedTokenizer

WITHOUT_PAD = worlds.spm(pad=False, words=("hello", "the"))


def prepare(root: Path, model: bytes, **wanted: Any) -> PreparedTokenizer:
    (root / "tok.model").write_bytes(model)
    return mintdim.prepare_tokenizer(root / "tok.model", root / "ready.model", **wanted)


def refusal(root: Path, **wanted: Any) -> mintdim.MintDimError:
    with pytest.raises(mintdim.MintDimError) as caught:
        prepare(root, WITHOUT_PAD, **wanted)
    assert sorted(path.name for path in root.iterdir()) == ["tok.model"]
    return caught.value


def opened(path: Path) -> Any:
    return SentencePieceProcessor(model_file=str(path))


def test_a_new_pad_is_a_control_piece_at_the_end(tmp_path: Path) -> None:
    result = prepare(tmp_path, WITHOUT_PAD, pad="<pad>")
    before, after = opened(tmp_path / "tok.model"), opened(tmp_path / "ready.model")
    size = before.vocab_size()
    assert (result.pad_id, result.unk_id, result.appended) == (size, 0, ("<pad>",))
    assert (after.pad_id(), after.vocab_size()) == (size, size + 1)
    assert after.is_control(size)
    for token_id in range(size):
        assert after.id_to_piece(token_id) == before.id_to_piece(token_id)
        assert after.get_score(token_id) == before.get_score(token_id)
    for text in ("the <pad> hello", "<pad>", "ß"):
        assert after.encode(text) == before.encode(text)


def test_an_existing_control_piece_may_be_named(tmp_path: Path) -> None:
    result = prepare(tmp_path, WITHOUT_PAD, pad="<s>", unk="<unk>")
    assert (result.pad_id, result.appended) == (2, ())
    assert opened(tmp_path / "ready.model").pad_id() == 2


def test_a_model_that_is_ready_gives_an_identical_copy(tmp_path: Path) -> None:
    prepare(tmp_path, worlds.spm(), unk="<unk>")
    assert (tmp_path / "ready.model").read_bytes() == worlds.spm()


@pytest.mark.parametrize("piece", ["hello", "a", "<unk>"])
def test_a_piece_that_is_no_control_piece_cannot_be_pad(piece: str, tmp_path: Path) -> None:
    error = refusal(tmp_path, pad=piece)
    assert type(error) is E.TokenizerPrepareError
    assert "<none>, <s>" in str(error)


def test_a_model_keeps_its_one_unknown_piece(tmp_path: Path) -> None:
    error = refusal(tmp_path, pad="<pad>", unk="<new>")
    assert type(error) is E.TokenizerPrepareError
    assert "<unk> with id 0" in str(error)


def test_a_missing_pad_is_named_with_control_pieces(tmp_path: Path) -> None:
    error = refusal(tmp_path)
    assert isinstance(error, E.TokenizerPrepareMissingError)
    assert (error.missing, error.suggested) == (("pad",), ("<pad>",))


def test_without_protobuf_the_error_says_what_to_install(tmp_path: Path) -> None:
    with patch.dict(sys.modules, {"google.protobuf": None}):
        sys.modules.pop("sentencepiece.sentencepiece_model_pb2", None)
        error = refusal(tmp_path, pad="<pad>")
    assert isinstance(error, E.MissingLibraryError)
    assert isinstance(error.__cause__, ImportError)
    assert f'pip install "{PROTOBUF}"' in str(error)


def test_protobuf_is_imported_for_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "tok.json").write_bytes(worlds.hf_char())
    (tmp_path / "tok.model").write_bytes(worlds.spm())
    code = (
        "import sys, mintdim\n"
        "mintdim.prepare_tokenizer('tok.json', 'a.json')\n"
        "mintdim.prepare_tokenizer('tok.model', 'a.model')\n"
        "sys.exit('google.protobuf' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True, timeout=120)


def test_the_extra_of_the_package_asks_for_what_the_error_names() -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8"))
    assert project["project"]["optional-dependencies"]["prepare"] == [PROTOBUF]
