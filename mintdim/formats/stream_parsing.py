"""Strict reading of JSON objects that came from elsewhere: every key is checked as it is taken."""

from __future__ import annotations

import json
import os
import re
from typing import TYPE_CHECKING, Any, NoReturn

from mintdim.shared.messages import Phrase, phrase

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_DIGEST = re.compile(r"[0-9a-f]{64}")
_LARGEST_COUNT = 2**63 - 1
_SHOWN = 80  # characters of a value that is not what it should be


class IndexProblemError(ValueError):
    """What is wrong with a document; whoever read it knows which file, and raises or reports."""

    def __init__(self, problem: Phrase) -> None:
        super().__init__(str(problem))
        self.problem = problem


class Fields:
    """The keys of one object, taken one after the other; ``rest`` is what nobody took.

    ``place`` stands in front of the key where a problem is named: ``shards[3].``.
    """

    def __init__(self, value: object, place: str = "") -> None:
        if not isinstance(value, dict):
            wrong(place.removesuffix(".") or "JSON", "an_object", value)
        self._values: dict[str, Any] = dict(value)
        self._place = place

    def __contains__(self, key: str) -> bool:
        return key in self._values

    def take(self, key: str, holds: Callable[[Any], bool], expected: str) -> Any:
        """Return the value of ``key``, which must hold; ``expected`` is the code of a phrase."""
        name = f"{self._place}{key}"
        if key not in self._values:
            raise IndexProblemError(phrase("key_missing", name=name))
        value = self._values.pop(key)
        if not holds(value):
            wrong(name, expected, value)
        return value

    def text(self, key: str) -> str:
        """Return a string that can be encoded."""
        return str(self.take(key, is_text, "a_string"))

    def count(self, key: str) -> int:
        """Return an integer from 0."""
        return int(self.take(key, is_count, "a_count"))

    def integer(self, key: str) -> int:
        """Return any integer."""
        return int(self.take(key, lambda value: type(value) is int, "an_integer"))

    def digest(self, key: str) -> str:
        """Return a SHA-256."""
        return str(self.take(key, is_digest, "a_digest"))

    def object(self, key: str) -> dict[str, Any]:
        """Return an object."""
        value: dict[str, Any] = self.take(key, lambda value: isinstance(value, dict), "an_object")
        return value

    def list(self, key: str) -> list[Any]:
        """Return a list."""
        value: list[Any] = self.take(key, lambda value: isinstance(value, list), "a_list")
        return value

    def rest(self) -> dict[str, Any]:
        """Return what is left."""
        return self._values


def read_limited(path: Path, most_bytes: int) -> bytes:
    """Return the content of a file, or one byte more than is allowed; raises ``OSError``."""
    with open(path, "rb") as file:
        # No more than there is: a buffer of the limit would be allocated at once.
        return file.read(min(os.fstat(file.fileno()).st_size, most_bytes) + 1)


def json_object(data: bytes, most_bytes: int) -> dict[str, Any]:
    """Return the object in ``data``; no key twice, no NaN or Infinity, at most ``most_bytes``."""
    if len(data) > most_bytes:
        raise IndexProblemError(phrase("too_many_bytes", found=len(data), most=most_bytes))
    try:
        value = json.loads(
            data.decode("utf-8"), object_pairs_hook=_distinct, parse_constant=_no_constant
        )
    except IndexProblemError:
        raise
    except (ValueError, RecursionError) as error:
        raise IndexProblemError(phrase("unreadable", detail=str(error)[:_SHOWN])) from error
    return Fields(value).rest()


def wrong(name: str, expected: str, value: object) -> NoReturn:
    """Raise the problem of a value that is not what it must be."""
    found = repr(value) if isinstance(value, (str, int, float, bool)) else type(value).__name__
    found = found if len(found) <= _SHOWN else f"{found[:_SHOWN]}…"
    raise IndexProblemError(phrase("wrong_type", name=name, expected=phrase(expected), found=found))


def is_count(value: object) -> bool:
    """Say whether ``value`` is an integer from 0 that numpy can hold."""
    return type(value) is int and 0 <= value <= _LARGEST_COUNT


def is_digest(value: object) -> bool:
    """Say whether ``value`` is a SHA-256 as 64 lower-case hex digits."""
    return isinstance(value, str) and _DIGEST.fullmatch(value) is not None


def is_text(value: object) -> bool:
    """Say whether ``value`` is a string without lone surrogates."""
    if not isinstance(value, str):
        return False
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise IndexProblemError(phrase("key_twice", name=name[:_SHOWN]))
        found[name] = value
    return found


def _no_constant(name: str) -> NoReturn:
    raise IndexProblemError(phrase("not_a_number", literal=name))
