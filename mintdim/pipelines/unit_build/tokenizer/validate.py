"""Rules of the tokenizer block."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mintdim.encoders.literals import warn_of_lost_literals
from mintdim.encoders.opening import open_encoder
from mintdim.encoders.validate import load_encoder, path_of
from mintdim.formats.shards import token_dtype
from mintdim.pipelines.unit_build.config import TokenizerConfig, TokenizerInfo
from mintdim.pipelines.unit_build.tokenizer import hf_json, sentencepiece
from mintdim.pipelines.unit_build.tokenizer.literals import check_covered
from mintdim.shared.errors import TokenizerMappingError
from mintdim.shared.mapping import check_arity
from mintdim.shared.paths import require_file

if TYPE_CHECKING:
    from types import ModuleType

    from mintdim.pipelines.unit_build.config import FileJob
    from mintdim.shared.types import TokenDType, TokenizerKind

_DOORS: dict[TokenizerKind, ModuleType] = {"sentencepiece": sentencepiece, "hf_json": hf_json}


def check_structure(kind: TokenizerKind, config: object) -> TokenizerConfig:
    """Return the block as tuples; a dict is one shared entry, a list has one entry per file.

    Raises ``TokenizerValidationError``.
    """
    entries = config if isinstance(config, (list, tuple)) else [config]
    return TokenizerConfig(kind=kind, paths=tuple(path_of(entry) for entry in entries))


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
    warn_of_lost_literals(encoder, literals, job.template, "unit-build")


def _load_one(kind: TokenizerKind, path: str) -> TokenizerInfo:
    door, (encoder, resolved, sha256) = _DOORS[kind], load_encoder(kind, path)
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
