"""The policy: which tokenizers an accelerator may encode in place of the official library.

| tokenizer | structure | accelerator |
|---|---|---|
| ``tokenizer.json`` | byte-level BPE, all 256 bytes in the vocabulary | fastokens |
| ``tokenizer.json`` | BPE with byte fallback, spaces to ``▁`` | fastokens |
| ``.model`` | BPE with byte fallback, no normalisation, no user-defined symbols | fastokens ¹ |
| all others | unigram, WordPiece, normalising models, ... | none |

¹ converted in memory by ``sentencepiece_json``.

Being eligible is the first of three conditions; ``cross_check`` holds the other two: a self-check
when the tokenizer is loaded, and a running comparison of samples while it encodes.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from mintdim.encoders.hf_json import HfJsonEncoder
from mintdim.encoders.sentencepiece import SentencePieceEncoder
from mintdim.encoders.sentencepiece_json import is_convertible, tokenizer_json
from mintdim.encoders.sentencepiece_model import BPE, read_settings

if TYPE_CHECKING:
    from mintdim.encoders.contract import Encoder

Document = dict[str, Any]


class _Structure(NamedTuple):
    """What a ``tokenizer.json`` may consist of."""

    normalizers: frozenset[str]
    pre_tokenizers: frozenset[str]
    needed: frozenset[str]  # among both
    bytes_as: tuple[str, ...]  # the entries of the 256 bytes


def eligible(official: Encoder, data: bytes) -> Document | None:
    """Return what an accelerator is to load for a tokenizer file, None if none may stand in.

    ``official`` is the tokenizer that was made of the bytes ``data`` of the file.
    """
    if isinstance(official, SentencePieceEncoder):
        return _of_model(data, official)
    return _of_json(data) if isinstance(official, HfJsonEncoder) else None


def _of_json(data: bytes) -> Document | None:
    document: Document = json.loads(data)
    model, added = document.get("model", {}), document.get("added_tokens") or []
    parts = {*_types(document.get("normalizer")), *_types(document.get("pre_tokenizer"))}
    structure = BYTE_FALLBACK if model.get("byte_fallback") else BYTE_LEVEL
    fits = (
        model.get("type") == "BPE"
        and not model.get("continuing_subword_prefix")
        and not model.get("end_of_word_suffix")
        and set(_types(document.get("normalizer"))) <= structure.normalizers
        and set(_types(document.get("pre_tokenizer"))) <= structure.pre_tokenizers
        and structure.needed <= parts
        and model.get("vocab", {}).keys() >= set(structure.bytes_as)
        and not any(token.get("single_word") for token in added)
    )
    return _stripped(document) if fits else None


def _of_model(data: bytes, official: SentencePieceEncoder) -> Document | None:
    settings = read_settings(data)
    fits = (
        settings.model_type == BPE
        and settings.byte_fallback
        and not settings.charsmap
        and not settings.remove_extra_whitespaces
        and settings.escape_whitespaces
        and not settings.whitespace_as_suffix
    )
    pieces = official.all_pieces() if fits else []
    if not fits or not is_convertible(pieces):
        return None
    return tokenizer_json(pieces, settings.add_dummy_prefix)


def _stripped(document: Document) -> Document:
    """Return the document without what would add, cut or change tokens."""
    exact = dict.fromkeys(("truncation", "padding", "post_processor"))
    return {**document, **exact, "model": {**document["model"], "dropout": None}}


def _types(part: Document | None) -> list[str]:
    """Return the types of a normaliser or pre-tokenizer, those of a sequence one by one."""
    if part is None:
        return []
    inner = part.get("normalizers") or part.get("pretokenizers")
    if part.get("type") == "Sequence":
        return [name for entry in inner or [] for name in _types(entry)]
    return [str(part.get("type"))]


def _byte_alphabet() -> tuple[str, ...]:
    """Return the 256 characters that byte-level BPE writes for bytes (the alphabet of GPT-2)."""
    shown = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    hidden = [byte for byte in range(256) if byte not in shown]
    return tuple(map(chr, [*sorted(shown), *range(256, 256 + len(hidden))]))


BYTE_LEVEL = _Structure(
    normalizers=frozenset({"NFC"}),
    pre_tokenizers=frozenset({"ByteLevel", "Split", "Digits"}),
    needed=frozenset({"ByteLevel"}),
    bytes_as=_byte_alphabet(),
)
BYTE_FALLBACK = _Structure(
    normalizers=frozenset({"Prepend", "Replace"}),
    pre_tokenizers=frozenset({"Split"}),
    needed=frozenset({"Replace"}),
    bytes_as=tuple(f"<0x{byte:02X}>" for byte in range(256)),
)
