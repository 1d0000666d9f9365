"""The pieces of a SentencePiece model file, read without protobuf.

Source of the format: ``sentencepiece_model.proto`` of the SentencePiece project. A model is a
protobuf message: field 1 (bytes) repeats for every piece (1 text, 2 score, 3 type), fields 2
and 3 hold the settings of trainer and normaliser. The library lists no user-defined symbols,
and takes a file that was cut between two pieces without a word; hence this reader.
"""

from __future__ import annotations

from typing import NamedTuple

_BYTES = 2
_PIECE_KEY = 1 << 3 | _BYTES
_TEXT_KEY = 1 << 3 | _BYTES
_TYPE_USER_DEFINED = bytes([3 << 3, 4])


class Pieces(NamedTuple):
    """What the pieces of a model file tell.

    ``user_defined``: id and text of the symbols that always match in text; ``complete``: whether
    the settings of the model follow.
    """

    user_defined: dict[int, str]
    complete: bool


def read_pieces(model: bytes) -> Pieces:
    """Return the user-defined symbols of a model, and whether its pieces are all of it."""
    at = token_id = 0
    symbols = {}
    while at < len(model) and model[at] == _PIECE_KEY:
        size, at = _varint(model, at + 1)
        # The type is written last; a glance at the end spares reading 100,000 pieces.
        if model[at + size - 2 : at + size] == _TYPE_USER_DEFINED:
            symbols[token_id] = _text(model[at : at + size])
        at, token_id = at + size, token_id + 1
    return Pieces(symbols, complete=at < len(model))


def _text(piece: bytes) -> str:
    if not piece or piece[0] != _TEXT_KEY:
        return ""
    size, at = _varint(piece, 1)
    return piece[at : at + size].decode("utf-8", "replace")


def _varint(message: bytes, at: int) -> tuple[int, int]:
    """Return a protobuf number and the place behind it."""
    value = shift = 0
    while at < len(message):
        value, shift, at = value | (message[at] & 0x7F) << shift, shift + 7, at + 1
        if message[at - 1] < 0x80:
            break
    return value, at
