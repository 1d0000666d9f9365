"""One batch: rows of one unit size laid out for training, padded or flat."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from mintdim.formats.shards import IntArray, TokenArray

Batch = dict[str, Any]

IGNORED_LABEL = -100  # the value that torch's cross-entropy skips


def padded_batch(rows: TokenArray, lengths: IntArray) -> Batch:
    """Return ``input_ids``, ``labels``, ``attention_mask`` [b, unit_size] of rows [b, unit_size].

    ``lengths`` [b]: tokens of every row.
    """
    mask = _mask(rows, lengths)
    input_ids = rows.astype(np.int64)
    labels = np.where(mask, input_ids, IGNORED_LABEL)
    return {"input_ids": input_ids, "labels": labels, "attention_mask": mask}


def flat_batch(rows: TokenArray, lengths: IntArray) -> Batch:
    """Return the tokens of rows one after the other, without padding.

    ``input_ids``, ``labels``, ``position_ids`` [t]; ``cu_seqlens`` [b + 1] int32: where every
    sample begins, and the end of the last; ``max_seqlen``. The label of the first token of
    every sample is ignored: shifted by one, it would be predicted from the sample before.
    """
    input_ids = rows[_mask(rows, lengths)].astype(np.int64)
    ends = np.cumsum(lengths)
    positions = np.arange(len(input_ids)) - np.repeat(ends - lengths, lengths)
    return {
        "input_ids": input_ids,
        "labels": np.where(positions > 0, input_ids, IGNORED_LABEL),
        "position_ids": positions,
        "cu_seqlens": np.concatenate([[0], ends]).astype(np.int32),
        "max_seqlen": int(lengths.max(initial=0)),
    }


def _mask(rows: TokenArray, lengths: IntArray) -> Any:
    # int32: comparing takes half the time of int64.
    return np.arange(rows.shape[1], dtype=np.int32) < lengths.astype(np.int32)[:, None]
