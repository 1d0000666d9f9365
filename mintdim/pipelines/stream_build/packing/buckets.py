"""Buckets: documents on their way to places that are far apart.

A bucket holds the documents of consecutive positions. Documents come in source order and are
appended to their buckets, many at a time; then each bucket is read as a whole and put in order. So
the disk is written and read sequentially, whatever the order is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from mintdim.pipelines.stream_build.contracts import Packed
from mintdim.shared.files import HashedFile, remove, using

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from mintdim.formats.shards import IntArray

_BUCKET_BYTES = 32 * 1024 * 1024
_PENDING_BYTES = 16 * 1024 * 1024
_BLOCK_BYTES = 4 * 1024 * 1024
Facts = npt.NDArray[Any]
_FACTS = np.dtype([("position", "<i8"), ("bytes", "<i8"), ("code", "u1")])


def documents_per_bucket(count: int, expected_bytes: int) -> int:
    """Return how many of ``count`` documents of ``expected_bytes`` in all a bucket takes."""
    buckets = 1 + (expected_bytes + count * _FACTS.itemsize) // _BUCKET_BYTES
    return max(1, -(-count // buckets))


class Buckets:
    """Takes documents in any order of positions; ``documents`` gives them back by position.

    ``stem`` is the path of the files of buckets, without their numbers; ``width`` the bytes of a
    token, ``bucket_documents`` the positions of a bucket.
    """

    def __init__(self, stem: Path, count: int, bucket_documents: int, width: int) -> None:
        self._width, self._size = width, bucket_documents
        self._files = [
            _Bucket(stem.with_name(f"{stem.name}.{number}"))
            for number in range(-(-count // bucket_documents))
        ]
        self._pending: list[tuple[IntArray, Packed]] = []
        self._pending_bytes = 0

    def add(self, positions: IntArray, packed: Packed) -> None:
        """Take over documents at their ``positions`` [n]."""
        self._pending.append((positions, packed))
        self._pending_bytes += len(packed.tokens) + len(positions) * _FACTS.itemsize
        if self._pending_bytes >= _PENDING_BYTES:
            self._scatter()

    def documents(self) -> Iterator[Packed]:
        """Yield all documents by position, in blocks of bounded size; call it once."""
        self._scatter()
        for bucket in self._files:
            facts, tokens = bucket.read()
            yield from _in_order(facts, tokens, self._width)
            bucket.remove()

    def _scatter(self) -> None:
        """Append what is pending to the buckets, one write each."""
        if not self._pending:
            return
        facts = np.concatenate([self._facts(*entry) for entry in self._pending])
        tokens = b"".join([packed.tokens for _, packed in self._pending])
        self._pending, self._pending_bytes = [], 0
        facts, starts = _by_position(facts)
        numbers, firsts = np.unique(facts["position"] // self._size, return_index=True)
        stops = [*firsts[1:].tolist(), len(facts)]
        for number, first, stop in zip(numbers.tolist(), firsts.tolist(), stops, strict=True):
            part = slice(first, stop)
            self._files[number].append(facts[part], _gathered(tokens, starts[part], facts[part]))

    def _facts(self, positions: IntArray, packed: Packed) -> Facts:
        facts = np.empty(len(positions), dtype=_FACTS)
        facts["position"], facts["code"] = positions, packed.codes
        facts["bytes"] = packed.lengths * self._width
        return facts


class _Bucket:
    def __init__(self, path: Path) -> None:
        self._facts = HashedFile(path.with_name(f"{path.name}.facts"))
        self._tokens = HashedFile(path.with_name(f"{path.name}.tokens"))

    def append(self, facts: Facts, tokens: bytes) -> None:
        self._facts.append(np.ascontiguousarray(facts).view(np.uint8).data)
        self._tokens.append(tokens)

    def read(self) -> tuple[Facts, bytes]:
        """Return facts and tokens by position."""
        with using(self._facts.path):
            facts = np.frombuffer(self._facts.path.read_bytes(), dtype=_FACTS)
        with using(self._tokens.path):
            tokens = self._tokens.path.read_bytes()
        return facts, tokens

    def remove(self) -> None:
        remove(self._facts.path)
        remove(self._tokens.path)


def _in_order(facts: Facts, tokens: bytes, width: int) -> Iterator[Packed]:
    facts, starts = _by_position(facts)
    blocks = np.cumsum(facts["bytes"]) // _BLOCK_BYTES
    _, firsts = np.unique(blocks, return_index=True)
    stops = [*firsts[1:].tolist(), len(facts)]
    for first, stop in zip(firsts.tolist(), stops, strict=True):
        part = facts[first:stop]
        lengths = part["bytes"] // width
        yield Packed(lengths, part["code"], _gathered(tokens, starts[first:stop], part))


def _by_position(facts: Facts) -> tuple[Facts, IntArray]:
    """Return facts in order of positions, and where their tokens begin, in bytes."""
    starts = np.cumsum(facts["bytes"]) - facts["bytes"]
    order = np.argsort(facts["position"], kind="stable")
    return facts[order], starts[order]


def _gathered(tokens: bytes, starts: IntArray, facts: Facts) -> bytes:
    """Return the tokens of documents that begin at ``starts`` [n] bytes, one after the other."""
    view = memoryview(tokens)
    stops = (starts + facts["bytes"]).tolist()
    return b"".join([view[a:b] for a, b in zip(starts.tolist(), stops, strict=True)])
