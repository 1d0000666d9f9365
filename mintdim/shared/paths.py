"""Paths: recorded as given, used as absolute, compared as real."""

import os

from mintdim.shared.errors import (
    MintDimFileNotFoundError,
    NotAFileError,
    OutputNotADirectoryError,
    OutputValidationError,
    OutputWriteError,
)
from mintdim.shared.messages import os_reason
from mintdim.shared.types import StrPath


def as_given(path: StrPath) -> str:
    """Return the spelling of ``path`` that outputs record."""
    return os.fspath(path)


def shown_name(path: str) -> str:
    """Return the name of a file without its folders; bytes that are no text become escapes."""
    return os.path.basename(path).encode("utf-8", "backslashreplace").decode()


def is_path(value: object) -> bool:
    """Say whether ``value`` is a non-empty text path (``bytes`` paths are refused)."""
    if not isinstance(value, (str, os.PathLike)):
        return False
    try:
        text = os.fspath(value)
    except Exception:  # a path object of the user's own may raise anything
        return False
    return isinstance(text, str) and text != ""


def is_usable_path(path: str) -> bool:
    """Say whether the operating system could have a file of that name at all."""
    try:
        return b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:
        return False


def absolute(path: str) -> str:
    """Return ``path`` resolved against the current working directory.

    Raises ``MintDimFileNotFoundError`` if that directory is gone.
    """
    try:
        return os.path.abspath(path)
    except OSError as error:
        raise MintDimFileNotFoundError(context="working directory", file=path) from error


def require_file(path: str, context: str) -> str:
    """Return the absolute path of an existing regular file.

    Raises ``MintDimFileNotFoundError``, or ``NotAFileError`` where something else stands there.
    """
    if not os.path.exists(path):
        raise MintDimFileNotFoundError(context=context, file=path)
    if not os.path.isfile(path):
        raise NotAFileError(context=context, file=path)
    return absolute(path)


def require_new_directory(directory: str) -> None:
    """Check that nothing, or an empty directory, stands where a dataset will go.

    Raises ``OutputValidationError``, ``OutputNotADirectoryError`` or ``OutputWriteError``.
    """
    existing = resolved = absolute(directory)
    while not os.path.lexists(existing):
        existing = os.path.dirname(existing)
    if not os.path.isdir(existing):
        raise OutputNotADirectoryError(directory=directory)
    if existing == resolved and entries_of(directory):
        raise OutputValidationError(directory=directory)


def entries_of(directory: str) -> list[str]:
    """Return the names in an output directory; raises ``OutputWriteError``."""
    try:
        return os.listdir(directory)
    except OSError as error:
        reason = os_reason(error)
        raise OutputWriteError(path=directory, reason=reason) from error


def same_or_nested(first: str, second: str) -> bool:
    """Say whether two directories, symbolic links resolved, are equal or one holds the other."""
    a, b = (os.path.normcase(os.path.realpath(path)) for path in (first, second))
    return os.path.commonpath([a, b]) in (a, b) if _same_drive(a, b) else False


def _same_drive(a: str, b: str) -> bool:
    return os.path.splitdrive(a)[0] == os.path.splitdrive(b)[0]
