"""Tokenizers: exactly the ids of the library, nothing added; and files that are refused.

All of it is seen from outside: a build, and the ids that stand in its shards.
"""

from __future__ import annotations

import contextlib
import json
import os
import struct
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import worlds
from hypothesis import given, settings
from hypothesis import strategies as st
from worlds import jsonl, make_job, numbered, tokenizer_json, write_files

from mintdim.shared.errors import (
    MintDimConfigError,
    MintDimFileNotFoundError,
    TokenizerEncodeError,
    TokenizerSpecialTokenError,
    TokenizerValidationError,
    UnitOverflowError,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

LAW = settings(max_examples=int(os.environ.get("MINTDIM_EXAMPLES", "25")), deadline=None)
WORDS = {"type": "WhitespaceSplit"}


def job_with(root: Path, tokenizer: bytes, texts: Sequence[str], /, **job: Any) -> dict[str, Any]:
    kind = job.get("tokenizer_type", "hf_json")
    rows = jsonl(*({"text": text} for text in texts))
    write_files(root, {"in.jsonl": rows, worlds.EXTENSIONS[kind]: tokenizer})
    return make_job(tokenizer_type=kind) | job


def ids_of(root: Path, tokenizer: bytes, /, *texts: str, **job: Any) -> list[list[int]]:
    """Build, and read the ids of every sample back from its place in the shards."""
    worlds.run_job(root, **job_with(root, tokenizer, texts, **job))
    out = root / "out"
    width = json.loads((out / "manifest.json").read_text("utf-8"))["token_storage"]
    size, letter = {"uint16": (2, "H"), "uint32": (4, "I")}[width["dtype"]]
    found = []
    for count, unit, shard, row in struct.iter_unpack(
        "<4I", (out / "sample_index.bin").read_bytes()
    ):
        data = (out / f"unit_{unit}" / f"shard_{shard:06}.bin").read_bytes()
        found.append(list(struct.unpack_from(f"<{count}{letter}", data, row * unit * size)))
    return found


def info_of(root: Path, tokenizer: bytes, kind: str = "hf_json") -> Any:
    """The facts of a tokenizer by validation alone."""
    job = job_with(root, tokenizer, ["a"], tokenizer_type=kind)
    with contextlib.chdir(root):
        return worlds.declare(job).validate().sessions[0].tokenizer


# ------------------------------------------------------------- what may not reach the tokens

ABC = numbered("a", "b", "c", "ab", "<s>", "</s>")


def char_level(**blocks: Any) -> bytes:
    blocks.setdefault("pre_tokenizer", worlds.BY_CHARACTER)
    return tokenizer_json(worlds.word_level(ABC), **blocks)


STORED: dict[str, dict[str, Any]] = {
    "padding to the longest": {"padding": worlds.padding()},
    "padding to 7": {"padding": worlds.padding(strategy={"Fixed": 7})},
    "padding on the left": {"padding": worlds.padding(direction="Left")},
    "padding to multiples of 8": {"padding": worlds.padding(pad_to_multiple_of=8)},
    "truncation to 2": {"truncation": worlds.truncation(2)},
    "truncation to 1 on the left": {"truncation": worlds.truncation(1) | {"direction": "Left"}},
    "BERT's [CLS] and [SEP]": {
        "post_processor": {"type": "BertProcessing", "sep": ["</s>", 7], "cls": ["<s>", 6]}
    },
    "RoBERTa's <s> and </s>": {
        "post_processor": {
            "type": "RobertaProcessing",
            "sep": ["</s>", 7],
            "cls": ["<s>", 6],
            "trim_offsets": True,
            "add_prefix_space": False,
        }
    },
}


@pytest.mark.parametrize("stored", STORED)
def test_settings_stored_in_the_file_do_not_reach_the_tokens(tmp_path: Path, stored: str) -> None:
    tokenizer = char_level(**STORED[stored])
    found = ids_of(tmp_path, tokenizer, "abc", "", "a", "abcabca")
    assert found == [[2, 3, 4], [], [2], [2, 3, 4, 2, 3, 4, 2]]
    assert (tmp_path / "tok.json").read_bytes() == tokenizer


@pytest.mark.parametrize("dropout", [0.5, 1.0])
def test_dropout_is_switched_off(tmp_path: Path, dropout: float) -> None:
    """With dropout 1 no merge is ever made; ours are all made, every time."""
    tokenizer = tokenizer_json(worlds.bpe(ABC, [["a", "b"]], dropout=dropout))
    assert ids_of(tmp_path, tokenizer, *["abcab"] * 30) == [[5, 4, 5]] * 30


@LAW
@given(st.lists(st.text("abc", max_size=9), min_size=1, max_size=6), st.integers(1, 5))
def test_a_text_has_the_same_ids_whatever_stands_beside_it_in_a_batch(
    texts: list[str], batch: int
) -> None:
    tokenizer = worlds.hf_bpe_with_stored_settings()
    letters = numbered(*worlds.ALPHABET, "ab", "abab")
    with tempfile.TemporaryDirectory() as folder:
        found = ids_of(Path(folder), tokenizer, *texts, build_batch=[batch])
    spelled = {token_id: token for token, token_id in letters.items()}
    assert ["".join(spelled[i] for i in ids) for ids in found] == texts


@pytest.mark.parametrize("kind", ["sentencepiece", "hf_json"])
def test_no_bos_or_eos_is_added(tmp_path: Path, kind: str) -> None:
    tokenizer = {"sentencepiece": worlds.spm(), "hf_json": worlds.hf_with_post_processor()}[kind]
    (ids,) = ids_of(tmp_path, tokenizer, "a", tokenizer_type=kind)
    assert len(ids) == 1


# ------------------------------------------------------------------------- other kinds of models


def word_piece(*tokens: str, **changes: Any) -> dict[str, Any]:
    return {
        "type": "WordPiece",
        "unk_token": worlds.UNK,
        "continuing_subword_prefix": "##",
        "max_input_chars_per_word": 10,
        "vocab": numbered(*tokens),
        **changes,
    }


def unigram(unk_id: int | None, *tokens: str) -> dict[str, Any]:
    vocab = [[token, -float(i)] for i, token in enumerate(["<unk>", worlds.PAD, *tokens])]
    return {"type": "Unigram", "unk_id": unk_id, "vocab": vocab, "byte_fallback": False}


def test_a_word_piece_tokenizer_builds(tmp_path: Path) -> None:
    tokenizer = tokenizer_json(word_piece("un", "##do", "do"), pre_tokenizer=WORDS)
    found = ids_of(tmp_path, tokenizer, "undo do", "do  redo", "x" * 11)
    assert found == [[2, 3, 4], [4, 0], [0]]


def test_a_unigram_tokenizer_builds_with_the_unk_id_of_its_model(tmp_path: Path) -> None:
    """Its unknown token need not be the first one."""
    tokenizer = tokenizer_json(unigram(3, "a", "?", "ab"))
    assert ids_of(tmp_path, tokenizer, "aba", "aß") == [[4, 2], [2, 3]]
    assert info_of(tmp_path / "again", tokenizer).unk_id == 3


def test_a_word_level_tokenizer_builds(tmp_path: Path) -> None:
    tokenizer = tokenizer_json(worlds.word_level(numbered("do", "it")), pre_tokenizer=WORDS)
    assert ids_of(tmp_path, tokenizer, "do it", "it  it do", "redo") == [[2, 3], [3, 3, 2], [0]]


def test_a_byte_level_bpe_builds_and_never_needs_its_unk(tmp_path: Path) -> None:
    tokenizer = tokenizer_json(
        worlds.bpe(numbered("a", "Ã", "Ł"), []),
        pre_tokenizer={
            "type": "ByteLevel",
            "add_prefix_space": False,
            "trim_offsets": True,
            "use_regex": False,
        },
    )
    assert ids_of(tmp_path, tokenizer, "aß") == [[2, 3, 4]]  # ß is C3 9F, shown as Ã and Ł


def test_added_tokens_are_found_before_the_model_sees_the_text(tmp_path: Path) -> None:
    """Special ones in field values are encoded as the library encodes them."""
    tokenizer = char_level(
        added_tokens=[
            worlds.added_token(6, "<s>"),
            worlds.added_token(8, "<new>") | {"special": False},
            worlds.added_token(9, "abc"),
        ]
    )
    assert ids_of(tmp_path, tokenizer, "<s>a", "abcab", "<new>", "<s") == [
        [6, 2],
        [9, 2, 3],
        [8],
        [0, 0],
    ]


def test_the_vocabulary_counts_added_tokens(tmp_path: Path) -> None:
    info = info_of(tmp_path, char_level(added_tokens=[worlds.added_token(8, "<new>")]))
    assert (info.vocab_size, info.largest_id) == (9, 8)
    assert (info.unk_id, info.pad_id) == (0, 1)


def test_gaps_in_the_ids_are_kept_and_the_largest_id_chooses_the_storage(tmp_path: Path) -> None:
    tokenizer = worlds.hf_gap(65_536)
    a = numbered(*worlds.ALPHABET)["a"]
    assert ids_of(tmp_path, tokenizer, "za") == [[65_536, a]]
    info = info_of(tmp_path / "again", tokenizer)
    assert info.vocab_size < 200
    assert info.largest_id == 65_536


def test_a_gap_below_65535_stays_in_two_bytes(tmp_path: Path) -> None:
    assert ids_of(tmp_path, worlds.hf_gap(65_534), "z") == [[65_534]]
    assert (tmp_path / "out" / "unit_8" / "shard_000000.bin").stat().st_size == 16


def test_a_file_is_opened_by_its_content_and_not_by_its_name(tmp_path: Path) -> None:
    """The suffix says nothing: the block says which library reads the file."""
    write_files(tmp_path, {"tok.model": char_level()})
    assert ids_of(tmp_path, b"", "ab", tokenizer={"path": "tok.model"}) == [[2, 3]]


# ------------------------------------------------------------------------------- UNK and PAD


def special_token_missing(root: Path, tokenizer: bytes, kind: str = "hf_json") -> str:
    with pytest.raises(TokenizerSpecialTokenError) as caught:
        info_of(root, tokenizer, kind)
    assert caught.value.file == worlds.EXTENSIONS[kind]
    return caught.value.special_token


WITHOUT_UNK = {
    "WordLevel whose unk_token is no word": worlds.word_level({"a": 0, worlds.PAD: 1}),
    "BPE without unk_token": worlds.bpe(ABC, [], unk_token=None),
    "BPE whose unk_token is not in the vocabulary": worlds.bpe(ABC, [], unk_token="<no>"),
    "Unigram without unk_id": unigram(None, "a"),
    "WordPiece whose unk_token is not in the vocabulary": word_piece("a", unk_token="<no>"),
}


@pytest.mark.parametrize("model", WITHOUT_UNK)
def test_a_model_without_unk_is_refused(tmp_path: Path, model: str) -> None:
    tokenizer = tokenizer_json(WITHOUT_UNK[model], pre_tokenizer=worlds.BY_CHARACTER)
    assert special_token_missing(tmp_path, tokenizer) == "unk_id"


@pytest.mark.parametrize(
    "model",
    [
        worlds.word_level({"a": 0, worlds.PAD: 1}),
        worlds.bpe({"a": 0, worlds.PAD: 1}, []),
        word_piece("a", vocab={"a": 0, worlds.PAD: 1}),
    ],
    ids=["WordLevel", "BPE", "WordPiece"],
)
def test_an_unk_that_is_only_an_added_token_is_refused(
    tmp_path: Path, model: dict[str, Any]
) -> None:
    """The model itself does not know it: the library could not encode an unknown character."""
    added = [worlds.added_token(2, worlds.UNK)]
    tokenizer = tokenizer_json(model, pre_tokenizer=worlds.BY_CHARACTER, added_tokens=added)
    assert special_token_missing(tmp_path, tokenizer) == "unk_id"


@pytest.mark.parametrize(
    "padding",
    [None, worlds.padding(2), worlds.padding(99), worlds.padding(1, "[no]"), worlds.padding(0)],
    ids=["none", "id of another token", "id beyond all", "unknown token", "id of UNK"],
)
def test_padding_that_names_no_pad_or_two_different_ones_is_refused(
    tmp_path: Path, padding: dict[str, Any] | None
) -> None:
    assert special_token_missing(tmp_path, char_level(padding=padding)) == "pad_id"


def test_a_pad_that_is_only_an_added_token_will_do(tmp_path: Path) -> None:
    """It is written into slots, and never encoded."""
    added = [worlds.added_token(8, "<pad>")]
    tokenizer = char_level(padding=worlds.padding(8, "<pad>"), added_tokens=added)
    assert ids_of(tmp_path, tokenizer, "a", sizes=[[2]]) == [[2]]
    shard = (tmp_path / "out" / "unit_2" / "shard_000000.bin").read_bytes()
    assert shard == struct.pack("<2H", 2, 8)


def test_unk_is_asked_for_before_pad(tmp_path: Path) -> None:
    tokenizer = tokenizer_json(worlds.bpe(ABC, [], unk_token=None), padding=None)
    assert special_token_missing(tmp_path, tokenizer) == "unk_id"


def test_a_sentencepiece_model_without_pad_is_refused(tmp_path: Path) -> None:
    assert special_token_missing(tmp_path, worlds.spm(pad=False), "sentencepiece") == "pad_id"


def test_a_special_token_error_is_a_tokenizer_validation_error() -> None:
    assert issubclass(TokenizerSpecialTokenError, TokenizerValidationError)
    assert issubclass(TokenizerValidationError, MintDimConfigError)


# ------------------------------------------------------------------------------ refused files

NO_TOKENIZER: dict[str, bytes] = {
    "empty": b"",
    "one byte": b"\x00",
    "white space": b" \n",
    "text": b"This is no tokenizer.\n",
    "a JSON list": b"[]",
    "an empty JSON object": b"{}",
    "null": b"null",
    "a JSON object of another kind": b'{"model": {"type": "BPE"}, "version": "9"}',
    "bytes that are not UTF-8": b"\xff\xfe\x00{",
    "gzip": worlds.gz(b"{}"),
}


@pytest.mark.parametrize("content", NO_TOKENIZER)
@pytest.mark.parametrize("kind", ["sentencepiece", "hf_json"])
def test_a_file_that_is_no_tokenizer_is_refused_with_the_cause_behind_it(
    tmp_path: Path, kind: str, content: str
) -> None:
    with pytest.raises(TokenizerValidationError) as caught:
        info_of(tmp_path, NO_TOKENIZER[content], kind)
    error = caught.value
    assert type(error) is TokenizerValidationError
    assert (error.component, error.file) == ("format", worlds.EXTENSIONS[kind])
    assert error.__cause__ is not None
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("kind", ["sentencepiece", "hf_json"])
def test_the_tokenizer_of_the_other_library_is_refused(tmp_path: Path, kind: str) -> None:
    other = {"sentencepiece": worlds.hf_char(), "hf_json": worlds.spm()}[kind]
    with pytest.raises(TokenizerValidationError) as caught:
        info_of(tmp_path, other, kind)
    assert caught.value.component == "format"


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.999])
@pytest.mark.parametrize("kind", ["sentencepiece", "hf_json"])
def test_a_tokenizer_that_was_cut_off_is_refused(tmp_path: Path, kind: str, share: float) -> None:
    whole = {"sentencepiece": worlds.spm(), "hf_json": worlds.hf_char()}[kind]
    with pytest.raises(TokenizerValidationError):
        info_of(tmp_path, whole[: int(len(whole) * share)], kind)


@LAW
@given(st.binary(max_size=30), st.sampled_from(["sentencepiece", "hf_json"]))
def test_whatever_bytes_stand_in_a_tokenizer_file_the_error_is_ours(
    content: bytes, kind: str
) -> None:
    with tempfile.TemporaryDirectory() as folder, contextlib.suppress(TokenizerValidationError):
        info_of(Path(folder), content, kind)


def test_a_missing_tokenizer_is_named_with_its_context(tmp_path: Path) -> None:
    job = job_with(tmp_path, char_level(), ["a"], tokenizer={"path": "./gone.json"})
    with pytest.raises(MintDimFileNotFoundError) as caught:
        worlds.run_job(tmp_path, **job)
    assert (caught.value.context, caught.value.file) == ("tokenizer", "./gone.json")


def test_a_tokenizer_that_changed_between_two_builds_is_read_again(tmp_path: Path) -> None:
    """Files are told apart by content: no build meets the tokenizer of an earlier one."""
    assert ids_of(tmp_path, char_level(), "ab") == [[2, 3]]
    other = tokenizer_json(worlds.word_level(numbered("b", "a")), pre_tokenizer=worlds.BY_CHARACTER)
    write_files(tmp_path, {"tok.json": other})
    again = job_with(tmp_path, other, ["ab"], output="again")
    worlds.run_job(tmp_path, **again)
    shard = (tmp_path / "again" / "unit_8" / "shard_000000.bin").read_bytes()
    assert struct.unpack_from("<2H", shard) == (3, 2)


# ------------------------------------------------------------------- texts that a library refuses

# A pattern that a regular expression engine gives up on: it tries 2^n ways to cut n times "x".
HOPELESS = {
    "type": "Split",
    "pattern": {"Regex": "(?:x+x+)+y"},
    "behavior": "Isolated",
    "invert": False,
}
MANY = "x" * 30


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("batch", [1, 100])
def test_a_text_that_the_library_refuses_is_an_error_with_its_line(
    tmp_path: Path, batch: int
) -> None:
    tokenizer = char_level(pre_tokenizer=HOPELESS)
    job = job_with(tmp_path, tokenizer, ["a", "b", MANY, MANY], build_batch=[batch])
    with pytest.raises(TokenizerEncodeError) as caught:
        worlds.run_job(tmp_path, **job)
    assert (caught.value.file, caught.value.line) == ("in.jsonl", 3)
    assert caught.value.tokenizer == "tok.json"
    assert caught.value.__cause__ is not None


def test_a_sample_that_is_too_long_comes_before_a_later_text_that_is_refused(
    tmp_path: Path,
) -> None:
    tokenizer = char_level(pre_tokenizer=HOPELESS | {"behavior": "Removed", "invert": True})
    job = job_with(tmp_path, tokenizer, ["a", "xxyxxy", MANY], sizes=[[1]])
    with pytest.raises(UnitOverflowError) as caught:
        worlds.run_job(tmp_path, **job)
    assert caught.value.line == 2


def test_a_literal_that_the_library_refuses_is_an_error_of_ours_before_anything_is_written(
    tmp_path: Path,
) -> None:
    tokenizer = char_level(pre_tokenizer=HOPELESS)
    job = job_with(tmp_path, tokenizer, ["a"], templates=[MANY + "{text}"])
    with pytest.raises(MintDimConfigError):
        worlds.run_job(tmp_path, **job)
    assert not (tmp_path / "out").exists()


# ------------------------------------------------------------ literals that are dropped or changed


def warnings_of(root: Path, caplog: pytest.LogCaptureFixture, template: str, **blocks: Any) -> int:
    """How many warnings the validation of a job with that template prints."""
    model = worlds.word_level(numbered(*worlds.ALPHABET))
    tokenizer = tokenizer_json(model, **{"pre_tokenizer": worlds.BY_CHARACTER} | blocks)
    job = job_with(root, tokenizer, ["a"], templates=[template])
    caplog.clear()
    with contextlib.chdir(root):
        worlds.declare(job).validate()
    assert all(json.dumps(template, ensure_ascii=False) in m for m in caplog.messages)
    return len(caplog.messages)


REPLACE_A = {"type": "Replace", "pattern": {"String": "a"}, "content": "x"}
NORMALISERS: list[tuple[Any, str, int]] = [
    (None, "\n{text}\t\né", 0),
    ({"type": "Lowercase"}, "q: {text}", 0),
    ({"type": "Lowercase"}, "Q: {text}", 1),
    ({"type": "Strip", "strip_left": True, "strip_right": True}, "{text}\n", 1),
    ({"type": "NFC"}, "é {text}", 0),
    ({"type": "Replace", "pattern": {"String": "\n"}, "content": " "}, "{text}\n{text}", 1),
    # The normaliser changes letters that stand in no literal.
    (REPLACE_A, "{text}\n{text}", 0),
    (REPLACE_A, "banana {text}", 1),
]


@pytest.mark.parametrize(("normaliser", "template", "count"), NORMALISERS)
def test_a_literal_gives_a_warning_exactly_if_the_normaliser_changes_it(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, normaliser: Any, template: str, count: int
) -> None:
    assert warnings_of(tmp_path, caplog, template, normalizer=normaliser) == count


def test_white_space_that_a_pre_tokenizer_drops_is_a_change_of_the_literal(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    assert warnings_of(tmp_path, caplog, "{text}\n{text}", pre_tokenizer=WORDS) == 1


def test_an_added_token_in_a_literal_stays_as_it_is(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """It is cut out before the normaliser sees the text."""
    end = worlds.added_token(200, "<|END|>")
    blocks = {"normalizer": {"type": "Lowercase"}, "added_tokens": [end]}
    assert warnings_of(tmp_path, caplog, "<|END|>{text}<|END|>", **blocks) == 0


# --------------------------------------------------------------------- special tokens in the data


def special_rows(root: Path, *texts: str, **job: Any) -> list[tuple[int, list[int], list[str]]]:
    """Sample, positions and texts of the special tokens that are reported."""
    tokenizer = job.pop("content", worlds.hf_with_post_processor())
    ids_of(root, tokenizer, *texts, **job)
    found = worlds.read_output(root / "out")
    lines = found.get("special_index.jsonl", b"").splitlines()
    rows = [json.loads(line) for line in lines]
    assert all(row["special_count"] == len(row["special_positions"]) for row in rows)
    stats = json.loads(found["stats.json"])
    assert stats.get("samples_with_special_tokens", 0) == len(rows)
    assert sum(stats.get("special_tokens", {}).values()) == sum(r["special_count"] for r in rows)
    return [(r["sample_id"], r["special_positions"], r["special_tokens"]) for r in rows]


def test_special_tokens_in_values_are_reported_with_their_places(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    texts = ["plain", "a</s>b<s>", "", "[PAD]"]
    assert special_rows(tmp_path, *texts) == [(1, [1, 3], ["</s>", "<s>"]), (3, [0], ["[PAD]"])]
    assert sum("special" in message for message in caplog.messages) == 1


def test_data_without_special_tokens_leaves_no_such_file_and_no_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    assert special_rows(tmp_path, "plain", "< s>", "[UNK]") == []
    assert not (tmp_path / "out" / "special_index.jsonl").exists()
    assert caplog.messages == []


def test_special_tokens_of_the_template_are_no_data(tmp_path: Path) -> None:
    found = special_rows(tmp_path, "a", "</s>", "<s>a", templates=["<s>{text}</s>"])
    assert found == [(1, [1], ["</s>"]), (2, [1], ["<s>"])]


def test_a_special_token_that_value_and_literal_make_together_is_reported(tmp_path: Path) -> None:
    found = special_rows(tmp_path, "s", "a", templates=["<s><{text}>"])
    assert found == [(0, [1], ["<s>"])]


def test_a_special_token_in_a_value_is_reported_where_the_value_hides_one_of_the_template(
    tmp_path: Path,
) -> None:
    """A token that must stand alone is not found beside a letter: the count stays the same."""
    alone = worlds.added_token(2, "<s>") | {"single_word": True}
    vocab = numbered("<s>", *worlds.ALPHABET)
    tokenizer = tokenizer_json(
        worlds.word_level(vocab), pre_tokenizer=worlds.BY_CHARACTER, added_tokens=[alone]
    )
    found = special_rows(tmp_path, "a <s> b", " <s>", templates=["<s>{text}"], content=tokenizer)
    assert found == [(0, [5], ["<s>"]), (1, [2], ["<s>"])]


def test_markers_of_a_sentencepiece_model_are_special_tokens(tmp_path: Path) -> None:
    """Control symbols never match in text; user-defined symbols that look like marks do."""
    found = special_rows(
        tmp_path, "a<s>b", "x", content=worlds.spm(), tokenizer_type="sentencepiece"
    )
    assert found == []
