"""Which patterns of a pre-tokenizer mean the same to two regular expression engines."""

from __future__ import annotations

import re
from typing import Any

# Left out, for they differ: ``^ $ \w \b \h \R \X``, POSIX brackets, nested classes, scripts,
# flags that change ``.``, and ``{1,3}+`` and ``{3}?``, which repeat a repetition to one engine
# and say how greedy it is to the other.
_CATEGORY = r"\\[pP]\{(?:L[ulmot]?|N[dlo]?|M[nce]?|P[cdsefio]?|S[mcko]?|Z[slp]?)\}"
_ESCAPED = rf"{_CATEGORY}|\\[sSdDrnt]|\\[^\w\s]"
_CLASS = rf"\[\^?(?:{_ESCAPED}|(?!&&)[^\\\[\]])+\]"
_GROUP = r"\((?:\?(?:i?:|=|!|<=|<!)|(?!\?))|\)"
_COUNT = r"[?*+]|\{\d+(?:,\d*)?\}(?![+?])"
_PORTABLE = re.compile(rf"(?:{_ESCAPED}|{_CLASS}|{_GROUP}|{_COUNT}|[^\\\[\](){{}}^$.?*+])+")


def is_portable(pattern: Any) -> bool:
    """Say whether a ``pattern`` of a ``tokenizer.json`` is a literal, or an expression that is.

    Proved by comparison over all code points for each of the constructs that are let through; the
    one exception, U+180E as ``\\s``, is dealt with where texts are encoded.
    """
    kind, text = next(iter(pattern.items()))
    return bool(text) if kind == "String" else bool(_PORTABLE.fullmatch(text))
