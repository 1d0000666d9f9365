"""A slow, obvious writer of stream datasets, made from the description of the layout alone.

Everything is held in lists, one document after the other; it imports nothing of the library. What
it returns are the files of the dataset, by name.
"""

from __future__ import annotations

import hashlib
import json
import random
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

if TYPE_CHECKING:
    from collections.abc import Callable

Row = dict[str, Any]


class RefusedError(Exception):
    """The documents do not give the splits that were asked for."""


@dataclass
class Job:
    """What a job declares; ``render`` and ``encode`` stand for template and tokenizer."""

    rows: list[Row]
    render: Callable[[Row], str]
    encode: Callable[[str], list[int]]
    eos_id: int
    vocab_size: int
    tokenizer: str
    tokenizer_sha256: str
    snapshot: str
    as_of: str
    tokens: int
    seed: int
    splits: tuple[str, dict[str, Any]]
    language: str | None = None
    languages: list[str] = field(default_factory=lambda: ["und"])
    time: str | None = None
    time_zone: str = "UTC"
    key: str | None = None
    min_chars: int = 0


@dataclass
class Document:
    language: str
    date: datetime | None
    ids: list[int]


def dataset(job: Job) -> dict[str, bytes]:
    """Return every file of the dataset; raises ``RefusedError``."""
    now = moment(job.as_of, job.time_zone)
    assert now is not None
    kept, counts = filtered(job)
    borders = borders_of(job, kept, now) if job.splits[0] == "per_language_count" else {}
    documents: dict[str, list[Document]] = {"train": [], "val": [], "test": []}
    for row in kept:
        date = date_of(job, row)
        split = split_of(job, row, date, borders, now)
        if split == "drop":
            counts["dropped"]["future_date"] += 1
            continue
        ids = [*job.encode(job.render(row)), job.eos_id]
        documents[split].append(Document(language_of(job, row), date, ids))
    check_splits(job, documents)
    order = list(range(len(documents["train"])))
    random.Random(job.seed).shuffle(order)
    documents["train"] = [documents["train"][i] for i in order]
    return files(job, documents, boundaries(job, kept, documents, borders, counts, now), now)


def filtered(job: Job) -> tuple[list[Row], dict[str, Any]]:
    """Language, then length, then key; the first row with a key wins."""
    names = ("no_language", "other_language", "too_short", "duplicate_key", "future_date")
    dropped = dict.fromkeys(names, 0)
    kept, keys = [], set()
    for row in job.rows:
        if job.language is not None and row.get(job.language) is None:
            dropped["no_language"] += 1
        elif job.language is not None and row[job.language] not in job.languages:
            dropped["other_language"] += 1
        elif len(job.render(row)) < job.min_chars:
            dropped["too_short"] += 1
        elif key_of(job, row) and key_of(job, row) in keys:
            dropped["duplicate_key"] += 1
        else:
            keys.add(key_of(job, row))
            kept.append(row)
    return kept, {"dropped": dropped}


def key_of(job: Job, row: Row) -> str | None:
    value = None if job.key is None else row.get(job.key)
    return json.dumps(value) if isinstance(value, (int, float)) else value


def language_of(job: Job, row: Row) -> str:
    return "und" if job.language is None else row[job.language]


# -------------------------------------------------------------------------------------- in time


def moment(text: object, zone: str) -> datetime | None:
    """A time in UTC, without its zone; None for what is none."""
    try:
        found = datetime.fromisoformat(str(text).replace("Z", "+00:00"))
    except ValueError:
        return None
    if found.tzinfo is None:
        found = found.replace(tzinfo=ZoneInfo(zone))
    return found.astimezone(UTC).replace(tzinfo=None)


def date_of(job: Job, row: Row) -> datetime | None:
    return None if job.time is None else moment(row.get(job.time), job.time_zone)


def borders_of(job: Job, kept: list[Row], now: datetime) -> dict[str, Row]:
    """Per language: all dated rows that are not in the future, newest first."""
    arguments = job.splits[1]
    test, val = arguments["test_docs"], arguments["val_docs"]
    found = {}
    for language in job.languages:
        rows = [row for row in counted(job, kept) if language_of(job, row) == language]
        dates = [date for row in rows if (date := date_of(job, row)) and date <= now]
        dates.sort(reverse=True)
        if test + val and len(dates) < test + val + 1:
            raise RefusedError
        test_start = dates[test - 1] if test else None
        val_start = dates[test + val - 1] if val else None
        is_test = [test_start is not None and date >= test_start for date in dates]
        is_val = [val_start is not None and date >= val_start for date in dates]
        found[language] = {
            "docs": len(dates),
            "max_pub_date": dates[0].isoformat() if dates else None,
            "test_start": test_start and test_start.isoformat(),
            "val_start": val_start and val_start.isoformat(),
            "test_docs_actual": sum(is_test),
            "val_docs_actual": sum(v and not t for v, t in zip(is_val, is_test, strict=True)),
        }
    return found


def counted(job: Job, kept: list[Row]) -> list[Row]:
    """The rows that borders are taken over."""
    if job.splits[1].get("borders") == "kept":
        return kept
    if job.language is None:
        return job.rows
    return [row for row in job.rows if row.get(job.language) in job.languages]


def split_of(
    job: Job, row: Row, date: datetime | None, borders: dict[str, Row], now: datetime
) -> str:
    kind, arguments = job.splits
    if kind == "none":
        return "train"
    if kind == "fraction":
        text = key_of(job, row) or job.render(row)
        digest = hashlib.sha256(f"{arguments['seed']}\n{text}".encode()).digest()
        lot = int.from_bytes(digest[:8], "big")
        test, val = (int(arguments[name] * 2**64) for name in ("test", "val"))
        return "test" if lot < test else "val" if lot < test + val else "train"
    future = arguments.get("future", "test")
    if date is None:
        return "train"
    if date > now and future in ("train", "drop"):
        return str(future)
    found = borders[language_of(job, row)]
    for split in ("test", "val"):
        if found[f"{split}_start"] and date >= datetime.fromisoformat(found[f"{split}_start"]):
            return split
    return "train"


def check_splits(job: Job, documents: dict[str, list[Document]]) -> None:
    arguments = job.splits[1]
    asked = {
        "train": 1,
        "val": arguments.get("val_docs", arguments.get("val", 0)),
        "test": arguments.get("test_docs", arguments.get("test", 0)),
    }
    if any(size and not documents[split] for split, size in asked.items()):
        raise RefusedError


# -------------------------------------------------------------------------------------- on disk


def boundaries(
    job: Job,
    kept: list[Row],
    documents: dict[str, list[Document]],
    borders: dict[str, Row],
    counts: dict[str, Any],
    now: datetime,
) -> Row:
    kind, arguments = job.splits
    written = [document for split in documents.values() for document in split]
    meta: Row = {"rows_scanned": len(job.rows)}
    last = {"documents": len(written), "dropped": counts["dropped"]}
    tail = {"computed_at": now.isoformat(), "snapshot": job.snapshot}
    if kind == "none":
        return {"mode": "none", **tail, "_meta": meta | last}
    if kind == "fraction":
        shares = {name: float(arguments[name]) for name in ("test", "val")}
        shares["seed"] = arguments["seed"]
        return {"mode": "fraction", **shares, **tail, "_meta": meta | last}
    values = [row.get(job.time) for row in counted(job, kept)]
    dates = [moment(value, job.time_zone) for value in values]
    pairs = list(zip(values, dates, strict=True))
    meta |= {
        "bad_pub_date": sum(value is not None and date is None for value, date in pairs),
        "missing_pub_date": sum(value is None for value in values),
        "future_skipped": sum(date is not None and date > now for date in dates),
    }
    chosen = [date_of(job, row) for row in kept]
    last |= {
        "undated_documents": sum(date is None for date in chosen),
        "future_documents": sum(date is not None and date > now for date in chosen),
        "future": arguments.get("future", "test"),
        "borders": arguments.get("borders", "all"),
    }
    sizes = {name: arguments[name] for name in ("test_docs", "val_docs")}
    return {"mode": "per_lang_count", **sizes, **tail, "langs": borders, "_meta": meta | last}


def files(
    job: Job, documents: dict[str, list[Document]], boundaries: Row, now: datetime
) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    entries = []
    for split, members in documents.items():
        shards = cut(members, job.tokens)
        width = max(3, len(str(len(shards) - 1)))
        for number, shard in enumerate(shards):
            stem = f"{split}_{number:0{width}d}"
            entry = shard_files(job, split, stem, shard, found)
            found[f"{stem}.bin.json"] = as_json(entry)
            entries.append(entry)
    index = {
        "tokenizer": job.tokenizer,
        "dtype": "uint16" if job.vocab_size <= 65_536 else "uint32",
        "shard_tokens": job.tokens,
        "seed": job.seed,
        "created": now.isoformat(),
        "boundaries": boundaries,
        "shards": entries,
        "tokenizer_sha256": job.tokenizer_sha256,
        "vocab_size": job.vocab_size,
        "eos_id": job.eos_id,
        "lang_codes": job.languages,
        "format_version": 1,
    }
    return {**found, "shards_index.json": as_json(index)}


def cut(documents: list[Document], limit: int) -> list[list[Document]]:
    """Close a shard that is not empty if the next document does not fit."""
    shards: list[list[Document]] = []
    filled = 0
    for document in documents:
        if not shards or filled + len(document.ids) > limit:
            shards.append([])
            filled = 0
        shards[-1].append(document)
        filled += len(document.ids)
    return shards


def shard_files(
    job: Job, split: str, stem: str, shard: list[Document], found: dict[str, bytes]
) -> Row:
    ids = [token for document in shard for token in document.ids]
    width = 2 if job.vocab_size <= 65_536 else 4
    data = b"".join(token.to_bytes(width, "little") for token in ids)
    tokens = {
        language: sum(len(document.ids) for document in shard if document.language == language)
        for language in job.languages
    }
    found[f"{stem}.bin"] = data
    entry: Row = {
        "name": f"{stem}.bin",
        "split": split,
        "tokens": len(ids),
        "docs": len(shard),
        "sha256": hashlib.sha256(data).hexdigest(),
        "langs": {language: count for language, count in tokens.items() if count},
    }
    if split != "train":
        codes = bytes(job.languages.index(document.language) for document in shard)
        found[f"{stem}.langs.u8"] = codes
        entry["langs_sha256"] = hashlib.sha256(codes).hexdigest()
    return entry


def as_json(value: Row) -> bytes:
    return json.dumps(value, indent=2).encode()
