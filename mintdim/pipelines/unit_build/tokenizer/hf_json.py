"""Hugging Face tokenizers (``tokenizer.json``)."""

from __future__ import annotations

import contextlib
import json
import re
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from mintdim.pipelines.unit_build.contracts import Encoded

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_SPACE_SYMBOL = "\u2581"  # Metaspace writes a space so


class PaddingMismatchError(ValueError):
    """The padding settings name a token and an id that do not belong together."""

    def __init__(self, token: str, pad_id: int, actual: int | None) -> None:
        super().__init__(token, pad_id, actual)
        self.token, self.pad_id, self.actual = token, pad_id, actual


class HfJsonEncoder:
    """Exact ids by the ``tokenizers`` library.

    Padding, truncation, dropout and the post-processor that the file may store are switched
    off on the loaded copy: they would change the tokens. ``pad_id`` or ``unk_id`` is -1 where
    the file defines none; ``unk_token`` is the name of the unknown token, if it has one.

    Raises ``ValueError`` for bytes that are no ``tokenizer.json``.
    """

    def __init__(self, document: bytes) -> None:
        from tokenizers import Tokenizer

        with refusals_as_value_errors():
            self._library = Tokenizer.from_str(document.decode("utf-8"))
        self._padding = self._library.padding
        self.unk_token, self.unk_id = _unknown_token(self._library)
        _make_exact(self._library)
        self.vocab_size: int = self._library.get_vocab_size(with_added_tokens=True)
        vocabulary = self._library.get_vocab(with_added_tokens=True)
        self.largest_id = max(vocabulary.values(), default=-1)

    @property
    def pad_id(self) -> int:
        """The id of the padding settings, -1 without any.

        Raises ``PaddingMismatchError`` where id and token of these settings disagree.
        """
        if self._padding is None:
            return -1
        pad_id, token = int(self._padding["pad_id"]), str(self._padding["pad_token"])
        actual = self._library.token_to_id(token)
        if actual != pad_id:
            raise PaddingMismatchError(token, pad_id, actual)
        return pad_id

    def encode_batch(self, texts: Sequence[str]) -> Encoded:
        """Return the ids of every text, flat; raises ``ValueError`` if the library refuses one."""
        with refusals_as_value_errors():
            encodings = self._library.encode_batch_fast(list(texts), add_special_tokens=False)
        lengths = np.fromiter(map(len, encodings), dtype=np.int64, count=len(encodings))
        ids = chain.from_iterable(encoding.ids for encoding in encodings)
        return Encoded(np.fromiter(ids, dtype=np.uint32, count=int(lengths.sum())), lengths)

    def normalised(self, text: str) -> str:
        """Return ``text`` after normaliser and pre-tokenizer, spaces shown as spaces.

        Added tokens are cut out before normalisation, so they stay as they are.
        """
        parts = self._added_tokens().split(text) if self._added_tokens().pattern else [text]
        shown = [part if i % 2 else self._normalised_part(part) for i, part in enumerate(parts)]
        return "".join(shown)

    def _normalised_part(self, text: str) -> str:
        if self._library.normalizer is not None:
            text = self._library.normalizer.normalize_str(text)
        if self._library.pre_tokenizer is not None:
            pieces = self._library.pre_tokenizer.pre_tokenize_str(text)
            text = "".join(text[start:end] for _, (start, end) in pieces)
        return text.replace(_SPACE_SYMBOL, " ")

    def _added_tokens(self) -> re.Pattern[str]:
        added = self._library.get_added_tokens_decoder().values()
        names = sorted((token.content for token in added), key=len, reverse=True)
        return re.compile(f"({'|'.join(map(re.escape, names))})" if names else "")


@contextlib.contextmanager
def refusals_as_value_errors() -> Iterator[None]:
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


def _unknown_token(library: Any) -> tuple[str | None, int]:
    """Return the unknown token of the model and its id in the model's own vocabulary, or -1.

    An ``unk_token`` that is only an added token does not count: encoding would fail.
    """
    model = library.model
    if type(model).__name__ == "Unigram":
        # Unigram exposes no attribute for it; its serialised form does.
        unk_id = json.loads(library.to_str())["model"].get("unk_id")
        return (None, -1) if unk_id is None else (model.id_to_token(unk_id), int(unk_id))
    token = getattr(model, "unk_token", None)
    unk_id = None if token is None else model.token_to_id(token)
    return token, -1 if unk_id is None else int(unk_id)
