"""Times: ISO 8601 text ↔ microseconds since 1970 in UTC.

Dates are written as ``2026-10-10``, ``20261010`` or ``2026-W41-6``, times of day behind ``T`` or a
space, with any fraction of a second (cut to microseconds); a zone is ``Z`` or an offset. A shape is
checked here before the standard library reads it, because what that takes differs between versions
of Python.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, tzinfo
from functools import lru_cache
from zoneinfo import ZoneInfo

_DATE = r"(?:\d{4}-\d\d-\d\d|\d{8}|\d{4}-W\d\d(?:-\d)?|\d{4}W\d{2,3})"
_TIME = r"(?:[01]\d|2[0-3])(?::\d\d(?::\d\d(?:[.,]\d+)?)?|\d\d(?:\d\d(?:[.,]\d+)?)?)?"
_ZONE = r"(?:Z|[+-]\d\d(?::?\d\d(?::?\d\d)?)?)"
_ISO_8601 = re.compile(rf"{_DATE}(?:[T ]{_TIME}{_ZONE}?)?", re.ASCII)
_EPOCH = datetime(1970, 1, 1)
_MICROSECOND = timedelta(microseconds=1)
_NONE = timedelta()
_FIRST = (datetime.min - _EPOCH) // _MICROSECOND
_LAST = (datetime.max - _EPOCH) // _MICROSECOND


@lru_cache(maxsize=16)
def zone_of(name: str) -> tzinfo:
    """Return a time zone by its IANA name.

    Raises ``ValueError``, ``KeyError`` or ``OSError`` for a name that this machine does not know.
    """
    return UTC if name == "UTC" else ZoneInfo(name)


def microseconds(text: str, zone: tzinfo) -> int | None:
    """Return the time in ``text``, None where there is none; without a zone it is in ``zone``.

    A local time that occurs twice, or never, when clocks change is taken with the offset that
    holds before the change.
    """
    text = text.upper()
    if _ISO_8601.fullmatch(text) is None:
        return None
    try:
        time = datetime.fromisoformat(text)
        offset = _offset(time, zone)
    except (ValueError, OverflowError):
        return None
    if time.tzinfo is not None:
        time = time.replace(tzinfo=None)
    moment = (time - _EPOCH - offset) // _MICROSECOND
    return moment if _FIRST <= moment <= _LAST else None


def _offset(time: datetime, zone: tzinfo) -> timedelta:
    if time.tzinfo is None:
        if zone is UTC:
            return _NONE
        time = time.replace(tzinfo=zone)
    return time.utcoffset() or _NONE


def written(moment: int) -> str:
    """Return a time as it is written into an index: ISO 8601, UTC, without a zone."""
    return (_EPOCH + moment * _MICROSECOND).isoformat()
