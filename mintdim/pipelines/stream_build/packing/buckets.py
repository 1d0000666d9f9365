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

_BUCKET_BYTES = 8 * 1024 * 1024
# Documents wait until a write to a bucket takes a few pages, as far as memory allows.
_APPEND_BYTES = 4 * 1024
_PENDING_BYTES = 1024 * 1024
_MOST_PENDING_BYTES = 16 * 1024 * 1024
_BLOCK_BYTES = 1024 * 1024
Facts = npt.NDArray[Any]
# Of a document: its position in the bucket, the bytes of its tokens, its language.
_FACTS = np.dtype([("position", "<u4"), ("bytes", "<u4"), ("code", "u1")])
_HEAD = np.dtype("<i8")  # documents of a part of a bucket


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
            HashedFile(stem.with_name(f"{stem.name}.{number}"))
            for number in range(-(-count // bucket_documents))
        ]
        self._pending: list[tuple[IntArray, Packed]] = []
        self._pending_bytes = 0
        worth = max(_PENDING_BYTES, _APPEND_BYTES * len(self._files))
        self._most_pending = min(worth, _MOST_PENDING_BYTES)

    def add(self, positions: IntArray, packed: Packed) -> None:
        """Take over documents at their ``positions`` [n]."""
        self._pending.append((positions, packed))
        self._pending_bytes += len(packed.tokens) + len(positions) * _FACTS.itemsize
        if self._pending_bytes >= self._most_pending:
            self._scatter()

    def documents(self) -> Iterator[Packed]:
        """Yield all documents by position, in blocks of bounded size; call it once."""
        self._scatter()
        for file in self._files:
            yield from _in_order(*_read(file.path), self._width)
            remove(file.path)

    def _scatter(self) -> None:
        """Append what is pending to the buckets, one write each."""
        if not self._pending:
            return
        positions, packed = _joined(self._pending)
        self._pending, self._pending_bytes = [], 0
        numbers, places = np.divmod(positions, self._size)
        facts = np.empty(len(places), dtype=_FACTS)
        facts["position"], facts["code"] = places, packed.codes
        facts["bytes"] = packed.lengths * self._width
        starts = np.cumsum(facts["bytes"], dtype=np.int64) - facts["bytes"]
        order = np.argsort(numbers, kind="stable")
        found, firsts = np.unique(numbers[order], return_index=True)
        for number, part in zip(found.tolist(), np.split(order, firsts[1:]), strict=True):
            tokens = _gathered(packed.tokens, starts[part], facts[part])
            head = np.array(len(part), dtype=_HEAD).tobytes()
            self._files[number].append(b"".join([head, facts[part].tobytes(), tokens]))


def _joined(pending: list[tuple[IntArray, Packed]]) -> tuple[IntArray, Packed]:
    positions, packed = zip(*pending, strict=True)
    lengths, codes, tokens = zip(*packed, strict=True)
    joined = Packed(np.concatenate(lengths), np.concatenate(codes), b"".join(tokens))
    return np.concatenate(positions), joined


def _read(path: Path) -> tuple[Facts, IntArray, bytes]:
    """Return the facts of a bucket, and where in its bytes the tokens of each document begin."""
    with using(path):
        data = path.read_bytes()
    facts, starts, at = [np.empty(0, dtype=_FACTS)], [np.empty(0, dtype=np.int64)], 0
    while at < len(data):
        count = int(np.frombuffer(data, _HEAD, 1, at)[0])
        part = np.frombuffer(data, _FACTS, count, at + _HEAD.itemsize)
        at += _HEAD.itemsize + part.nbytes
        ends = at + np.cumsum(part["bytes"], dtype=np.int64)
        facts.append(part)
        starts.append(ends - part["bytes"])
        at = int(ends[-1])
    return np.concatenate(facts), np.concatenate(starts), data


def _in_order(facts: Facts, starts: IntArray, data: bytes, width: int) -> Iterator[Packed]:
    """Yield the documents of a bucket by position."""
    order = np.argsort(facts["position"], kind="stable")
    blocks = np.cumsum(facts["bytes"][order], dtype=np.int64) // _BLOCK_BYTES
    _, firsts = np.unique(blocks, return_index=True)
    for part in np.split(order, firsts[1:]):
        chosen = facts[part]
        lengths = (chosen["bytes"] // width).astype(np.int64)
        yield Packed(lengths, chosen["code"], _gathered(data, starts[part], chosen))


def _gathered(tokens: bytes | memoryview, starts: IntArray, facts: Facts) -> bytes:
    """Return the tokens of documents that begin at ``starts`` [n] bytes, one after the other."""
    view = memoryview(tokens)
    stops = (starts + facts["bytes"]).tolist()
    return b"".join([view[a:b] for a, b in zip(starts.tolist(), stops, strict=True)])
