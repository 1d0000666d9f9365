"""Rules of the output block."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from mintdim.pipelines.unit_build.config import OutputConfig
from mintdim.shared.errors import (
    OutputConfigError,
    OutputMappingError,
    OutputOverlapError,
    OutputTokenizerError,
    SamplesPerShardError,
)
from mintdim.shared.mapping import check_arity
from mintdim.shared.messages import Phrase, phrase
from mintdim.shared.paths import require_new_directory, same_or_nested
from mintdim.shared.structure import a_list, a_path, is_positive_int, shown

if TYPE_CHECKING:
    from mintdim.pipelines.unit_build.config import Session


def check_structure(path: object, paths: object, samples_per_shard: object) -> OutputConfig:
    """Return the block as tuples; a single path is one shared output.

    Raises ``OutputConfigError`` or ``SamplesPerShardError``.
    """
    if path is not None and paths is not None:
        raise _error(phrase("two_names", first="path", second="paths"))
    directories = path if paths is None else paths
    entries = directories if isinstance(directories, (list, tuple)) else [directories]
    return OutputConfig(
        directories=tuple(
            a_path(path, f"dir[{i}]" if len(entries) > 1 else "dir", _error)
            for i, path in enumerate(entries)
        ),
        samples_per_shard=_samples_per_shard(samples_per_shard),
    )


def check_mapping(output: OutputConfig, file_count: int) -> None:
    """Check the number of entries, and that no two of them name one place.

    Raises ``OutputMappingError``, ``OutputOverlapError`` or ``SamplesPerShardError``.
    """
    check_arity(
        output.directories, file_count, lambda n, k: OutputMappingError(file_count=n, count=k)
    )
    check_arity(output.samples_per_shard, file_count, _samples_arity)
    for pair in combinations(output.directories, 2):
        if same_or_nested(*pair):
            raise OutputOverlapError(directories=pair)


def check_new(output: OutputConfig) -> None:
    """Raise ``OutputValidationError`` unless every directory is new or empty."""
    for directory in output.directories:
        require_new_directory(directory)


def check_one_tokenizer(session: Session) -> None:
    """Raise ``OutputTokenizerError`` if files with different tokenizers meet in one output."""
    first = session.tokenizer
    for job in session.jobs:
        if (job.tokenizer.kind, job.tokenizer.sha256) != (first.kind, first.sha256):
            raise OutputTokenizerError(
                directory=session.directory, tokenizers=(first.path, job.tokenizer.path)
            )


def _error(problem: Phrase) -> OutputConfigError:
    return OutputConfigError(problem=problem)


def _samples_per_shard(entries: object) -> tuple[int, ...]:
    values = a_list(entries, "samples_per_shard", lambda p: SamplesPerShardError(problem=p))
    for index, value in enumerate(values):
        if not is_positive_int(value):
            problem = phrase("samples_not_positive", index=index, found=shown(value))
            raise SamplesPerShardError(problem=problem)
    return tuple(int(value) for value in values)  # type: ignore[call-overload]


def _samples_arity(file_count: int, count: int) -> SamplesPerShardError:
    return SamplesPerShardError(problem=phrase("samples_arity", file_count=file_count, count=count))
