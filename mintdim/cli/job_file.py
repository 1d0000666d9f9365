"""Job files: a job as TOML, one table per block of the fluent API."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mintdim.pipeline import pipeline
from mintdim.shared.errors import JobFileError, MintDimError
from mintdim.shared.messages import Phrase, phrase
from mintdim.shared.paths import require_file

if TYPE_CHECKING:
    from mintdim.pipelines.stream_build.api import StreamBuild
    from mintdim.pipelines.unit_build.api import UnitBuild

_UNIT_BUILD, _STREAM_BUILD = "unit-build", "stream-build"
_SOURCE = {"files", "fields", "templates"}
_KEYS = {
    _UNIT_BUILD: {
        "source": _SOURCE,
        "tokenizer": {"type", "path", "paths"},
        "units": {"sizes", "build_batch"},
        "output": {"dir", "samples_per_shard"},
    },
    _STREAM_BUILD: {
        "source": _SOURCE,
        "documents": {"language", "languages", "time", "time_zone", "key", "min_chars"},
        "tokenizer": {"type", "path", "eos"},
        "splits": {
            *("mode", "as_of", "test_docs", "val_docs", "future", "borders"),
            *("val", "test", "seed"),
        },
        "shards": {"tokens", "seed", "build_batch"},
        "output": {"dir"},
    },
}
# By mode: the keys that must be there, and those that may.
_SPLITS: dict[str, tuple[set[str], set[str]]] = {
    "per_language_count": ({"test_docs", "val_docs"}, {"future", "borders", "as_of"}),
    "fraction": ({"val", "test"}, {"seed", "as_of"}),
    "none": (set(), {"as_of"}),
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
    "DocumentsValidationError": "documents",
    "SplitsValidationError": "splits",
    "SplitError": "splits",
    "ShardsValidationError": "shards",
    "TokenizerEosError": "tokenizer.eos",
}


def read_job(path: str) -> UnitBuild | StreamBuild:
    """Return the job that a TOML file declares; relative paths start at the working directory.

    Raises ``JobFileError`` for what is no TOML, or has tables or keys that no block knows.
    """
    table = _toml(path)
    name = table.pop("pipeline", _UNIT_BUILD)
    if name not in _KEYS:
        raise _error(path, "pipeline", phrase("job_pipeline", found=str(name)))
    _check_keys(path, table, _KEYS[name])
    return _unit_job(path, table) if name == _UNIT_BUILD else _stream_job(path, table)


def _unit_job(path: str, table: dict[str, Any]) -> UnitBuild:
    source, units, output = (table.get(name, {}) for name in ("source", "units", "output"))
    job: UnitBuild = pipeline("unit-build")
    job.source.jsonl(**source)
    job.units(**units)
    job.output.dir(output.get("dir"), samples_per_shard=output.get("samples_per_shard"))
    return _with_tokenizer(path, job, table.get("tokenizer", {}))


def _stream_job(path: str, table: dict[str, Any]) -> StreamBuild:
    job: StreamBuild = pipeline("stream-build")
    job.source.jsonl(**table.get("source", {}))
    job.documents(**table.get("documents", {}))
    job.shards(**table.get("shards", {}))
    job.output.dir(table.get("output", {}).get("dir"))
    if "splits" in table:
        _declare_splits(path, job, table["splits"])
    tokenizer = table.get("tokenizer", {})
    if not tokenizer:
        return job
    kind, config = _kind(path, tokenizer), {"path": tokenizer.get("path")}
    if kind == "hf_json":
        return job.tokenizer.hf_json(config, eos=tokenizer.get("eos"))
    if "eos" in tokenizer:
        raise _error(path, "tokenizer.eos", phrase("job_eos"))
    return job.tokenizer.sentencepiece(config)


def _declare_splits(path: str, job: StreamBuild, table: dict[str, Any]) -> None:
    mode = table.get("mode")
    if mode not in _SPLITS:
        expected = ", ".join(map(repr, _SPLITS))
        facts = {"name": "mode", "expected": expected, "found": repr(mode)}
        raise _error(path, "splits.mode", phrase("not_a_choice", **facts))
    needed, allowed = _SPLITS[mode]
    values = {name: value for name, value in table.items() if name != "mode"}
    for name in sorted(needed - values.keys()):
        raise _error(path, f"splits.{name}", phrase("needs", name=mode, needed=name))
    for name in sorted(values.keys() - needed - allowed):
        known = ", ".join(sorted(needed | allowed))
        raise _error(path, f"splits.{name}", phrase("unknown_key", known=known))
    getattr(job.splits, mode)(**values)


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


def _check_keys(path: str, table: dict[str, Any], known: dict[str, set[str]]) -> None:
    for name, value in table.items():
        if name not in known:
            tables = ", ".join([*known, "pipeline"])
            raise _error(path, name, phrase("unknown_key", known=tables))
        if not isinstance(value, dict):
            raise _error(path, name, phrase("not_a_table", name=name))
        for key in sorted(value.keys() - known[name]):
            problem = phrase("unknown_key", known=", ".join(sorted(known[name])))
            raise _error(path, f"{name}.{key}", problem)


def _with_tokenizer(path: str, job: UnitBuild, table: dict[str, Any]) -> UnitBuild:
    if not table:
        return job
    kind = _kind(path, table)
    if ("path" in table) == ("paths" in table):
        raise _error(path, "tokenizer.path", phrase("tokenizer_one_path"))
    config: Any = {"path": table["path"]} if "path" in table else table["paths"]
    if isinstance(config, list):
        config = [{"path": entry} for entry in config]
    return (
        job.tokenizer.hf_json(config) if kind == "hf_json" else job.tokenizer.sentencepiece(config)
    )


def _kind(path: str, table: dict[str, Any]) -> str:
    kind = table.get("type")
    if kind not in _KINDS:
        raise _error(path, "tokenizer.type", phrase("tokenizer_kind", found=repr(kind)))
    return str(kind)


def _error(path: str, key: str, problem: Phrase) -> JobFileError:
    return JobFileError(file=path, key=key, problem=problem)
