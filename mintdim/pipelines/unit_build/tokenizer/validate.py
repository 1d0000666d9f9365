"""Rules of the tokenizer block."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mintdim.encoders.opening import open_encoder, read_tokenizer
from mintdim.formats.shards import token_dtype
from mintdim.pipelines.unit_build.config import TokenizerConfig, TokenizerInfo
from mintdim.pipelines.unit_build.tokenizer import hf_json, sentencepiece
from mintdim.pipelines.unit_build.tokenizer.literals import check_covered, warn_of_lost_literals
from mintdim.shared.errors import (
    TokenizerMappingError,
    TokenizerValidationError,
)
from mintdim.shared.files import sha256_of
from mintdim.shared.mapping import check_arity
from mintdim.shared.messages import Phrase, phrase
from mintdim.shared.paths import absolute, as_given, is_path, is_usable_path, require_file

if TYPE_CHECKING:
    from types import ModuleType

    from mintdim.pipelines.unit_build.config import FileJob
    from mintdim.shared.types import TokenDType, TokenizerKind

_LIBRARY_NAMES = {"sentencepiece": "sentencepiece", "hf_json": "tokenizers"}
_DOORS: dict[TokenizerKind, ModuleType] = {"sentencepiece": sentencepiece, "hf_json": hf_json}


def check_structure(kind: TokenizerKind, config: object) -> TokenizerConfig:
    """Return the block as tuples; a dict is one shared entry, a list has one entry per file.

    Raises ``TokenizerValidationError``.
    """
    entries = config if isinstance(config, (list, tuple)) else [config]
    return TokenizerConfig(kind=kind, paths=tuple(_path_of(entry) for entry in entries))


def check_mapping(tokenizer: TokenizerConfig, file_count: int) -> None:
    """Raise ``TokenizerMappingError`` for a wrong number of entries."""
    check_arity(
        tokenizer.paths, file_count, lambda n, k: TokenizerMappingError(file_count=n, count=k)
    )


def check_exist(tokenizer: TokenizerConfig) -> None:
    """Raise ``MintDimFileNotFoundError`` or ``NotAFileError`` for a path that is no file."""
    for path in tokenizer.paths:
        require_file(path, "tokenizer")


def load(tokenizer: TokenizerConfig) -> tuple[TokenizerInfo, ...]:
    """Load every tokenizer and return its facts.

    Raises ``TokenizerValidationError``, ``TokenizerSpecialTokenError``,
    ``TokenDTypeValidationError`` or ``SourceReadError``.
    """
    return tuple(_load_one(tokenizer.kind, path) for path in tokenizer.paths)


def storage_dtype(info: TokenizerInfo) -> TokenDType:
    """Return the type that holds every id of a tokenizer.

    Raises ``TokenDTypeValidationError``.
    """
    return token_dtype(max(info.vocab_size, info.largest_id + 1, info.pad_id + 1))


def check_literals(job: FileJob, literals: tuple[str, ...]) -> None:
    """Raise ``TemplateTokenizerError`` for a literal with UNK; warn of a literal that is lost."""
    info = job.tokenizer
    encoder = open_encoder(info.kind, info.absolute, info.sha256)
    check_covered(encoder, literals, job.template, job.index)
    warn_of_lost_literals(encoder, literals, job.template)


def _path_of(config: object) -> str:
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


def _config_error(problem: Phrase) -> TokenizerValidationError:
    return TokenizerValidationError(component="config", problem=problem)


def _load_one(kind: TokenizerKind, path: str) -> TokenizerInfo:
    door, resolved = _DOORS[kind], absolute(path)
    sha256 = sha256_of(read_tokenizer(resolved, path))
    try:
        encoder = open_encoder(kind, resolved, sha256)
    except ValueError as error:
        detail = phrase("tokenizer_unreadable", kind=_LIBRARY_NAMES[kind], detail=str(error))
        raise TokenizerValidationError(component="format", file=path, problem=detail) from error
    info = TokenizerInfo(
        kind=kind,
        path=path,
        absolute=resolved,
        sha256=sha256,
        vocab_size=encoder.vocab_size,
        largest_id=encoder.largest_id,
        unk_id=door.unk_id(encoder, path),
        pad_id=door.pad_id(encoder, path),
    )
    storage_dtype(info)
    return info
