"""Rules of the source block, which is the same in every pipeline."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from mintdim.shared.errors import (
    FieldMappingError,
    SourceChangedError,
    SourceReadError,
    SourceValidationError,
    TemplateFieldMismatchError,
    TemplateMappingError,
)
from mintdim.shared.mapping import check_arity, per_file
from mintdim.shared.messages import Phrase, os_reason, phrase
from mintdim.shared.paths import require_file
from mintdim.shared.structure import a_list, a_path, a_text
from mintdim.sources.contract import SourceConfig, SourceFile
from mintdim.sources.template import parse_template

if TYPE_CHECKING:
    from mintdim.sources.contract import SourceJob


def check_structure(files: object, fields: object, templates: object) -> SourceConfig:
    """Return the block as tuples.

    Raises ``SourceValidationError``.
    """
    return SourceConfig(
        files=tuple(
            a_path(path, f"files[{i}]", _error)
            for i, path in enumerate(a_list(files, "files", _error))
        ),
        fields=tuple(
            _field_names(names, f"fields[{i}]")
            for i, names in enumerate(a_list(fields, "fields", _error, "a_list_of_lists"))
        ),
        templates=tuple(
            a_text(template, f"templates[{i}]", _error)
            for i, template in enumerate(a_list(templates, "templates", _error))
        ),
    )


def check_mapping(source: SourceConfig) -> None:
    """Raise ``FieldMappingError`` or ``TemplateMappingError`` for a wrong number of entries."""
    count = len(source.files)
    check_arity(source.fields, count, lambda n, k: FieldMappingError(file_count=n, count=k))
    check_arity(source.templates, count, lambda n, k: TemplateMappingError(file_count=n, count=k))


def locate(source: SourceConfig) -> tuple[SourceFile, ...]:
    """Return every source file as it is found now.

    Raises ``MintDimFileNotFoundError``, ``NotAFileError`` or ``SourceReadError``.
    """
    return tuple(_found(path) for path in source.files)


def check_templates(source: SourceConfig) -> None:
    """Raise ``TemplateFieldMismatchError`` unless placeholders and fields are the same set."""
    count = len(source.files)
    declarations = zip(
        source.files,
        per_file(source.fields, count),
        per_file(source.templates, count),
        strict=True,
    )
    for path, fields, template in declarations:
        check_template(path, fields, template)


def check_template(path: str, fields: tuple[str, ...], template: str) -> None:
    """Raise ``TemplateFieldMismatchError`` unless placeholders and fields are the same set.

    ``path`` is the source file that the error names.
    """
    placeholders = parse_template(template, fields).placeholders
    undeclared = [name for name in placeholders if name not in fields]
    unused = [name for name in fields if name not in placeholders]
    for names, code in ((undeclared, "template_uses_undeclared"), (unused, "fields_unused")):
        for name in names:
            raise TemplateFieldMismatchError(
                file=path,
                fields=fields,
                template=template,
                field=name,
                reason=phrase(code, field=name),
            )


def literals_of(job: SourceJob) -> tuple[str, ...]:
    """Return the literal parts of the template of a file."""
    return parse_template(job.template, job.fields).literals


def check_unchanged(job: SourceJob) -> None:
    """Raise ``SourceChangedError`` if a source file is not the one that was validated."""
    before = job.source
    try:
        now = os.stat(before.absolute)
    except OSError as error:
        reason = os_reason(error)
        raise SourceReadError(file=before.path, reason=reason) from error
    if now.st_size != before.bytes:
        reason = phrase("changed_size", before=before.bytes, now=now.st_size)
        raise SourceChangedError(file=before.path, reason=reason)
    if now.st_mtime_ns != before.modified_ns:
        raise SourceChangedError(file=before.path, reason=phrase("changed_time"))


def _error(problem: Phrase) -> SourceValidationError:
    return SourceValidationError(problem=problem)


def _field_names(names: object, name: str) -> tuple[str, ...]:
    entries = a_list(names, name, _error)
    return tuple(a_text(field, f"{name}[{i}]", _error) for i, field in enumerate(entries))


def _found(path: str) -> SourceFile:
    resolved = require_file(path, "source")
    try:
        with open(resolved, "rb") as file:
            facts = os.fstat(file.fileno())
    except OSError as error:
        reason = os_reason(error)
        raise SourceReadError(file=path, reason=reason) from error
    return SourceFile(path, resolved, facts.st_size, facts.st_mtime_ns)
