"""The 256 characters that stand for bytes in byte-level BPE (as GPT-2 introduced them)."""

from __future__ import annotations


def _alphabet() -> tuple[str, ...]:
    shown = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    others = iter(range(256, 512))
    return tuple(chr(byte if byte in shown else next(others)) for byte in range(256))


BYTE_ALPHABET = _alphabet()


def written(data: bytes) -> str:
    """Return bytes as byte-level BPE writes them in its vocabulary."""
    return "".join([BYTE_ALPHABET[byte] for byte in data])
