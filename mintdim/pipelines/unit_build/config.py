"""The checked job: frozen, made of tuples, and the only form in which a job reaches the runtime.

The first classes hold the blocks as they were declared: a block has one entry for all files or
one entry per file. ``Session`` and ``FileJob`` hold what follows from them, resolved
per output directory and per file.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mintdim.engines.contract import EngineConfig
    from mintdim.shared.types import TokenDType, TokenizerKind
    from mintdim.sources.contract import SourceConfig, SourceFile


@dataclass(frozen=True, slots=True)
class TokenizerConfig:
    """``.tokenizer.sentencepiece(...)`` or ``.tokenizer.hf_json(...)``: paths as given."""

    kind: TokenizerKind
    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class UnitsConfig:
    """``.units(...)``: unit sizes in tokens, samples per tokenizer call."""

    sizes: tuple[tuple[int, ...], ...]
    build_batch: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class OutputConfig:
    """``.output.dir(...)``: paths as given, samples in a full shard."""

    directories: tuple[str, ...]
    samples_per_shard: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TokenizerInfo:
    """A tokenizer that was loaded and checked.

    ``largest_id`` may exceed ``vocab_size - 1`` where the vocabulary has gaps. ``accelerator``
    names what encodes in place of the library that defines the ids, if anything does.
    """

    kind: TokenizerKind
    path: str
    absolute: str
    sha256: str
    vocab_size: int
    largest_id: int
    unk_id: int
    pad_id: int
    accelerator: str = ""


@dataclass(frozen=True, slots=True)
class FileJob:
    """All that concerns one source file; ``index`` is its place in the declaration."""

    index: int
    source: SourceFile
    fields: tuple[str, ...]
    template: str
    tokenizer: TokenizerInfo
    sizes: tuple[int, ...]
    build_batch: int
    samples_per_shard: int


@dataclass(frozen=True, slots=True)
class Session:
    """One output directory and the files that go into it, in order."""

    directory: str
    absolute: str
    dtype: TokenDType
    jobs: tuple[FileJob, ...]

    @property
    def tokenizer(self) -> TokenizerInfo:
        """The tokenizer of this output: all files of one output share its content."""
        return self.jobs[0].tokenizer

    @property
    def unit_sizes(self) -> tuple[int, ...]:
        """The union of the sizes of all files, ascending."""
        return tuple(sorted({size for job in self.jobs for size in job.sizes}))


@dataclass(frozen=True, slots=True)
class UnitBuildConfig:
    """A job that passed every check."""

    source: SourceConfig
    tokenizer: TokenizerConfig
    units: UnitsConfig
    output: OutputConfig
    engine: EngineConfig
    sessions: tuple[Session, ...]

    @property
    def source_bytes(self) -> int:
        """Bytes of all source files as they lie on the disk."""
        return sum(job.source.bytes for session in self.sessions for job in session.jobs)
