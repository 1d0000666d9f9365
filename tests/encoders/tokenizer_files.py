"""Small `tokenizer.json` files of every kind of model, and the ids that the library gives."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import worlds
from tokenizers import Tokenizer

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

LETTERS = "abcdefgh"
WORDS = {"type": "Whitespace"}


def bpe(**changes: Any) -> dict[str, Any]:
    vocab = {token: i for i, token in enumerate([*LETTERS, "ab", "cd", "abcd"])}
    merges = [["a", "b"], ["c", "d"], ["ab", "cd"]]
    return worlds.bpe(vocab, merges, unk_token=None, **changes)


def byte_level(**changes: Any) -> bytes:
    """Every byte has a token, as in most published tokenizers; `ab` is merged."""
    from tokenizers.pre_tokenizers import ByteLevel

    vocab = {char: i for i, char in enumerate([*sorted(ByteLevel.alphabet()), "ab"])}
    model = worlds.bpe(vocab, [["a", "b"]], unk_token=None)
    splitter = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True}
    blocks = {"padding": None, "pre_tokenizer": splitter | {"use_regex": True}} | changes
    return worlds.tokenizer_json(model | blocks.pop("model", {}), **blocks)


def word_piece(**changes: Any) -> dict[str, Any]:
    vocab = {token: i for i, token in enumerate([*LETTERS, *(f"##{c}" for c in LETTERS), "ab"])}
    settings = {"continuing_subword_prefix": "##", "max_input_chars_per_word": 100}
    return {"type": "WordPiece", "unk_token": "[UNK]", **settings, "vocab": vocab, **changes}


def word_level(**changes: Any) -> dict[str, Any]:
    words = [*LETTERS, "ab", "hello"]
    return worlds.word_level({word: i for i, word in enumerate(words)}) | changes


def unigram(**changes: Any) -> dict[str, Any]:
    pieces = [[char, -2.5 - i / 8] for i, char in enumerate(LETTERS)]
    pieces += [["ab", -3.0625], ["\u2581", -2.0]]
    return {"type": "Unigram", "unk_id": None, "vocab": pieces, "byte_fallback": False, **changes}


MODELS = {"BPE": bpe, "WordPiece": word_piece, "WordLevel": word_level, "Unigram": unigram}


def exact(document: bytes | str) -> Tokenizer:
    """The library with everything off that is no part of the tokens."""
    text = document.decode("utf-8") if isinstance(document, bytes) else document
    library = Tokenizer.from_str(text)
    library.no_padding()
    library.no_truncation()
    return library


def ids(library: Tokenizer, text: str) -> list[int] | None:
    """The ids of a text; `None` if the library refuses it."""
    try:
        return list(library.encode(text, add_special_tokens=False).ids)
    except Exception:
        return None


def few_texts(new: Iterable[str], added: Iterable[str]) -> Iterator[str]:
    """A corpus for tests that are not about it; the whole one takes a second."""
    for literal in (*new, *added):
        yield from (literal, f"a{literal}b", f" {literal} ", f"{literal}{literal}")
    yield from ("abcdefgh", "a b ab abcd hello", "é z ß", "aéb", "", *"abcdefghpdunk<>[]zé")


def without(document: bytes, *keys: str) -> dict[str, Any]:
    return {key: value for key, value in json.loads(document).items() if key not in keys}
