"""Lines that have everything: several units, duplicates, UNK, texts of all lengths."""

from __future__ import annotations

import worlds

TEXTS = ["a", "b", "abc", "ß语", "a", "abcdefgh", "xyz" * 5, "abc", "a", "q ß r", "b", "the end"]


def lines(copies: int = 1) -> bytes:
    return worlds.jsonl(*({"text": text} for text in TEXTS * copies))
