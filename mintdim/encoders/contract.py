"""The protocol of all tokenizers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

IntArray = npt.NDArray[np.int64]


class Encoded(NamedTuple):
    """Ids of a batch of texts: ``ids`` [t] flat, ``lengths`` [n] in tokens."""

    ids: npt.NDArray[np.integer[Any]]
    lengths: IntArray


class Span(NamedTuple):
    """A token and the characters ``[start, stop)`` of the text that it stands for."""

    token_id: int
    start: int
    stop: int


class TextEncoder(Protocol):
    """What turns texts into ids: a tokenizer library, or an accelerator in its place."""

    def encode_batch(self, texts: Sequence[str]) -> Encoded:
        """Return the exact ids of every text, without padding, truncation or added tokens.

        Raises ``ValueError`` if the library refuses one of them.
        """
        ...


class Encoder(TextEncoder, Protocol):
    """A tokenizer library behind a few facts and a few functions."""

    @property
    def vocab_size(self) -> int:
        """Entries of the vocabulary, added tokens included."""
        ...

    @property
    def largest_id(self) -> int:
        """The largest id that can occur; above ``vocab_size - 1`` where there are gaps."""
        ...

    @property
    def unk_id(self) -> int:
        """The id of the unknown token, negative if there is none."""
        ...

    @property
    def pad_id(self) -> int:
        """The id of the padding token, negative if there is none."""
        ...

    @property
    def eos_id(self) -> int:
        """The id of the token that ends a text, negative if the library names none."""
        ...

    @property
    def special_tokens(self) -> Mapping[int, str]:
        """Special tokens that the library finds when their text occurs in data, UNK aside."""
        ...

    def token_id(self, token: str) -> int:
        """Return the id of an entry of the vocabulary by its text, negative if there is none."""
        ...

    def encode_spans(self, text: str) -> list[Span]:
        """Return the ids of one text with the characters each stands for (slow)."""
        ...

    def decode(self, ids: Sequence[int]) -> str:
        """Return the text of ids; special tokens appear as their text where the library can."""
        ...

    def normalised(self, text: str) -> str:
        """Return what the tokenizer makes of ``text`` before it cuts it into tokens."""
        ...
