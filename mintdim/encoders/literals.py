"""Literal text of templates: the tokenizer should keep it as it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mintdim.shared.log import logger
from mintdim.shared.quoting import quoted

if TYPE_CHECKING:
    from mintdim.encoders.contract import Encoder


def warn_of_lost_literals(
    encoder: Encoder, literals: tuple[str, ...], template: str, pipeline: str
) -> None:
    """Warn of literals that the tokenizer drops or changes.

    That is legal, but people should know what is in the data. ``pipeline`` is named as the one that
    warns.
    """
    last = len(literals) - 1
    shown = [_as_encoded(encoder, text, i > 0, i < last) for i, text in enumerate(literals)]
    changes = [
        f"{quoted(literal)} becomes {quoted(became)}"
        for literal, became in zip(literals, shown, strict=True)
        if literal != became
    ]
    if changes:
        logger.warning(
            "[%s:warning] template %s: the tokenizer changes literal text: %s.",
            pipeline,
            quoted(template),
            ", ".join(changes),
        )


def _as_encoded(encoder: Encoder, literal: str, inside_left: bool, inside_right: bool) -> str:
    """Return what becomes of a literal between letters, where fields stand beside it."""
    left, right = "a" if inside_left else "", "b" if inside_right else ""
    shown = encoder.normalised(left + literal + right)
    # The normaliser may change the letters as well.
    first, last = encoder.normalised(left).strip(), encoder.normalised(right).strip()
    start = shown.find(first) + len(first)
    end = shown.rfind(last) if last else len(shown)
    became = shown[start:end]
    # The space that a model puts before or after every text is no change of the literal.
    return literal if became in (f" {literal}", f"{literal} ") else became
