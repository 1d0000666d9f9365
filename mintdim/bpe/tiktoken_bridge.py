"""Export to an encoding of the ``tiktoken`` library, in memory.

tiktoken raises on special tokens in a text unless ``disallowed_special=()``, and replaces
lone surrogates by U+FFFD, silently.
"""

from __future__ import annotations

from typing import Any

from mintdim.bpe.model_file import Model, token_table
from mintdim.bpe.patterns import CANONICAL
from mintdim.bpe.special_tokens import refuse_surrogates


def tiktoken_encoding(model: Model, name: str) -> Any:
    """Return a ``tiktoken.Encoding``; ``ValueError`` for a special token tiktoken cannot hold."""
    try:
        import tiktoken
    except ImportError:
        raise ImportError("to_tiktoken needs tiktoken: pip install tiktoken") from None
    tokens = token_table(model.merges)
    for text in model.special_tokens:
        refuse_surrogates(text)
    return tiktoken.Encoding(
        name,
        pat_str=CANONICAL[model.pattern],
        mergeable_ranks={token: rank for rank, token in enumerate(tokens)},
        special_tokens={text: len(tokens) + n for n, text in enumerate(model.special_tokens)},
    )
