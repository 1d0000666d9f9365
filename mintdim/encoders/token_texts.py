"""The text that each token of a sample adds: token boundaries for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mintdim.encoders.contract import Encoder

_INCOMPLETE = "\ufffd"  # what libraries write for bytes that are no whole character yet


def token_texts(encoder: Encoder, ids: Sequence[int]) -> list[str]:
    """Return what every token adds to the decoded text; joined, they are that text.

    A token that ends inside a character adds nothing; the one that completes it adds it. Decodes
    every prefix, so it is meant for single samples.
    """
    texts: list[str] = []
    shown = ""
    for end in range(1, len(ids) + 1):
        text = encoder.decode(list(ids[:end]))
        whole = text if end == len(ids) else text.rstrip(_INCOMPLETE)
        texts.append(whole[len(shown) :] if whole.startswith(shown) else "")
        shown = whole if whole.startswith(shown) else shown
    return texts
