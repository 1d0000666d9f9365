"""Small tokenizers that are trained in the test session, one per kind that an accelerator takes.

Each is ``(kind, content of its file)``; the text is that of the examples and of the shipped
adversarial texts.
"""

from __future__ import annotations

import functools
import io
import json
from pathlib import Path
from typing import Any

from mintdim.encoders.hf_json import HfJsonEncoder
from mintdim.encoders.sentencepiece import SentencePieceEncoder
from mintdim.encoders.sentencepiece_bytes import NORMAL

DATA = Path(__file__).resolve().parents[2] / "examples" / "data" / "instruction"
ENTRIES = 1_200
LLAMA = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
FREE = r" ?\p{L}+|\p{Nd}| ?[\p{P}\p{S}]+|\s*[\r\n]+|\s+(?!\S)|\s+"
BYTES = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
BARE = BYTES | {"use_regex": False}
DIGITS = {"type": "Digits", "individual_digits": True}
NFC = {"type": "NFC"}
MARKS = ("<|end|>", "<pad>", "wQ", " é", "<|en")


def split(pattern: str, behavior: str = "Isolated", *, invert: bool = False) -> dict[str, Any]:
    return {"type": "Split", "pattern": {"Regex": pattern}, "behavior": behavior, "invert": invert}


def sequence(*parts: dict[str, Any]) -> dict[str, Any]:
    return {"type": "Sequence", "pretokenizers": list(parts)}


@functools.cache
def texts() -> list[str]:
    rows = [
        json.loads(line)
        for path in sorted(DATA.glob("*.jsonl"))
        for line in path.read_text("utf-8").splitlines()[:60]
    ]
    return [value for row in rows for value in row.values() if isinstance(value, str) and value]


@functools.cache
def _byte_level() -> str:
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    library = Tokenizer(models.BPE())
    library.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=ENTRIES, initial_alphabet=alphabet, show_progress=False
    )
    library.train_from_iterator(texts(), trainer)
    return str(library.to_str())


def added(*marks: str, start: int = ENTRIES, **flags: bool) -> list[dict[str, Any]]:
    none = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    return [
        {"id": start + i, "content": mark, "special": True, **none, **flags}
        for i, mark in enumerate(marks)
    ]


def byte_level(model: dict[str, Any] | None = None, **blocks: Any) -> dict[str, Any]:
    """The trained byte-level BPE as a document, with other blocks."""
    document: dict[str, Any] = json.loads(_byte_level())
    document = document | {"added_tokens": added(*MARKS)} | blocks
    return document | {"model": document["model"] | (model or {})}


@functools.cache
def model(*, dummy_prefix: bool = True, **settings: Any) -> bytes:
    """A trained SentencePiece BPE that falls back to bytes and normalises nothing."""
    from sentencepiece import SentencePieceTrainer

    written = io.BytesIO()
    usual: dict[str, Any] = {
        "model_type": "bpe",
        "vocab_size": ENTRIES,
        "byte_fallback": True,
        "normalization_rule_name": "identity",
        "remove_extra_whitespaces": False,
        "character_coverage": 0.995,
        "pad_id": 3,
    }
    SentencePieceTrainer.train(
        sentence_iterator=iter([line for text in texts() for line in text.splitlines()]),
        model_writer=written,
        add_dummy_prefix=dummy_prefix,
        minloglevel=2,
        num_threads=1,
        **usual | settings,
    )
    return written.getvalue()


@functools.cache
def byte_fallback(*, prefix: bool = True) -> str:
    """The same model as a ``tokenizer.json``, with added tokens."""
    pieces = SentencePieceEncoder(model()).all_pieces()
    spaces = {"type": "Replace", "pattern": {"String": " "}, "content": "\u2581"}
    first = [{"type": "Prepend", "prepend": "\u2581"}] if prefix else []
    scores = {piece.text: piece.score for piece in pieces if piece.kind == NORMAL}
    fallback = {"type": "BPE", "byte_fallback": True, "fuse_unk": True, "unk_token": "<unk>"}
    document = {
        "added_tokens": added(*MARKS),
        "normalizer": {"type": "Sequence", "normalizers": [*first, spaces]},
        "model": fallback
        | {
            "vocab": {piece.text: number for number, piece in enumerate(pieces)},
            "merges": [
                [text[:cut], text[cut:]]
                for text in sorted(scores, key=lambda text: -scores[text])
                for cut in range(1, len(text))
                if scores.keys() >= {text[:cut], text[cut:]}
            ],
        },
    }
    return json.dumps(document)


def dumped(document: dict[str, Any]) -> bytes:
    return json.dumps(document).encode()


KINDS = {
    "byte-level": lambda: dumped(byte_level()),
    "byte-level, prefix": lambda: dumped(
        byte_level(pre_tokenizer=BYTES | {"add_prefix_space": True})
    ),
    "byte-level, NFC": lambda: dumped(byte_level(normalizer=NFC)),
    "byte-level, Llama": lambda: dumped(
        byte_level({"ignore_merges": True}, pre_tokenizer=sequence(split(LLAMA), BARE))
    ),
    "byte-level, own pattern": lambda: dumped(
        byte_level(pre_tokenizer=sequence(split(FREE), BARE))
    ),
    "byte-level, digits": lambda: dumped(byte_level(pre_tokenizer=sequence(DIGITS, BYTES))),
    "byte-level, strip": lambda: dumped(
        byte_level(added_tokens=added(*MARKS, lstrip=True, rstrip=True))
    ),
    "byte-level, normalized": lambda: dumped(
        byte_level(normalizer=NFC, added_tokens=added(*MARKS, normalized=True))
    ),
    "byte fallback": lambda: byte_fallback().encode(),
    "byte fallback, no prefix": lambda: byte_fallback(prefix=False).encode(),
    "sentencepiece": model,
    "sentencepiece, no prefix": lambda: model(dummy_prefix=False),
}


def official(data: bytes) -> HfJsonEncoder | SentencePieceEncoder:
    return HfJsonEncoder(data) if data.startswith(b"{") else SentencePieceEncoder(data)
