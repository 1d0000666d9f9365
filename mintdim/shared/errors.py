"""Every error of MintDim.

An error holds facts as attributes; its text is made when it is printed, in the language of
that moment. All of them survive ``pickle``: they cross process boundaries as values.

::

    MintDimError
    ├─ MintDimConfigError                 the call must change
    │  ├─ LanguageError
    │  ├─ JobFileError
    │  ├─ PipelineValidationError
    │  │  └─ UnknownPipelineError
    │  ├─ SourceValidationError
    │  ├─ MintDimFileNotFoundError
    │  │  └─ NotAFileError
    │  ├─ FieldMappingError
    │  ├─ TemplateMappingError
    │  ├─ TemplateFieldMismatchError
    │  ├─ TemplateTokenizerError
    │  ├─ TokenizerValidationError
    │  │  ├─ TokenizerSpecialTokenError
    │  │  └─ TokenizerEosError
    │  ├─ TokenizerPrepareError
    │  │  ├─ TokenizerPrepareMissingError
    │  │  └─ TokenizerPrepareProofError
    │  ├─ TokenizerMappingError
    │  ├─ TokenDTypeValidationError
    │  ├─ EngineValidationError
    │  ├─ UnitMappingError
    │  ├─ UnitValidationError
    │  ├─ SamplesPerShardError
    │  ├─ DocumentsValidationError
    │  ├─ SplitsValidationError
    │  ├─ SplitError
    │  ├─ ShardsValidationError
    │  ├─ FetchArgumentError
    │  ├─ OutputMappingError
    │  │  ├─ OutputOverlapError
    │  │  └─ OutputTokenizerError
    │  └─ OutputValidationError
    │     ├─ OutputNotADirectoryError
    │     ├─ OutputFileExistsError
    │     └─ OutputConfigError
    ├─ MintDimDataError                   one line of one file must change: .file, .line
    │  ├─ SourceParseError
    │  ├─ SampleSchemaError
    │  │  └─ SampleFieldTypeError
    │  ├─ UnitOverflowError
    │  ├─ TokenizerEncodeError
    │  └─ DocumentError
    ├─ MintDimDatasetError                a dataset cannot be read as asked
    │  ├─ NotADatasetError
    │  ├─ DatasetDamagedError
    │  ├─ DatasetArgumentError
    │  └─ DatasetStateError
    └─ MintDimEnvironmentError            disk, permissions, signals
       ├─ MissingLibraryError
       ├─ SourceReadError
       ├─ SourceChangedError
       ├─ TokenizerChangedError
       ├─ OutputWriteError
       ├─ EngineError
       ├─ FetchError
       └─ BuildInterruptedError
"""

from __future__ import annotations

import os
import shlex
from dataclasses import dataclass, fields
from typing import Any

from mintdim.shared.messages import Phrase, error_text
from mintdim.shared.quoting import quoted

_SHOWN_KEYS = 50


@dataclass(eq=False, kw_only=True)
class MintDimError(Exception):
    """Base of all errors that MintDim raises."""

    def __str__(self) -> str:
        text = f"{type(self).__name__}:\n{error_text(self._text_key(), self._shown())}"
        # A lone surrogate (an undecodable file name) must not break the printing of an error.
        return text.encode("utf-8", "backslashreplace").decode("utf-8")

    def __reduce__(self) -> tuple[Any, ...]:
        return _revive, (type(self), dict(vars(self)))

    def _text_key(self) -> str:
        return type(self).__name__

    def _shown(self) -> dict[str, Any]:
        """Return the facts as they appear in the text; lists stand one entry a line."""
        return {f.name: _show(getattr(self, f.name)) for f in fields(self)}


def _revive(cls: type[MintDimError], facts: dict[str, Any]) -> MintDimError:
    error = cls.__new__(cls)
    vars(error).update(facts)
    return error


def _show(value: object) -> Any:
    if isinstance(value, tuple):
        return _listed(value)
    return str(value) if isinstance(value, Phrase) else value


def _listed(names: tuple[str, ...]) -> str:
    shown = [_one_line(name) for name in names[:_SHOWN_KEYS]]
    rest = len(names) - len(shown)
    return "\n".join([*shown, f"… (+{rest})"] if rest else shown) or "-"


def _one_line(name: str) -> str:
    """Return ``name`` itself, or its JSON text where it would break the line."""
    return name if name.isprintable() and name else quoted(name)


def _bulleted(names: tuple[str, ...]) -> str:
    return "\n".join(f"- {name}" for name in names)


# ── the call must change ────────────────────────────────────────────────────────────────────


class MintDimConfigError(MintDimError):
    """The declaration of the job is wrong; nothing was written."""


@dataclass(eq=False, kw_only=True)
class LanguageError(MintDimConfigError):
    """``set_language`` got something other than ``"en"``, ``"vi"`` or ``None``."""

    language: str


@dataclass(eq=False, kw_only=True)
class JobFileError(MintDimConfigError):
    """A job file is no TOML, or has a table or key (``key``) that no block knows."""

    file: str
    key: str
    problem: Phrase


@dataclass(eq=False, kw_only=True)
class PipelineValidationError(MintDimConfigError):
    """Blocks of the pipeline were not declared; ``missing`` names them all."""

    missing: tuple[str, ...] = ()

    def _shown(self) -> dict[str, Any]:
        return {"missing": _bulleted(self.missing)}


@dataclass(eq=False, kw_only=True)
class UnknownPipelineError(PipelineValidationError):
    """``pipeline(name)`` was asked for a pipeline that does not exist."""

    name: str
    known: tuple[str, ...]

    def _shown(self) -> dict[str, Any]:
        return {"name": self.name, "known": _bulleted(self.known)}


@dataclass(eq=False, kw_only=True)
class MintDimFileNotFoundError(MintDimConfigError):
    """A source or tokenizer file does not exist (``context`` says which of the two)."""

    context: str
    file: str


class NotAFileError(MintDimFileNotFoundError):
    """A source or tokenizer path exists but is a directory, a pipe or a device."""


@dataclass(eq=False, kw_only=True)
class _ProblemError(MintDimConfigError):
    """A block is malformed; ``problem`` says how."""

    problem: Phrase


class SourceValidationError(_ProblemError):
    """The source block has the wrong structure."""


@dataclass(eq=False, kw_only=True)
class _MappingError(MintDimConfigError):
    """A block has neither one entry nor one per file."""

    file_count: int
    count: int


class FieldMappingError(_MappingError):
    """``fields`` has neither one entry nor one per file."""


class TemplateMappingError(_MappingError):
    """``templates`` has neither one entry nor one per file."""


@dataclass(eq=False, kw_only=True)
class TemplateFieldMismatchError(MintDimConfigError):
    """The placeholders of a template are not exactly the declared fields."""

    file: str
    fields: tuple[str, ...]
    template: str
    field: str
    reason: Phrase

    def _shown(self) -> dict[str, Any]:
        return {
            "file": self.file,
            "fields": list(self.fields),
            "template": quoted(self.template),
            "field": _one_line(self.field),
            "reason": str(self.reason),
        }


@dataclass(eq=False, kw_only=True)
class TemplateTokenizerError(MintDimConfigError):
    """A literal part of a template encodes to UNK: the tokenizer cannot represent it."""

    file_index: int
    template: str
    literal: str

    def _shown(self) -> dict[str, Any]:
        return {
            "file_index": self.file_index,
            "template": quoted(self.template),
            "literal": quoted(self.literal),
        }


@dataclass(eq=False, kw_only=True)
class TokenizerValidationError(MintDimConfigError):
    """The tokenizer config is malformed, or its file is not a tokenizer.

    ``component`` is ``"config"`` for the first and ``"format"`` for the second; ``file`` is
    the path of the tokenizer where there is one.
    """

    component: str
    problem: Phrase
    file: str | None = None

    def _text_key(self) -> str:
        return f"TokenizerValidationError.{self.component}"


@dataclass(eq=False, kw_only=True)
class TokenizerSpecialTokenError(TokenizerValidationError):
    """The tokenizer exposes no usable UNK or PAD id (``special_token`` says which)."""

    component: str = "special_token"
    special_token: str

    def _text_key(self) -> str:
        return "TokenizerSpecialTokenError"

    def _shown(self) -> dict[str, Any]:
        file = str(self.file)
        ready = "ready" + _tokenizer_suffix(file)
        name = self.special_token.removesuffix("_id")
        also = Phrase("prepare_pad_as_well") if name == "unk" else ""
        call = f'mintdim.prepare_tokenizer({file!r}, "{ready}", {name}="<{name}>")'
        command = (
            f'python -m mintdim tokenizer prepare {shlex.quote(file)} {ready} --{name} "<{name}>"'
        )
        return {**super()._shown(), "call": call, "command": command, "also": str(also)}


def _tokenizer_suffix(file: str) -> str:
    """Return the usual suffix of a tokenizer file, also for names such as ``a.model.v3``."""
    name = os.path.basename(file).lower()
    usual = (suffix for suffix in (".model", ".json") if suffix in name)
    return next(usual, os.path.splitext(name)[1])


@dataclass(eq=False, kw_only=True)
class TokenizerEosError(TokenizerValidationError):
    """No EOS was named, or the tokenizer has none of that name."""

    component: str = "eos"

    def _text_key(self) -> str:
        return "TokenizerEosError"


class TokenizerPrepareError(_ProblemError):
    """``prepare_tokenizer`` got arguments that make no sense, or not for this tokenizer."""


@dataclass(eq=False, kw_only=True)
class TokenizerPrepareMissingError(TokenizerPrepareError):
    """PAD or UNK (``missing``) is neither exposed by the tokenizer nor given.

    ``suggested`` holds one text for each of them.
    """

    file: str
    missing: tuple[str, ...]
    pad_candidates: tuple[str, ...] = ()
    unk_candidates: tuple[str, ...] = ()
    suggested: tuple[str, ...]

    def _shown(self) -> dict[str, Any]:
        options = dict(zip(self.missing, self.suggested, strict=True))
        file = shlex.quote(self.file)
        ready = "ready" + _tokenizer_suffix(self.file)
        keywords = "".join(f", {name}={text!r}" for name, text in options.items())
        flags = "".join(f" --{name} {shlex.quote(text)}" for name, text in options.items())
        return {
            **super()._shown(),
            "call": f"mintdim.prepare_tokenizer({self.file!r}, {ready!r}{keywords})",
            "command": f"python -m mintdim tokenizer prepare {file} {ready}{flags}",
        }


@dataclass(eq=False, kw_only=True)
class TokenizerPrepareProofError(TokenizerPrepareError):
    """The copy would give ``text`` other ids (``after``) than the original (``before``).

    ``None`` stands for a text that the library refuses.
    """

    text: str
    before: tuple[int, ...] | None
    after: tuple[int, ...] | None

    def _shown(self) -> dict[str, Any]:
        ids = {"before": _row_of_ids(self.before), "after": _row_of_ids(self.after)}
        return {"problem": str(self.problem), "text": quoted(self.text), **ids}


def _row_of_ids(ids: tuple[int, ...] | None) -> str:
    if ids is None:
        return "-"
    rest = len(ids) - _SHOWN_KEYS
    return str(list(ids[:_SHOWN_KEYS])) + (f" … (+{rest})" if rest > 0 else "")


class TokenizerMappingError(_MappingError):
    """There is neither one tokenizer nor one per file."""


@dataclass(eq=False, kw_only=True)
class TokenDTypeValidationError(MintDimConfigError):
    """The vocabulary does not fit into uint32."""

    vocab_size: int


class EngineValidationError(_ProblemError):
    """The engine block has a wrong value."""


class UnitMappingError(_MappingError):
    """``sizes`` or ``build_batch`` has neither one entry nor one per file."""


class UnitValidationError(_ProblemError):
    """Unit sizes or ``build_batch`` are not what the rules ask for."""


class SamplesPerShardError(_ProblemError):
    """``samples_per_shard`` has a wrong value or a wrong number of entries."""


class FetchArgumentError(_ProblemError):
    """A fetch cannot be done as asked: its URL, its directory, or the part of the dataset."""


class DocumentsValidationError(_ProblemError):
    """``documents`` has a wrong value, or lacks one that another block needs."""


class SplitsValidationError(_ProblemError):
    """The splits block has a wrong value, or ``SOURCE_DATE_EPOCH`` is no number of seconds."""


class SplitError(_ProblemError):
    """The documents do not give the splits that were asked for; nothing was written."""


class ShardsValidationError(_ProblemError):
    """``tokens``, ``seed`` or ``build_batch`` of ``shards`` is not what the rules ask for."""


@dataclass(eq=False, kw_only=True)
class OutputMappingError(_MappingError):
    """There is neither one output directory nor one per file."""

    file_count: int = 0
    count: int = 0


@dataclass(eq=False, kw_only=True)
class OutputOverlapError(OutputMappingError):
    """Two entries of ``output.dir`` name the same or a nested directory."""

    directories: tuple[str, ...]


@dataclass(eq=False, kw_only=True)
class OutputTokenizerError(OutputMappingError):
    """Files with different tokenizers were to be written into one output directory."""

    directory: str
    tokenizers: tuple[str, ...]


@dataclass(eq=False, kw_only=True)
class OutputValidationError(MintDimConfigError):
    """The output directory exists and is not empty."""

    directory: str = ""


class OutputNotADirectoryError(OutputValidationError):
    """The output path, or one of its parents, is a file."""


class OutputFileExistsError(OutputValidationError):
    """Something stands where a file was to be written (``directory`` is its path)."""


@dataclass(eq=False, kw_only=True)
class OutputConfigError(OutputValidationError):
    """The output block has the wrong structure."""

    problem: Phrase


# ── one line of one file must change ────────────────────────────────────────────────────────


@dataclass(eq=False, kw_only=True)
class MintDimDataError(MintDimError):
    """A sample is wrong: ``file`` as declared, ``line`` counted from 1."""

    file: str
    line: int


@dataclass(eq=False, kw_only=True)
class SourceParseError(MintDimDataError):
    """A line is not a JSON object in UTF-8, or the archive around it is damaged."""

    reason: Phrase


@dataclass(eq=False, kw_only=True)
class SampleSchemaError(MintDimDataError):
    """A sample lacks declared fields."""

    declared_fields: tuple[str, ...]
    missing_fields: tuple[str, ...] = ()
    available_keys: tuple[str, ...] = ()


@dataclass(eq=False, kw_only=True)
class SampleFieldTypeError(SampleSchemaError):
    """A declared field holds null, an array or an object (``found``)."""

    field: str
    found: str

    def _shown(self) -> dict[str, Any]:
        return {**super()._shown(), "field": _one_line(self.field)}


@dataclass(eq=False, kw_only=True)
class UnitOverflowError(MintDimDataError):
    """A sample has more tokens than the largest unit holds."""

    token_count: int
    max_unit_size: int


@dataclass(eq=False, kw_only=True)
class TokenizerEncodeError(MintDimDataError):
    """The tokenizer library refused the text of a sample."""

    tokenizer: str
    problem: Phrase


@dataclass(eq=False, kw_only=True)
class DocumentError(MintDimDataError):
    """A document cannot go into the stream: EOS in its text, or a date in the future."""

    problem: Phrase


# ── a dataset cannot be read as asked ───────────────────────────────────────────────────────


class MintDimDatasetError(MintDimError):
    """A dataset on the disk, or what was asked of it, is not right."""


@dataclass(eq=False, kw_only=True)
class NotADatasetError(MintDimDatasetError):
    """A directory lacks something that every dataset has."""

    path: str
    problem: Phrase


@dataclass(eq=False, kw_only=True)
class DatasetDamagedError(MintDimDatasetError):
    """A file of a dataset (``file``, relative to ``path``) is not what its index says."""

    path: str
    file: str
    problem: Phrase


@dataclass(eq=False, kw_only=True)
class DatasetArgumentError(MintDimDatasetError):
    """A reader was asked for something that makes no sense."""

    problem: Phrase


@dataclass(eq=False, kw_only=True)
class DatasetStateError(MintDimDatasetError):
    """The state given to resume from belongs to another dataset or other options."""

    path: str
    problem: Phrase


# ── disk, permissions, signals ──────────────────────────────────────────────────────────────


class MintDimEnvironmentError(MintDimError):
    """The machine, not the job or the data, stopped the build."""


@dataclass(eq=False, kw_only=True)
class MissingLibraryError(MintDimEnvironmentError):
    """A library that only this task needs is not there (``requirement`` as for pip)."""

    requirement: str
    problem: Phrase


@dataclass(eq=False, kw_only=True)
class SourceReadError(MintDimEnvironmentError):
    """The operating system could not read a source or tokenizer file."""

    file: str
    reason: Phrase


@dataclass(eq=False, kw_only=True)
class SourceChangedError(MintDimEnvironmentError):
    """A source file changed its size or time of change while it was being read."""

    file: str
    reason: Phrase


@dataclass(eq=False, kw_only=True)
class TokenizerChangedError(MintDimEnvironmentError):
    """A tokenizer file is no longer the one that was validated."""

    file: str


@dataclass(eq=False, kw_only=True)
class OutputWriteError(MintDimEnvironmentError):
    """The operating system could not write: disk full, read-only, directory gone."""

    path: str
    reason: Phrase


@dataclass(eq=False, kw_only=True)
class EngineError(MintDimEnvironmentError):
    """Worker processes could not be started, or died again and again over one piece of work."""

    problem: Phrase


@dataclass(eq=False, kw_only=True)
class FetchError(MintDimEnvironmentError):
    """Something of a dataset could not be fetched from ``url``; ``file`` is the first of it.

    ``url`` holds no user, password or query. ``summary.facts`` has ``fetched``, ``kept``,
    ``failed`` (files), ``bytes`` (that came) and ``seconds``.
    """

    url: str
    path: str
    file: str
    problem: Phrase
    advice: Phrase
    summary: Phrase


@dataclass(eq=False, kw_only=True)
class BuildInterruptedError(MintDimEnvironmentError):
    """SIGINT or SIGTERM ended the build."""

    signal_name: str
    directory: str
