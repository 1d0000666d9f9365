"""Special tokens: texts that stand for one id, and only where the caller allows it."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence


def checked(special_tokens: Sequence[str] | None) -> tuple[str, ...]:
    """Return the special tokens as a tuple, or raise ``ValueError`` for unusable ones."""
    if isinstance(special_tokens, str):
        raise ValueError(f"special_tokens must be a list of str; write [{special_tokens!r}]")
    tokens = tuple(special_tokens or ())
    for token in tokens:
        if not isinstance(token, str) or not token:
            raise ValueError(f"a special token must be a non-empty str, not {token!r}")
        if tokens.count(token) > 1:
            raise ValueError(f"special token {token!r} is listed more than once")
    return tokens


def refuse_surrogates(token: str) -> None:
    """Raise ``ValueError`` for a text that libraries bound to valid UTF-8 cannot hold."""
    try:
        token.encode()
    except UnicodeEncodeError:
        raise ValueError(
            f"special token {token!r} cannot be exported: it holds a lone surrogate"
        ) from None


def cut(
    text: str, special_ids: Mapping[str, int], allowed: Collection[str] | None
) -> Iterator[tuple[str, int | None]]:
    """Yield ``text`` in parts, each with its special id, or ``None`` for ordinary text.

    Where several allowed tokens start at one place, the longest is taken.
    """
    if not allowed:
        yield text, None
        return
    start = 0
    for match in _finder(_known(special_ids, allowed)).finditer(text):
        yield text[start : match.start()], None
        yield match[0], special_ids[match[0]]
        start = match.end()
    yield text[start:], None


def _known(special_ids: Mapping[str, int], allowed: Collection[str]) -> frozenset[str]:
    if isinstance(allowed, str):
        raise ValueError(f"allowed_special must be a set of str; write {{{allowed!r}}}")
    wanted = frozenset(allowed)
    if unknown := sorted(map(repr, wanted.difference(special_ids))):
        listed = ", ".join(map(repr, special_ids)) or "none"
        raise ValueError(
            f"allowed_special names {', '.join(unknown)}, which this tokenizer "
            f"does not have; its special tokens are: {listed}"
        )
    return wanted


@lru_cache(maxsize=64)
def _finder(tokens: frozenset[str]) -> re.Pattern[str]:
    longest_first = sorted(tokens, key=lambda token: (-len(token), token))
    return re.compile("|".join(map(re.escape, longest_first)))
