"""The shared-or-mapped rule: a block has one entry for all files, or one entry per file."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from mintdim.shared.errors import MintDimError

T = TypeVar("T")


def check_arity(
    values: Sequence[object], file_count: int, error: Callable[[int, int], MintDimError]
) -> None:
    """Raise ``error(file_count, len(values))`` unless there is one value or one per file."""
    if len(values) not in (1, file_count):
        raise error(file_count, len(values))


def per_file(values: tuple[T, ...], file_count: int) -> tuple[T, ...]:
    """Return one value per file."""
    return values * file_count if len(values) == 1 else values


def as_configured(values: tuple[T, ...], indices: Sequence[int]) -> T | list[T]:
    """Return a shared value itself, a mapped one as the list of the entries at ``indices``."""
    return values[0] if len(values) == 1 else [values[i] for i in indices]
