"""Every byte of a stream dataset: hashes, ids, ends of documents, and whose language they are."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import numpy as np

from mintdim.formats.shards import numpy_dtype
from mintdim.formats.stream_names import LABELLED_SPLITS, languages_name
from mintdim.shared.messages import os_reason, phrase
from mintdim.verification.findings import Finding
from mintdim.verification.stream_quick import expected_sizes

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from mintdim.formats.shards import IntArray, TokenArray
    from mintdim.formats.stream_arrays import CodeArray
    from mintdim.formats.stream_index import StreamIndex, StreamShard

_BLOCK_BYTES = 2**22
_NO_CODES = np.empty(0, dtype=np.uint8)


def check_content(root: Path, index: StreamIndex) -> Iterator[Finding]:
    """Read every shard once, block by block, and its language codes; yield what is wrong.

    Tokens are looked at only in files of the right size. Memory: a block, and a byte per document
    of one shard.
    """
    sizes = expected_sizes(index)
    for shard in index.shards:
        try:
            codes, findings = _codes(root, index, shard)
            yield from findings
            if _has_size(root / shard.name, sizes[shard.name]):
                yield from _shard(root, index, shard, codes)
        except OSError as error:
            yield Finding(shard.name, phrase("unreadable", detail=str(os_reason(error))))


def _codes(root: Path, index: StreamIndex, shard: StreamShard) -> tuple[CodeArray, list[Finding]]:
    """Return the language codes of one shard; none where they are not there or not as many."""
    name = languages_name(shard.name)
    if shard.split not in LABELLED_SPLITS or not _has_size(root / name, shard.docs):
        return _NO_CODES, []
    data = (root / name).read_bytes()
    codes = np.frombuffer(data, dtype=np.uint8)
    findings = []
    if shard.langs_sha256 not in (None, hashlib.sha256(data).hexdigest()):
        findings.append(Finding(name, phrase("other_content")))
    unknown = np.flatnonzero(codes >= len(index.lang_codes))
    if len(unknown):
        facts = {"code": int(codes[unknown[0]]), "most": len(index.lang_codes) - 1}
        findings.append(Finding(name, phrase("no_such_code", **facts), offset=int(unknown[0])))
    return codes, findings


def _shard(
    root: Path, index: StreamIndex, shard: StreamShard, codes: CodeArray
) -> Iterator[Finding]:
    scan = _Scan(index, codes)
    with open(root / shard.name, "rb") as file:
        while block := file.read(_BLOCK_BYTES):
            scan.add(block)
    if scan.sha256 != shard.sha256:
        yield Finding(shard.name, phrase("other_content"))
    if scan.foreign is not None:
        yield Finding(shard.name, phrase("no_such_id"), offset=scan.foreign * scan.width)
    if scan.documents != shard.docs:
        facts = {"found": scan.documents, "expected": shard.docs}
        yield Finding(shard.name, phrase("other_eos_count", **facts))
    if scan.last_end != scan.tokens - 1:
        offset = (scan.tokens - 1) * scan.width
        yield Finding(shard.name, phrase("no_last_eos", eos=index.eos_id), offset=offset)
    if len(codes) and scan.documents == shard.docs:
        yield from _language_sums(index, shard, scan.by_code)


def _language_sums(index: StreamIndex, shard: StreamShard, by_code: IntArray) -> Iterator[Finding]:
    """Yield languages to which the codes give other counts than the index; shifted ones do."""
    for code, language in enumerate(index.lang_codes):
        found, expected = int(by_code[code]), shard.langs.get(language, 0)
        if found != expected:
            facts = {"language": language, "found": found, "expected": expected}
            yield Finding(languages_name(shard.name), phrase("language_sum", **facts))


class _Scan:
    """What one pass over a shard finds, block by block."""

    def __init__(self, index: StreamIndex, codes: CodeArray) -> None:
        self._eos, self._vocabulary, self._codes = index.eos_id, index.vocab_size, codes
        self._dtype: np.dtype[Any] = numpy_dtype(index.dtype)
        self._sha256 = hashlib.sha256()
        self.width = self._dtype.itemsize
        self.tokens = self.documents = 0
        self.last_end = -1
        self.foreign: int | None = None  # the first token that is no id of the vocabulary
        self.by_code: IntArray = np.zeros(256, dtype=np.int64)

    @property
    def sha256(self) -> str:
        """The SHA-256 of all blocks."""
        return self._sha256.hexdigest()

    def add(self, block: bytes) -> None:
        """Take the next block, which holds whole tokens."""
        self._sha256.update(block)
        # A file that was cut since its size was looked at may end inside a token.
        tokens = np.frombuffer(block, dtype=self._dtype, count=len(block) // self.width)
        if self.foreign is None and self._vocabulary is not None:
            self._look_for_foreign(tokens, self._vocabulary)
        ends = np.flatnonzero(tokens == self._eos) + self.tokens
        if len(ends):
            self._count_languages(np.diff(ends, prepend=self.last_end))
            self.last_end = int(ends[-1])
        self.documents += len(ends)
        self.tokens += len(tokens)

    def _look_for_foreign(self, tokens: TokenArray, vocabulary: int) -> None:
        if int(tokens.max(initial=0)) >= vocabulary:
            self.foreign = self.tokens + int(np.flatnonzero(tokens >= vocabulary)[0])

    def _count_languages(self, lengths: IntArray) -> None:
        codes = self._codes[self.documents : self.documents + len(lengths)]
        np.add.at(self.by_code, codes, lengths[: len(codes)])


def _has_size(path: Path, size: int) -> bool:
    return path.is_file() and path.stat().st_size == size
