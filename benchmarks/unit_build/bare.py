"""The official libraries alone: rendered texts in, ids out."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from memory import peak_mb

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator
    from pathlib import Path

Encode = Callable[[list[str]], Any]


def render(arguments: argparse.Namespace, work: Path) -> int:
    """Write the texts of the corpus, lists of them by line; return their bytes in UTF-8."""
    done = 0
    with open(arguments.corpus, "rb") as source, open(work / "texts.json", "wb") as target:
        texts: list[str] = []
        for line in source:
            texts.append(_text(arguments, json.loads(line)))
            done += len(texts[-1].encode())
            if len(texts) == arguments.batch:
                target.write(json.dumps(texts).encode() + b"\n")
                texts = []
        target.write(json.dumps(texts).encode() + b"\n")
    return done


def _text(arguments: argparse.Namespace, row: dict[str, str]) -> str:
    text = str(arguments.template)
    return text.format(**{field: row[field] for field in arguments.fields})


def measure(
    arguments: argparse.Namespace, work: Path, loader: Callable[[Path], Encode] | None = None
) -> dict[str, float]:
    """Load the tokenizer and encode all lists; reading them back does not count."""
    started = time.monotonic()
    library = (loader or load)(arguments.tokenizer)
    wall, start_up, encode = time.monotonic() - started, time.process_time(), 0.0
    for texts in _lists(work):
        before, before_cpu = time.monotonic(), time.process_time()
        library(texts)
        encode += time.process_time() - before_cpu
        wall += time.monotonic() - before
    return {"cpu": start_up + encode, "wall": wall, "mb": peak_mb(), "encode": encode}


def load(tokenizer: Path) -> Encode:
    """Return the function of the library that encodes a list of texts."""
    return _hugging_face(tokenizer) if tokenizer.suffix == ".json" else _sentencepiece(tokenizer)


def _lists(work: Path) -> Iterator[list[str]]:
    with open(work / "texts.json", "rb") as lines:
        for line in lines:
            yield json.loads(line)


def _hugging_face(path: Path) -> Encode:
    from tokenizers import Tokenizer

    library = Tokenizer.from_file(str(path))
    library.no_padding()
    library.no_truncation()
    return lambda texts: [
        encoding.ids for encoding in library.encode_batch_fast(texts, add_special_tokens=False)
    ]


def _sentencepiece(path: Path) -> Encode:
    from sentencepiece import SentencePieceProcessor

    library = SentencePieceProcessor(model_file=str(path))
    return lambda texts: library.encode_as_numpy(
        texts, add_bos=False, add_eos=False, enable_sampling=False, num_threads=1
    )
