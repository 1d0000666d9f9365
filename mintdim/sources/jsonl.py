"""JSONL: a line → the values of its declared fields.

The standard library's ``json`` decides what a line means. orjson stands in for it only where
both give the same strings: every declared field holds a string in a line that orjson accepts.
Numbers and booleans are used as they stand in the line (``2.50``, ``1e5``, ``true``).
"""

from __future__ import annotations

import json
import re
from concurrent.futures import ThreadPoolExecutor
from operator import itemgetter
from typing import Any, NoReturn

import numpy as np
import orjson

from mintdim.shared.errors import (
    SampleFieldTypeError,
    SampleSchemaError,
    SourceParseError,
)
from mintdim.shared.messages import Phrase, phrase

NESTING_LIMIT = 512
_BLANK = b" \t\r"
_STRINGS = frozenset([str])
# Possessive: a string of many megabytes must not pile up states to come back to.
_JSON_STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?', re.DOTALL)
_SURROGATE = re.compile("[\ud800-\udfff]")
_LOOKS_LIKE = (
    (b"\xff\xfe", "UTF-16", "iconv -f UTF-16 -t UTF-8"),
    (b"\xfe\xff", "UTF-16", "iconv -f UTF-16 -t UTF-8"),
    (b"\x1f\x8b", "gzip", "a name that ends in .gz"),
    (b"\x28\xb5\x2f\xfd", "zstd", "a name that ends in .zst"),
)


class _Number(str):
    """The text of a JSON number, as it stands in the line."""

    __slots__ = ()


class _RefusedError(Exception):
    def __init__(self, reason: Phrase) -> None:
        super().__init__(reason)
        self.reason = reason


def is_blank(line: bytes) -> bool:
    """Say whether a line holds nothing but JSON white space."""
    return not line.strip(_BLANK)


def string_columns(lines: list[bytes], fields: tuple[str, ...]) -> list[list[str]] | None:
    """Return the values of each field, one per line, if all lines hold strings in all fields.

    Where a single line does not (a blank one included), the answer is None, and the lines have to
    be read one by one, which takes more time.
    """
    if _may_nest_too_deep(lines):
        return None
    try:
        rows = list(map(orjson.loads, lines))
        columns = [list(map(itemgetter(field), rows)) for field in fields]
    except (orjson.JSONDecodeError, KeyError, TypeError, IndexError):
        return None
    return columns if all(_STRINGS.issuperset(map(type, column)) for column in columns) else None


def read_values(line: bytes, fields: tuple[str, ...], file: str, number: int) -> list[str]:
    """Return the text of each of ``fields`` in a line (without its ``\\n``).

    Raises ``SourceParseError``, ``SampleSchemaError`` or ``SampleFieldTypeError`` with
    ``file`` and ``line=number``.
    """
    values = _fast_values(line, fields)
    return values if values is not None else strict_values(line, fields, file, number)


def strict_values(line: bytes, fields: tuple[str, ...], file: str, number: int) -> list[str]:
    """Do what ``read_values`` does with the standard library alone: the definition."""
    return _values(_strict_row(line, file, number), fields, file, number)


class Row:
    """One line, for readers that take some fields as they are and others only if they are there.

    Raises ``SourceParseError`` with ``file`` and ``line=number`` for a line that is no object.
    """

    __slots__ = ("_fast", "_file", "_line", "_number", "_strict")

    def __init__(self, line: bytes, file: str, number: int) -> None:
        self._line, self._file, self._number = line, file, number
        self._strict: dict[str, Any] | None = None
        self._fast = _fast_row(line)
        if self._fast is None:
            self._strict_row()

    def values(self, fields: tuple[str, ...]) -> list[str]:
        """Return the text of each of ``fields``, as ``read_values`` does."""
        values = None if self._fast is None else _strings(self._fast, fields)
        if values is not None:
            return values
        return _values(self._strict_row(), fields, self._file, self._number)

    def optional(self, field: str) -> str | None:
        """Return the text of a field, None where it is absent or null.

        Raises ``SampleFieldTypeError`` for an array or object.
        """
        if self._fast is not None:
            value = self._fast.get(field)
            if value is None or type(value) is str:
                return value
        value = self._strict_row().get(field)
        fields = (field,)
        return None if value is None else _text_of(value, field, fields, self._file, self._number)

    def _strict_row(self) -> dict[str, Any]:
        if self._strict is None:
            self._strict = _strict_row(self._line, self._file, self._number)
        return self._strict


def _strict_row(line: bytes, file: str, number: int) -> dict[str, Any]:
    try:
        return _parse(line)
    except _RefusedError as refused:
        reason = refused.reason
        raise SourceParseError(file=file, line=number, reason=reason) from refused.__cause__


def _values(row: dict[str, Any], fields: tuple[str, ...], file: str, number: int) -> list[str]:
    missing = tuple(field for field in fields if field not in row)
    if missing:
        raise SampleSchemaError(
            file=file,
            line=number,
            declared_fields=fields,
            missing_fields=missing,
            available_keys=tuple(row),
        )
    return [_text_of(row[field], field, fields, file, number) for field in fields]


def _fast_values(line: bytes, fields: tuple[str, ...]) -> list[str] | None:
    """Return the values if all of them are strings and orjson takes the line, else None."""
    if len(line) > NESTING_LIMIT and _nested_too_deep(line):
        return None
    try:
        row = orjson.loads(line)
        values = [row[field] for field in fields]
    except (orjson.JSONDecodeError, KeyError, TypeError, IndexError):
        return None
    return values if _STRINGS.issuperset(map(type, values)) else None


def _fast_row(line: bytes) -> dict[str, Any] | None:
    """Return the object in a line if orjson takes it, else None."""
    if len(line) > NESTING_LIMIT and _nested_too_deep(line):
        return None
    try:
        row = orjson.loads(line)
    except orjson.JSONDecodeError:
        return None
    return row if type(row) is dict else None


def _strings(row: dict[str, Any], fields: tuple[str, ...]) -> list[str] | None:
    """Return the values of ``fields`` if all of them are there and strings, else None."""
    try:
        values = [row[field] for field in fields]
    except KeyError:
        return None
    return values if _STRINGS.issuperset(map(type, values)) else None


def _parse(line: bytes) -> dict[str, Any]:
    text = _decode(line)
    if len(line) > NESTING_LIMIT and _nested_too_deep(line):
        raise _RefusedError(phrase("too_deep", limit=NESTING_LIMIT))
    try:
        row = _decode_json(text)
    except json.JSONDecodeError as error:
        detail = f"{error.msg} (column {error.pos + 1})"
        raise _RefusedError(phrase("invalid_json", detail=detail)) from error
    if type(row) is not dict:
        raise _RefusedError(phrase("not_an_object", found=_json_type(row)))
    return row


def _decode(line: bytes) -> str:
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as error:
        for start, kind, advice in _LOOKS_LIKE:
            if line.startswith(start):
                raise _RefusedError(phrase("looks_like", kind=kind, advice=advice)) from error
        byte, position = line[error.start], error.start + 1
        raise _RefusedError(phrase("not_utf8", byte=byte, position=position)) from error


def _refuse_constant(literal: str) -> NoReturn:
    raise _RefusedError(phrase("not_a_number", literal=literal))


_DECODER = json.JSONDecoder(parse_int=_Number, parse_float=_Number, parse_constant=_refuse_constant)


def _decode_json(text: str) -> Any:
    try:
        return _DECODER.decode(text)
    except RecursionError:
        # The caller stands deep in its own stack already; a thread has a fresh one.
        with ThreadPoolExecutor(max_workers=1) as thread:
            return thread.submit(_DECODER.decode, text).result()


def _may_nest_too_deep(lines: list[bytes]) -> bool:
    """Say whether some line could nest too deep: it would have to open and close that many."""
    long = [line for line in lines if len(line) > 2 * NESTING_LIMIT]
    bytes_of_all = np.frombuffer(b"".join(long), dtype=np.uint8)
    openings = np.flatnonzero((bytes_of_all == ord("[")) | (bytes_of_all == ord("{")))
    spans = openings[NESTING_LIMIT:] - openings[:-NESTING_LIMIT]
    # Mostly no line is as long as the shortest stretch with that many.
    if spans.min(initial=len(bytes_of_all)) >= max(map(len, long), default=0):
        return False
    return any(line.count(b"[") + line.count(b"{") > NESTING_LIMIT for line in long)


def _nested_too_deep(line: bytes) -> bool:
    if line.count(b"[") + line.count(b"{") <= NESTING_LIMIT:
        return False
    structure = np.frombuffer(_JSON_STRING.sub(b"", line), dtype=np.uint8)
    opening = np.isin(structure, np.frombuffer(b"[{", dtype=np.uint8))
    closing = np.isin(structure, np.frombuffer(b"]}", dtype=np.uint8))
    depth = np.cumsum(opening.astype(np.int64) - closing)
    return bool(depth.max(initial=0) > NESTING_LIMIT)


def _text_of(value: Any, field: str, fields: tuple[str, ...], file: str, number: int) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, str):
        raise SampleFieldTypeError(
            file=file, line=number, declared_fields=fields, field=field, found=_json_type(value)
        )
    if surrogate := _SURROGATE.search(value):
        reason = phrase("lone_surrogate", field=json.dumps(field), value=ord(surrogate[0]))
        raise SourceParseError(file=file, line=number, reason=reason)
    return str(value)


def _json_type(value: object) -> str:
    names: tuple[tuple[type, str], ...] = (
        (bool, "boolean"),
        (_Number, "number"),
        (str, "string"),
        (list, "array"),
        (dict, "object"),
    )
    return next((name for kind, name in names if isinstance(value, kind)), "null")
