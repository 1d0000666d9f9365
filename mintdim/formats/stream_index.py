"""``shards_index.json`` and ``.bin.json`` of a stream dataset: schema, text and strict parsing.

The keys of the producer that this layout comes from stand first; its readers ignore those behind
them, which are ours. An index without ours is read as well. A part of a dataset is a dataset
again if its index lists the shards that are there.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mintdim.formats import shards
from mintdim.formats.stream_names import SPLITS, Split, is_shard, split_of
from mintdim.formats.stream_parsing import Fields, IndexProblemError, is_text, json_object
from mintdim.shared.messages import phrase

if TYPE_CHECKING:
    from mintdim.shared.types import TokenDType

FORMAT_VERSION = 1
MOST_BYTES = 64 * 2**20  # of an index; a hundred thousand shards need less
MOST_LANGUAGES = 256  # one byte per document
# The language of all documents where none is declared (ISO 639-2: undetermined).
UNDETERMINED = "und"
# No language may be called so: evaluations name the sum of all of them by it.
RESERVED_LANGUAGE = "all"
# What an index without our keys leaves unsaid.
ORIGINAL_EOS = 2
ORIGINAL_LANGUAGES = ("en", "de", "fr", "ja")

_OURS = ("tokenizer_sha256", "vocab_size", "eos_id", "lang_codes", "format_version")
_UINT16_VOCABULARY = 2**16


@dataclass(frozen=True, slots=True)
class StreamShard:
    """One shard.

    ``tokens`` counts EOS with the others, ``docs`` is the number of EOS, ``langs`` holds the tokens
    (EOS included) of every language that has any, in the order of the codes. ``langs_sha256``
    belongs to the ``.langs.u8`` of val and test; None where the index does not say.
    """

    name: str
    split: Split
    tokens: int
    docs: int
    sha256: str
    langs: dict[str, int]
    langs_sha256: str | None = None
    unknown: dict[str, Any] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """Return the entry as JSON values, keys in their order."""
        known = {
            "name": self.name,
            "split": self.split,
            "tokens": self.tokens,
            "docs": self.docs,
            "sha256": self.sha256,
            "langs": self.langs,
        }
        ours = {} if self.langs_sha256 is None else {"langs_sha256": self.langs_sha256}
        return {**known, **ours, **self.unknown}


@dataclass(frozen=True, slots=True)
class StreamIndex:
    """A stream dataset: its shards (train, val, test), and how they were made.

    ``tokenizer`` is the name of a file; ``shard_tokens`` the most tokens of a shard (one document
    alone may be longer); ``boundaries`` says how documents were split; ``lang_codes[k]`` is the
    language of code k of ``.langs.u8``. An index of the original producer has ``format_version`` 0,
    no hash and size of the tokenizer (None), and the EOS and languages of that producer.
    """

    tokenizer: str
    dtype: TokenDType
    shard_tokens: int
    seed: int
    created: str
    boundaries: dict[str, Any]
    shards: tuple[StreamShard, ...]
    tokenizer_sha256: str | None
    vocab_size: int | None
    eos_id: int = ORIGINAL_EOS
    lang_codes: tuple[str, ...] = ORIGINAL_LANGUAGES
    format_version: int = FORMAT_VERSION
    unknown: dict[str, Any] = field(default_factory=dict)

    @property
    def splits(self) -> tuple[Split, ...]:
        """The splits that have shards, in their order."""
        found = {shard.split for shard in self.shards}
        return tuple(split for split in SPLITS if split in found)

    def of_split(self, split: str) -> tuple[StreamShard, ...]:
        """Return the shards of one split, in their order; none for a split that is not there."""
        return tuple(shard for shard in self.shards if shard.split == split)

    def as_dict(self) -> dict[str, Any]:
        """Return the index as JSON values, keys in their order."""
        known = {
            "tokenizer": self.tokenizer,
            "dtype": self.dtype,
            "shard_tokens": self.shard_tokens,
            "seed": self.seed,
            "created": self.created,
            "boundaries": self.boundaries,
            "shards": [shard.as_dict() for shard in self.shards],
        }
        ours = {
            "tokenizer_sha256": self.tokenizer_sha256,
            "vocab_size": self.vocab_size,
            "eos_id": self.eos_id,
            "lang_codes": list(self.lang_codes),
            "format_version": self.format_version,
        }
        return {**known, **(ours if self.format_version else {}), **self.unknown}


@dataclass(frozen=True, slots=True)
class LanguageBorders:
    """Where one language was split by time: rows counted, and time stamps (ISO 8601, naive).

    None where there is no row, or no such split.
    """

    docs: int
    max_pub_date: str | None
    test_start: str | None
    val_start: str | None
    test_docs_actual: int
    val_docs_actual: int


def per_language_count(
    *,
    test_docs: int,
    val_docs: int,
    computed_at: str,
    snapshot: str,
    langs: dict[str, LanguageBorders],
    meta: dict[str, Any],
) -> dict[str, Any]:
    """Return the ``boundaries`` of a split by time, keys in their order."""
    return {
        "mode": "per_lang_count",
        "test_docs": test_docs,
        "val_docs": val_docs,
        "computed_at": computed_at,
        "snapshot": snapshot,
        "langs": {
            language: {name: getattr(borders, name) for name in LanguageBorders.__slots__}
            for language, borders in langs.items()
        },
        "_meta": meta,
    }


def token_dtype(vocab_size: int) -> TokenDType:
    """Return the storage type of ids below ``vocab_size``: uint16 up to 65,536 of them.

    Raises ``TokenDTypeValidationError`` where uint32 is too small.
    """
    return shards.token_dtype(vocab_size, _UINT16_VOCABULARY)


def document(value: StreamIndex | StreamShard) -> bytes:
    """Return the whole JSON file: indented by two, ASCII, without a final newline."""
    return json.dumps(value.as_dict(), indent=2, ensure_ascii=True, allow_nan=False).encode()


def parse_index(data: bytes) -> StreamIndex:
    """Return the index in ``data``, ours or the original producer's.

    Names, types, ranges and uniqueness are checked, counts are not compared; unknown keys are
    kept. Raises ``IndexProblemError``.
    """
    fields = Fields(json_object(data, MOST_BYTES))
    known = {
        "tokenizer": fields.text("tokenizer"),
        "dtype": fields.take("dtype", lambda value: value in ("uint16", "uint32"), "a_token_dtype"),
        "shard_tokens": fields.count("shard_tokens"),
        "seed": fields.integer("seed"),
        "created": fields.text("created"),
        "boundaries": fields.object("boundaries"),
    }
    entries = fields.list("shards")
    ours = _our_keys(fields)
    places = (f"shards[{number}]." for number in range(len(entries)))
    shards = tuple(map(_shard, entries, places))
    _require_distinct(shards)
    return StreamIndex(**known, shards=shards, **ours, unknown=fields.rest())


def parse_shard(data: bytes) -> StreamShard:
    """Return the entry in a ``.bin.json``; raises ``IndexProblemError``."""
    return _shard(json_object(data, MOST_BYTES), "")


def _our_keys(fields: Fields) -> dict[str, Any]:
    """Take our keys: all of them, or none; half of them would leave the rest to be guessed."""
    if not any(name in fields for name in _OURS):
        return {"format_version": 0, "tokenizer_sha256": None, "vocab_size": None}
    return {
        "format_version": _version(fields.count("format_version")),
        "tokenizer_sha256": fields.digest("tokenizer_sha256"),
        "vocab_size": fields.count("vocab_size"),
        "eos_id": fields.count("eos_id"),
        "lang_codes": tuple(fields.take("lang_codes", _are_codes, "language_codes")),
    }


def _version(found: int) -> int:
    if found != FORMAT_VERSION:
        facts = {"name": "format_version", "found": found, "expected": FORMAT_VERSION}
        raise IndexProblemError(phrase("value_differs", **facts))
    return found


def _are_codes(value: object) -> bool:
    return (
        isinstance(value, list)
        and 1 <= len(value) <= MOST_LANGUAGES
        and all(map(is_text, value))
        and len(set(value)) == len(value)
    )


def _shard(value: object, place: str) -> StreamShard:
    fields = Fields(value, place)
    name = fields.take(
        "name", lambda name: isinstance(name, str) and is_shard(name), "a_shard_name"
    )
    split = split_of(name)
    fields.take("split", lambda found: found == split, "the_split_of_its_name")
    return StreamShard(
        name=name,
        split=split,
        tokens=fields.count("tokens"),
        docs=fields.count("docs"),
        sha256=fields.digest("sha256"),
        langs=_langs(fields, place),
        langs_sha256=fields.digest("langs_sha256") if "langs_sha256" in fields else None,
        unknown=fields.rest(),
    )


def _langs(fields: Fields, place: str) -> dict[str, int]:
    inner = Fields(fields.object("langs"), f"{place}langs.")
    return {name: inner.count(name) for name in list(inner.rest())}


def _require_distinct(shards: tuple[StreamShard, ...]) -> None:
    seen: set[str] = set()
    for shard in shards:
        if shard.name in seen:
            raise IndexProblemError(phrase("shard_twice", name=shard.name))
        seen.add(shard.name)
