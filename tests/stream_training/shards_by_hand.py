"""A small stream dataset, written from the description of the format alone.

Ids 3 to 39 in texts that repeat a short phrase, one phrase per language, so that a model has
something to learn; EOS is 2. Train has three shards, val two, test none.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from pathlib import Path

EOS = 2
VOCABULARY = 40
LANGUAGES = ["en", "ja", "hi"]
PHRASES = [[5, 6, 7, 8, 9], [20, 21, 22], [30, 33, 31, 34, 32, 35, 36]]
DOCUMENTS = {"train_000": 90, "train_001": 60, "train_002": 40, "val_000": 30, "val_001": 20}

Document = tuple[list[int], int]  # ids without EOS, code of the language


def document(number: int) -> Document:
    """Document 6, 13, … has no tokens; the others repeat their phrase from some place in it."""
    code = number % 5 % 3
    length = 0 if number % 7 == 6 else 4 + number * 5 % 23
    phrase = PHRASES[code]
    return [phrase[(number + place) % len(phrase)] for place in range(length)], code


def documents() -> dict[str, list[Document]]:
    """All documents of every shard."""
    made, first = {}, 0
    for name, count in DOCUMENTS.items():
        made[name] = [document(number) for number in range(first, first + count)]
        first += count
    return made


def write(
    folder: Path,
    splits: tuple[str, ...] = ("train", "val"),
    languages: list[str] = LANGUAGES,
) -> Path:
    """Write the shards of some splits, and the index."""
    folder.mkdir(parents=True)
    shards = [
        write_shard(folder, name, made, languages)
        for name, made in documents().items()
        if name.startswith(splits)
    ]
    index = {
        "tokenizer": "by_hand.model",
        "dtype": "uint16",
        "shard_tokens": 5_000,
        "seed": 1,
        "created": "2026-10-10T00:00:00",
        "boundaries": {"mode": "none"},
        "shards": shards,
        "tokenizer_sha256": "0" * 64,
        "vocab_size": VOCABULARY,
        "eos_id": EOS,
        "lang_codes": languages,
        "format_version": 1,
    }
    (folder / "shards_index.json").write_text(json.dumps(index, indent=2))
    return folder


def write_shard(
    folder: Path, name: str, made: list[Document], languages: list[str]
) -> dict[str, Any]:
    """Write ``.bin``, ``.bin.json`` and, but for train, ``.langs.u8``; return the entry."""
    stream = np.array([number for ids, _ in made for number in [*ids, EOS]], dtype="<u2").tobytes()
    (folder / f"{name}.bin").write_bytes(stream)
    tokens = {
        language: sum(len(ids) + 1 for ids, found in made if found == code)
        for code, language in enumerate(languages)
    }
    entry: dict[str, Any] = {
        "name": f"{name}.bin",
        "split": name.split("_")[0],
        "tokens": sum(tokens.values()),
        "docs": len(made),
        "sha256": hashlib.sha256(stream).hexdigest(),
        "langs": tokens,
    }
    if not name.startswith("train"):
        codes = bytes(code for _, code in made)
        (folder / f"{name}.langs.u8").write_bytes(codes)
        entry["langs_sha256"] = hashlib.sha256(codes).hexdigest()
    (folder / f"{name}.bin.json").write_text(json.dumps(entry, indent=2))
    return entry
