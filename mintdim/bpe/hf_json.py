"""Export for Hugging Face ``tokenizers``: one ``tokenizer.json``.

Differences of that library which an export cannot remove:

- It recognises special tokens in every text. ``Tokenizer.encode`` does so only where
  allowed; setting ``encode_special_tokens = True`` after loading makes them alike.
- Its ``decode`` leaves special tokens out unless told ``skip_special_tokens=False``.
- It refuses lone surrogates.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from mintdim.bpe.byte_alphabet import byte_alphabet, spelled
from mintdim.bpe.model_file import Model, token_table, write_whole
from mintdim.bpe.patterns import CANONICAL
from mintdim.bpe.special_tokens import refuse_surrogates

if TYPE_CHECKING:
    from pathlib import Path

UNKNOWN, PADDING = "<unk>", "<pad>"

# Two readings differ in its engine (Oniguruma, Ruby syntax): "{1,3}+" is a repetition of
# repetitions there, which would not cut digit runs, and "$" matches at every line end.
_SPELLING = (("{1,3}+", "{1,3}"), ("$", r"\z"))


def write_hf_json(path: Path, model: Model) -> None:
    """Write ``model`` with ``<unk>`` and ``<pad>`` appended where it lacks them."""
    missing = tuple(text for text in (UNKNOWN, PADDING) if text not in model.special_tokens)
    complete = model._replace(special_tokens=model.special_tokens + missing)
    document = json.dumps(_document(complete), ensure_ascii=True, indent=1)
    write_whole(path, document.encode() + b"\n")


def _document(model: Model) -> dict[str, Any]:
    vocabulary, merges = _spelled_model(model)
    specials = _special_ids(model, vocabulary)
    return {
        "version": "1.0",
        "truncation": None,
        "padding": _padding(specials[PADDING]),
        "added_tokens": [_added(number, text) for text, number in specials.items()],
        "normalizer": None,
        "pre_tokenizer": _pre_tokenizer(model.pattern),
        "post_processor": None,
        "decoder": _byte_level(),
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": UNKNOWN,
            "continuing_subword_prefix": None,
            "end_of_word_suffix": None,
            "fuse_unk": False,
            "byte_fallback": False,
            "ignore_merges": False,
            "vocab": vocabulary | specials,
            "merges": merges,
        },
    }


def _spelled_model(model: Model) -> tuple[dict[str, int], list[list[str]]]:
    alphabet = byte_alphabet()
    names = [spelled(token, alphabet) for token in token_table(model.merges)]
    merges = [[names[left], names[right]] for left, right in model.merges]
    return {name: number for number, name in enumerate(names)}, merges


def _special_ids(model: Model, vocabulary: dict[str, int]) -> dict[str, int]:
    specials = {text: len(vocabulary) + n for n, text in enumerate(model.special_tokens)}
    for text in specials:
        if text in vocabulary:
            raise ValueError(
                f"special token {text!r} cannot be exported: tokenizer.json spells token "
                f"{vocabulary[text]} the same way; choose another text, such as '<|{text}|>'"
            )
        refuse_surrogates(text)
    return specials


def _padding(number: int) -> dict[str, Any]:
    return {
        "strategy": "BatchLongest",
        "direction": "Right",
        "pad_to_multiple_of": None,
        "pad_id": number,
        "pad_type_id": 0,
        "pad_token": PADDING,
    }


def _added(number: int, text: str) -> dict[str, Any]:
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False}
    return {"id": number, "content": text, **flags, "special": True}


def _pre_tokenizer(pattern: str) -> dict[str, Any]:
    if pattern == "none":
        return _byte_level()
    spelling = CANONICAL[pattern]
    for canonical, other in _SPELLING:
        spelling = spelling.replace(canonical, other)
    cut = {"type": "Split", "pattern": {"Regex": spelling}, "behavior": "Isolated", "invert": False}
    return {"type": "Sequence", "pretokenizers": [cut, _byte_level()]}


def _byte_level() -> dict[str, Any]:
    # use_regex would cut a second time, by GPT-2's pattern.
    flags = {"add_prefix_space": False, "trim_offsets": False, "use_regex": False}
    return {"type": "ByteLevel", **flags}
