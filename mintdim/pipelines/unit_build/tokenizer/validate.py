"""Rules of the tokenizer block."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mintdim.formats.shards import token_dtype
from mintdim.pipelines.unit_build.config import TokenizerConfig, TokenizerInfo
from mintdim.pipelines.unit_build.tokenizer.hf_json import PaddingMismatchError
from mintdim.pipelines.unit_build.tokenizer.opening import open_encoder, read_tokenizer
from mintdim.shared.errors import (
    TemplateTokenizerError,
    TokenizerMappingError,
    TokenizerSpecialTokenError,
    TokenizerValidationError,
)
from mintdim.shared.files import sha256_of
from mintdim.shared.log import logger
from mintdim.shared.mapping import check_arity
from mintdim.shared.messages import Phrase, phrase
from mintdim.shared.paths import absolute, as_given, is_path, require_file
from mintdim.shared.quoting import quoted

if TYPE_CHECKING:
    from mintdim.pipelines.unit_build.contracts import Encoder
    from mintdim.shared.types import TokenDType, TokenizerKind

_LIBRARY_NAMES = {"sentencepiece": "sentencepiece", "hf_json": "tokenizers"}


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


def check_literals(
    encoder: Encoder, literals: tuple[str, ...], template: str, file_index: int
) -> None:
    """Encode every literal of a template once.

    Raises ``TemplateTokenizerError`` where one gives UNK. Warns where the tokenizer drops or
    changes one: that is legal, but people should know that it is not in the data.
    """
    texts = [literal for literal in literals if literal]
    encoded = encoder.encode_batch(texts)
    ends = encoded.lengths.cumsum()
    for literal, start, end in zip(texts, ends - encoded.lengths, ends, strict=True):
        if (encoded.ids[start:end] == encoder.unk_id).any():
            raise TemplateTokenizerError(file_index=file_index, template=template, literal=literal)


def warn_of_lost_literals(encoder: Encoder, literals: tuple[str, ...], template: str) -> None:
    """Warn once per template of literals that the tokenizer drops or changes."""
    last = len(literals) - 1
    shown = [_as_encoded(encoder, text, i > 0, i < last) for i, text in enumerate(literals)]
    changes = [
        f"{quoted(literal)} becomes {quoted(became)}"
        for literal, became in zip(literals, shown, strict=True)
        if literal != became
    ]
    if changes:
        logger.warning(
            "[unit-build:warning] template %s: the tokenizer changes literal text: %s.",
            quoted(template),
            ", ".join(changes),
        )


def _as_encoded(encoder: Encoder, literal: str, inside_left: bool, inside_right: bool) -> str:
    """Return what becomes of a literal between letters, where fields stand beside it."""
    left, right = "a" if inside_left else "", "b" if inside_right else ""
    shown = encoder.normalised(left + literal + right)
    start = shown.find(left) + len(left) if left else 0
    end = shown.rfind(right) if right else len(shown)
    became = shown[start:end]
    # The space that a model puts before or after every text is no change of the literal.
    return literal if became in (f" {literal}", f"{literal} ") else became


def _path_of(config: object) -> str:
    if not isinstance(config, dict):
        raise _config_error(phrase("tokenizer_not_a_dict", found=type(config).__name__))
    unknown = [key for key in config if key != "path"]
    if unknown:
        raise _config_error(phrase("tokenizer_unknown_keys", keys=str(unknown)))
    if "path" not in config:
        raise _config_error(phrase("tokenizer_no_path"))
    path = config["path"]
    if not is_path(path) or "\0" in as_given(path):
        found = repr(path) if isinstance(path, str) else type(path).__name__
        raise _config_error(phrase("tokenizer_path_type", found=found))
    return as_given(path)


def _config_error(problem: Phrase) -> TokenizerValidationError:
    return TokenizerValidationError(component="config", problem=problem)


def _load_one(kind: TokenizerKind, path: str) -> TokenizerInfo:
    resolved = absolute(path)
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
        unk_id=_unk_id(encoder, path),
        pad_id=_pad_id(encoder, path),
    )
    storage_dtype(info)
    return info


def _unk_id(encoder: Encoder, path: str) -> int:
    if encoder.unk_id < 0:
        token = getattr(encoder, "unk_token", None)
        problem = phrase("unk_outside", token=token) if token else phrase("no_unk")
        raise TokenizerSpecialTokenError(special_token="unk_id", problem=problem, file=path)
    return encoder.unk_id


def _pad_id(encoder: Encoder, path: str) -> int:
    problem = phrase("no_pad")
    try:
        if encoder.pad_id >= 0:
            return encoder.pad_id
    except PaddingMismatchError as mismatch:
        problem = phrase(
            "pad_disagrees", token=mismatch.token, pad_id=mismatch.pad_id, actual=mismatch.actual
        )
    raise TokenizerSpecialTokenError(special_token="pad_id", problem=problem, file=path)
