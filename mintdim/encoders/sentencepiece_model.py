"""The pieces of a SentencePiece model file, read without protobuf.

Source of the format: ``sentencepiece_model.proto`` of the SentencePiece project. A model is a
protobuf message: field 1 (bytes) repeats for every piece (1 text, 2 score, 3 type), fields 2
and 3 hold the settings of trainer and normaliser. The library lists no user-defined symbols,
and takes a file that was cut between two pieces without a word; hence this reader.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_PIECE_KEY = 1 << 3 | _BYTES
_TEXT, _TYPE = 1, 3
_USER_DEFINED = 4
_TRAINER, _NORMALISER = 2, 3
UNIGRAM, BPE = 1, 2
_TYPE_USER_DEFINED = bytes([_TYPE << 3, _USER_DEFINED])


class Pieces(NamedTuple):
    """What the pieces of a model file tell.

    ``user_defined``: id and text of the symbols that always match in text; ``complete``: whether
    the settings of the model follow.
    """

    user_defined: dict[int, str]
    complete: bool


class Settings(NamedTuple):
    """Settings of trainer and normaliser; ``charsmap``: whether characters are rewritten."""

    model_type: int
    byte_fallback: bool
    whitespace_as_suffix: bool
    charsmap: bool
    add_dummy_prefix: bool
    remove_extra_whitespaces: bool
    escape_whitespaces: bool


def read_pieces(model: bytes) -> Pieces:
    """Return the user-defined symbols of a model, and whether its pieces are all of it.

    The pieces may stand anywhere, as their own fields may. Bytes that are no protobuf message
    give something or other: the library refuses them.
    """
    at = token_id = 0
    symbols, complete = {}, False
    while at < len(model):
        if model[at] == _PIECE_KEY:
            size, start = _varint(model, at + 1)
            at = start + size
            # A search spares reading the fields of 100,000 pieces.
            if model.find(_TYPE_USER_DEFINED, start, at) >= 0:
                piece = dict(_fields(model[start:at]))
                if piece.get(_TYPE) == _USER_DEFINED:
                    symbols[token_id] = _decoded(piece.get(_TEXT))
            token_id += 1
        else:
            _, _, at = _field(model, at)
            complete = True
    return Pieces(symbols, complete)


def read_settings(model: bytes) -> Settings:
    """Return the settings that decide how a model cuts text; absent ones have their defaults."""
    parts: dict[int, dict[int, bytes | int]] = {_TRAINER: {}, _NORMALISER: {}}
    at = 0
    while at < len(model):
        if model[at] == _PIECE_KEY:
            size, start = _varint(model, at + 1)
            at = start + size
            continue
        number, value, at = _field(model, at)
        if number in parts and isinstance(value, bytes):
            parts[number].update(_fields(value))
    trainer, normaliser = parts[_TRAINER], parts[_NORMALISER]
    return Settings(
        model_type=int(trainer.get(3, UNIGRAM)),
        byte_fallback=bool(trainer.get(35, 0)),
        whitespace_as_suffix=bool(trainer.get(24, 0)),
        charsmap=bool(normaliser.get(2, b"")),
        add_dummy_prefix=bool(normaliser.get(3, 1)),
        remove_extra_whitespaces=bool(normaliser.get(4, 1)),
        escape_whitespaces=bool(normaliser.get(5, 1)),
    )


def _decoded(text: bytes | int | None) -> str:
    return text.decode("utf-8", "replace") if isinstance(text, bytes) else ""


def _fields(message: bytes) -> Iterator[tuple[int, bytes | int]]:
    at = 0
    while at < len(message):
        number, value, at = _field(message, at)
        yield number, value


def _field(message: bytes, at: int) -> tuple[int, bytes | int, int]:
    """Return number and value of the field at a place, and the place behind it."""
    key, at = _varint(message, at)
    size, kind = 0, key & 7
    if kind == _VARINT:
        value, at = _varint(message, at)
        return key >> 3, value, at
    if kind == _BYTES:
        size, at = _varint(message, at)
    elif kind in (_FIXED32, _FIXED64):
        size = 4 if kind == _FIXED32 else 8
    return key >> 3, message[at : at + size], at + size


def _varint(message: bytes, at: int) -> tuple[int, int]:
    """Return a protobuf number and the place behind it."""
    value = shift = 0
    while at < len(message):
        value, shift, at = value | (message[at] & 0x7F) << shift, shift + 7, at + 1
        if message[at - 1] < 0x80:
            break
    return value, at
