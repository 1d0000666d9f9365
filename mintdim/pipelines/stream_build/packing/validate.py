"""Rules of the shards block, and of the token that ends a document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mintdim.encoders.literals import warn_of_lost_literals
from mintdim.encoders.opening import open_encoder
from mintdim.encoders.validate import load_encoder, path_of
from mintdim.formats.stream_index import token_dtype
from mintdim.pipelines.stream_build.config import ShardsConfig, TokenizerInfo
from mintdim.shared.errors import ShardsValidationError, TokenizerEosError, TokenizerValidationError
from mintdim.shared.messages import Phrase, phrase
from mintdim.shared.quoting import quoted
from mintdim.shared.structure import a_positive_int, a_seed, a_text
from mintdim.sources.validate import literals_of

if TYPE_CHECKING:
    from mintdim.encoders.contract import Encoder
    from mintdim.pipelines.stream_build.config import FileJob
    from mintdim.shared.types import TokenizerKind

_LARGEST_SHARD = 2**32 - 1  # tokens: readers keep positions in a shard in four bytes
_BUILD_BATCH = 512


def check_shards(*, tokens: Any, seed: Any, build_batch: Any) -> ShardsConfig:
    """Return the block with what was left out filled in.

    Raises ``ShardsValidationError``.
    """
    shards = ShardsConfig(
        tokens=a_positive_int(tokens, "tokens", _error),
        seed=a_seed(seed, "seed", _error),
        build_batch=_BUILD_BATCH
        if build_batch is None
        else a_positive_int(build_batch, "build_batch", _error),
    )
    if shards.tokens > _LARGEST_SHARD:
        found = shards.tokens
        raise _error(phrase("too_large", name="tokens", limit=_LARGEST_SHARD, found=found))
    return shards


def check_tokenizer(config: object, eos: object) -> tuple[str, str | None]:
    """Return path and EOS as they were given.

    Raises ``TokenizerValidationError``.
    """
    return path_of(config), None if eos is None else a_text(eos, "eos", _config_error)


def load(kind: TokenizerKind, path: str, eos: str | None) -> TokenizerInfo:
    """Load the tokenizer and return its facts.

    Raises ``TokenizerValidationError``, ``TokenizerEosError``, ``TokenDTypeValidationError`` or
    ``SourceReadError``.
    """
    encoder, absolute, sha256 = load_encoder(kind, path)
    eos_id = _eos_id(encoder, kind, path, eos)
    vocab_size = max(encoder.vocab_size, encoder.largest_id + 1)
    token_dtype(vocab_size)
    return TokenizerInfo(kind, path, absolute, sha256, vocab_size, eos_id)


def warn_of_literals(jobs: tuple[FileJob, ...]) -> None:
    """Warn of template text that the tokenizer drops or changes."""
    for template, literals in {job.template: literals_of(job) for job in jobs}.items():
        info = jobs[0].tokenizer
        encoder = open_encoder(info.kind, info.absolute, info.sha256)
        warn_of_lost_literals(encoder, literals, template, "stream-build")


def _eos_id(encoder: Encoder, kind: TokenizerKind, path: str, eos: str | None) -> int:
    if kind == "sentencepiece":
        found, problem = encoder.eos_id, phrase("eos_missing")
    elif eos is None:
        found, problem = -1, phrase("eos_not_named")
    else:
        found, problem = encoder.token_id(eos), phrase("eos_unknown", token=quoted(eos))
    if found < 0:
        raise TokenizerEosError(file=path, problem=problem)
    return found


def _error(problem: Phrase) -> ShardsValidationError:
    return ShardsValidationError(problem=problem)


def _config_error(problem: Phrase) -> TokenizerValidationError:
    return TokenizerValidationError(component="config", problem=problem)
