"""The accelerator alone, on texts rendered before; where none may stand in, the official library.

Prints its own figures: reading the texts back is not in them, loading (and, of a ``.model``,
converting) is.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import job

sys.path.append(str(Path(__file__).parents[1]))

import bare

if TYPE_CHECKING:
    from types import SimpleNamespace


def load(tokenizer: Path) -> bare.Encode:
    document = _document(tokenizer)
    if document is None:
        return bare.load(tokenizer)
    from fastokens import Tokenizer

    return Tokenizer.from_json_str(json.dumps(document)).encode_batch_flat


def _document(tokenizer: Path) -> dict | None:
    from mintdim.encoders.accelerators import eligible
    from mintdim.encoders.hf_json import HfJsonEncoder
    from mintdim.encoders.sentencepiece import SentencePieceEncoder

    data = tokenizer.read_bytes()
    official = HfJsonEncoder if tokenizer.suffix == ".json" else SentencePieceEncoder
    plan = eligible(official(data), data)
    return plan and plan().document


def measure(mine: SimpleNamespace) -> dict[str, float]:
    return bare.measure(mine, mine.texts, load)


if __name__ == "__main__":
    print(json.dumps(measure(job.read())))
