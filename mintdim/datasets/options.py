"""The options of a batch loader, checked once and kept as plain values."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any

from mintdim.shared.errors import DatasetArgumentError
from mintdim.shared.messages import phrase
from mintdim.shared.structure import is_positive_int, shown

_MOST_BITS = 128  # of an integer; Python prints none of thousands of digits


@dataclass(frozen=True, slots=True)
class BatchOptions:
    """All that decides which samples stand in which batch; part of the state."""

    batch_size: int | None
    tokens_per_batch: int | None
    shuffle: bool
    seed: int
    group: int
    drop_last: bool
    duplicates: str
    drop_padding: bool

    def samples_per_batch(self, unit_size: int) -> int:
        """Return the samples of a full batch of one unit size."""
        if self.batch_size is not None:
            return self.batch_size
        rows = (self.tokens_per_batch or 0) // unit_size
        if not rows:
            facts = {"tokens": self.tokens_per_batch, "size": unit_size}
            raise DatasetArgumentError(problem=phrase("batch_below_unit", **facts))
        return rows


def checked_options(
    *,
    batch_size: object,
    tokens_per_batch: object,
    shuffle: object,
    seed: object,
    group: object,
    drop_last: object,
    duplicates: object,
    drop_padding: object,
) -> BatchOptions:
    """Return the options as plain values of Python, whatever kind of integer was given.

    Raises ``DatasetArgumentError``.
    """
    if (batch_size is None) == (tokens_per_batch is None):
        raise DatasetArgumentError(problem=phrase("one_batch_size"))
    if not isinstance(duplicates, str) or duplicates not in ("keep", "first"):
        problem = phrase("duplicates_choice", found=shown(duplicates))
        raise DatasetArgumentError(problem=problem)
    by_tokens = batch_size is None
    return BatchOptions(
        batch_size=None if by_tokens else positive("batch_size", batch_size),
        tokens_per_batch=positive("tokens_per_batch", tokens_per_batch) if by_tokens else None,
        shuffle=_flag("shuffle", shuffle),
        seed=integer("seed", seed),
        group=positive("group", group),
        drop_last=_flag("drop_last", drop_last),
        duplicates=duplicates,
        drop_padding=_flag("drop_padding", drop_padding),
    )


def checked_rank(group: int, rank: object, world_size: object) -> tuple[int, int]:
    """Return rank and world size; raises ``DatasetArgumentError``."""
    world = positive("world_size", world_size)
    if not _is_integer(rank) or not 0 <= int(rank) < world:  # type: ignore[call-overload]
        problem = phrase("rank_range", rank=shown(rank), world_size=world)
        raise DatasetArgumentError(problem=problem)
    if group % world:
        problem = phrase("group_multiple", group=group, world_size=world)
        raise DatasetArgumentError(problem=problem)
    return int(rank), world  # type: ignore[call-overload]


def positive(name: str, value: object) -> int:
    """Return an integer above 0; raises ``DatasetArgumentError``."""
    if not is_positive_int(value):
        raise _wrong(name, phrase("a_positive_int"), value)
    return int(value)  # type: ignore[call-overload, no-any-return]


def integer(name: str, value: object, at_least: int | None = None) -> int:
    """Return an integer that a message and a state can hold; raises ``DatasetArgumentError``."""
    if not _is_integer(value) or (at_least is not None and int(value) < at_least):  # type: ignore[call-overload]
        raise _wrong(name, "int" if at_least is None else f"int >= {at_least}", value)
    if int(value).bit_length() > _MOST_BITS:  # type: ignore[call-overload]
        raise _wrong(name, f"int of at most {_MOST_BITS} bits", value)
    return int(value)  # type: ignore[call-overload, no-any-return]


def _flag(name: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise _wrong(name, "bool", value)
    return value


def _is_integer(value: object) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)


def _wrong(name: str, expected: Any, value: object) -> DatasetArgumentError:
    problem = phrase("wrong_type", name=name, expected=expected, found=shown(value))
    return DatasetArgumentError(problem=problem)
