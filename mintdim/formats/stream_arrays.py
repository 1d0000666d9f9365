"""Documents in a stream of tokens: every document is followed by one EOS, which belongs to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from mintdim.formats.shards import IntArray, TokenArray

CodeArray = npt.NDArray[np.uint8]

# Tokens that are compared at once: what stands between this and a whole shard is memory.
BLOCK_TOKENS = 2**20


def document_ends(tokens: TokenArray, eos_id: int) -> npt.NDArray[np.uint32]:
    """Return the positions of all EOS in ``tokens`` [t], ascending [documents].

    Works block by block, so that a mapped file of any size needs memory for its documents only
    (4 bytes each). A shard has fewer than 2**32 tokens.
    """
    found = [
        np.flatnonzero(tokens[start : start + BLOCK_TOKENS] == eos_id).astype(np.uint32) + start
        for start in range(0, len(tokens), BLOCK_TOKENS)
    ]
    return np.concatenate([np.empty(0, dtype=np.uint32), *found], dtype=np.uint32)


def document_lengths(ends: npt.NDArray[Any]) -> IntArray:
    """Return the tokens of every document, EOS included [documents]."""
    lengths: IntArray = ends.astype(np.int64)
    lengths[1:] -= ends[:-1]
    lengths[:1] += 1
    return lengths


def document_of_tokens(ends: npt.NDArray[Any], positions: IntArray) -> IntArray:
    """Return the document that each position of a stream lies in, same shape as ``positions``.

    ``ends``: see ``document_ends``. A document has as its number the EOS before it.
    """
    return np.searchsorted(ends, positions, side="left")


def codes_of_tokens(ends: npt.NDArray[Any], codes: CodeArray) -> CodeArray:
    """Return the language code of every token [t] from those of the documents [documents]."""
    return np.repeat(codes, document_lengths(ends))
