"""Statistics: the totals of an output."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mintdim.formats.shards import bytes_per_token

if TYPE_CHECKING:
    from mintdim.shared.types import TokenDType


@dataclass(frozen=True, slots=True)
class Totals:
    """Counts over one output.

    ``duplicate_samples`` counts all members of all groups; ``special_tokens`` those that stand in
    data, by their text.
    """

    samples: int
    tokens: int
    duplicate_groups: int
    duplicate_samples: int
    samples_with_unk: int
    unk_tokens: int
    samples_with_special: int
    special_tokens: dict[str, int]


def stats_document(
    totals: Totals, dtype: TokenDType, unit_distribution: dict[str, int]
) -> dict[str, Any]:
    """Return the content of ``stats.json``; special tokens appear only if there are any."""
    document = {
        "total_samples": totals.samples,
        "total_tokens": totals.tokens,
        "token_dtype": dtype,
        "bytes_per_token": bytes_per_token(dtype),
        "duplicate_groups": totals.duplicate_groups,
        "duplicate_samples": totals.duplicate_samples,
        "samples_with_unk": totals.samples_with_unk,
        "unk_tokens": totals.unk_tokens,
        "unit_distribution": unit_distribution,
    }
    if totals.special_tokens:
        document["samples_with_special_tokens"] = totals.samples_with_special
        document["special_tokens"] = totals.special_tokens
    return document
