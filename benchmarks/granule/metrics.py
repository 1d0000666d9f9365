"""Figures about how a text was cut into tokens. Pure functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable


def chars_per_token(text: str, tokens: int) -> float:
    """Code points per token; more is better."""
    return len(text) / tokens


def bytes_per_token(text: str, tokens: int) -> float:
    """UTF-8 bytes per token; more is better. Scripts of three-byte letters score high."""
    return len(text.encode()) / tokens


def fertility(text: str, tokens: int) -> float:
    """Tokens per word, where words are what white space separates; fewer is better.

    Misleading for scripts that put no space between words (Japanese, Thai): their "words"
    are sentences, and the figure says how long those are.
    """
    return tokens / len(text.split())


def overlap(learned: Iterable[bytes], vocabulary: Collection[bytes]) -> float:
    """Fraction of the learned tokens that the other vocabulary has too."""
    found = [token in vocabulary for token in learned]
    return sum(found) / len(found)
