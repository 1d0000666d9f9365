"""Ready copies of `tokenizer.json` files: what is appended, what stays, what is refused."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
import tokenizer_files as files
import worlds
from tokenizer_files import byte_level, exact, few_texts, ids

import mintdim
from mintdim.shared import errors as E  # noqa: N812

if TYPE_CHECKING:
    from pathlib import Path

    from mintdim.encoders.prepare_result import PreparedTokenizer


@pytest.fixture(autouse=True)
def _few_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mintdim.encoders.prepare.corpus", few_texts)


def prepare(root: Path, document: bytes, **wanted: Any) -> PreparedTokenizer:
    (root / "tokenizer.json").write_bytes(document)
    return mintdim.prepare_tokenizer(root / "tokenizer.json", root / "ready.json", **wanted)


def ready(root: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((root / "ready.json").read_bytes())
    return document


def refusal(root: Path, document: bytes, **wanted: Any) -> mintdim.MintDimError:
    with pytest.raises(mintdim.MintDimError) as caught:
        prepare(root, document, **wanted)
    assert sorted(path.name for path in root.iterdir()) == ["tokenizer.json"]
    return caught.value


def added(*names: str, first: int, **flags: Any) -> list[dict[str, Any]]:
    return [worlds.added_token(first + i, name) | flags for i, name in enumerate(names)]


# ------------------------------------------------------------------------------------ appending


def test_new_entries_follow_the_largest_id_in_the_order_pad_unk(tmp_path: Path) -> None:
    result = prepare(tmp_path, byte_level(), pad="<pad>", unk="<unk>")
    assert (result.pad_id, result.unk_id, result.appended) == (257, 258, ("<pad>", "<unk>"))
    vocab = ready(tmp_path)["model"]["vocab"]
    assert (vocab["<pad>"], vocab["<unk>"]) == (257, 258)


def test_new_entries_are_no_added_tokens_and_do_not_match_in_text(tmp_path: Path) -> None:
    prepare(tmp_path, byte_level(), pad="<pad>", unk="<unk>")
    assert ready(tmp_path)["added_tokens"] == []
    original, copy = exact(byte_level()), exact((tmp_path / "ready.json").read_bytes())
    for text in ("<pad>", "a<unk>b", "<unk><pad> <pad>"):
        assert ids(copy, text) == ids(original, text)


def test_the_padding_settings_are_those_of_a_plain_batch(tmp_path: Path) -> None:
    prepare(tmp_path, byte_level(), pad="<pad>", unk="<unk>")
    assert ready(tmp_path)["padding"] == {
        "strategy": "BatchLongest",
        "direction": "Right",
        "pad_to_multiple_of": None,
        "pad_id": 257,
        "pad_type_id": 0,
        "pad_token": "<pad>",
    }


def test_added_tokens_behind_the_vocabulary_keep_their_ids_when_it_grows(tmp_path: Path) -> None:
    """The layout of Llama 3: the library would give them ids that depend on its size."""
    document = byte_level(added_tokens=added("<|bos|>", "<|eot|>", first=257))
    result = prepare(tmp_path, document, pad="<pad>", unk="<unk>")
    assert (result.pad_id, result.unk_id) == (259, 260)
    copy = exact((tmp_path / "ready.json").read_bytes())
    assert ids(copy, "<|bos|>ab<|eot|>") == ids(exact(document), "<|bos|>ab<|eot|>")
    assert ready(tmp_path)["added_tokens"] == json.loads(document)["added_tokens"]


def test_the_ids_of_added_tokens_are_those_of_the_library_not_of_the_file(tmp_path: Path) -> None:
    document = byte_level(added_tokens=added("<|bos|>", first=5000))
    assert exact(document).token_to_id("<|bos|>") == 257
    assert prepare(tmp_path, document, pad="<pad>", unk="<unk>").pad_id == 258
    assert exact((tmp_path / "ready.json").read_bytes()).token_to_id("<|bos|>") == 257


def test_gaps_in_the_vocabulary_stay(tmp_path: Path) -> None:
    document = byte_level(model={"vocab": vocabulary() | {"rare": 900}})
    assert prepare(tmp_path, document, pad="<pad>", unk="<unk>").pad_id == 901


def vocabulary() -> dict[str, int]:
    vocab: dict[str, int] = json.loads(byte_level())["model"]["vocab"]
    return vocab


# ----------------------------------------------------------------------------- existing entries


def test_an_existing_entry_is_used_with_its_id(tmp_path: Path) -> None:
    document = byte_level(added_tokens=added("<|endoftext|>", first=257))
    result = prepare(tmp_path, document, pad="<|endoftext|>", unk="<unk>")
    assert (result.pad_id, result.appended) == (257, ("<unk>",))
    assert result.found_in_text == ("<|endoftext|>",)


def test_an_added_token_named_as_unk_moves_into_the_vocabulary_with_its_id(tmp_path: Path) -> None:
    document = byte_level(added_tokens=added("<s>", "<|endoftext|>", first=257))
    result = prepare(tmp_path, document, pad="<|endoftext|>", unk="<|endoftext|>")
    assert (result.pad_id, result.unk_id, result.appended) == (258, 258, ())
    assert ready(tmp_path)["model"]["vocab"]["<|endoftext|>"] == 258
    assert "one entry" in str(result)


def test_an_unk_token_that_only_the_added_tokens_know_becomes_usable(tmp_path: Path) -> None:
    model = files.bpe() | {"unk_token": "<unk>"}
    document = worlds.tokenizer_json(model, padding=None, added_tokens=added("<unk>", first=11))
    assert ids(exact(document), "aßb") is None
    assert prepare(tmp_path, document, pad="<pad>", unk="<unk>").unk_id == 11
    assert ids(exact((tmp_path / "ready.json").read_bytes()), "aßb") == [0, 11, 1]


def test_what_is_exposed_already_stays_unless_it_is_given(tmp_path: Path) -> None:
    left = worlds.padding(direction="Left", pad_to_multiple_of=8)
    document = worlds.tokenizer_json(
        worlds.bpe(worlds.numbered("a"), [], unk_token=None), padding=left
    )
    result = prepare(tmp_path, document, unk="[UNK]")
    assert (result.pad_token, result.pad_id, result.unk_id) == ("[PAD]", 1, 0)
    assert ready(tmp_path)["padding"] == left


def test_a_tokenizer_that_is_ready_gives_an_equal_copy(tmp_path: Path) -> None:
    result = prepare(tmp_path, worlds.hf_char())
    assert ready(tmp_path) == json.loads(worlds.hf_char())
    assert (result.appended, result.pad_id, result.unk_id) == ((), 1, 0)


def test_another_unknown_token_takes_the_place_of_the_earlier_one_only(tmp_path: Path) -> None:
    prepare(tmp_path, worlds.hf_char(), unk="a new unk")
    original, copy = exact(worlds.hf_char()), exact((tmp_path / "ready.json").read_bytes())
    last = original.get_vocab_size()
    assert ids(original, "aßb") == [original.token_to_id("a"), 0, original.token_to_id("b")]
    assert ids(copy, "aßb") == [original.token_to_id("a"), last, original.token_to_id("b")]


def test_padding_settings_that_disagree_with_the_vocabulary_are_set_right(tmp_path: Path) -> None:
    wrong = worlds.tokenizer_json(
        worlds.word_level(worlds.numbered("a")), padding=worlds.padding(pad_id=7)
    )
    assert isinstance(refusal(tmp_path, wrong), E.TokenizerPrepareMissingError)
    assert prepare(tmp_path, wrong, pad="[PAD]").pad_id == 1
    assert ready(tmp_path)["padding"]["pad_id"] == 1


# -------------------------------------------------------------------------------- the other kinds


@pytest.mark.parametrize("kind", files.MODELS)
def test_every_kind_of_model_can_be_prepared(kind: str, tmp_path: Path) -> None:
    document = worlds.tokenizer_json(files.MODELS[kind](), padding=None, pre_tokenizer=files.WORDS)
    size = exact(document).get_vocab_size()
    result = prepare(tmp_path, document, pad="< pad >", unk="< unk >")
    assert (result.pad_id, result.unk_id) == (size, size + 1)
    copy = exact((tmp_path / "ready.json").read_bytes())
    assert ids(copy, "ab ß")[-1] == size + 1  # type: ignore[index]
    assert ids(copy, "ab a") == ids(exact(document), "ab a")


def test_the_scores_of_a_unigram_model_stay_and_new_pieces_get_the_lowest(tmp_path: Path) -> None:
    document = worlds.tokenizer_json(
        files.unigram(),
        padding=None,
        pre_tokenizer=files.WORDS,
        added_tokens=added("<s>", first=10),
    )
    prepare(tmp_path, document, pad="< pad >", unk="< unk >")
    before, after = files.unigram()["vocab"], ready(tmp_path)["model"]["vocab"]
    lowest = min(score for _, score in before)
    assert after == [*before, ["<s>", lowest], ["< pad >", lowest], ["< unk >", lowest]]


@pytest.mark.parametrize("flag", ["ignore_merges", "fuse_unk", "byte_fallback"])
def test_the_flags_of_a_bpe_model_stay(flag: str, tmp_path: Path) -> None:
    prepare(tmp_path, byte_level(model={flag: True}), pad="<pad>", unk="<unk>")
    assert ready(tmp_path)["model"][flag] is True


def test_nothing_else_of_the_file_changes(tmp_path: Path) -> None:
    document = worlds.hf_bpe_with_stored_settings()
    prepare(tmp_path, document, pad="<pad>")
    after = (tmp_path / "ready.json").read_bytes()
    changed = ("padding", "model")
    assert files.without(after, *changed) == files.without(document, *changed)
    model = json.loads(document)["model"]
    assert ready(tmp_path)["model"] == model | {"vocab": model["vocab"] | {"<pad>": 116}}
    assert "日".encode() in after


@pytest.mark.parametrize("indent", [None, 2])
def test_the_layout_of_the_file_stays(indent: int | None, tmp_path: Path) -> None:
    document = json.dumps(json.loads(byte_level()), ensure_ascii=False, indent=indent).encode()
    prepare(tmp_path, document, pad="<pad>", unk="<unk>")
    assert ((tmp_path / "ready.json").read_bytes().count(b"\n") > 0) is (indent is not None)


# -------------------------------------------------------------------------------------- refusals


def test_a_new_entry_that_would_match_in_text_is_refused_with_text_and_ids(tmp_path: Path) -> None:
    document = worlds.tokenizer_json(
        files.word_level(unk_token="a"), padding=None, pre_tokenizer={"type": "WhitespaceSplit"}
    )
    error = refusal(tmp_path, document, pad="<pad>")
    assert isinstance(error, E.TokenizerPrepareProofError)
    assert (error.text, error.before, error.after) == ("<pad>", (0,), (10,))


def test_with_ignore_merges_a_new_entry_that_is_a_word_is_refused(tmp_path: Path) -> None:
    document = byte_level(model={"ignore_merges": True})
    error = refusal(tmp_path, document, pad="pad", unk="<unk>")
    assert isinstance(error, E.TokenizerPrepareProofError)
    assert error.after == (257,)


def test_a_unigram_piece_that_would_match_is_refused(tmp_path: Path) -> None:
    document = worlds.tokenizer_json(files.unigram(unk_id=0), padding=None)
    assert isinstance(refusal(tmp_path, document, pad="abcd"), E.TokenizerPrepareProofError)


def test_a_single_character_that_the_model_lacks_is_refused(tmp_path: Path) -> None:
    document = worlds.tokenizer_json(files.bpe(), padding=None)
    assert isinstance(
        refusal(tmp_path, document, pad="é", unk="<unk>"), E.TokenizerPrepareProofError
    )


def test_what_is_missing_is_named_with_candidates(tmp_path: Path) -> None:
    names = ("<|bos|>", "<|endoftext|>", "<|image_pad|>", "[PAD]", "<unused0>")
    error = refusal(tmp_path, byte_level(added_tokens=added(*names, first=257)))
    assert isinstance(error, E.TokenizerPrepareMissingError)
    assert error.missing == ("pad", "unk")
    assert error.pad_candidates == ("[PAD]", "<|endoftext|>", "<|image_pad|>", "<unused0>")
    assert error.unk_candidates == ("<|endoftext|>", "<unused0>")
    assert error.suggested == ("[PAD]", "<unk>")
    assert "pad='[PAD]', unk='<unk>')" in str(error)


def test_only_what_is_missing_has_to_be_given(tmp_path: Path) -> None:
    error = refusal(tmp_path, byte_level(), pad="<pad>")
    assert isinstance(error, E.TokenizerPrepareMissingError)
    assert error.missing == ("unk",)


@pytest.mark.parametrize("value", ["", 3, b"<pad>", "a\0b", "\ud800"])
@pytest.mark.parametrize("name", ["pad", "unk"])
def test_a_token_that_is_no_text_is_refused(name: str, value: Any, tmp_path: Path) -> None:
    error = refusal(tmp_path, byte_level(), **{name: value})
    assert type(error) is E.TokenizerPrepareError
    assert name in str(error)


@pytest.mark.parametrize("document", [b"{}", b"{", b'{"model": 1}', b"[]", b""])
def test_a_file_that_is_no_tokenizer_is_refused(document: bytes, tmp_path: Path) -> None:
    error = refusal(tmp_path, document, pad="<pad>", unk="<unk>")
    assert isinstance(error, E.TokenizerValidationError)
    assert isinstance(error.__cause__, ValueError)
