"""What the two kinds of tokenizer have in common while a ready copy is made of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

from mintdim.shared.errors import TokenizerPrepareMissingError
from mintdim.shared.messages import phrase

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from mintdim.encoders.contract import Encoded
    from mintdim.shared.types import TokenizerKind

# Parts of the names of entries that may serve, the best first; better still is the name itself.
_PARTS = {
    "pad": ("endoftext", "end_of_text", "eos", "</s>", "end\u2581of", "pad", "reserved", "unused"),
    "unk": ("unk", "endoftext", "end_of_text", "reserved", "unused"),
}
_NEW_NAMES = {
    "pad": ("<pad>", "<|pad|>", "[PAD]", "<|new_pad|>"),
    "unk": ("<unk>", "<|unk|>", "[UNK]", "<|new_unk|>"),
}
_MOST_CANDIDATES = 5


class Entry(NamedTuple):
    """An entry of the vocabulary."""

    text: str
    token_id: int


class Subject(Protocol):
    """An opened tokenizer whose ids are to be compared with those of another."""

    @property
    def unk_id(self) -> int:
        """The id of the unknown token, negative if there is none."""
        ...

    @property
    def vocabulary(self) -> Mapping[str, int]:
        """The id of every entry, added tokens included."""
        ...

    def encode_batch(self, texts: Sequence[str]) -> Encoded:
        """Return the exact ids of every text; raises ``ValueError`` if one is refused."""
        ...


class Draft(Protocol):
    """A ready copy that is not yet written, beside its original.

    ``new_texts`` are the entries that were appended; ``added_texts`` those that the original
    finds in data as a whole.
    """

    @property
    def kind(self) -> TokenizerKind:
        """The library that reads it."""
        ...

    ready: bytes
    pad: Entry
    unk: Entry
    new_texts: tuple[str, ...]
    added_texts: tuple[str, ...]

    @property
    def original(self) -> Subject:
        """The tokenizer as it was read."""
        ...

    def reopened(self) -> Subject:
        """Open the ready copy; raises ``ValueError``."""
        ...

    def exposes_both(self, copy: Subject) -> bool:
        """Say whether the library exposes ``pad`` and ``unk`` of the opened copy."""
        ...


class Wanted(NamedTuple):
    """What the copy is to expose; ``None`` is still missing."""

    pad: str | None
    unk: str | None


def require_both(
    file: str, wanted: Wanted, special: Collection[str], vocabulary: Mapping[str, int]
) -> None:
    """Raise ``TokenizerPrepareMissingError`` if one of the two is missing.

    ``special`` are the entries of ``vocabulary`` that could serve.
    """
    missing = tuple(name for name, text in wanted._asdict().items() if text is None)
    if missing:
        found = {name: _candidates(name, special) for name in missing}
        raise TokenizerPrepareMissingError(
            problem=phrase("prepare_missing", names=", ".join(missing)),
            file=file,
            missing=missing,
            pad_candidates=found.get("pad", ()),
            unk_candidates=found.get("unk", ()),
            suggested=tuple(_suggestion(name, found[name], vocabulary) for name in missing),
        )


def _candidates(name: str, texts: Iterable[str]) -> tuple[str, ...]:
    """Return the texts whose names look like it, the likeliest first."""
    parts = _PARTS[name]
    likely = [text for text in texts if any(part in text.lower() for part in (name, *parts))]
    return tuple(sorted(likely, key=lambda text: _rank(name, text))[:_MOST_CANDIDATES])


def _rank(name: str, text: str) -> int:
    if _is_named(name, text):
        return -1
    return next(i for i, part in enumerate(_PARTS[name]) if part in text.lower())


def _is_named(name: str, text: str) -> bool:
    """Say whether the letters of ``text`` are just the name, as in ``[PAD]``."""
    return "".join(filter(str.isalnum, text.lower())) == name


def _suggestion(name: str, candidates: Sequence[str], vocabulary: Mapping[str, int]) -> str:
    """Return the candidate that is named so, else a text that would be new."""
    named = [text for text in candidates if _is_named(name, text)]
    new = [text for text in _NEW_NAMES[name] if text not in vocabulary]
    return [*named, *new, *candidates][0]
