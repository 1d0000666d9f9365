"""Literal text of templates: the tokenizer must cover it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mintdim.shared.errors import TemplateTokenizerError

if TYPE_CHECKING:
    from mintdim.encoders.contract import Encoder


def check_covered(
    encoder: Encoder, literals: tuple[str, ...], template: str, file_index: int
) -> None:
    """Encode every literal of a template once.

    Raises ``TemplateTokenizerError`` where one gives UNK.
    """
    for literal in filter(None, literals):
        if _gives_unk(encoder, literal):
            raise TemplateTokenizerError(file_index=file_index, template=template, literal=literal)


def _gives_unk(encoder: Encoder, literal: str) -> bool:
    try:
        return bool((encoder.encode_batch([literal]).ids == encoder.unk_id).any())
    except ValueError:  # what the library refuses to encode, it does not cover
        return True
