"""Job files: a unit-build job as TOML, one table per block of the fluent API."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mintdim.pipeline import pipeline
from mintdim.shared.errors import JobFileError, MintDimError
from mintdim.shared.messages import Phrase, phrase
from mintdim.shared.paths import require_file

if TYPE_CHECKING:
    from mintdim.pipelines.unit_build.api import UnitBuild

_KEYS = {
    "source": {"files", "fields", "templates"},
    "tokenizer": {"type", "path", "paths"},
    "units": {"sizes", "build_batch"},
    "output": {"dir", "samples_per_shard"},
}
_KINDS = ("sentencepiece", "hf_json")

# Where in a job file the reason of an error stands.
_PLACES = {
    "SourceValidationError": "source",
    "FieldMappingError": "source.fields",
    "TemplateMappingError": "source.templates",
    "TemplateFieldMismatchError": "source.templates",
    "TemplateTokenizerError": "source.templates",
    "TokenizerValidationError": "tokenizer",
    "TokenizerSpecialTokenError": "tokenizer.path",
    "TokenizerMappingError": "tokenizer.paths",
    "UnitMappingError": "units",
    "UnitValidationError": "units",
    "UnitOverflowError": "units.sizes",
    "SamplesPerShardError": "output.samples_per_shard",
    "OutputMappingError": "output.dir",
    "OutputOverlapError": "output.dir",
    "OutputTokenizerError": "tokenizer.paths",
    "OutputValidationError": "output.dir",
    "OutputNotADirectoryError": "output.dir",
    "OutputConfigError": "output.dir",
}


def read_job(path: str) -> UnitBuild:
    """Return the job that a TOML file declares; relative paths start at the working directory.

    Raises ``JobFileError`` for what is no TOML, or has tables or keys that no block knows.
    """
    table = _toml(path)
    _check_keys(path, table)
    source, units, output = (table.get(name, {}) for name in ("source", "units", "output"))
    job: UnitBuild = pipeline("unit-build")
    job.source.jsonl(**source)
    job.units(**units)
    job.output.dir(output.get("dir"), samples_per_shard=output.get("samples_per_shard"))
    return _with_tokenizer(path, job, table.get("tokenizer", {}))


def place_of(error: MintDimError) -> str | None:
    """Return the key of a job file that an error is about, if it is about one."""
    table = _PLACES.get(type(error).__name__)
    problem = getattr(error, "problem", None)
    name = problem.facts.get("name") if isinstance(problem, Phrase) else None
    return f"{table}.{name}" if table and "." not in table and isinstance(name, str) else table


def _toml(path: str) -> dict[str, Any]:
    try:
        return tomllib.loads(Path(require_file(path, "job")).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise _error(path, "-", phrase("unreadable", detail=str(error))) from error


def _check_keys(path: str, table: dict[str, Any]) -> None:
    if table.get("pipeline", "unit-build") != "unit-build":
        raise _error(path, "pipeline", phrase("job_pipeline", found=str(table["pipeline"])))
    known: dict[str, set[str]] = {**_KEYS, "pipeline": set()}
    for name, value in table.items():
        if name not in known:
            raise _error(path, name, phrase("unknown_key", known=", ".join(known)))
        if name == "pipeline":
            continue
        if not isinstance(value, dict):
            raise _error(path, name, phrase("not_a_table", name=name))
        for key in sorted(value.keys() - known[name]):
            problem = phrase("unknown_key", known=", ".join(sorted(known[name])))
            raise _error(path, f"{name}.{key}", problem)


def _with_tokenizer(path: str, job: UnitBuild, table: dict[str, Any]) -> UnitBuild:
    if not table:
        return job
    kind = table.get("type")
    if kind not in _KINDS:
        raise _error(path, "tokenizer.type", phrase("tokenizer_kind", found=repr(kind)))
    if ("path" in table) == ("paths" in table):
        raise _error(path, "tokenizer.path", phrase("tokenizer_one_path"))
    config: Any = {"path": table["path"]} if "path" in table else table["paths"]
    if isinstance(config, list):
        config = [{"path": entry} for entry in config]
    return (
        job.tokenizer.hf_json(config) if kind == "hf_json" else job.tokenizer.sentencepiece(config)
    )


def _error(path: str, key: str, problem: Phrase) -> JobFileError:
    return JobFileError(file=path, key=key, problem=problem)
