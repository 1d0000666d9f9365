"""SentencePiece models (``.model``)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mintdim.encoders.contract import Encoded, Span
from mintdim.encoders.sentencepiece_bytes import (
    BYTE,
    CONTROL,
    NORMAL,
    SPACE_SYMBOL,
    UNKNOWN,
    UNUSED,
    USER_DEFINED,
    Piece,
)
from mintdim.encoders.sentencepiece_model import read_pieces

if TYPE_CHECKING:
    from collections.abc import Sequence


class SentencePieceEncoder:
    """Exact ids by the ``sentencepiece`` library, one thread, nothing added.

    ``pad_id`` or ``unk_id`` is negative where the model defines none. Raises ``ValueError`` for
    bytes that are no SentencePiece model.
    """

    def __init__(self, model: bytes) -> None:
        from sentencepiece import SentencePieceProcessor

        if not model:
            # The library takes an empty model without a word and then encodes nothing.
            raise ValueError("the file is empty")
        pieces = read_pieces(model)
        if not pieces.complete:
            raise ValueError("the file ends before the settings of the model")
        try:
            self._library = SentencePieceProcessor(model_proto=model)
        except (RuntimeError, OSError) as error:
            raise ValueError(str(error)) from error
        self.vocab_size: int = self._library.vocab_size()
        self.largest_id = self.vocab_size - 1
        self.unk_id: int = self._library.unk_id()
        self.pad_id: int = self._library.pad_id()
        self.eos_id: int = self._library.eos_id()
        self._user_defined = tuple(pieces.user_defined)
        self.special_tokens = {
            token_id: symbol
            for token_id, symbol in pieces.user_defined.items()
            if _is_marker(symbol)
        }

    def token_id(self, token: str) -> int:
        """Return the id of a piece, negative if there is none."""
        found: int = self._library.piece_to_id(token)
        return found if self._library.id_to_piece(found) == token else -1

    def all_pieces(self) -> list[Piece]:
        """Return the vocabulary in order of ids."""
        ids = list(range(self.vocab_size))
        library = self._library
        kinds = dict.fromkeys(ids, NORMAL)
        for kind, is_kind in (
            (UNKNOWN, library.is_unknown),
            (CONTROL, library.is_control),
            (BYTE, library.is_byte),
            (UNUSED, library.is_unused),
        ):
            kinds.update(
                (number, kind) for number, true in zip(ids, is_kind(ids), strict=True) if true
            )
        kinds.update(dict.fromkeys(self._user_defined, USER_DEFINED))
        texts, scores = library.id_to_piece(ids), library.get_score(ids)
        return list(map(Piece, texts, scores, kinds.values()))

    def encode_batch(self, texts: Sequence[str]) -> Encoded:
        """Return the ids of every text, flat; raises ``ValueError`` if one is refused."""
        try:
            rows = self._library.encode_as_numpy(
                list(texts), add_bos=False, add_eos=False, enable_sampling=False, num_threads=1
            )
        except RuntimeError as error:
            raise ValueError(str(error)) from error
        lengths = np.fromiter(map(len, rows), dtype=np.int64, count=len(rows))
        ids = np.concatenate(rows) if len(rows) else np.empty(0, dtype=np.int32)
        return Encoded(ids.astype(np.int32, copy=False), lengths)

    def encode_spans(self, text: str) -> list[Span]:
        """Return the ids of one text with the characters each stands for.

        Where a damaged normaliser makes bytes of it that are no text, each may stand for all.
        """
        try:
            mapping = self._library.encode_as_offset_mapping(
                text, add_bos=False, add_eos=False, enable_sampling=False, num_threads=1
            )
        except UnicodeDecodeError:
            return [Span(int(number), 0, len(text)) for number in self.encode_batch([text]).ids]
        pairs = zip(mapping["ids"], mapping["offsets"], strict=True)
        return [Span(token_id, start, stop) for token_id, (start, stop) in pairs]

    def decode(self, ids: Sequence[int]) -> str:
        """Return the text of ids."""
        return str(self._library.decode(list(ids)))

    def normalised(self, text: str) -> str:
        """Return ``text`` after the model's normalisation, spaces shown as spaces.

        What a damaged normaliser makes no text of stays as it is.
        """
        try:
            return str(self._library.normalize(text)).replace(SPACE_SYMBOL, " ")
        except UnicodeDecodeError:
            return text


def _is_marker(symbol: str) -> bool:
    """Say whether a user-defined symbol looks like a control mark, as ``<|endoftext|>`` does.

    Others (white space, digits, words) are ordinary text.
    """
    return len(symbol) > 2 and symbol[0] + symbol[-1] in ("<>", "[]")
