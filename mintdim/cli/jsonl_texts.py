"""Texts from JSON lines, for ``granule train --jsonl``."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

_FIELD = re.compile(r"\{([^{}]*)\}")


def jsonl_texts(paths: Iterable[Path], template: str) -> Iterator[str]:
    """Yield ``template`` with every ``{field}`` replaced, once per record.

    Fields must be strings. Empty lines are passed over. Raises ``ValueError`` naming
    file and line for anything else.
    """
    names = _FIELD.findall(template)
    if not names:
        raise ValueError(f"template {template!r} names no {{field}} of the records")
    for path in paths:
        for number, line in _lines(path):
            values = _values(path, number, line, names)
            yield _FIELD.sub(lambda field, values=values: values[field[1]], template)  # type: ignore[misc]


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    yield number, line
    except OSError as error:
        raise ValueError(f"corpus file {path} cannot be read: {error.strerror}") from None


def _values(path: Path, number: int, line: bytes, names: list[str]) -> dict[str, str]:
    try:
        record = json.loads(line.decode())
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path}, line {number}: not JSON: {error}") from None
    if not isinstance(record, dict):
        raise ValueError(f"{path}, line {number}: expected a JSON object")
    for name in names:
        if not isinstance(record.get(name), str):
            raise ValueError(f"{path}, line {number}: field {name!r} is missing or not a string")
    return {name: record[name] for name in names}
