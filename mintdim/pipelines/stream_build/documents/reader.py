"""A line → what counts about a document, or why it is none.

In this order: language, length of the rendered text. Whether an earlier document has the same key
is not known here.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, NamedTuple

from mintdim.pipelines.stream_build.contracts import BAD_TIME, NO_TIME, Status
from mintdim.shared.errors import SampleFieldTypeError
from mintdim.shared.times import microseconds, zone_of
from mintdim.sources.jsonl import Row
from mintdim.sources.samples import SampleReader

if TYPE_CHECKING:
    from mintdim.pipelines.stream_build.config import FileJob

_NO_KEY = bytes(16)


class Document(NamedTuple):
    """The facts of one row, in the order of the columns of ``ROW``; ``characters`` of its text."""

    status: int
    code: int
    keyed: bool
    key: bytes
    time: int
    lot: int
    line: int
    characters: int


class DocumentReader:
    """Reads the documents of one file.

    ``read`` raises ``SourceParseError``, ``SampleSchemaError`` or ``SampleFieldTypeError``.
    """

    def __init__(self, job: FileJob) -> None:
        self._documents, self._file, self._lot_seed = job.documents, job.source.path, job.lot_seed
        self._codes = {name: code for code, name in enumerate(job.documents.languages)}
        self._zone = zone_of(job.documents.time_zone)
        self._sample = SampleReader(job)
        self._literals = sum(map(len, self._sample.template.literals))

    def read(self, line: bytes, number: int) -> Document:
        """Return the facts of a line."""
        row = Row(line, self._file, number)
        status, code = self._language(row)
        if status:
            return Document(status, code, False, _NO_KEY, NO_TIME, 0, number, 0)
        values = self._sample.values_in(row)
        characters = self._literals + sum(map(len, values))
        status = Status.SHORT if characters < self._documents.min_chars else Status.KEPT
        key = self._key(row)
        return Document(
            status,
            code,
            key is not None,
            _NO_KEY if key is None else hash_of(key),
            self._time(row),
            self._lot(key, values),
            number,
            characters,
        )

    def _language(self, row: Row) -> tuple[int, int]:
        if self._documents.language is None:
            return Status.KEPT, 0
        try:
            language = row.optional(self._documents.language)
        except SampleFieldTypeError:
            return Status.OTHER_LANGUAGE, 0
        if language is None:
            return Status.NO_LANGUAGE, 0
        code = self._codes.get(language)
        return (Status.OTHER_LANGUAGE, 0) if code is None else (Status.KEPT, code)

    def _time(self, row: Row) -> int:
        if self._documents.time is None:
            return NO_TIME
        try:
            text = row.optional(self._documents.time)
        except SampleFieldTypeError:
            return BAD_TIME
        if text is None:
            return NO_TIME
        time = microseconds(text, self._zone)
        return BAD_TIME if time is None else time

    def _key(self, row: Row) -> str | None:
        if self._documents.key is None:
            return None
        return row.optional(self._documents.key) or None

    def _lot(self, key: str | None, values: tuple[str, ...]) -> int:
        if self._lot_seed is None:
            return 0
        return lot_of(self._sample.template.render(values) if key is None else key, self._lot_seed)


def hash_of(key: str) -> bytes:
    """Return 16 bytes that stand for a key: BLAKE2b of its UTF-8."""
    return hashlib.blake2b(key.encode(), digest_size=16).digest()


def lot_of(text: str, seed: int) -> int:
    """Return the number below 2**64 that decides the split of a document.

    The first 8 bytes, big-endian, of the SHA-256 of seed, line feed and key (or text).
    """
    return int.from_bytes(hashlib.sha256(f"{seed}\n{text}".encode()).digest()[:8], "big")
