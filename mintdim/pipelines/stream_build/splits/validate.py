"""Rules of the splits block, and of what counts as now."""

from __future__ import annotations

import time
from datetime import datetime
from math import isfinite
from numbers import Real
from typing import TYPE_CHECKING, Any, get_args

from mintdim.pipelines.stream_build.config import (
    BordersOver,
    Fraction,
    Future,
    NoSplits,
    PerLanguageCount,
    Splits,
)
from mintdim.shared.errors import SplitsValidationError
from mintdim.shared.messages import Phrase, phrase
from mintdim.shared.structure import a_count, a_seed, shown
from mintdim.shared.times import microseconds, zone_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_SECOND = 10**6  # microseconds
_LAST_SECOND = 253_402_300_799  # of the year 9999


def check_structure(kind: str, values: dict[str, Any]) -> Splits:
    """Return the block with what was left out filled in.

    Raises ``SplitsValidationError``.
    """
    return _KINDS[kind](**values)


def check_documents(splits: Splits, *, has_times: bool) -> None:
    """Raise ``SplitsValidationError`` if documents have no times, but are split by them."""
    if isinstance(splits, PerLanguageCount) and not has_times:
        raise _error(phrase("needs", name="per_language_count", needed="documents(time=...)"))


def moment_of(as_of: object, time_zone: str, environment: Mapping[str, str]) -> int:
    """Return what counts as now: ``as_of``, else ``SOURCE_DATE_EPOCH``, else the clock's second.

    Raises ``SplitsValidationError``.
    """
    if as_of is not None:
        return _declared(as_of, time_zone)
    seconds = environment.get("SOURCE_DATE_EPOCH")
    if seconds is None:
        return int(time.time()) * _SECOND
    if not (seconds.isascii() and seconds.isdigit() and len(seconds) < 20):
        raise _error(phrase("not_epoch_seconds", found=repr(seconds)))
    if int(seconds) > _LAST_SECOND:
        raise _error(phrase("not_epoch_seconds", found=repr(seconds)))
    return int(seconds) * _SECOND


def _declared(as_of: object, time_zone: str) -> int:
    text = as_of.isoformat() if isinstance(as_of, datetime) else as_of
    moment = microseconds(text, zone_of(time_zone)) if isinstance(text, str) else None
    if moment is None:
        raise _error(phrase("not_a_time", name="as_of", found=shown(as_of)))
    return moment


def _per_language_count(
    *, test_docs: object, val_docs: object, future: object, borders: object
) -> PerLanguageCount:
    return PerLanguageCount(
        test_docs=a_count(test_docs, "test_docs", _error),
        val_docs=a_count(val_docs, "val_docs", _error),
        future=_choice(future, "future", get_args(Future)),
        borders=_choice(borders, "borders", get_args(BordersOver)),
    )


def _fraction(*, val: object, test: object, seed: object) -> Fraction:
    splits = Fraction(_share(val, "val"), _share(test, "test"), a_seed(seed, "seed", _error))
    if splits.val + splits.test >= 1:
        raise _error(phrase("fractions_too_large", found=splits.val + splits.test))
    return splits


def _none() -> NoSplits:
    return NoSplits()


def _choice(value: object, name: str, choices: tuple[str, ...]) -> Any:
    if value is None:
        return choices[0]
    if not isinstance(value, str) or value not in choices:
        expected = ", ".join(map(repr, choices))
        raise _error(phrase("not_a_choice", name=name, expected=expected, found=shown(value)))
    return value


def _share(value: object, name: str) -> float:
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    number = float(value) if is_number else -1.0  # type: ignore[arg-type]
    if not (isfinite(number) and 0 <= number < 1):
        raise _error(phrase("not_a_fraction", name=name, found=shown(value)))
    return number


def _error(problem: Phrase) -> SplitsValidationError:
    return SplitsValidationError(problem=problem)


_KINDS: dict[str, Callable[..., Splits]] = {
    "per_language_count": _per_language_count,
    "fraction": _fraction,
    "none": _none,
}
