"""Rules of a declared tokenizer, which are the same in every pipeline."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from mintdim.encoders.opening import open_encoder, read_tokenizer
from mintdim.shared.errors import TokenizerValidationError
from mintdim.shared.files import sha256_of
from mintdim.shared.messages import Phrase, phrase
from mintdim.shared.paths import absolute, as_given, is_path, is_usable_path

if TYPE_CHECKING:
    from mintdim.encoders.contract import Encoder
    from mintdim.shared.types import TokenizerKind

_LIBRARY_NAMES = {"sentencepiece": "sentencepiece", "hf_json": "tokenizers"}


class Loaded(NamedTuple):
    """A tokenizer that its library accepts, with the absolute path and SHA-256 of its file."""

    encoder: Encoder
    absolute: str
    sha256: str


def path_of(config: object) -> str:
    """Return the path of ``{"path": …}`` as it was given.

    Raises ``TokenizerValidationError``.
    """
    if not isinstance(config, dict):
        raise _config_error(phrase("tokenizer_not_a_dict", found=type(config).__name__))
    unknown = [key for key in config if key != "path"]
    if unknown:
        raise _config_error(phrase("tokenizer_unknown_keys", keys=str(unknown)))
    if "path" not in config:
        raise _config_error(phrase("tokenizer_no_path"))
    path = config["path"]
    if not is_path(path) or not is_usable_path(as_given(path)):
        found = repr(path) if isinstance(path, str) else type(path).__name__
        raise _config_error(phrase("tokenizer_path_type", found=found))
    return as_given(path)


def load_encoder(kind: TokenizerKind, path: str) -> Loaded:
    """Load the tokenizer at ``path``.

    Raises ``TokenizerValidationError`` for a file that is no tokenizer of that kind, or
    ``SourceReadError``.
    """
    resolved = absolute(path)
    sha256 = sha256_of(read_tokenizer(resolved, path))
    try:
        encoder = open_encoder(kind, resolved, sha256)
    except ValueError as error:
        detail = phrase("tokenizer_unreadable", kind=_LIBRARY_NAMES[kind], detail=str(error))
        raise TokenizerValidationError(component="format", file=path, problem=detail) from error
    return Loaded(encoder, resolved, sha256)


def _config_error(problem: Phrase) -> TokenizerValidationError:
    return TokenizerValidationError(component="config", problem=problem)
