"""The checked job: frozen, made of tuples, and the only form in which a job reaches the runtime.

Times are microseconds since 1970 in UTC.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from mintdim.engines.contract import EngineConfig
    from mintdim.shared.types import TokenDType, TokenizerKind
    from mintdim.sources.contract import SourceConfig, SourceFile

Future = Literal["test", "train", "drop", "error"]
BordersOver = Literal["all", "kept"]


@dataclass(frozen=True, slots=True)
class DocumentsConfig:
    """``.documents(...)``: JSON keys (None: not declared) and what their values mean.

    ``languages[k]`` is the language of code k; one name stands for all documents where no key
    of a language is declared.
    """

    language: str | None
    languages: tuple[str, ...]
    time: str | None
    time_zone: str
    key: str | None
    min_chars: int


@dataclass(frozen=True, slots=True)
class TokenizerInfo:
    """A tokenizer that was loaded and checked.

    ``vocab_size`` is the size of its library or the largest id + 1, whichever is larger.
    """

    kind: TokenizerKind
    path: str
    absolute: str
    sha256: str
    vocab_size: int
    eos_id: int


@dataclass(frozen=True, slots=True)
class PerLanguageCount:
    """``.splits.per_language_count(...)``: the newest documents of every language."""

    test_docs: int
    val_docs: int
    future: Future
    borders: BordersOver


@dataclass(frozen=True, slots=True)
class Fraction:
    """``.splits.fraction(...)``: by a hash of key or text."""

    val: float
    test: float
    seed: int


@dataclass(frozen=True, slots=True)
class NoSplits:
    """``.splits.none()``: all documents are for training."""


Splits = PerLanguageCount | Fraction | NoSplits


@dataclass(frozen=True, slots=True)
class ShardsConfig:
    """``.shards(...)``: most tokens of a shard, seed of the order, texts per tokenizer call."""

    tokens: int
    seed: int
    build_batch: int


@dataclass(frozen=True, slots=True)
class FileJob:
    """All that concerns one source file; ``index`` is its place in the declaration.

    ``lot_seed`` is the seed of the hash that splits by fraction, None without it.
    """

    index: int
    source: SourceFile
    fields: tuple[str, ...]
    template: str
    documents: DocumentsConfig
    tokenizer: TokenizerInfo
    build_batch: int
    lot_seed: int | None


@dataclass(frozen=True, slots=True)
class StreamBuildConfig:
    """A job that passed every check; ``directory`` as given, ``absolute`` resolved.

    ``as_of`` is what counts as now.
    """

    source: SourceConfig
    documents: DocumentsConfig
    tokenizer: TokenizerInfo
    splits: Splits
    as_of: int
    shards: ShardsConfig
    dtype: TokenDType
    directory: str
    absolute: str
    engine: EngineConfig
    jobs: tuple[FileJob, ...]

    @property
    def source_bytes(self) -> int:
        """Bytes of all source files as they lie on the disk."""
        return sum(job.source.bytes for job in self.jobs)
