"""Tokens as people read them: text as it is, everything invisible escaped."""

from __future__ import annotations

import re

_NAMED = {"\n": r"\n", "\t": r"\t", "\r": r"\r", "\\": r"\\", '"': r"\""}

# Controls, quotes, bytes outside UTF-8, every space but " ", and what has no shape of
# its own or turns the text around it. A fixed list, and not str.isprintable, whose
# answer depends on the Python release: model files carry the result.
_ESCAPED = re.compile(
    '[\x00-\x1f"\\\\\x7f-\xa0\xad\u0600-\u0605\u061c\u1680\u180e\u2000-\u200f\u2028-\u202f'
    "\u205f-\u206f\u3000\ud800-\udfff\ufdd0-\ufdef\ufe00-\ufe0f\ufeff\ufff0-\uffff"
    "\U000e0000-\U000e0fff\U000f0000-\U0010ffff]"
)


def printable(token: bytes) -> str:
    r"""Render ``token`` on one line, between quotes, without loss.

    What is escaped: ``\n``, ``\t``, ``\\``, ``\"``; a character as ``\u200d`` or
    ``\U000e0001``; a byte that is not part of UTF-8 as ``\xe2``.
    """
    text = token.decode("utf-8", "surrogateescape")
    return '"' + _ESCAPED.sub(_escape, text) + '"'


def _escape(match: re.Match[str]) -> str:
    character = match[0]
    code = ord(character)
    if character in _NAMED:
        return _NAMED[character]
    if 0xDC80 <= code <= 0xDCFF:
        return rf"\x{code - 0xDC00:02x}"
    return rf"\u{code:04x}" if code < 0x10000 else rf"\U{code:08x}"
