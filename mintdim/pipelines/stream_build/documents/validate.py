"""Rules of the documents block."""

from __future__ import annotations

from typing import Any

from mintdim.formats.stream_index import MOST_LANGUAGES, RESERVED_LANGUAGE, UNDETERMINED
from mintdim.pipelines.stream_build.config import DocumentsConfig
from mintdim.shared.errors import DocumentsValidationError
from mintdim.shared.messages import Phrase, phrase
from mintdim.shared.structure import a_count, a_list, a_text, shown
from mintdim.shared.times import zone_of


def check_structure(
    *, language: Any, languages: Any, time: Any, time_zone: Any, key: Any, min_chars: Any
) -> DocumentsConfig:
    """Return the block with what was left out filled in.

    Raises ``DocumentsValidationError``.
    """
    _check_together(language, languages)
    return DocumentsConfig(
        language=_key(language, "language"),
        languages=_languages(languages),
        time=_key(time, "time"),
        time_zone=_zone(time_zone),
        key=_key(key, "key"),
        min_chars=0 if min_chars is None else a_count(min_chars, "min_chars", _error),
    )


def _check_together(language: object, languages: object) -> None:
    if language is not None and languages is None:
        raise _error(phrase("needs", name="language", needed="languages"))
    if languages is not None and language is None:
        raise _error(phrase("needs", name="languages", needed="language"))


def _key(value: object, name: str) -> str | None:
    return None if value is None else a_text(value, name, _error)


def _languages(values: object) -> tuple[str, ...]:
    if values is None:
        return (UNDETERMINED,)
    entries = a_list(values, "languages", _error)
    names = tuple(a_text(entry, f"languages[{i}]", _error) for i, entry in enumerate(entries))
    if len(names) > MOST_LANGUAGES:
        raise _error(phrase("too_many_languages", found=len(names)))
    if RESERVED_LANGUAGE in names:
        expected, found = phrase("language_named_all"), shown(RESERVED_LANGUAGE)
        raise _error(phrase("wrong_type", name="languages", expected=expected, found=found))
    for i, name in enumerate(names):
        if name in names[:i]:
            raise _error(phrase("language_twice", language=shown(name)))
    return names


def _zone(value: object) -> str:
    name = "UTC" if value is None else a_text(value, "time_zone", _error)
    try:
        zone_of(name)
    except (ValueError, KeyError, OSError) as error:
        raise _error(phrase("no_time_zone", found=shown(name))) from error
    return name


def _error(problem: Phrase) -> DocumentsValidationError:
    return DocumentsValidationError(problem=problem)
