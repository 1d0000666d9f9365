"""Every sample against its source: read, rendered, hashed and tokenized again."""

from __future__ import annotations

import hashlib
from itertools import islice, zip_longest
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from mintdim.encoders.opening import open_encoder
from mintdim.formats import names
from mintdim.shared.errors import MintDimError
from mintdim.shared.messages import phrase
from mintdim.shared.paths import absolute, require_file
from mintdim.sources.compression import ArchiveError
from mintdim.sources.jsonl import is_blank, read_values
from mintdim.sources.lines import numbered_lines
from mintdim.sources.template import parse_template
from mintdim.verification.findings import Finding
from mintdim.verification.rows import UNREADABLE, json_rows
from mintdim.verification.token_indexes import ORIGIN
from mintdim.verification.tokens import TokenRows, mapped_index

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mintdim.encoders.contract import Encoder
    from mintdim.sources.template import Template
    from mintdim.verification.documents import Documents

    Row = dict[str, Any]

_TEXTS_AT_ONCE = 512
_MOST_FINDINGS = 100


class _SourceSample(NamedTuple):
    """One line of a source: where it stands, its template and the values in it."""

    file: str
    line: int
    template: Template
    values: tuple[str, ...]

    @property
    def text(self) -> str:
        return self.template.render(self.values)


class _Pair(NamedTuple):
    """A row of ``sample_index.jsonl`` and the sample that the source has in its place."""

    number: int
    row: Row
    sample: _SourceSample
    text: str
    ids: Any


def check_source(documents: Documents) -> list[Finding]:
    """Return the samples that their source does not give any more, and what it has besides.

    Stops after 100 samples, or at the first one that is of another place.
    """
    findings: list[Finding] = []
    try:
        tokenizer = documents.tokenizer
        path = require_file(tokenizer["path"], "tokenizer")
        encoder = open_encoder(tokenizer["type"], absolute(path), tokenizer["sha256"])
        for finding in islice(_compared(documents, encoder), _MOST_FINDINGS):
            findings.append(finding)  # noqa: PERF402 - they count even if an error follows
    except (MintDimError, ArchiveError, *UNREADABLE) as error:
        detail = " ".join(str(error).split())
        findings.append(Finding(names.MANIFEST, phrase("source_problem", detail=detail)))
    return findings


def _compared(documents: Documents, encoder: Encoder) -> Iterator[Finding]:
    tokens = TokenRows(documents, mapped_index(documents))
    special = _SpecialRows(documents, encoder)
    samples = _source_samples(documents)
    rows = (row for _, row in json_rows(documents.root / names.SAMPLE_INDEX))
    for pair in _pairs(rows, samples, encoder):
        if not isinstance(pair, _Pair):
            yield pair
            return
        digest = hashlib.sha256(pair.text.encode()).hexdigest()
        if digest != pair.row["hash"] or not np.array_equal(pair.ids, tokens.of(pair.number)):
            yield _differs(pair.number, pair.row, *tokens.place(pair.number))
        special.add(pair)
    yield from special.findings()


def _pairs(
    rows: Iterator[Row], samples: Iterator[_SourceSample], encoder: Encoder
) -> Iterator[_Pair | Finding]:
    """Walk through rows and source side by side; a sample without its row ends the walk."""
    number = 0
    both = zip_longest(rows, samples)
    while block := list(islice(both, _TEXTS_AT_ONCE)):
        texts = [sample.text for _, sample in block if sample is not None]
        encoded = encoder.encode_batch(texts)
        parts = np.split(encoded.ids, np.cumsum(encoded.lengths)[:-1])
        for (row, sample), text, ids in zip_longest(block, texts, parts):
            if row is None:
                detail = f"{sample.file}:{sample.line} is not in the dataset"
                yield Finding(names.SAMPLE_INDEX, phrase("source_problem", detail=detail))
                return
            if sample is None or (sample.file, sample.line) != _place(row):
                yield _differs(number, row, names.SAMPLE_INDEX, line=number + 1)
                return
            yield _Pair(number, row, sample, text, ids)
            number += 1


def _source_samples(documents: Documents) -> Iterator[_SourceSample]:
    """Yield every sample of the recorded sources in order."""
    source = documents.manifest["source"]
    count = len(source["files"])
    fields = source["fields"] * (count if len(source["fields"]) == 1 else 1)
    templates = source["templates"] * (count if len(source["templates"]) == 1 else 1)
    for file, names_, text in zip(source["files"], fields, templates, strict=True):
        keys = tuple(names_)
        template = parse_template(text, keys)
        for number, line in numbered_lines(require_file(file, "source")):
            if not is_blank(line):
                values = dict(zip(keys, read_values(line, keys, file, number), strict=True))
                inserted = tuple(values[name] for name in template.placeholders)
                yield _SourceSample(file, number, template, inserted)


class _SpecialRows:
    """``special_index.jsonl`` against the special tokens that the values bring in."""

    def __init__(self, documents: Documents, encoder: Encoder) -> None:
        path = documents.root / names.SPECIAL_INDEX
        self._found = (row for _, row in json_rows(path)) if path.is_file() else iter(())
        self._encoder, self._special = encoder, encoder.special_tokens
        self._ids = np.fromiter(self._special, dtype=np.int64)
        self._line = 0
        self._differing: Finding | None = None

    def add(self, pair: _Pair) -> None:
        """Compare the next row, if the sample has special tokens in its values."""
        if self._differing is None and np.isin(pair.ids, self._ids).any():
            hits = self._in_values(pair)
            if hits:
                self._line += 1
                self._compare(_special_row(pair, hits), next(self._found, None))

    def findings(self) -> Iterator[Finding]:
        """Yield the first row that differs, or is there besides."""
        if self._differing is None:
            self._line += 1
            self._compare(None, next(self._found, None))
        if self._differing is not None:
            yield self._differing

    def _in_values(self, pair: _Pair) -> dict[int, str]:
        """Return position → text of special tokens that share characters with a value."""
        values = pair.sample.template.value_spans(pair.sample.values)
        return {
            position: self._special[span.token_id]
            for position, span in enumerate(self._encoder.encode_spans(pair.text))
            if span.token_id in self._special
            and any(span.start < stop and start < span.stop for start, stop in values)
        }

    def _compare(self, expected: Row | None, found: Row | None) -> None:
        if found != expected:
            problem = phrase("value_differs", name="row", found=found, expected=expected)
            self._differing = Finding(names.SPECIAL_INDEX, problem, line=self._line)


def _special_row(pair: _Pair, hits: dict[int, str]) -> Row:
    return {
        **{key: pair.row[key] for key in ORIGIN},
        "special_count": len(hits),
        "special_positions": list(hits),
        "special_tokens": list(hits.values()),
    }


def _place(row: Row) -> tuple[str, int]:
    return row["source_file"], row["source_line"]


def _differs(
    number: int, row: Row, file: str, offset: int | None = None, line: int | None = None
) -> Finding:
    source, source_line = _place(row)
    problem = phrase("source_differs", sample=number, source=source, line=source_line)
    return Finding(file, problem, offset=offset, line=line)
