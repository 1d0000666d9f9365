"""Every sample of a dataset: indexes against shards, totals and groups recomputed."""

from __future__ import annotations

import json
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from mintdim.formats import names
from mintdim.formats.sample_index import BINARY_ROW
from mintdim.formats.shards import numpy_dtype
from mintdim.shared.messages import phrase
from mintdim.verification.findings import Finding
from mintdim.verification.quick import unit_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mintdim.formats.shards import IntArray
    from mintdim.verification.documents import Documents

    Members = dict[str, IntArray]

_ROWS_AT_ONCE = 65_536


def check_samples(documents: Documents) -> list[Finding]:
    """Return what the rows of indexes and shards tell; stops at the first problem of a kind."""
    index = np.fromfile(documents.root / names.SAMPLE_INDEX_BINARY, dtype=BINARY_ROW)
    members = _samples_by_shard(index)
    checks = {
        names.SAMPLE_INDEX_BINARY: _placement(documents, index, members),
        names.SHARDS_INDEX: _shards(documents, index, members),
        names.SAMPLE_INDEX: _index_rows(documents, index),
        names.UNK_INDEX: _unk_rows(documents, index, members),
        names.DUPLICATE_INDEX: _duplicate_rows(documents),
    }
    return [finding for file, check in checks.items() for finding in _readable(file, check)]


def _readable(file: str, check: Iterator[Finding]) -> Iterator[Finding]:
    """Yield the findings of a check; rows that cannot even be read are a finding too."""
    try:
        yield from check
    except (ValueError, KeyError, TypeError, IndexError, OSError) as error:
        detail = f"{type(error).__name__}: {error}"
        yield Finding(file, phrase("unreadable", detail=detail))


def _samples_by_shard(index: Any) -> Members:
    """Return the sample ids of every shard, ascending, by its name."""
    order = np.lexsort((index["shard"], index["unit_size"]))
    keys = index[["unit_size", "shard"]][order]
    if not len(order):
        return {}
    starts = np.flatnonzero(np.append(True, keys[1:] != keys[:-1]))
    parts = np.split(order, starts[1:])
    return {
        names.shard_path(*keys[start].tolist()): part
        for start, part in zip(starts, parts, strict=False)
    }


def _inside(members: Members, entry: dict[str, Any]) -> IntArray:
    return members.get(entry["name"], np.empty(0, dtype=np.int64))


def _placement(documents: Documents, index: Any, members: Members) -> Iterator[Finding]:
    """Rows of a shard are numbered from 0 in order of sample_id, without gaps."""
    for entry in documents.shards_index["shards"]:
        inside = _inside(members, entry)
        if len(inside) != entry["samples"]:
            problem = phrase("shard_rows", found=len(inside), expected=entry["samples"])
            yield Finding(entry["name"], problem)
            continue
        wrong = np.flatnonzero(index["row"][inside] != np.arange(len(inside)))
        if len(wrong):
            offset = int(inside[wrong[0]]) * BINARY_ROW.itemsize
            yield Finding(names.SAMPLE_INDEX_BINARY, phrase("row_order"), offset=offset)
        tokens = int(index["token_count"][inside].sum(dtype=np.int64))
        if tokens != entry["tokens"]:
            problem = phrase(
                "value_differs", name=entry["name"], found=entry["tokens"], expected=tokens
            )
            yield Finding(names.SHARDS_INDEX, problem)


def _shards(documents: Documents, index: Any, members: Members) -> Iterator[Finding]:
    """Slots behind the tokens hold PAD, slots before hold ids of the vocabulary."""
    dtype = numpy_dtype(documents.manifest["token_storage"]["dtype"])
    tokenizer = documents.tokenizer
    largest = tokenizer.get("largest_id", tokenizer["vocab_size"] - 1)
    for entry, rows, lengths, first in _slabs(documents, index, members):
        unit = rows.shape[1]
        inside = np.arange(unit) < lengths[:, None]
        for wrong, code in (
            (~inside & (rows != tokenizer["pad_id"]), "no_padding"),
            (inside & (rows > largest), "no_such_id"),
        ):
            places = np.flatnonzero(wrong)
            if len(places):
                offset = (first * unit + int(places[0])) * dtype.itemsize
                yield Finding(entry["name"], phrase(code), offset=offset)


def _slabs(
    documents: Documents, index: Any, members: Members
) -> Iterator[tuple[dict[str, Any], Any, IntArray, int]]:
    """Yield shard entry, rows [k, unit], their token counts [k] and the number of the first."""
    dtype = numpy_dtype(documents.manifest["token_storage"]["dtype"])
    for entry in documents.shards_index["shards"]:
        unit = unit_of(entry["name"]) or 1
        lengths = index["token_count"][_inside(members, entry)].astype(np.int64)
        step = max(1, 4_000_000 // unit)
        flat = np.memmap(documents.root / entry["name"], dtype=dtype, mode="r")
        rows = flat.view(np.ndarray).reshape(-1, unit)
        for first in range(0, min(len(rows), len(lengths)), step):
            stop = min(first + step, len(rows), len(lengths))
            yield entry, rows[first:stop], lengths[first:stop], first


def _index_rows(documents: Documents, index: Any) -> Iterator[Finding]:
    """``sample_index.jsonl`` says what ``sample_index.bin`` says, row for row."""
    number = 0
    for number, row in enumerate(json_rows(documents, names.SAMPLE_INDEX), 1):
        if number > len(index):
            break
        count, unit, shard, _ = index[number - 1].tolist()
        expected = (number - 1, count, unit, names.shard_path(unit, shard))
        keys = ("sample_id", "token_count", "unit_size", "shard_path")
        found = tuple(row.get(key) for key in keys)
        if found != expected:
            problem = phrase("value_differs", name=", ".join(keys), found=found, expected=expected)
            yield Finding(names.SAMPLE_INDEX, problem, line=number)
            return
    if number != len(index):
        problem = phrase("value_differs", name="rows", found=number, expected=len(index))
        yield Finding(names.SAMPLE_INDEX, problem, line=number)


def _unk_rows(documents: Documents, index: Any, members: Members) -> Iterator[Finding]:
    """``unk_index.jsonl`` names every UNK token of the shards, and the statistics count them."""
    expected = _unk_positions(documents, index, members)
    rows = list(json_rows(documents, names.UNK_INDEX))
    found = {row["sample_id"]: row["unk_positions"] for row in rows}
    for number, sample in enumerate(sorted(expected.keys() | found.keys()), 1):
        if expected.get(sample) != found.get(sample):
            problem = phrase("unk_differs", sample=sample)
            yield Finding(names.UNK_INDEX, problem, line=min(number, max(1, len(rows))))
            return
    totals = {
        "samples_with_unk": len(expected),
        "unk_tokens": sum(map(len, expected.values())),
    }
    yield from _totals(documents, totals)


def _unk_positions(documents: Documents, index: Any, members: Members) -> dict[int, list[int]]:
    """Return sample id → positions of UNK tokens, from the shards."""
    positions: dict[int, list[int]] = {}
    for entry, rows, lengths, first in _slabs(documents, index, members):
        hits = rows == documents.tokenizer["unk_id"]
        hits &= np.arange(rows.shape[1]) < lengths[:, None]
        ids = _inside(members, entry)[first:]
        for row in np.flatnonzero(hits.any(axis=1)).tolist():
            positions[int(ids[row])] = np.flatnonzero(hits[row]).tolist()
    return positions


def _duplicate_rows(documents: Documents) -> Iterator[Finding]:
    """``duplicate_index.jsonl`` holds exactly the groups that the hashes of all samples form.

    Memory: 8 bytes per sample, and the rows of duplicates.
    """
    repeated = _repeated_prefixes(documents)
    groups: dict[str, list[Any]] = {}
    for row in json_rows(documents, names.SAMPLE_INDEX):
        if repeated and int(row["hash"][:16], 16) in repeated:
            member = {key: row[key] for key in ("sample_id", "source_file", "source_line")}
            groups.setdefault(row["hash"], []).append(member)
    expected = [(digest, members) for digest, members in groups.items() if len(members) > 1]
    rows = json_rows(documents, names.DUPLICATE_INDEX)
    found = [(row.get("hash"), row.get("samples"), row.get("count")) for row in rows]
    wanted = [(digest, members, len(members)) for digest, members in expected]
    for line in range(max(len(found), len(wanted))):
        if found[line : line + 1] != wanted[line : line + 1]:
            yield Finding(names.DUPLICATE_INDEX, phrase("duplicates_differ"), line=line + 1)
            return
    totals = {
        "duplicate_groups": len(expected),
        "duplicate_samples": sum(len(members) for _, members in expected),
    }
    yield from _totals(documents, totals)


def _repeated_prefixes(documents: Documents) -> set[int]:
    rows = json_rows(documents, names.SAMPLE_INDEX)
    prefixes = np.fromiter((int(row["hash"][:16], 16) for row in rows), dtype=np.uint64)
    values, counts = np.unique(prefixes, return_counts=True)
    return set(values[counts > 1].tolist())


def _totals(documents: Documents, expected: dict[str, int]) -> Iterator[Finding]:
    for name, value in expected.items():
        if documents.stats.get(name) != value:
            found = documents.stats.get(name)
            problem = phrase("value_differs", name=name, found=found, expected=value)
            yield Finding(names.STATS, problem)


def json_rows(documents: Documents, name: str) -> Iterator[dict[str, Any]]:
    """Yield the rows of a file of JSON lines; raises ``ValueError`` for one that is none."""
    with open(documents.root / name, encoding="utf-8", newline="\n") as lines:
        while block := list(islice(lines, _ROWS_AT_ONCE)):
            yield from map(json.loads, block)
