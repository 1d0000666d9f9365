"""Opening a tokenizer: once per process, from its path, checked by its SHA-256."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from mintdim.encoders.hf_json import HfJsonEncoder
from mintdim.encoders.sentencepiece import SentencePieceEncoder
from mintdim.shared.errors import SourceReadError, TokenizerChangedError
from mintdim.shared.files import sha256_of
from mintdim.shared.messages import os_reason

if TYPE_CHECKING:
    from collections.abc import Callable

    from mintdim.encoders.contract import Encoder
    from mintdim.shared.types import TokenizerKind

_LIBRARIES: dict[TokenizerKind, Callable[[bytes], Encoder]] = {
    "sentencepiece": SentencePieceEncoder,
    "hf_json": HfJsonEncoder,
}


def read_tokenizer(path: str, shown: str) -> bytes:
    """Return the bytes of a tokenizer file; ``shown`` is the spelling for errors.

    Raises ``SourceReadError``.
    """
    try:
        return Path(path).read_bytes()
    except OSError as error:
        reason = os_reason(error)
        raise SourceReadError(file=shown, reason=reason) from error


def read_unchanged(path: str, sha256: str) -> bytes:
    """Return the bytes of a tokenizer file that was read before.

    Raises ``TokenizerChangedError`` if they are not those of ``sha256``, or ``SourceReadError``.
    """
    data = read_tokenizer(path, path)
    if sha256_of(data) != sha256:
        raise TokenizerChangedError(file=path)
    return data


@lru_cache(maxsize=4)
def open_encoder(kind: TokenizerKind, path: str, sha256: str) -> Encoder:
    """Return the encoder of the tokenizer file at the absolute ``path``.

    Raises ``TokenizerChangedError`` if its content is not the one of ``sha256``,
    ``SourceReadError``, or ``ValueError`` if it is not what ``kind`` says.
    """
    return _LIBRARIES[kind](read_unchanged(path, sha256))
