"""Hugging Face tokenizers (``tokenizer.json``)."""

from __future__ import annotations

import binascii
import contextlib
import json
import re
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from mintdim.encoders.contract import Encoded, Span

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_SPACE_SYMBOL = "\u2581"  # Metaspace writes a space so
# Base64; the first four bytes are the length of a table.
_CHARSMAP = re.compile(rb'"precompiled_charsmap"\s*:\s*"([A-Za-z0-9+/]{8})[^"]*')


class Padding(NamedTuple):
    """Stored padding settings; ``actual_id`` is the id of ``token`` by the vocabulary."""

    token: str
    pad_id: int
    actual_id: int | None


class HfJsonEncoder:
    """Exact ids by the ``tokenizers`` library.

    Padding, truncation, dropout and the post-processor that the file may store are switched
    off on the loaded copy: they would change the tokens. ``padding`` and ``unk_token`` are what
    the file says; ``unk_id`` is -1 if the model's own vocabulary does not hold that token.

    Raises ``ValueError`` for bytes that are no ``tokenizer.json``.
    """

    def __init__(self, document: bytes) -> None:
        from tokenizers import Tokenizer

        _check_charsmaps(document)
        with _refusals_as_value_errors():
            self._library = Tokenizer.from_str(document.decode("utf-8"))
            self.padding = _padding(self._library)
            self.unk_token, self.unk_id = _unknown_token(self._library)
            _make_exact(self._library)
            vocabulary = self._library.get_vocab(with_added_tokens=True)
        self.vocab_size = len(vocabulary)
        self.largest_id = max(vocabulary.values(), default=-1)
        self._added = self._library.get_added_tokens_decoder()

    @property
    def pad_id(self) -> int:
        """The id of the padding settings, negative without any."""
        return -1 if self.padding is None else self.padding.pad_id

    @property
    def eos_id(self) -> int:
        """Negative: the file does not say which of its tokens ends a text."""
        return -1

    @property
    def special_tokens(self) -> dict[int, str]:
        """Added tokens that are marked as special, the unknown token aside."""
        return {
            token_id: token.content
            for token_id, token in sorted(self._added.items())
            if token.special and token_id != self.unk_id
        }

    def token_id(self, token: str) -> int:
        """Return the id of an entry of the vocabulary, negative if there is none."""
        found = self._library.token_to_id(token)
        return -1 if found is None else int(found)

    def added_tokens(self) -> list[dict[str, Any]]:
        """Return the added tokens as they are in effect; the file may say otherwise."""
        flags = ("content", "single_word", "lstrip", "rstrip", "normalized", "special")
        return [
            {"id": token_id, **{flag: getattr(token, flag) for flag in flags}}
            for token_id, token in sorted(self._added.items())
        ]

    def encode_batch(self, texts: Sequence[str]) -> Encoded:
        """Return the ids of every text, flat; raises ``ValueError`` if one is refused."""
        with _refusals_as_value_errors():
            encodings = self._library.encode_batch_fast(list(texts), add_special_tokens=False)
        lengths = np.fromiter(map(len, encodings), dtype=np.int64, count=len(encodings))
        ids = chain.from_iterable(encoding.ids for encoding in encodings)
        return Encoded(np.fromiter(ids, dtype=np.uint32, count=int(lengths.sum())), lengths)

    def encode_spans(self, text: str) -> list[Span]:
        """Return the ids of one text with the characters each stands for.

        Where the library fails to tell, every token stands for the whole text.
        """
        try:
            with _refusals_as_value_errors():
                encoding = self._library.encode(text, add_special_tokens=False)
        except ValueError:
            ids = self.encode_batch([text]).ids
            return [Span(token_id, 0, len(text)) for token_id in ids.tolist()]
        pairs = zip(encoding.ids, encoding.offsets, strict=True)
        return [Span(token_id, start, stop) for token_id, (start, stop) in pairs]

    def decode(self, ids: Sequence[int]) -> str:
        """Return the text of ids, special tokens included."""
        with _refusals_as_value_errors():
            return str(self._library.decode(list(ids), skip_special_tokens=False))

    def normalised(self, text: str) -> str:
        """Return ``text`` after normaliser and pre-tokenizer, spaces shown as spaces.

        Added tokens are cut out before normalisation, so they stay as they are. What the library
        refuses stays as it is, too: it will say so when it encodes.
        """
        with contextlib.suppress(ValueError), _refusals_as_value_errors():
            return self._normalised(text)
        return text

    def _normalised(self, text: str) -> str:
        names = sorted((token.content for token in self._added.values()), key=len, reverse=True)
        if not names:
            return self._normalised_part(text)
        parts = re.split(f"({'|'.join(map(re.escape, names))})", text)
        return "".join(
            part if i % 2 else self._normalised_part(part) for i, part in enumerate(parts)
        )

    def _normalised_part(self, text: str) -> str:
        if self._library.normalizer is not None:
            text = self._library.normalizer.normalize_str(text)
        if self._library.pre_tokenizer is not None:
            pieces = self._library.pre_tokenizer.pre_tokenize_str(text)
            text = "".join(text[start:end] for _, (start, end) in pieces)
        return text.replace(_SPACE_SYMBOL, " ")


def _check_charsmaps(document: bytes) -> None:
    """Raise ``ValueError`` for a SentencePiece normaliser that claims more than it holds.

    The library asks for all the memory that is claimed, and ends the process without it.
    """
    for match in _CHARSMAP.finditer(document):
        claimed = int.from_bytes(binascii.a2b_base64(match[1])[:4], "little")
        if claimed > len(match[0]):
            raise ValueError("the precompiled_charsmap of the normalizer is cut off")


@contextlib.contextmanager
def _refusals_as_value_errors() -> Iterator[None]:
    """Turn what the library throws (bare exceptions, panics) into a ``ValueError``."""
    try:
        yield
    except (KeyboardInterrupt, SystemExit, MemoryError):
        raise
    except BaseException as error:  # a panic of the library is not an Exception
        raise ValueError(str(error)) from error


def _make_exact(library: Any) -> None:
    library.no_padding()
    library.no_truncation()
    library.post_processor = None
    if getattr(library.model, "dropout", None) is not None:
        library.model.dropout = None


def _padding(library: Any) -> Padding | None:
    settings = library.padding
    if settings is None:
        return None
    token = str(settings["pad_token"])
    return Padding(token, int(settings["pad_id"]), library.token_to_id(token))


def _unknown_token(library: Any) -> tuple[str | None, int]:
    """Return the unknown token of the model and its id in the model's own vocabulary, or -1."""
    model = library.model
    if type(model).__name__ == "Unigram":
        # Unigram exposes no attribute for it; its serialised form does.
        unk_id = json.loads(library.to_str())["model"].get("unk_id")
        return (None, -1) if unk_id is None else (model.id_to_token(unk_id), int(unk_id))
    token = getattr(model, "unk_token", None)
    unk_id = None if token is None else model.token_to_id(token)
    return token, -1 if unk_id is None else int(unk_id)
