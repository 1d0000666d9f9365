"""Laws of ready copies, on random small tokenizers of every kind."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
import tokenizer_files as files
import worlds
from hypothesis import event, given, settings
from hypothesis import strategies as st
from tokenizer_files import exact, ids

import mintdim
from mintdim.shared import errors as E  # noqa: N812

EXAMPLES = int(os.environ.get("MINTDIM_EXAMPLES", "60"))
SPLITTERS = [None, files.WORDS, {"type": "WhitespaceSplit"}, worlds.BY_CHARACTER]
NEW = ["<pad>", "<unk>", "< pad >", "[ UNK ]", "zz", "é", "ab cd"]

texts = st.text("abcdefgh zé<>[]pdunk\n", max_size=20)
names = st.sampled_from(["<s>", "</s>", "<|end|>", "a", "ab", "zz", "hello", "X Y"])


@st.composite
def added_tokens(draw: st.DrawFn) -> list[dict[str, Any]]:
    """With ids that the library may ignore: gaps, repetitions, ids of the vocabulary."""
    flags = st.fixed_dictionaries(
        {name: st.booleans() for name in ("single_word", "normalized", "special", "lstrip")}
    )
    chosen = draw(st.lists(names, max_size=4, unique=True))
    return [worlds.added_token(draw(st.integers(0, 40)), n) | draw(flags) for n in chosen]


@st.composite
def documents(draw: st.DrawFn, splitters: Any = SPLITTERS, letter_as_unk: bool = True) -> bytes:
    kind = draw(st.sampled_from(sorted(files.MODELS)))
    model = files.MODELS[kind]()
    if kind == "BPE":
        model |= {flag: draw(st.booleans()) for flag in ("fuse_unk", "ignore_merges")}
    if kind == "Unigram":
        model["unk_id"] = draw(st.sampled_from([None, 9, 0] if letter_as_unk else [None, 9]))
    else:
        model["unk_token"] = draw(st.sampled_from(["[UNK]", "<s>", *["a"] * letter_as_unk]))
        if draw(st.booleans()):
            model["vocab"] = {token: i * 3 + 1 for token, i in model["vocab"].items()}
    event(kind)
    return worlds.tokenizer_json(
        model,
        padding=None,
        pre_tokenizer=draw(st.sampled_from(splitters)),
        added_tokens=draw(added_tokens()),
    )


def prepared(document: bytes, **wanted: Any) -> tuple[bytes, Any]:
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        Path("tok.json").write_bytes(document)
        with patch("mintdim.encoders.prepare.corpus", files.few_texts):
            result = mintdim.prepare_tokenizer("tok.json", "ready.json", **wanted)
        job = worlds.make_job(tokenizer_type="hf_json", tokenizer={"path": "ready.json"})
        Path("in.jsonl").touch()
        worlds.declare(job).validate()  # unit-build takes it
        return Path("ready.json").read_bytes(), result


@settings(max_examples=EXAMPLES, deadline=None)
@given(documents(), st.sampled_from(NEW), st.none() | st.sampled_from(NEW), st.lists(texts))
def test_a_copy_that_is_written_changes_no_id(
    document: bytes, pad: str, unk: str | None, samples: list[str]
) -> None:
    try:
        ready, result = prepared(document, pad=pad, unk=unk)
    except (E.TokenizerPrepareProofError, E.TokenizerPrepareMissingError) as error:
        event(type(error).__name__)
        return
    event("written")
    original, copy = exact(document), exact(ready)
    vocabulary = copy.get_vocab()
    assert original.get_vocab().items() <= vocabulary.items()
    assert vocabulary.keys() - original.get_vocab().keys() == set(result.appended)
    assert [vocabulary[token] for token in result.appended] == list(
        range(max(original.get_vocab().values()) + 1, max(vocabulary.values()) + 1)
    )
    for text in samples:
        before, after = ids(original, text), ids(copy, text)
        assert after is not None
        if result.unk_id not in after:
            assert after == before


@settings(max_examples=EXAMPLES, deadline=None)
@given(documents(SPLITTERS[1:3], letter_as_unk=False), st.lists(texts))
def test_texts_that_the_original_covers_are_never_a_reason_to_refuse(
    document: bytes, samples: list[str]
) -> None:
    """New entries with a space inside cannot match where the text is split at spaces.

    A letter as the unknown token is left out: it merges with its neighbours.
    """
    try:
        ready, result = prepared(document, pad="< pad >", unk="< unk >")
    except E.TokenizerPrepareProofError:
        # An added token that must stand alone is, once in the vocabulary, found inside words.
        if any(token["single_word"] for token in json.loads(document)["added_tokens"]):
            return
        raise
    assert result.appended == ("< pad >", "< unk >")
    for text in samples:
        assert ids(exact(ready), text) is not None


@settings(max_examples=EXAMPLES, deadline=None)
@given(
    st.sets(st.sampled_from("abcdefgh日é"), min_size=1).map("".join),
    st.lists(st.sampled_from(["ab", "abc", "hello", "the"]), unique=True),
    st.sampled_from(["<pad>", "x", "a b", "▁", "<0x41>"]),
    st.lists(texts),
)
def test_a_new_piece_of_a_sentencepiece_model_changes_no_id(
    alphabet: str, words: list[str], pad: str, samples: list[str]
) -> None:
    from sentencepiece import SentencePieceProcessor

    model = worlds.spm(alphabet=alphabet, words=tuple(words), pad=False)
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        Path("tok.model").write_bytes(model)
        with patch("mintdim.encoders.prepare.corpus", files.few_texts):
            if pad == "▁":
                with pytest.raises(E.TokenizerPrepareError):
                    mintdim.prepare_tokenizer("tok.model", "ready.model", pad=pad)
                return
            result = mintdim.prepare_tokenizer("tok.model", "ready.model", pad=pad)
        before, after = (SentencePieceProcessor(model_file=f"{n}.model") for n in ("tok", "ready"))
    assert after.pad_id() == result.pad_id == before.vocab_size()
    for text in (*samples, pad, f"a{pad}b"):
        assert after.encode(text) == before.encode(text)
