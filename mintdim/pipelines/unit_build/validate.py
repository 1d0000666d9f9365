"""From a declaration to a frozen config: every check, in a fixed order, before any write.

completeness → structure → number of entries → files exist → templates match fields → outputs
are new → tokenizers load, expose UNK and PAD, fit a storage type → literals encode without UNK
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mintdim.engines.validate import check_engine
from mintdim.pipelines.unit_build.config import (
    FileJob,
    Session,
    TokenizerInfo,
    UnitBuildConfig,
)
from mintdim.pipelines.unit_build.output import validate as output_rules
from mintdim.pipelines.unit_build.source import validate as source_rules
from mintdim.pipelines.unit_build.tokenizer import validate as tokenizer_rules
from mintdim.pipelines.unit_build.units import validate as unit_rules
from mintdim.shared.errors import PipelineValidationError
from mintdim.shared.mapping import per_file
from mintdim.shared.paths import absolute
from mintdim.shared.structure import is_missing

if TYPE_CHECKING:
    from mintdim.pipelines.unit_build.config import (
        OutputConfig,
        TokenizerConfig,
        UnitsConfig,
    )
    from mintdim.shared.types import EngineKind, TokenizerKind
    from mintdim.sources.contract import SourceConfig, SourceFile


@dataclass(slots=True)
class Declaration:
    """What the builder recorded, unchecked; ``None`` stands for what was not given."""

    source: dict[str, Any] = field(default_factory=dict)
    tokenizer_kind: TokenizerKind = "sentencepiece"
    tokenizer: Any = None
    units: dict[str, Any] = field(default_factory=dict)
    output: dict[str, Any] = field(default_factory=dict)
    engine_kind: EngineKind = "auto"
    workers: Any = None


def validate(declared: Declaration) -> UnitBuildConfig:
    """Return the checked job.

    Raises a ``MintDimConfigError``, or a ``MintDimEnvironmentError`` for files that cannot be
    read.
    """
    _check_complete(declared)
    source = source_rules.check_structure(**declared.source)
    tokenizer = tokenizer_rules.check_structure(declared.tokenizer_kind, declared.tokenizer)
    units = unit_rules.check_structure(**declared.units)
    output = output_rules.check_structure(**declared.output)
    engine = check_engine(declared.engine_kind, declared.workers)
    _check_mapping(source, tokenizer, units, output)
    files = source_rules.locate(source)
    tokenizer_rules.check_exist(tokenizer)
    source_rules.check_templates(source)
    output_rules.check_new(output)
    tokenizers = tokenizer_rules.load(tokenizer)
    jobs = _jobs(source, units, output, files, tokenizers)
    sessions = _sessions(output, jobs)
    for session in sessions:
        output_rules.check_one_tokenizer(session)
    _check_literals(jobs)
    return UnitBuildConfig(source, tokenizer, units, output, engine, sessions)


def _check_complete(declared: Declaration) -> None:
    arguments = {
        "source.files": declared.source.get("files"),
        "source.fields": declared.source.get("fields"),
        "source.templates": declared.source.get("templates"),
        "tokenizer": declared.tokenizer,
        "units.sizes": declared.units.get("sizes"),
        "units.build_batch": declared.units.get("build_batch"),
        "output.dir": _first_given(declared.output.get("path"), declared.output.get("paths")),
        "output.samples_per_shard": declared.output.get("samples_per_shard"),
    }
    missing = tuple(name for name, value in arguments.items() if is_missing(value))
    if missing:
        raise PipelineValidationError(missing=missing)


def _first_given(path: object, paths: object) -> object:
    return paths if path is None else path


def _check_mapping(
    source: SourceConfig, tokenizer: TokenizerConfig, units: UnitsConfig, output: OutputConfig
) -> None:
    file_count = len(source.files)
    source_rules.check_mapping(source)
    tokenizer_rules.check_mapping(tokenizer, file_count)
    unit_rules.check_mapping(units, file_count)
    output_rules.check_mapping(output, file_count)


def _jobs(
    source: SourceConfig,
    units: UnitsConfig,
    output: OutputConfig,
    files: tuple[SourceFile, ...],
    tokenizers: tuple[TokenizerInfo, ...],
) -> tuple[FileJob, ...]:
    columns = (source.fields, source.templates, tokenizers, units.sizes, units.build_batch)
    rows = zip(
        files,
        *(per_file(values, len(files)) for values in (*columns, output.samples_per_shard)),
        strict=True,
    )
    return tuple(FileJob(index, *row) for index, row in enumerate(rows))


def _sessions(output: OutputConfig, jobs: tuple[FileJob, ...]) -> tuple[Session, ...]:
    shared = len(output.directories) == 1
    groups = [jobs] if shared else [(job,) for job in jobs]
    return tuple(
        Session(
            directory=directory,
            absolute=absolute(directory),
            dtype=tokenizer_rules.storage_dtype(group[0].tokenizer),
            jobs=group,
        )
        for directory, group in zip(output.directories, groups, strict=True)
    )


def _check_literals(jobs: tuple[FileJob, ...]) -> None:
    checked: set[tuple[tuple[str, ...], str]] = set()
    for job in jobs:
        literals = source_rules.literals_of(job)
        if (literals, job.tokenizer.sha256) not in checked:
            tokenizer_rules.check_literals(job, literals)
            checked.add((literals, job.tokenizer.sha256))
