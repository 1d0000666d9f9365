"""What an index of a stream dataset must agree on with itself; nothing but the index is read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mintdim.formats.stream_index import token_dtype
from mintdim.formats.stream_names import LABELLED_SPLITS, SPLITS, number_of
from mintdim.shared.messages import Phrase, phrase

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mintdim.formats.stream_index import StreamIndex, StreamShard

_LONGEST_SHARD = 2**32 - 1  # tokens: positions in it are kept in four bytes


def contradictions(index: StreamIndex) -> Iterator[Phrase]:
    """Yield what does not agree: counts, order and numbers of shards, ids and their storage."""
    yield from _vocabulary(index)
    yield from _order(index)
    for shard in index.shards:
        yield from _counts(shard, index)
        yield from _languages(shard, index)


def _vocabulary(index: StreamIndex) -> Iterator[Phrase]:
    if index.vocab_size is None:
        return
    if index.eos_id >= index.vocab_size:
        yield _differs("eos_id", index.eos_id, f"< {index.vocab_size}")
    if index.dtype == "uint16" and token_dtype(min(index.vocab_size, 2**32)) != "uint16":
        yield _differs("vocab_size", index.vocab_size, "<= 65536")


def _order(index: StreamIndex) -> Iterator[Phrase]:
    """Shards stand in order of their splits, those of a split are numbered from 0."""
    found = [(SPLITS.index(shard.split), number_of(shard.name)) for shard in index.shards]
    expected = [
        (SPLITS.index(split), number)
        for split in SPLITS
        for number in range(len(index.of_split(split)))
    ]
    for place, (shard, here, wanted) in enumerate(zip(index.shards, found, expected, strict=True)):
        if here != wanted:
            name = f"shards[{place}].name"
            yield _differs(name, shard.name, f"{SPLITS[wanted[0]]}_{wanted[1]:03d}.bin")
            return


def _counts(shard: StreamShard, index: StreamIndex) -> Iterator[Phrase]:
    if not shard.docs:
        yield _differs(f"{shard.name}, docs", shard.docs, "> 0")
    if shard.tokens < shard.docs:
        yield _differs(f"{shard.name}, tokens", shard.tokens, f">= docs ({shard.docs})")
    most = index.shard_tokens if shard.docs > 1 else _LONGEST_SHARD
    if shard.tokens > min(most, _LONGEST_SHARD):
        yield _differs(f"{shard.name}, tokens", shard.tokens, f"<= {min(most, _LONGEST_SHARD)}")


def _languages(shard: StreamShard, index: StreamIndex) -> Iterator[Phrase]:
    total = sum(shard.langs.values())
    if total != shard.tokens:
        yield _differs(f"{shard.name}, langs", total, shard.tokens)
    for language in shard.langs:
        if language not in index.lang_codes:
            known = ", ".join(index.lang_codes)
            yield _differs(f"{shard.name}, langs", language, known)
    has_codes = shard.split in LABELLED_SPLITS
    if index.format_version and has_codes != (shard.langs_sha256 is not None):
        found = shard.langs_sha256 or "-"
        yield _differs(f"{shard.name}, langs_sha256", found, "SHA-256" if has_codes else "-")


def _differs(name: str, found: object, expected: object) -> Phrase:
    return phrase("value_differs", name=name, found=found, expected=expected)
