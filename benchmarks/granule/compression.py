"""Experiment 1: how far text shrinks, and how much of the vocabulary others share.

Our tokenizers learn from the first three quarters of every corpus and are measured on
the rest: unseen text, but of the same kind. The published encodings never saw this choice,
have three to twenty times the vocabulary, and serve all of the web; read the figures so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from benchmarks.granule import metrics
from benchmarks.granule.baselines import RANKS, published
from benchmarks.granule.corpora import CORPORA, parts
from mintdim.bpe import Tokenizer

if TYPE_CHECKING:
    from collections.abc import Callable


def trained(vocab_size: int) -> Tokenizer:
    """Return a tokenizer that has learned the first part of the eight main corpora."""
    return Tokenizer.train((parts(corpus.text())[0] for corpus in CORPORA[:8]), vocab_size)


def measure(sizes: tuple[int, ...]) -> dict[str, Any]:
    """Return all figures by corpus and by tokenizer."""
    ours = {f"granule {size // 1000}k": trained(size) for size in sizes}
    others = {name: published(name) for name in RANKS}
    encoders: dict[str, Callable[[str], list[int]]] = {
        **{name: tokenizer.encode for name, tokenizer in ours.items()},
        **{name: encoding.encode_ordinary for name, encoding in others.items()},
    }
    vocabularies = {name: set(other.token_byte_values()) for name, other in others.items()}
    return {
        "vocab_size": {
            **{name: tokenizer.vocab_size for name, tokenizer in ours.items()},
            **{name: other.n_vocab for name, other in others.items()},
        },
        "corpora": {c.name: _figures(parts(c.text())[1], encoders) for c in CORPORA},
        "overlap": {
            name: {
                other: metrics.overlap(_learned(tokenizer), vocabulary)
                for other, vocabulary in vocabularies.items()
            }
            for name, tokenizer in ours.items()
        },
    }


def _learned(tokenizer: Tokenizer) -> list[bytes]:
    return [tokenizer.token_bytes(256 + rank) for rank in range(len(tokenizer.merges))]


def _figures(text: str, encoders: dict[str, Callable[[str], list[int]]]) -> dict[str, Any]:
    counts = {name: len(encode(text)) for name, encode in encoders.items()}
    return {
        name: {
            "tokens": count,
            "chars_per_token": metrics.chars_per_token(text, count),
            "bytes_per_token": metrics.bytes_per_token(text, count),
            "fertility": metrics.fertility(text, count),
        }
        for name, count in counts.items()
    }
