"""Shards against ``sample_index.bin``: who lies where, ids, padding, UNK."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from mintdim.formats import names
from mintdim.formats.sample_index import BINARY_ROW
from mintdim.shared.messages import phrase
from mintdim.verification.findings import Finding
from mintdim.verification.quick import unit_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mintdim.formats.shards import IntArray, TokenArray
    from mintdim.verification.documents import Documents

    Members = dict[str, IntArray]

_SLOTS_AT_ONCE = 4_000_000
_NOBODY = np.empty(0, dtype=np.int64)


class Slab(NamedTuple):
    """Consecutive rows [k, unit] of a shard: their samples [k], tokens of each [k], first row."""

    entry: dict[str, Any]
    rows: TokenArray
    samples: IntArray
    lengths: IntArray
    first: int


class Unknown(NamedTuple):
    """Every UNK token of a dataset: ``samples`` [t] ascending, ``positions`` [t]."""

    samples: IntArray
    positions: IntArray


def samples_by_shard(index: Any) -> Members:
    """Return the samples of every shard, ascending, by its name (8 bytes per sample)."""
    order = np.lexsort((index["shard"], index["unit_size"]))
    if not len(order):
        return {}
    units, shards = index["unit_size"][order], index["shard"][order]
    new = (units[1:] != units[:-1]) | (shards[1:] != shards[:-1])
    starts = np.append(0, np.flatnonzero(new) + 1)
    places = zip(units[starts].tolist(), shards[starts].tolist(), strict=True)
    parts = np.split(order, starts[1:])
    return {names.shard_path(*place): part for place, part in zip(places, parts, strict=True)}


def check_placement(documents: Documents, index: Any, members: Members) -> Iterator[Finding]:
    """Rows of a shard are numbered from 0 in order of sample_id, and its tokens are counted."""
    too_long = np.flatnonzero(index["token_count"] > index["unit_size"])
    if len(too_long):
        count, unit = (int(index[name][too_long[0]]) for name in ("token_count", "unit_size"))
        problem = phrase("value_differs", name="token_count", found=count, expected=f"<= {unit}")
        yield _at_row(int(too_long[0]), problem)
    for entry in documents.shards:
        inside = members.get(entry["name"], _NOBODY)
        if len(inside) != entry["samples"]:
            problem = phrase("shard_rows", found=len(inside), expected=entry["samples"])
            yield Finding(entry["name"], problem)
            continue
        wrong = np.flatnonzero(index["row"][inside] != np.arange(len(inside)))
        if len(wrong):
            yield _at_row(int(inside[wrong[0]]), phrase("row_order"))
        tokens = int(index["token_count"][inside].sum(dtype=np.int64))
        if tokens != entry["tokens"]:
            facts = {"found": entry["tokens"], "expected": tokens}
            problem = phrase("value_differs", name=f"{entry['name']}, tokens", **facts)
            yield Finding(names.SHARDS_INDEX, problem)


def check_slots(
    documents: Documents, index: Any, members: Members, unknown: list[Unknown]
) -> Iterator[Finding]:
    """Slots behind the tokens hold PAD, slots before hold ids of the vocabulary.

    UNK tokens are appended to ``unknown`` on the way.
    """
    tokenizer, width = documents.tokenizer, documents.dtype.itemsize
    for slab in _slabs(documents, index, members):
        unit = slab.rows.shape[1]
        inside = np.arange(unit) < slab.lengths[:, None]
        for wrong, code in (
            (~inside & (slab.rows != tokenizer["pad_id"]), "no_padding"),
            (inside & (slab.rows > tokenizer["largest_id"]), "no_such_id"),
        ):
            places = np.flatnonzero(wrong)
            if len(places):
                offset = (slab.first * unit + int(places[0])) * width
                yield Finding(slab.entry["name"], phrase(code), offset=offset)
        rows, positions = np.nonzero(inside & (slab.rows == tokenizer["unk_id"]))
        unknown.append(Unknown(slab.samples[rows], positions))


def in_order(parts: list[Unknown]) -> Unknown:
    """Return all UNK tokens in order of their samples."""
    samples = np.concatenate([_NOBODY, *(part.samples for part in parts)])
    positions = np.concatenate([_NOBODY, *(part.positions for part in parts)])
    order = np.argsort(samples, kind="stable")
    return Unknown(samples[order], positions[order])


def _slabs(documents: Documents, index: Any, members: Members) -> Iterator[Slab]:
    for entry in documents.shards:
        unit = unit_of(entry["name"]) or 1
        samples = members.get(entry["name"], _NOBODY)
        lengths = index["token_count"][samples].astype(np.int64)
        flat = np.memmap(documents.root / entry["name"], dtype=documents.dtype, mode="r")
        rows = flat.view(np.ndarray).reshape(-1, unit)
        step = max(1, _SLOTS_AT_ONCE // unit)
        for first in range(0, min(len(rows), len(samples)), step):
            part = slice(first, min(first + step, len(rows), len(samples)))
            yield Slab(entry, rows[part], samples[part], lengths[part], first)


def _at_row(sample: int, problem: Any) -> Finding:
    offset = sample * BINARY_ROW.itemsize
    return Finding(names.SAMPLE_INDEX_BINARY, problem, offset=offset)
