"""From a declaration to a frozen config: every check, in a fixed order, before any write.

completeness → structure → number of entries → files exist → templates match fields → output is
new → tokenizer loads, has an EOS, fits a storage type; what it changes in templates is warned of
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mintdim.engines.validate import check_engine
from mintdim.formats.stream_index import token_dtype
from mintdim.pipelines.stream_build.config import FileJob, Fraction, StreamBuildConfig
from mintdim.pipelines.stream_build.documents import validate as document_rules
from mintdim.pipelines.stream_build.output import validate as output_rules
from mintdim.pipelines.stream_build.packing import validate as packing_rules
from mintdim.pipelines.stream_build.splits import validate as split_rules
from mintdim.shared.errors import PipelineValidationError
from mintdim.shared.mapping import per_file
from mintdim.shared.paths import absolute, require_file
from mintdim.shared.structure import is_missing
from mintdim.sources import validate as source_rules

if TYPE_CHECKING:
    from mintdim.pipelines.stream_build.config import (
        DocumentsConfig,
        ShardsConfig,
        Splits,
        TokenizerInfo,
    )
    from mintdim.shared.types import EngineKind, TokenizerKind
    from mintdim.sources.contract import SourceConfig, SourceFile

_NO_DOCUMENTS = dict.fromkeys(("language", "languages", "time", "time_zone", "key", "min_chars"))


@dataclass(slots=True)
class Declaration:
    """What the builder recorded, unchecked; ``None`` stands for what was not given."""

    source: dict[str, Any] = field(default_factory=dict)
    documents: dict[str, Any] = field(default_factory=lambda: dict(_NO_DOCUMENTS))
    tokenizer_kind: TokenizerKind = "sentencepiece"
    tokenizer: Any = None
    eos: Any = None
    splits_kind: str | None = None
    splits: dict[str, Any] = field(default_factory=dict)
    as_of: Any = None
    shards: dict[str, Any] = field(default_factory=dict)
    directory: Any = None
    engine_kind: EngineKind = "auto"
    workers: Any = None


def validate(declared: Declaration) -> StreamBuildConfig:
    """Return the checked job.

    Raises a ``MintDimConfigError``, or a ``MintDimEnvironmentError`` for files that cannot be
    read.
    """
    _check_complete(declared)
    source = source_rules.check_structure(**declared.source)
    documents = document_rules.check_structure(**declared.documents)
    path, eos = packing_rules.check_tokenizer(declared.tokenizer, declared.eos)
    splits = split_rules.check_structure(declared.splits_kind or "", declared.splits)
    split_rules.check_documents(splits, has_times=documents.time is not None)
    as_of = split_rules.moment_of(declared.as_of, documents.time_zone, os.environ)
    shards = packing_rules.check_shards(**declared.shards)
    directory = output_rules.check_structure(declared.directory)
    engine = check_engine(declared.engine_kind, declared.workers)
    source_rules.check_mapping(source)
    files = source_rules.locate(source)
    require_file(path, "tokenizer")
    source_rules.check_templates(source)
    output_rules.check_new(directory)
    tokenizer = packing_rules.load(declared.tokenizer_kind, path, eos)
    jobs = _jobs(source, files, documents, tokenizer, shards, splits)
    packing_rules.warn_of_literals(jobs)
    return StreamBuildConfig(
        source=source,
        documents=documents,
        tokenizer=tokenizer,
        splits=splits,
        as_of=as_of,
        shards=shards,
        dtype=token_dtype(tokenizer.vocab_size),
        directory=directory,
        absolute=absolute(directory),
        engine=engine,
        jobs=jobs,
    )


def _check_complete(declared: Declaration) -> None:
    arguments = {
        "source.files": declared.source.get("files"),
        "source.fields": declared.source.get("fields"),
        "source.templates": declared.source.get("templates"),
        "tokenizer": declared.tokenizer,
        "splits": declared.splits_kind,
        "shards.tokens": declared.shards.get("tokens"),
        "shards.seed": declared.shards.get("seed"),
        "output.dir": declared.directory,
    }
    missing = tuple(name for name, value in arguments.items() if is_missing(value))
    if missing:
        raise PipelineValidationError(missing=missing)


def _jobs(
    source: SourceConfig,
    files: tuple[SourceFile, ...],
    documents: DocumentsConfig,
    tokenizer: TokenizerInfo,
    shards: ShardsConfig,
    splits: Splits,
) -> tuple[FileJob, ...]:
    seed = splits.seed if isinstance(splits, Fraction) else None
    columns = (per_file(values, len(files)) for values in (source.fields, source.templates))
    return tuple(
        FileJob(index, file, fields, template, documents, tokenizer, shards.build_batch, seed)
        for index, (file, fields, template) in enumerate(zip(files, *columns, strict=True))
    )
