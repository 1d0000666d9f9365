"""The printable stand-ins for bytes in ``tokenizer.json`` and GPT-2's files.

Bytes that print in Latin-1 stand for themselves, the other 68 for U+0100 and up, in
order. Source: ``bytes_to_unicode`` in ``src/encoder.py`` of openai/gpt-2, at 9b63575.
"""

from __future__ import annotations

from itertools import count

_SHOWN = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}


def byte_alphabet() -> list[str]:
    """Return the stand-in of each byte, by value."""
    spare = count(0x100)
    return [chr(value if value in _SHOWN else next(spare)) for value in range(256)]


def spelled(token: bytes, alphabet: list[str]) -> str:
    """Return ``token`` in the stand-ins of its bytes."""
    return "".join(alphabet[value] for value in token)
