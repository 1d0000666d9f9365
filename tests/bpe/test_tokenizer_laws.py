"""What holds for every text: the five invariants, and their relatives for bytes."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from functools import reduce

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mintdim.bpe import Tokenizer
from mintdim.bpe.train_naive import merge
from mintdim.bpe.words import word_of
from tests.bpe.worlds import ADVERSARIAL, PATTERNS, few_letters, quietly, small, texts

patterns = st.sampled_from(PATTERNS)
SPECIAL = {"<|endoftext|>", "<|end|>", "<|"}
with_special = st.lists(texts | st.sampled_from(sorted(SPECIAL))).map("".join)


# 1. decode(encode(s)) == s


@given(texts, patterns)
def test_decode_returns_what_encode_was_given(text, pattern):
    tokenizer = small(pattern)
    assert tokenizer.decode(tokenizer.encode(text)) == text


@given(with_special, st.sets(st.sampled_from(sorted(SPECIAL))), patterns)
def test_it_does_so_whatever_special_tokens_are_allowed(text, allowed, pattern):
    tokenizer = small(pattern)
    assert tokenizer.decode(tokenizer.encode(text, allowed), errors="strict") == text


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("text", ADVERSARIAL, ids=lambda text: ascii(text[:20]))
def test_adversarial_strings_survive(text, pattern):
    tokenizer = small(pattern)
    assert tokenizer.decode(tokenizer.encode(text)) == text
    assert tokenizer.decode(tokenizer.encode(text, SPECIAL)) == text


@given(st.binary(), patterns)
def test_decode_bytes_returns_what_encode_bytes_was_given(data, pattern):
    tokenizer = small(pattern)
    assert tokenizer.decode_bytes(tokenizer.encode_bytes(data)) == data


@given(texts, patterns)
def test_encoding_a_text_or_its_bytes_is_the_same(text, pattern):
    tokenizer = small(pattern)
    data = text.encode("utf-8", "surrogatepass")
    assert tokenizer.encode_bytes(data) == tokenizer.encode(text)


# 2. encode is deterministic across processes


def test_another_process_trains_and_encodes_the_same():
    program = (
        "import sys; from tests.bpe.worlds import ADVERSARIAL, small\n"
        "print([small(p).encode(t, {'<|end|>'}) for t in ADVERSARIAL for p in "
        "('gpt2', 'gpt4', 'none')])"
    )
    run = [sys.executable, "-c", program]
    outputs = [
        subprocess.run(
            run, env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("1", "2")
    ]
    here = [small(p).encode(t, {"<|end|>"}) for t in ADVERSARIAL for p in PATTERNS]
    assert outputs[0] == outputs[1] == f"{here}\n".encode()


# 3. save, load, encode


@given(st.lists(few_letters | texts, max_size=5), patterns, with_special)
def test_a_saved_and_loaded_tokenizer_is_the_same(tmp_path_factory, corpus, pattern, text):
    path = tmp_path_factory.mktemp("model") / "m"
    marks = ["a b", "\n", "\ud800", *sorted(SPECIAL)]
    trained = quietly(corpus, 300, pattern=pattern, special_tokens=marks)
    trained.save(path)
    loaded = Tokenizer.load(path)
    assert loaded.merges == trained.merges
    assert loaded.encode(text, SPECIAL) == trained.encode(text, SPECIAL)
    again = path.with_suffix(".again")
    loaded.save(again)
    assert again.read_bytes() == path.read_bytes()


def test_a_pickled_tokenizer_is_the_same():
    tokenizer = small()
    copy = pickle.loads(pickle.dumps(tokenizer))
    assert [copy.encode(text) for text in ADVERSARIAL] == [
        tokenizer.encode(text) for text in ADVERSARIAL
    ]


# 4. merges are applied in training order


def replayed(tokenizer: Tokenizer, piece: str) -> list[int]:
    """Apply every merge in training order: slow, and what encoding means."""
    start = [ord(symbol) for symbol in word_of(piece)]
    ranked = enumerate(tokenizer.merges, 256)
    return reduce(lambda ids, ranked: merge(ids, ranked[1], ranked[0]), ranked, start)


@given(few_letters | texts)
def test_encoding_replays_the_merges_in_training_order(piece):
    tokenizer = small("none")
    assert tokenizer.encode(piece) == replayed(tokenizer, piece)


@given(st.lists(few_letters, max_size=6), few_letters)
def test_it_does_so_for_vocabularies_of_repetitions(corpus, piece):
    tokenizer = quietly(corpus, 280, pattern="none")
    assert tokenizer.encode(piece) == replayed(tokenizer, piece)


@given(st.lists(few_letters, max_size=6), patterns)
def test_every_token_encodes_to_itself(corpus, pattern):
    tokenizer = quietly(corpus, 300, pattern=pattern)
    for number in range(128, tokenizer.vocab_size):
        assert tokenizer.encode_bytes(tokenizer.token_bytes(number)) == [number]


# 5. special tokens only where allowed


@given(with_special, patterns)
def test_special_text_is_ordinary_unless_allowed(text, pattern):
    tokenizer = small(pattern)
    assert not set(tokenizer.encode(text)) & set(tokenizer.special_tokens.values())


@given(st.lists(texts, min_size=1, max_size=5), patterns)
def test_an_allowed_special_token_separates_texts(parts, pattern):
    tokenizer = small(pattern)
    end = tokenizer.special_tokens["<|endoftext|>"]
    joined = tokenizer.encode("<|endoftext|>".join(parts), {"<|endoftext|>"})
    expected = tokenizer.encode(parts[0])
    for part in parts[1:]:
        expected += [end, *tokenizer.encode(part)]
    assert joined == expected


# relatives


@given(with_special, st.sets(st.sampled_from(sorted(SPECIAL))), patterns)
def test_offsets_cover_the_text_in_order(text, allowed, pattern):
    tokenizer = small(pattern)
    ids, spans = tokenizer.encode_with_offsets(text, allowed)
    assert ids == tokenizer.encode(text, allowed)
    assert len(spans) == len(ids)
    reached = 0
    for start, end in spans:
        assert start < end
        assert start in (reached, reached - 1)
        reached = end
    assert reached == len(text)


@given(with_special, patterns)
def test_the_characters_of_an_offset_hold_the_token(text, pattern):
    tokenizer = small(pattern)
    ids, spans = tokenizer.encode_with_offsets(text)
    for number, (start, end) in zip(ids, spans, strict=True):
        held = text[start:end].encode("utf-8", "surrogatepass")
        assert tokenizer.token_bytes(number) in held


@given(st.lists(st.lists(st.integers(0, 419))), st.sampled_from(["replace", "ignore"]))
def test_streamed_decoding_joined_is_decoding_joined(portions, errors):
    tokenizer = small()
    stream = tokenizer.stream_decoder(errors)
    streamed = "".join(map(stream.decode, portions)) + stream.decode([], final=True)
    joined = [number for portion in portions for number in portion]
    assert streamed == tokenizer.decode(joined, errors)
