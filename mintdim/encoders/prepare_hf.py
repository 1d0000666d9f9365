"""A ready copy of a ``tokenizer.json``: what is edited, and nothing else.

New entries go into the model's own vocabulary. Among the added tokens they would match in data,
and encoding would fail on an unknown token that the model does not hold.

The library gives added tokens that the model lacks their ids when it loads the file: from the
size of the model's vocabulary upwards, whatever ids the file says. A vocabulary that grows would
shift them all; so they are written into it first, each with the id it has.
"""

from __future__ import annotations

import json
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from mintdim.encoders.hf_json import HfJsonEncoder
from mintdim.encoders.prepare_draft import Entry, Wanted, require_both

if TYPE_CHECKING:
    from mintdim.encoders.prepare_draft import Subject
    from mintdim.shared.types import TokenizerKind

# Entries that are worth suggesting even if they are not among the added tokens.
_SUGGESTED = ("<pad>", "[PAD]", "<|pad|>", "<unk>", "[UNK]", "<|endoftext|>", "<eos>", "</s>")


class HfSubject(HfJsonEncoder):
    """The encoder of the builds, with its vocabulary laid open."""

    @cached_property
    def vocabulary(self) -> dict[str, int]:
        """The id of every entry as the library gives it."""
        return dict(self._library.get_vocab(with_added_tokens=True))

    @property
    def added(self) -> list[Entry]:
        """The added tokens in order of their ids."""
        return [Entry(token.content, i) for i, token in sorted(self._added.items())]

    @property
    def exposed_pad(self) -> str | None:
        """The padding token, if its settings agree with the vocabulary."""
        settings = self.padding
        return settings.token if settings and settings.actual_id == settings.pad_id else None

    @property
    def exposed_unk(self) -> str | None:
        """The unknown token, if the model holds it."""
        return self.unk_token if self.unk_id >= 0 else None


class HfDraft:
    """The edited copy of a ``tokenizer.json``, beside its original.

    Raises ``ValueError`` if it is none, ``TokenizerPrepareMissingError`` if PAD or UNK is missing
    and not given.
    """

    kind: ClassVar[TokenizerKind] = "hf_json"

    def __init__(self, data: bytes, file: str, pad: str | None, unk: str | None) -> None:
        self.original = HfSubject(data)
        self.added_texts = tuple(text for text, _ in self.original.added)
        wanted = Wanted(pad or self.original.exposed_pad, unk or self.original.exposed_unk)
        require_both(file, wanted, self._special_texts(), self.original.vocabulary)
        self.new_texts = tuple(
            dict.fromkeys(text for text in wanted if text and text not in self.original.vocabulary)
        )
        self.pad, self.unk = (self._entry(text or "") for text in wanted)
        self.ready = self._edited(data)

    def reopened(self) -> HfSubject:
        """Open the ready copy; raises ``ValueError``."""
        return HfSubject(self.ready)

    def exposes_both(self, copy: Subject) -> bool:
        """Say whether the library exposes ``pad`` and ``unk`` of the opened copy."""
        assert isinstance(copy, HfSubject)
        return (copy.exposed_pad, copy.pad_id, copy.exposed_unk, copy.unk_id) == (
            *self.pad,
            *self.unk,
        )

    def _special_texts(self) -> list[str]:
        """Return the added tokens, and usual names in the vocabulary that no text produces."""
        known = self.original.vocabulary
        usual = [text for text in _SUGGESTED if text in known and text not in self.added_texts]
        produced = [self.original.encode_batch([text]).ids.tolist() for text in usual]
        apart = [text for text, ids in zip(usual, produced, strict=True) if known[text] not in ids]
        return [*self.added_texts, *apart]

    def _entry(self, text: str) -> Entry:
        if text in self.original.vocabulary:
            return Entry(text, self.original.vocabulary[text])
        return Entry(text, self.original.largest_id + 1 + self.new_texts.index(text))

    def _edited(self, data: bytes) -> bytes:
        document, before = json.loads(data), self.original
        self._extend(document["model"])
        if self.unk.text != before.exposed_unk:
            _set_unknown(document["model"], self.unk)
        if self.pad.text != before.exposed_pad:
            document["padding"] = _padding(self.pad)
        indent = 2 if data.lstrip().startswith((b"{\n", b"{\r\n")) else None
        return json.dumps(document, ensure_ascii=False, allow_nan=False, indent=indent).encode()

    def _extend(self, model: dict[str, Any]) -> None:
        """Write the entries that the model's vocabulary lacks, if one has to be there."""
        entries = [*self.original.added, *map(self._entry, self.new_texts)]
        known = _texts(model["vocab"])
        lacking = [entry for entry in entries if entry.text not in known]
        if self.new_texts or self.unk in lacking:
            _add(model["vocab"], lacking)


def _texts(vocabulary: dict[str, int] | list[list[Any]]) -> set[str]:
    if isinstance(vocabulary, dict):
        return set(vocabulary)
    return {text for text, _ in vocabulary}


def _add(vocabulary: dict[str, int] | list[list[Any]], entries: list[Entry]) -> None:
    if isinstance(vocabulary, dict):
        vocabulary.update(entries)
        return
    # A unigram model scores its pieces. Less than the lowest score would also lower the score
    # of unknown characters, and with it change how other texts are cut.
    lowest = min((score for _, score in vocabulary), default=0.0)
    vocabulary.extend([text, lowest] for text, _ in entries)


def _set_unknown(model: dict[str, Any], unk: Entry) -> None:
    if isinstance(model["vocab"], dict):
        model["unk_token"] = unk.text
    else:
        model["unk_id"] = unk.token_id


def _padding(pad: Entry) -> dict[str, Any]:
    return {
        "strategy": "BatchLongest",
        "direction": "Right",
        "pad_to_multiple_of": None,
        "pad_id": pad.token_id,
        "pad_type_id": 0,
        "pad_token": pad.text,
    }
