"""A SentencePiece BPE model as byte-level BPE: the form that accelerators run fastest.

SentencePiece merges characters: always the pair whose concatenation is the piece of the highest
score, the leftmost first; what remains without a piece falls back to its bytes. Byte-level BPE
says the same, if

1. the bytes of every character that is a piece are merged before all else (a merge of two bytes
   never reaches into the next character, and no piece joins bytes to anything),
2. then pairs of pieces are, in the order of their scores, and
3. the ids are read back: a token of some bytes of a character stands for the pieces of each.

The text is cut into words where no piece reaches across, which changes nothing but lets an
accelerator remember words. Control pieces become no entry at all: their text must not match.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from mintdim.encoders.byte_alphabet import written
from mintdim.encoders.contract import Encoded

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    from mintdim.encoders.contract import IntArray


Document = dict[str, Any]

SPACE_SYMBOL = "\u2581"  # SentencePiece writes a space so
# Piece types, as the model file numbers them.
NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = 1, 2, 3, 4, 5, 6

# A bracket of a regular expression is cheap as long as few of its characters are beyond ASCII.
_MOST_BEYOND_ASCII = 64


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
    characters = set("".join(normal))
    return (
        len({piece.text for piece in pieces}) == len(pieces)
        and {piece.kind for piece in others} <= {UNKNOWN, CONTROL, BYTE}
        and all(len(piece.text) > 1 for piece in others)
        and [piece.text for piece in others if piece.kind == BYTE] == _byte_pieces()
        and characters <= normal
        and SPACE_SYMBOL in normal
        and " " not in normal
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


class ByteLevelForm(NamedTuple):
    """How texts go to the byte-level form of a model, and how ids come back.

    ``firsts`` [v]: the first piece of each entry. Entries from ``wholes`` on stand for some bytes
    of a character: ``rests`` [v - wholes, 2] holds the pieces of the second and third one, or -1.
    """

    prefix: str
    wholes: int
    firsts: npt.NDArray[np.uint32]
    rests: IntArray

    def prepared(self, texts: list[str]) -> list[str]:
        """Return the texts as they are to be encoded."""
        prefix = self.prefix
        return [prefix + text if text else text for text in texts] if prefix else texts

    def restored(self, encoded: Encoded) -> Encoded:
        """Return the ids of pieces; raises ``ValueError`` for one that the form does not have."""
        ids, lengths = encoded
        if ids.max(initial=0) >= len(self.firsts):
            raise ValueError("its answer makes no sense")
        found = self.firsts[ids]
        places = np.flatnonzero(ids >= self.wholes)
        if not len(places):
            return Encoded(found, lengths)
        rests = self.rests[ids[places] - self.wholes]
        more = rests >= 0
        counts = more.sum(axis=1)
        samples = np.searchsorted(np.cumsum(lengths), places, side="right")
        added = np.bincount(samples, weights=counts, minlength=len(lengths)).astype(np.int64)
        found = np.insert(found, np.repeat(places + 1, counts), rests[more].astype(np.uint32))
        return Encoded(found, lengths + added)


def byte_level(pieces: list[Piece], add_dummy_prefix: bool) -> tuple[Document, ByteLevelForm]:
    """Return convertible pieces of a model that normalises nothing as a ``tokenizer.json``.

    A text that holds ``SPACE_SYMBOL`` itself has no such form.
    """
    ids = {piece.text: number for number, piece in enumerate(pieces)}
    normal = {piece.text: piece.score for piece in pieces if piece.kind == NORMAL}
    characters = [text for text in normal if len(text) == 1 and text != SPACE_SYMBOL]
    entries = _whole_entries(ids, normal)
    firsts = list(entries.values())
    merges = [*_merges_of_bytes(characters), *_merges_of_pieces(normal)]
    parts = [part for part in dict.fromkeys(map(b"".join, merges)) if part not in entries]
    bytes_of_parts = [[ids[f"<0x{byte:02X}>"] for byte in part] for part in parts]
    rests = [[*part[1:], -1][:2] for part in bytes_of_parts]
    form = ByteLevelForm(
        prefix=" " if add_dummy_prefix else "",
        wholes=len(firsts),
        firsts=np.asarray([*firsts, *(part[0] for part in bytes_of_parts)], dtype=np.uint32),
        rests=np.asarray(rests, dtype=np.int64).reshape(-1, 2),
    )
    return _document([*entries, *parts], merges, _words(list(normal))), form


def _whole_entries(ids: dict[str, int], normal: dict[str, float]) -> dict[bytes, int]:
    """Return the bytes of all entries that stand for one piece: single bytes first."""
    characters = [SPACE_SYMBOL if byte == ord(" ") else chr(byte) for byte in range(0x80)]
    entries = {
        bytes([byte]): ids[f"<0x{byte:02X}>"]
        if byte >= 0x80 or characters[byte] not in normal
        else ids[characters[byte]]
        for byte in range(256)
    }
    return entries | {_bytes_of(text): ids[text] for text in normal}


def _bytes_of(text: str) -> bytes:
    return text.replace(SPACE_SYMBOL, " ").encode()


Merge = tuple[bytes, bytes]


def _merges_of_bytes(characters: list[str]) -> Iterator[Merge]:
    """Yield the merges that put together the bytes of every character, byte by byte."""
    encoded = [character.encode() for character in characters]
    pairs = (
        (whole[:cut], whole[cut : cut + 1]) for whole in encoded for cut in range(1, len(whole))
    )
    yield from dict.fromkeys(pairs)


def _merges_of_pieces(normal: dict[str, float]) -> Iterator[Merge]:
    """Yield every pair of pieces whose concatenation is one, the best score first."""
    for text in sorted(normal, key=lambda text: -normal[text]):
        for cut in range(1, len(text)):
            left, right = text[:cut], text[cut:]
            if left in normal and right in normal:
                yield _bytes_of(left), _bytes_of(right)


def _document(entries: list[bytes], merges: list[Merge], words: str) -> Document:
    names = dict(zip(entries, map(written, entries), strict=True))
    cut = {"type": "Split", "pattern": {"Regex": words}, "behavior": "Isolated", "invert": False}
    to_bytes = {
        "type": "ByteLevel",
        "add_prefix_space": False,
        "trim_offsets": True,
        "use_regex": False,
    }
    model = {
        "type": "BPE",
        "dropout": None,
        "unk_token": None,
        "continuing_subword_prefix": None,
        "end_of_word_suffix": None,
        "fuse_unk": False,
        "byte_fallback": False,
        "ignore_merges": False,
        "vocab": {names[entry]: number for number, entry in enumerate(entries)},
        "merges": [[names[left], names[right]] for left, right in merges],
    }
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": None,
        "pre_tokenizer": {
            "type": "Sequence",
            "pretokenizers": [*([cut] if words else []), to_bytes],
        },
        "post_processor": None,
        "decoder": None,
        "model": model,
    }


def _words(pieces: list[str]) -> str:
    """Return a pattern whose matches no piece leaves: spaces, then characters that go together.

    ``""`` if a piece has a space behind another character: then nothing can be cut.
    """
    joined = " ".join(pieces)
    if re.search(f"[^ {SPACE_SYMBOL}]{SPACE_SYMBOL}", joined):
        return ""
    families = list(map(_bracketed, _ascii_families(joined)))
    runs = [f"[^ {''.join(families)}]+", *(f"[{family}]+" for family in families)]
    return f" *(?:{'|'.join(runs)})| +"


def _ascii_families(joined: str) -> list[list[str]]:
    """Return families of characters with members in ASCII, but for the largest family.

    Characters are of one family if they stand side by side in some piece. Those of ASCII that
    stand beside no other make up the last family.
    """
    home = {char: [char] for char in {*joined, *map(chr, range(0x80))} - {" ", SPACE_SYMBOL}}
    for one, other in set(pairwise(joined)):
        if one in home and other in home and home[one] is not home[other]:
            small, large = sorted((home[one], home[other]), key=len)
            large += small
            home.update(dict.fromkeys(small, large))
    families = sorted(sorted(family) for family in {id(f): f for f in home.values()}.values())
    families.remove(max(families, key=len))
    alone = [family[0] for family in families if len(family) == 1 and family[0].isascii()]
    return [*filter(_is_cheap, families), alone]


def _is_cheap(family: list[str]) -> bool:
    """Say whether a bracket of its own is worth it for several characters, some in ASCII."""
    beyond_ascii = sum(not char.isascii() for char in family)
    return len(family) > 1 and beyond_ascii < len(family) and beyond_ascii <= _MOST_BEYOND_ASCII


def _bracketed(characters: list[str]) -> str:
    """Return characters as they stand in a bracket of any regular expression engine."""
    return "".join([f"\\x{ord(c):02x}" if c.isascii() else c for c in characters])


def _byte_pieces() -> list[str]:
    return [f"<0x{byte:02X}>" for byte in range(256)]
