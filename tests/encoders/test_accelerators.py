"""The policy, row by row, and its law: where an accelerator may stand in, its ids are the same."""

from __future__ import annotations

import functools
import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import worlds
from encoders import trained
from encoders.trained import BARE, BYTES, DIGITS, NFC, added, byte_level, sequence, split
from hypothesis import given, settings
from hypothesis import strategies as st

from mintdim.encoders.accelerators import eligible
from mintdim.encoders.adversarial_texts import selection
from mintdim.encoders.contract import Encoded
from mintdim.encoders.cross_check import first_difference, self_check
from mintdim.encoders.hf_json import HfJsonEncoder
from mintdim.encoders.sentencepiece import SentencePieceEncoder
from mintdim.encoders.sentencepiece_bytes import (
    BYTE,
    CONTROL,
    NORMAL,
    UNKNOWN,
    UNUSED,
    USER_DEFINED,
    Piece,
    is_convertible,
)
from mintdim.encoders.sentencepiece_bytes import byte_level as byte_level_form
from mintdim.encoders.split_patterns import is_portable

if TYPE_CHECKING:
    from mintdim.encoders.contract import Encoder
    from mintdim.encoders.fastokens import Fastokens


@functools.cache
def both(kind: str) -> tuple[Encoder, Fastokens]:
    pytest.importorskip("fastokens")
    from mintdim.encoders.fastokens import Fastokens

    data = trained.KINDS[kind]()
    official = trained.official(data)
    plan = eligible(official, data)
    assert plan is not None
    return official, Fastokens(plan(), official)


def is_eligible(document: dict[str, Any]) -> bool:
    data = json.dumps(document).encode()
    return eligible(HfJsonEncoder(data), data) is not None


# ----------------------------------------------------------------------------------- the law

kinds = pytest.mark.parametrize("kind", trained.KINDS)
PIECES = st.one_of(
    st.sampled_from([*trained.MARKS, "<s>", "</s>", "<unk>", "<0x41>", "\u2581", "\u180e"]),
    st.sampled_from([" ", "  ", "\n", "\r\n", "\t", "\u00a0", "\u3000", "e\u0301", "'S", "123456"]),
    st.text(max_size=8),
    st.builds(
        lambda text, start, size: text[start : start + size],
        st.sampled_from(trained.texts()),
        st.integers(0, 100),
        st.integers(1, 30),
    ),
    st.builds(lambda char, times: char * times, st.characters(codec="utf-8"), st.integers(1, 70)),
)


@kinds
@settings(deadline=None, max_examples=40)
@given(texts=st.lists(st.lists(PIECES, max_size=8).map("".join), min_size=1, max_size=12))
def test_accelerated_ids_are_the_official_ids(kind: str, texts: list[str]) -> None:
    official, accelerator = both(kind)
    place = first_difference(official.encode_batch(texts), accelerator.encode_batch(texts))
    assert place is None, ascii(texts[place])


@kinds
def test_the_shipped_adversarial_texts_and_real_ones_are_the_same(kind: str) -> None:
    official, accelerator = both(kind)
    assert self_check(official, accelerator) is None
    texts = trained.texts()
    expected, found = official.encode_batch(texts), accelerator.encode_batch(texts)
    assert first_difference(expected, found) is None
    assert (expected.lengths == found.lengths).all()


@kinds
def test_no_text_and_empty_texts_have_no_ids(kind: str) -> None:
    _, accelerator = both(kind)
    for texts in ([], [""], ["", "\u180e"[:0], ""]):
        found = accelerator.encode_batch(texts)
        assert found.lengths.tolist() == [0] * len(texts)
        assert len(found.ids) == 0


def test_a_text_of_millions_of_characters_is_the_same() -> None:
    official, accelerator = both("byte-level")
    texts = [" ".join(trained.texts()) * 8]
    place = first_difference(official.encode_batch(texts), accelerator.encode_batch(texts))
    assert place is None


# ----------------------------------------------------------------------- tokenizer.json: the table

ELIGIBLE: dict[str, dict[str, Any]] = {
    "as trained": byte_level(),
    "stored settings": byte_level(
        {"dropout": 0.5}, padding=worlds.padding(), truncation=worlds.truncation(3)
    ),
    "empty sequence": byte_level(normalizer={"type": "Sequence", "normalizers": []}),
    "merges as strings": byte_level(
        {"merges": [" ".join(pair) for pair in byte_level()["model"]["merges"]]}
    ),
    "no merges": byte_level({"merges": []}),
    "empty affixes": byte_level({"continuing_subword_prefix": "", "end_of_word_suffix": ""}),
    "nested sequence": byte_level(pre_tokenizer=sequence(sequence(DIGITS), BARE)),
    "trim_offsets": byte_level(pre_tokenizer=BYTES | {"trim_offsets": False}),
    "no added tokens": byte_level(added_tokens=[]),
    "kinds of added tokens apart": byte_level(
        added_tokens=[*added("<a>"), *added("[b]", start=1_201, normalized=True)]
    ),
    "ids of added tokens that are not in effect": byte_level(
        added_tokens=added("<a>", start=5_000)
    ),
    "an added token twice": byte_level(added_tokens=[*added("<a>"), *added("<a>")]),
    "an added token of the vocabulary": byte_level(added_tokens=added("the", "é")),
    "byte fallback": json.loads(trained.byte_fallback()),
}
FALLBACK = json.loads(trained.byte_fallback())
OTHER_SPACE = {"type": "Replace", "pattern": {"Regex": r"\w"}, "content": "\u2581"}
INELIGIBLE: dict[str, dict[str, Any]] = {
    "continuing_subword_prefix": byte_level({"continuing_subword_prefix": "##", "merges": []}),
    "end_of_word_suffix": byte_level({"end_of_word_suffix": "</w>", "merges": []}),
    "byte_fallback with ByteLevel": byte_level({"byte_fallback": True}),
    "no ByteLevel": byte_level(pre_tokenizer=sequence(split(r"\s"))),
    "no pre-tokenizer": byte_level(pre_tokenizer=None),
    "Metaspace": byte_level(
        pre_tokenizer={
            "type": "Metaspace",
            "replacement": "\u2581",
            "prepend_scheme": "always",
            "split": True,
        }
    ),
    "lower case": byte_level(normalizer={"type": "Lowercase"}),
    "NFKC": byte_level(normalizer={"type": "Sequence", "normalizers": [NFC, {"type": "NFKC"}]}),
    "a pattern that is not portable": byte_level(pre_tokenizer=sequence(split("^a"), BARE)),
    "single_word": byte_level(added_tokens=added("<a>", single_word=True)),
    "added tokens that hide each other": byte_level(
        added_tokens=[*added("<a>"), *added("a>b", start=1_201, normalized=True)]
    ),
    "added tokens in each other": byte_level(
        added_tokens=[*added("a"), *added("<a>", start=1_201, normalized=True)]
    ),
    "no spaces replaced": FALLBACK | {"normalizer": None},
    "spaces by a pattern": FALLBACK | {"normalizer": OTHER_SPACE},
    "word level": json.loads(worlds.hf_char()),
}


@pytest.mark.parametrize("name", ELIGIBLE)
def test_these_may_be_accelerated_and_are_the_same(name: str) -> None:
    pytest.importorskip("fastokens")
    from mintdim.encoders.fastokens import Fastokens

    data = json.dumps(ELIGIBLE[name]).encode()
    official = HfJsonEncoder(data)
    make_plan = eligible(official, data)
    assert make_plan is not None
    document = make_plan().document
    assert document["padding"] is document["truncation"] is document["model"]["dropout"] is None
    texts = [*selection(official.special_tokens.values()), *trained.texts()[:50], "<a>b [b]", "thé"]
    found = Fastokens(make_plan(), official).encode_batch(texts)
    assert first_difference(official.encode_batch(texts), found) is None


@pytest.mark.parametrize("name", INELIGIBLE)
def test_these_may_not(name: str) -> None:
    assert not is_eligible(INELIGIBLE[name])


def test_a_vocabulary_without_one_of_the_bytes_is_not_eligible() -> None:
    document = byte_level({"merges": []}, added_tokens=[])
    del document["model"]["vocab"]["!"]
    assert not is_eligible(document)


def test_a_vocabulary_with_two_entries_of_one_id_is_not_eligible() -> None:
    document = byte_level({"merges": []})
    document["model"]["vocab"]["!"] = document["model"]["vocab"]["a"]
    assert not is_eligible(document)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[]",
        b"{}",
        b'{"model": []}',
        b'{"model": {"type": "BPE", "vocab": 1}}',
        b"\xff",
        b"[" * 9**5,
    ],
    ids=repr,
)
def test_what_is_not_understood_is_not_eligible_and_no_error(data: bytes) -> None:
    assert eligible(HfJsonEncoder(json.dumps(byte_level()).encode()), data) is None
    assert eligible(SentencePieceEncoder(trained.model()), data) is None


@pytest.mark.parametrize(
    "pattern",
    [
        trained.LLAMA,
        trained.FREE,
        r"\p{N}{1,3}",
        r"[一-龥぀-ゟ]+",
        r"(?i:'s|'t)?",
        r"[^\r\n\p{L}]?\p{Lu}+",
    ],
)
def test_usual_patterns_are_portable(pattern: str) -> None:
    assert is_portable({"Regex": pattern})


@pytest.mark.parametrize(
    "pattern",
    [
        "",
        "^a",
        "a$",
        r"\w+",
        r"\W",
        r"\bx",
        r"\h",
        r"\R",
        r"\X",
        "a.b",
        "[[:alpha:]]",
        "[a-z&&[^c]]",
        r"\p{N}{1,3}+",
        r"\p{N}{3}?",
        r"\p{Han}",
        r"\p{^L}",
        "(?m:.)",
        "(?<name>a)",
        r"(a)\1",
        r"\x41",
    ],
)
def test_patterns_that_engines_read_otherwise_are_not(pattern: str) -> None:
    assert not is_portable({"Regex": pattern})


# -------------------------------------------------------------------------------- SentencePiece


SPACE = "\u2581"


def pieces(*words: tuple[str, float], kinds: dict[str, int] | None = None) -> list[Piece]:
    """A whole vocabulary: <unk>, <s>, bytes, the space, the letters of the words, the words."""
    fallback = [Piece(f"<0x{byte:02X}>", 0, BYTE) for byte in range(256)]
    letters = sorted({SPACE, *(char for word, _ in words for char in word)})
    all_words = [Piece(word, score, (kinds or {}).get(word, NORMAL)) for word, score in words]
    return [
        Piece("<unk>", 0, UNKNOWN),
        Piece("<s>", 0, CONTROL),
        *fallback,
        *all_words,
        *(Piece(char, -1_000 - i, NORMAL) for i, char in enumerate(letters)),
    ]


def test_bytes_of_a_character_are_merged_first_and_then_pairs_of_pieces_the_best_first() -> None:
    vocabulary = pieces(("ab", -2), ("ab\u00e9", -3), ("b\u00e9", -1))
    assert is_convertible(vocabulary)
    document, _ = byte_level_form(vocabulary, add_dummy_prefix=False)
    e = ["\u00c3", "\u00a9"]  # its bytes, as byte-level BPE writes them
    assert document["model"]["merges"] == [
        e,
        ["b", "".join(e)],
        ["a", "b"],
        ["a", "b" + "".join(e)],
        ["ab", "".join(e)],
    ]
    assert document["added_tokens"] == []
    assert not {"<s>", "<unk>", "<0x41>"} & set(document["model"]["vocab"])


WORDS = st.text("ab1.\u00e9\u00ea\u4e2d\u201d\n", min_size=2, max_size=4)


@settings(deadline=None, max_examples=300)
@given(
    words=st.lists(st.tuples(WORDS, st.sampled_from(["", "", SPACE, SPACE * 2])), max_size=12),
    inside=st.booleans(),
    prefix=st.booleans(),
    texts=st.lists(
        st.text("ab1. \u00e9\u00e8\u4e2d\u4e2e\u201d\u201c\n\U0001f600", max_size=12), max_size=8
    ),
)
def test_the_ids_of_the_form_are_those_of_the_model(
    words: list[tuple[str, str]], inside: bool, prefix: bool, texts: list[str]
) -> None:
    """By the library that defines a ``tokenizer.json``, over vocabularies of all kinds.

    \u00e8, \u4e2e and \u201c begin with the bytes of a piece; the last character is all unknown.
    """
    entries = dict.fromkeys(space + word for word, space in words)
    if inside:
        entries |= dict.fromkeys(["a" + SPACE, "b" + SPACE + "a"])
    vocabulary = pieces(*((word, -1.0 - i) for i, word in enumerate(entries)))
    assert is_convertible(vocabulary)
    official = SentencePieceEncoder(worlds.spm_of(vocabulary, dummy_prefix=prefix))
    document, form = byte_level_form(vocabulary, prefix)
    judge = HfJsonEncoder(json.dumps(document).encode())
    found = form.restored(judge.encode_batch(form.prepared(texts)))
    place = first_difference(official.encode_batch(texts), found)
    assert place is None, (document["pre_tokenizer"], texts[place])


def test_an_id_that_the_form_does_not_have_is_no_answer() -> None:
    _, form = byte_level_form(pieces(("ab", -1)), add_dummy_prefix=False)
    with pytest.raises(ValueError, match="no sense"):
        form.restored(Encoded(np.asarray([9_999]), np.asarray([1])))


def test_a_text_without_spaces_that_goes_on_and_on_is_the_same() -> None:
    official, accelerator = both("sentencepiece")
    texts = ["\u4e2d\u6587" * 50_000, "ab" * 50_000, "." * 50_000, "a.1" * 30_000, " " * 50_000]
    place = first_difference(official.encode_batch(texts), accelerator.encode_batch(texts))
    assert place is None


@pytest.mark.parametrize("kind", [UNUSED, USER_DEFINED, BYTE])
def test_pieces_that_match_otherwise_cannot(kind: int) -> None:
    assert not is_convertible(pieces(("ab", -1), ("cd", -2), kinds={"cd": kind}))


def test_a_character_without_a_piece_two_equal_pieces_or_a_missing_byte_cannot() -> None:
    vocabulary = pieces(("ab", -1))
    assert not is_convertible([piece for piece in vocabulary if piece.text != "a"])
    assert not is_convertible([*vocabulary, vocabulary[-1]])
    assert not is_convertible(vocabulary[:7] + vocabulary[8:])
    assert not is_convertible([Piece("x", 0, CONTROL), *vocabulary])
    assert not is_convertible([piece for piece in vocabulary if piece.text != SPACE])
    assert not is_convertible([*vocabulary, Piece(" ", -9_999, NORMAL)])


def test_tied_scores_cannot_but_for_runs_of_spaces_that_are_in_no_other_piece() -> None:
    run = "\u2581"
    assert not is_convertible(pieces(("ab", -1), ("bc", -1)))
    assert is_convertible(pieces((run * 2, -1), (run * 3, -1), ("ab", -2)))
    assert not is_convertible(pieces((run * 2, -1), (run * 3, -1), (run * 2 + "a", -2)))


MODELS: dict[str, dict[str, Any]] = {
    "unigram": {"model_type": "unigram"},
    "no byte fallback": {"byte_fallback": False},
    "rewritten characters": {"normalization_rule_name": "nmt_nfkc"},
    "extra white space removed": {"remove_extra_whitespaces": True},
    "user-defined symbol": {"user_defined_symbols": ["<x>"]},
    "white space as suffix": {"treat_whitespace_as_suffix": True},
}


@pytest.mark.parametrize("name", MODELS)
def test_other_models_stay_official(name: str) -> None:
    model = trained.model(
        **{k: tuple(v) if isinstance(v, list) else v for k, v in MODELS[name].items()}
    )
    assert eligible(SentencePieceEncoder(model), model) is None


def test_control_pieces_do_not_match_in_text() -> None:
    official, accelerator = both("sentencepiece")
    for text in ("<s>", "a</s>", "<pad> <unk><0x41>"):
        assert (
            accelerator.encode_batch([text]).ids.tolist()
            == official.encode_batch([text]).ids.tolist()
        )


def test_a_model_of_characters_and_a_hand_made_one_are_not_eligible() -> None:
    for model in (worlds.spm(), worlds.spm(words=("ab", "cd"))):
        assert eligible(SentencePieceEncoder(model), model) is None
