"""The policy: which tokenizers an accelerator may encode in place of the official library.

| tokenizer | structure | accelerator |
|---|---|---|
| ``tokenizer.json`` | byte-level BPE, all 256 bytes in the vocabulary | fastokens |
| ``tokenizer.json`` | BPE with byte fallback, spaces to ``▁`` | fastokens |
| ``.model`` | BPE with byte fallback, no normalisation, no user-defined symbols | fastokens ¹ |
| all others | unigram, WordPiece, normalising models, ... | none |

¹ converted in memory by ``sentencepiece_bytes``.

A ``tokenizer.json`` must also have patterns that all engines read alike (``split_patterns``), no
two entries of one id, and added tokens that an accelerator finds as the library does.

Being eligible is the first of three conditions; ``cross_check`` holds the other two: a self-check
when the tokenizer is loaded, and a running comparison of samples while it encodes.
"""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from mintdim.encoders.byte_alphabet import BYTE_ALPHABET
from mintdim.encoders.hf_json import HfJsonEncoder
from mintdim.encoders.sentencepiece import SentencePieceEncoder
from mintdim.encoders.sentencepiece_bytes import ByteLevelForm, byte_level, is_convertible
from mintdim.encoders.sentencepiece_model import BPE, read_settings
from mintdim.encoders.split_patterns import is_portable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mintdim.encoders.contract import Encoder

Document = dict[str, Any]

# What would add, cut or change tokens is taken out.
_EXACT = dict.fromkeys(("truncation", "padding", "post_processor"))
_NO_DROPOUT = {"dropout": None}


class Plan(NamedTuple):
    """What an accelerator loads; ``form`` translates texts and ids where that is another form."""

    document: Document
    form: ByteLevelForm | None = None


class _Structure(NamedTuple):
    """What a ``tokenizer.json`` may consist of."""

    normalizers: frozenset[str]
    pre_tokenizers: frozenset[str]
    needed: frozenset[str]  # among both
    bytes_as: tuple[str, ...]  # the entries of the 256 bytes


def eligible(official: Encoder, data: bytes) -> Callable[[], Plan] | None:
    """Return what makes the plan of an accelerator for a tokenizer file, None if none may stand in.

    ``official`` is the tokenizer that was made of the bytes ``data`` of the file. Never raises:
    what the library reads in some way that is not known here is not eligible.
    """
    try:
        if isinstance(official, SentencePieceEncoder):
            return _of_model(data, official)
        return _of_json(data, official) if isinstance(official, HfJsonEncoder) else None
    except (AttributeError, LookupError, TypeError, ValueError, RecursionError, StopIteration):
        return None


def _of_json(data: bytes, official: HfJsonEncoder) -> Callable[[], Plan] | None:
    document: Document = json.loads(data)
    model, vocab, added = document["model"], document["model"]["vocab"], official.added_tokens()
    normalizers, pre_tokenizers = (
        list(_parts(document.get(key))) for key in ("normalizer", "pre_tokenizer")
    )
    types = [{part["type"] for part in parts} for parts in (normalizers, pre_tokenizers)]
    structure = BYTE_FALLBACK if model.get("byte_fallback") else BYTE_LEVEL
    fits = (
        model["type"] == "BPE"
        and not model.get("continuing_subword_prefix")
        and not model.get("end_of_word_suffix")
        and types[0] <= structure.normalizers
        and types[1] <= structure.pre_tokenizers
        and structure.needed <= types[0] | types[1]
        and all(is_portable(p["pattern"]) for p in normalizers + pre_tokenizers if "pattern" in p)
        and vocab.keys() >= set(structure.bytes_as)
        and len(set(vocab.values())) == len(vocab)
        and not any(token["single_word"] for token in added)
        and _found_in_one_pass(added)
    )
    exact = {**document, **_EXACT, "added_tokens": added, "model": model | _NO_DROPOUT}
    return partial(Plan, exact) if fits else None


def _found_in_one_pass(added: list[Document]) -> bool:
    """Say whether no added token can hide another of the other kind from an accelerator.

    The library looks for those that are matched before normalisation first, an accelerator for
    all at once.
    """
    kinds = [[t["content"] for t in added if t["normalized"] is flag] for flag in (False, True)]
    if not all(kinds):
        return True
    starts = [{text[:cut] for text in kind for cut in range(1, len(text) + 1)} for kind in kinds]
    ends = [{text[cut:] for text in kind for cut in range(len(text))} for kind in kinds]
    inside = any(a in b or b in a for a in kinds[0] for b in kinds[1])
    return not (inside or starts[0] & ends[1] or starts[1] & ends[0])


def _of_model(data: bytes, official: SentencePieceEncoder) -> Callable[[], Plan] | None:
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
    return lambda: Plan(*byte_level(pieces, settings.add_dummy_prefix))


def _parts(part: Document | None) -> Iterator[Document]:
    """Yield a normaliser or pre-tokenizer, those of a sequence one by one."""
    if part is not None and part["type"] == "Sequence":
        for inner in part.get("normalizers") or part.get("pretokenizers") or []:
            yield from _parts(inner)
    elif part is not None:
        yield part


BYTE_LEVEL = _Structure(
    normalizers=frozenset({"NFC"}),
    pre_tokenizers=frozenset({"ByteLevel", "Split", "Digits"}),
    needed=frozenset({"ByteLevel"}),
    bytes_as=BYTE_ALPHABET,
)
BYTE_FALLBACK = _Structure(
    normalizers=frozenset({"Prepend", "Replace"}),
    pre_tokenizers=frozenset({"Split"}),
    needed=frozenset({"Replace"}),
    bytes_as=tuple(f"<0x{byte:02X}>" for byte in range(256)),
)
