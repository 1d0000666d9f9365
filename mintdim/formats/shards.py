"""Shards: fixed-width records of little-endian token ids.

The record of the k-th sample of a shard starts at byte ``k * unit_size * bytes_per_token``;
its first ``token_count`` slots hold the tokens, the rest hold the PAD id.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from mintdim.shared.errors import TokenDTypeValidationError

if TYPE_CHECKING:
    from mintdim.shared.types import TokenDType

TokenArray = npt.NDArray[np.unsignedinteger[Any]]
IntArray = npt.NDArray[np.int64]

_LITTLE_ENDIAN: dict[TokenDType, str] = {"uint16": "<u2", "uint32": "<u4"}
_UINT16_VOCABULARY = 65_535
_UINT32_VOCABULARY = 2**32


def token_dtype(vocab_size: int, uint16_up_to: int = _UINT16_VOCABULARY) -> TokenDType:
    """Return the storage type for ids below ``vocab_size`` (entries, or largest id + 1).

    ``uint16_up_to``: the largest vocabulary that the layout stores as uint16.

    Raises ``TokenDTypeValidationError`` where uint32 is too small.
    """
    if vocab_size <= uint16_up_to:
        return "uint16"
    if vocab_size <= _UINT32_VOCABULARY:
        return "uint32"
    raise TokenDTypeValidationError(vocab_size=vocab_size)


def numpy_dtype(dtype: TokenDType) -> np.dtype[Any]:
    """Return the little-endian numpy type of the slots of a shard."""
    return np.dtype(_LITTLE_ENDIAN[dtype])


def bytes_per_token(dtype: TokenDType) -> int:
    """Return the width of one slot in bytes."""
    return numpy_dtype(dtype).itemsize


def record_bytes(unit_size: int, dtype: TokenDType) -> int:
    """Return the width of one record in bytes."""
    return unit_size * bytes_per_token(dtype)


def padded_rows(
    tokens: TokenArray, starts: IntArray, lengths: IntArray, unit_size: int, pad_id: int
) -> TokenArray:
    """Lay samples out as records.

    ``tokens`` [t] flat in the storage type; the i-th sample is ``lengths[i]`` tokens (at most
    ``unit_size``) from ``starts[i]`` on. Returns [n, unit_size] of the same type, padded on the
    right with ``pad_id``.
    """
    rows = np.full((len(lengths), unit_size), pad_id, dtype=tokens.dtype)
    # A copy per sample: half the time of indices per token, unless samples are very short.
    source, target = tokens.view(np.uint8).data, rows.reshape(-1).view(np.uint8).data
    width = tokens.itemsize
    begins, counts = (starts * width).tolist(), (lengths * width).tolist()
    places = range(0, target.nbytes, unit_size * width)
    for place, begin, count in zip(places, begins, counts, strict=True):
        target[place : place + count] = source[begin : begin + count]
    return rows


def to_storage(ids: npt.NDArray[Any], dtype: np.dtype[Any]) -> TokenArray:
    """Return ids [t] in the storage type; never modulo its range.

    Raises ``TokenDTypeValidationError`` for an id that the type cannot hold.
    """
    largest = int(ids.max(initial=0))
    if largest > np.iinfo(dtype).max:
        raise TokenDTypeValidationError(vocab_size=largest + 1)
    return ids.astype(dtype)
