"""The ``.vocab`` sidecar: every token on a line, for people. Nothing reads it back."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from mintdim.bpe.model_file import Model, token_table, write_whole
from mintdim.bpe.printable import printable
from mintdim.bpe.words import BYTE_COUNT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def write_vocab(path: Path, model: Model) -> None:
    """Write id, token and origin of each token, separated by tabs."""
    write_whole(path, "".join(f"{line}\n" for line in _rows(model)).encode())


def _rows(model: Model) -> Iterator[str]:
    tokens = token_table(model.merges)
    for number, token in enumerate(tokens[:BYTE_COUNT]):
        yield f"{number}\t{printable(token)}\tbyte"
    for number, (left, right) in enumerate(model.merges, BYTE_COUNT):
        yield f"{number}\t{printable(tokens[number])}\t{left} + {right}"
    for number, text in enumerate(model.special_tokens, len(tokens)):
        yield f"{number}\t{json.dumps(text)}\tspecial"
