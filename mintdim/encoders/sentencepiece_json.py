"""A SentencePiece BPE model as a ``tokenizer.json`` document.

SentencePiece merges the pair whose concatenation is the piece of the highest score, the leftmost
first; a ``tokenizer.json`` lists pairs in order of preference. Both say the same where scores
differ and every character of a piece is a piece itself. Control pieces become ordinary entries
of the vocabulary that no merge leads to, never added tokens: their text must not match in data.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

SPACE_SYMBOL = "\u2581"  # SentencePiece writes a space so
# Piece types, as the model file numbers them.
NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = 1, 2, 3, 4, 5, 6


class Piece(NamedTuple):
    """One piece: its text, score and type."""

    text: str
    score: float
    kind: int


def is_convertible(pieces: list[Piece]) -> bool:
    """Say whether the vocabulary allows the same merges to be written as a list of pairs.

    Needed: all bytes to fall back to, every character of a piece as a piece, no piece of another
    kind that could be mistaken for text, and scores without ties, but for runs of spaces that
    are in no other piece: merged in any order they give the same.
    """
    normal = {piece.text for piece in pieces if piece.kind == NORMAL}
    others = [piece for piece in pieces if piece.kind != NORMAL]
    return (
        len({piece.text for piece in pieces}) == len(pieces)
        and {piece.kind for piece in others} <= {UNKNOWN, CONTROL, BYTE}
        and all(len(piece.text) > 1 for piece in others)
        and [piece.text for piece in others if piece.kind == BYTE] == _byte_pieces()
        and set("".join(normal)) <= normal
        and _ties_are_harmless(pieces)
    )


def _ties_are_harmless(pieces: list[Piece]) -> bool:
    merged = [piece for piece in pieces if piece.kind == NORMAL and len(piece.text) > 1]
    times = Counter(piece.score for piece in merged)
    tied = {piece.text for piece in merged if times[piece.score] > 1}
    others = (piece.text for piece in merged if piece.text not in tied)
    return not tied or (
        set("".join(tied)) == {SPACE_SYMBOL}
        and not any(SPACE_SYMBOL * 2 in text for text in others)
    )


def tokenizer_json(pieces: list[Piece], add_dummy_prefix: bool) -> dict[str, Any]:
    """Return the document of convertible pieces of a model that normalises nothing."""
    spaces = {"type": "Replace", "pattern": {"String": " "}, "content": SPACE_SYMBOL}
    prefix = [{"type": "Prepend", "prepend": SPACE_SYMBOL}] if add_dummy_prefix else []
    unknown = next((piece.text for piece in pieces if piece.kind == UNKNOWN), None)
    model = {
        "type": "BPE",
        "dropout": None,
        "unk_token": unknown,
        "continuing_subword_prefix": None,
        "end_of_word_suffix": None,
        "fuse_unk": True,
        "byte_fallback": True,
        "ignore_merges": False,
        "vocab": {piece.text: token_id for token_id, piece in enumerate(pieces)},
        "merges": list(_merges(pieces)),
    }
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": {"type": "Sequence", "normalizers": [*prefix, spaces]},
        "pre_tokenizer": None,
        "post_processor": None,
        "decoder": None,
        "model": model,
    }


def _merges(pieces: list[Piece]) -> Iterator[list[str]]:
    """Yield every pair of normal pieces whose concatenation is one, the best score first."""
    normal = {piece.text: piece.score for piece in pieces if piece.kind == NORMAL}
    for text in sorted(normal, key=lambda text: -normal[text]):
        for cut in range(1, len(text)):
            left, right = text[:cut], text[cut:]
            if left in normal and right in normal:
                yield [left, right]


def _byte_pieces() -> list[str]:
    return [f"<0x{byte:02X}>" for byte in range(256)]
