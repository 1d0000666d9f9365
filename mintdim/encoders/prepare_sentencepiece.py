"""A ready copy of a SentencePiece model: one control piece more, or one named.

Control pieces never match in text, so an appended one changes no id. An unknown piece is always
there: the library loads no model without it, and knows exactly one.
"""

from __future__ import annotations

from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar

from mintdim.encoders.prepare_draft import Entry, Wanted, require_both
from mintdim.encoders.sentencepiece import SentencePieceEncoder
from mintdim.shared.errors import MissingLibraryError, TokenizerPrepareError
from mintdim.shared.messages import phrase

if TYPE_CHECKING:
    from mintdim.encoders.prepare_draft import Subject
    from mintdim.shared.types import TokenizerKind

PROTOBUF = "protobuf>=7.36.1"  # what the message classes of sentencepiece 0.2.3 ask for


class SentencePieceSubject(SentencePieceEncoder):
    """The encoder of the builds, with its pieces laid open."""

    @cached_property
    def pieces(self) -> list[str]:
        """The text of every piece; its place is its id."""
        return [self._library.id_to_piece(i) for i in range(self.vocab_size)]

    @cached_property
    def vocabulary(self) -> dict[str, int]:
        """The id of every piece."""
        return {text: i for i, text in enumerate(self.pieces)}

    def is_control(self, token_id: int) -> bool:
        """Say whether a piece is a control piece, which no text produces."""
        return bool(self._library.is_control(token_id))


class SentencePieceDraft:
    """The edited copy of a model, beside its original.

    Raises ``ValueError`` if it is none, ``TokenizerPrepareError`` and its subclasses for a PAD or
    UNK that this model cannot have, ``MissingLibraryError`` without protobuf.
    """

    kind: ClassVar[TokenizerKind] = "sentencepiece"

    def __init__(self, data: bytes, file: str, pad: str | None, unk: str | None) -> None:
        self.original = SentencePieceSubject(data)
        self.added_texts = tuple(self.original.special_tokens.values())
        pieces = self.original.pieces
        controls = [text for i, text in enumerate(pieces) if self.original.is_control(i)]
        exposed = pieces[self.original.pad_id] if self.original.pad_id >= 0 else None
        self.unk = Entry(pieces[self.original.unk_id], self.original.unk_id)
        _check_unknown(self.unk, unk)
        require_both(
            file, Wanted(pad or exposed, self.unk.text), controls, self.original.vocabulary
        )
        self.pad = self._pad_entry(pad or exposed or "", controls)
        self.new_texts: tuple[str, ...] = (
            (self.pad.text,) if self.pad.token_id == len(pieces) else ()
        )
        self.ready = data if self.pad.text == exposed else self._edited(data)

    def reopened(self) -> SentencePieceSubject:
        """Open the ready copy; raises ``ValueError``."""
        return SentencePieceSubject(self.ready)

    def exposes_both(self, copy: Subject) -> bool:
        """Say whether the library exposes ``pad`` and ``unk`` of the opened copy."""
        assert isinstance(copy, SentencePieceSubject)
        return (copy.pad_id, copy.unk_id) == (self.pad.token_id, self.unk.token_id)

    def _pad_entry(self, text: str, controls: list[str]) -> Entry:
        known = self.original.vocabulary
        if text in known and text not in controls:
            problem = phrase("prepare_not_control", token=text, controls=", ".join(controls[:5]))
            raise TokenizerPrepareError(problem=problem)
        return Entry(text, known.get(text, len(self.original.pieces)))

    def _edited(self, data: bytes) -> bytes:
        model = _message(data)
        if self.new_texts:
            kind = type(model.pieces[0]).CONTROL
            model.pieces.add(piece=self.pad.text, score=0.0, type=kind)
            if model.trainer_spec.vocab_size == len(model.pieces) - 1:
                model.trainer_spec.vocab_size = len(model.pieces)
        model.trainer_spec.pad_piece = self.pad.text
        model.trainer_spec.pad_id = self.pad.token_id
        return bytes(model.SerializeToString())


def _check_unknown(unk: Entry, given: str | None) -> None:
    if given is not None and given != unk.text:
        problem = phrase("prepare_one_unknown", token=unk.text, token_id=unk.token_id)
        raise TokenizerPrepareError(problem=problem)


def _message(data: bytes) -> Any:
    """Return the model as a protobuf message; raises ``MissingLibraryError``."""
    try:
        messages: Any = import_module("sentencepiece.sentencepiece_model_pb2")
    except Exception as error:  # absent, too old, or in conflict with another library's classes
        problem = phrase("library_error", detail=str(error) or type(error).__name__)
        raise MissingLibraryError(requirement=PROTOBUF, problem=problem) from error
    model = messages.ModelProto()
    model.ParseFromString(data)
    return model
