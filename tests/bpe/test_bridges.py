"""Exports: other libraries give the same ids, id for id."""

from __future__ import annotations

import json
from functools import cache
from itertools import islice

import pytest

from mintdim.bpe import Tokenizer
from mintdim.bpe.byte_alphabet import byte_alphabet
from mintdim.bpe.model_file import Model
from mintdim.bpe.patterns import split
from tests.bpe.test_patterns_against_others import adversarial_texts
from tests.bpe.worlds import ADVERSARIAL, CORPORA, PATTERNS, quietly, small

CORPUS_NAMES = sorted(path.name for path in CORPORA.glob("*.txt") if "files" not in path.name)
MARKS = ["<|endoftext|>", "<|end|>", "<|"]


def has_surrogate(text: str) -> bool:
    return any("\ud800" <= character <= "\udfff" for character in text)


@cache
def sampled_corpora() -> dict[str, str]:
    return {name: (CORPORA / name).read_text("utf-8")[:60_000] for name in CORPUS_NAMES}


@cache
def trained(pattern: str) -> Tokenizer:
    """Learn from all corpora without cutting, then cut: a wrong cut then shows in ids.

    Merges learned by the pattern itself would hide most of them, as few tokens would
    reach over the place.
    """
    adversarial = list(islice(adversarial_texts(seed=3), 3_000))
    corpus = [*sampled_corpora().values(), *adversarial]
    pieces = (text[at : at + 40] for text in corpus for at in range(0, len(text), 40))
    merges = quietly(pieces, 3_000, pattern="none").merges
    return Tokenizer(Model(pattern, merges, tuple(MARKS)))


@cache
def strings() -> list[str]:
    mixed = [*ADVERSARIAL, *islice(adversarial_texts(seed=7), 60_000)]
    return [text for text in mixed if not has_surrogate(text)]


def hf(tokenizer: Tokenizer, path):
    tokenizers = pytest.importorskip("tokenizers")
    tokenizer.to_hf_json(path)
    return tokenizers.Tokenizer.from_file(str(path))


@pytest.mark.parametrize("pattern", ["gpt2", "gpt4"])
def test_tiktoken_gives_the_same_ids(pattern):
    pytest.importorskip("tiktoken")
    tokenizer = trained(pattern)
    other = tokenizer.to_tiktoken()
    for text in [*strings(), *sampled_corpora().values()]:
        assert other.encode(text, disallowed_special=()) == tokenizer.encode(text)


def test_tiktoken_gives_the_same_ids_without_a_pattern():
    pytest.importorskip("tiktoken")
    tokenizer = trained("none")
    other = tokenizer.to_tiktoken()
    for text in strings()[:5_000]:
        assert other.encode(text, disallowed_special=()) == tokenizer.encode(text)


@pytest.mark.parametrize("pattern", ["gpt2", "gpt4"])
def test_hugging_face_gives_the_same_ids(pattern, tmp_path):
    tokenizer = trained(pattern)
    other = hf(tokenizer, tmp_path / "tokenizer.json")
    other.no_padding()
    other.encode_special_tokens = True  # special text is ordinary, as in encode
    texts = [*strings(), *sampled_corpora().values()]
    for text, encoding in zip(texts, other.encode_batch(texts), strict=True):
        assert encoding.ids == tokenizer.encode(text)


def test_hugging_face_gives_the_same_ids_without_a_pattern(tmp_path):
    tokenizer = trained("none")
    other = hf(tokenizer, tmp_path / "tokenizer.json")
    for text in strings()[:5_000]:
        if "<|" not in text:
            assert other.encode(text).ids == tokenizer.encode(text)


def test_special_tokens_keep_their_ids_everywhere(tmp_path):
    pytest.importorskip("tiktoken")
    marks = {"<|endoftext|>", "<|end|>"}
    tokenizer = Tokenizer(Model("gpt4", trained("gpt4").merges, tuple(marks)))
    text = "a<|endoftext|> b<|end|>"
    ids = tokenizer.encode(text, marks)
    assert tokenizer.to_tiktoken().encode(text, allowed_special=marks) == ids
    assert hf(tokenizer, tmp_path / "t.json").encode(text).ids == ids


def test_every_id_decodes_to_the_same_bytes(tmp_path):
    tokenizer = small()
    alphabet = {shown: value for value, shown in enumerate(byte_alphabet())}
    other = hf(tokenizer, tmp_path / "t.json")
    for number in range(tokenizer.vocab_size - len(tokenizer.special_tokens)):
        spelled = other.id_to_token(number)
        assert bytes(alphabet[shown] for shown in spelled) == tokenizer.token_bytes(number)


@pytest.mark.parametrize("pattern", PATTERNS)
def test_unk_and_pad_are_appended_after_the_vocabulary(pattern, tmp_path):
    tokenizer = small(pattern)
    size = tokenizer.vocab_size
    other = hf(tokenizer, tmp_path / "t.json")
    document = json.loads((tmp_path / "t.json").read_text())
    assert document["model"]["unk_token"] == "<unk>"
    assert other.token_to_id("<unk>") == size
    assert other.token_to_id("<pad>") == other.padding["pad_id"] == size + 1
    assert other.padding["pad_token"] == "<pad>"
    assert other.get_vocab_size() == size + 2
    assert tokenizer.vocab_size == size


def test_unk_and_pad_that_were_trained_in_keep_their_ids(tmp_path):
    tokenizer = quietly("some text", 262, special_tokens=["<pad>", "<x>", "<unk>"])
    first = tokenizer.vocab_size - 3
    other = hf(tokenizer, tmp_path / "t.json")
    assert other.padding["pad_id"] == other.token_to_id("<pad>") == first
    assert other.token_to_id("<unk>") == first + 2
    assert other.get_vocab_size() == tokenizer.vocab_size


def test_a_special_token_spelled_like_another_token_is_refused(tmp_path):
    tokenizer = quietly("x", 257, special_tokens=["a"])
    with pytest.raises(ValueError, match=r"'a' cannot be exported: .* token 97"):
        tokenizer.to_hf_json(tmp_path / "t.json")
    assert not list(tmp_path.iterdir())


def test_a_special_token_with_a_lone_surrogate_is_refused(tmp_path):
    pytest.importorskip("tiktoken")
    tokenizer = quietly("x", 257, special_tokens=["\ud800"])
    with pytest.raises(ValueError, match="lone surrogate"):
        tokenizer.to_hf_json(tmp_path / "t.json")
    with pytest.raises(ValueError, match="lone surrogate"):
        tokenizer.to_tiktoken()


def test_an_export_is_the_same_file_every_time(tmp_path):
    small().to_hf_json(tmp_path / "1")
    small().to_hf_json(tmp_path / "2")
    assert (tmp_path / "1").read_bytes() == (tmp_path / "2").read_bytes()


def test_the_byte_alphabet_is_printable_and_unambiguous():
    alphabet = byte_alphabet()
    assert len(set(alphabet)) == 256
    assert all(map(str.isprintable, alphabet))
    assert [alphabet[value] for value in b" \n\xadA"] == ["Ġ", "Ċ", "Ń", "A"]


def test_a_wrong_cut_would_show():
    tokenizer = trained("gpt4")
    whole = Tokenizer(Model("none", tokenizer.merges, ()))
    text = sampled_corpora()["en_web.txt"]
    crossing = len(tokenizer.encode(text)) - len(whole.encode(text))
    assert crossing > sum(map(len, split(text, "gpt4"))) // 4
