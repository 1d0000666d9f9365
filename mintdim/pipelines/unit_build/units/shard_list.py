"""The closed shards of an output, packed: there may be hundreds of thousands of them."""

from __future__ import annotations

from struct import Struct
from typing import TYPE_CHECKING

from mintdim.formats import names
from mintdim.formats.shards_index import ShardEntry

if TYPE_CHECKING:
    from collections.abc import Iterator

_RECORD = Struct("<QQQ32s")  # samples, tokens, bytes, SHA-256: 56 bytes a shard


class ShardList:
    """Takes shards as they close, each unit's in order; gives them back by unit and number."""

    def __init__(self) -> None:
        self._records: dict[int, bytearray] = {}

    def add(self, unit_size: int, entry: ShardEntry) -> None:
        """Take over the next shard of a unit size."""
        digest = bytes.fromhex(entry.sha256)
        record = _RECORD.pack(entry.samples, entry.tokens, entry.bytes, digest)
        self._records.setdefault(unit_size, bytearray()).extend(record)

    def __iter__(self) -> Iterator[ShardEntry]:
        for unit_size, records in sorted(self._records.items()):
            for number, record in enumerate(_RECORD.iter_unpack(records)):
                samples, tokens, size, digest = record
                name = names.shard_path(unit_size, number)
                yield ShardEntry(name, samples, tokens, size, digest.hex())
