"""Small checks of the structure of a declared block; each returns what was checked.

They raise through ``error``, which turns a problem into the error of the block.
"""

from collections.abc import Callable
from numbers import Integral
from typing import NoReturn

from mintdim.shared.errors import MintDimError
from mintdim.shared.messages import Phrase, phrase
from mintdim.shared.paths import as_given, is_path, is_usable_path

Error = Callable[[Phrase], MintDimError]

_LARGEST_SEED = 2**64 - 1


def is_missing(value: object) -> bool:
    """Say whether a block argument was left out, or is an empty list."""
    return value is None or (isinstance(value, (list, tuple)) and not value)


def a_list(value: object, name: str, error: Error, expected: str = "a_list") -> list[object]:
    """Return the entries of a list or tuple that is not empty."""
    if not isinstance(value, (list, tuple)):
        wrong_type(name, expected, value, error)
    if not value:
        raise error(phrase("empty", name=name))
    return list(value)


def a_text(value: object, name: str, error: Error) -> str:
    """Return a string that can be encoded."""
    if not isinstance(value, str):
        wrong_type(name, "a_string", value, error)
    if not _encodes(value):
        raise error(phrase("not_text", name=name))
    return str(value)


def a_path(value: object, name: str, error: Error) -> str:
    """Return a path as it was given."""
    if not is_path(value):
        if isinstance(value, str):
            raise error(phrase("empty", name=name))
        wrong_type(name, "a_path", value, error)
    path = str(as_given(value))  # type: ignore[arg-type]
    if not is_usable_path(path):
        raise error(phrase("not_text", name=name))
    return path


def is_positive_int(value: object) -> bool:
    """Say whether ``value`` is an integer above 0; booleans are no integers here."""
    return isinstance(value, Integral) and not isinstance(value, bool) and int(value) > 0


def a_positive_int(value: object, name: str, error: Error) -> int:
    """Return an integer above 0 as a plain ``int``."""
    if not is_positive_int(value):
        raise error(
            phrase("wrong_type", name=name, expected=phrase("a_positive_int"), found=shown(value))
        )
    return int(value)  # type: ignore[call-overload, no-any-return]


def a_count(value: object, name: str, error: Error) -> int:
    """Return an integer from 0 as a plain ``int``."""
    if not is_positive_int(value) and not _is_zero(value):
        raise error(phrase("wrong_type", name=name, expected=phrase("a_count"), found=shown(value)))
    return int(value)  # type: ignore[call-overload, no-any-return]


def a_seed(value: object, name: str, error: Error) -> int:
    """Return an integer from 0 that JSON readers of other languages can hold, too."""
    seed = a_count(value, name, error)
    if seed > _LARGEST_SEED:
        raise error(phrase("too_large", name=name, limit=_LARGEST_SEED, found=shown(value)))
    return seed


def _is_zero(value: object) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool) and int(value) == 0


def shown(value: object) -> str:
    """Return a value for a message; Python refuses to print integers of thousands of digits."""
    try:
        is_number = isinstance(value, Integral) and not isinstance(value, bool)
        return str(int(value)) if is_number else repr(value)  # type: ignore[call-overload]
    except ValueError:
        return "an integer of more digits than can be shown"


def wrong_type(name: str, expected: str, value: object, error: Error) -> NoReturn:
    """Raise ``error`` for a value of the wrong type."""
    found = type(value).__name__
    raise error(phrase("wrong_type", name=name, expected=phrase(expected), found=found))


def _encodes(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
