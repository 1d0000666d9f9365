"""Every sample against its source: read, rendered, hashed and tokenized again."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import numpy as np

from mintdim.encoders.opening import open_encoder
from mintdim.formats import names
from mintdim.formats.sample_index import BINARY_ROW
from mintdim.formats.shards import numpy_dtype
from mintdim.shared.errors import MintDimError
from mintdim.shared.messages import phrase
from mintdim.shared.paths import absolute, require_file
from mintdim.sources.compression import ArchiveError
from mintdim.sources.jsonl import is_blank, read_values
from mintdim.sources.lines import numbered_lines
from mintdim.sources.template import parse_template
from mintdim.verification.findings import Finding
from mintdim.verification.samples import json_rows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mintdim.encoders.contract import Encoder
    from mintdim.verification.documents import Documents


def check_source(documents: Documents) -> list[Finding]:
    """Return the samples that their source does not give any more, and what it has besides."""
    try:
        tokenizer = documents.tokenizer
        path = require_file(tokenizer["path"], "tokenizer")
        encoder = open_encoder(tokenizer["type"], absolute(path), tokenizer["sha256"])
    except (MintDimError, ValueError) as error:
        return [_problem(error)]
    findings: list[Finding] = []
    try:
        findings.extend(_compared(documents, encoder))
    except (MintDimError, ArchiveError, OSError, ValueError, KeyError) as error:
        findings.append(_problem(error))
    return findings


def _compared(documents: Documents, encoder: Encoder) -> Iterator[Finding]:
    """Walk through index rows and source lines side by side, file after file."""
    texts = _source_texts(documents)
    rows = json_rows(documents, names.SAMPLE_INDEX)
    tokens = _TokenRows(documents)
    for number, row in enumerate(rows):
        file, line, text = next(texts, (None, None, ""))
        ids = encoder.encode_batch([text]).ids
        same_place = (file, line) == (row["source_file"], row["source_line"])
        same_text = hashlib.sha256(text.encode()).hexdigest() == row["hash"]
        if not (same_place and same_text and np.array_equal(ids, tokens.of(number))):
            facts = {"source": row["source_file"], "line": row["source_line"]}
            problem = phrase("source_differs", sample=number, **facts)
            yield Finding(row["shard_path"], problem, offset=tokens.offset(number))
            if not same_place:
                return
    if (extra := next(texts, None)) is not None:
        detail = f"{extra[0]}:{extra[1]} is not in the dataset"
        yield Finding(names.SAMPLE_INDEX, phrase("source_problem", detail=detail))


def _source_texts(documents: Documents) -> Iterator[tuple[str, int, str]]:
    """Yield file, line and rendered text of every sample of the recorded sources."""
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
                rendered = template.render(tuple(values[name] for name in template.placeholders))
                yield file, number, rendered


class _TokenRows:
    """The tokens of samples by number, from shards that are mapped one at a time per unit."""

    def __init__(self, documents: Documents) -> None:
        self._root = documents.root
        self._dtype = numpy_dtype(documents.manifest["token_storage"]["dtype"])
        self._index = np.fromfile(documents.root / names.SAMPLE_INDEX_BINARY, dtype=BINARY_ROW)
        self._open: dict[int, tuple[int, Any]] = {}

    def of(self, sample: int) -> Any:
        count, unit, shard, row = self._index[sample].tolist()
        if self._open.get(unit, (None, None))[0] != shard:
            path = self._root / names.shard_path(unit, shard)
            self._open[unit] = shard, np.memmap(path, dtype=self._dtype, mode="r")
        return self._open[unit][1][row * unit : row * unit + count]

    def offset(self, sample: int) -> int:
        _, unit, _, row = self._index[sample].tolist()
        return int(row * unit * self._dtype.itemsize)


def _problem(error: Exception) -> Finding:
    return Finding(names.MANIFEST, phrase("source_problem", detail=" ".join(str(error).split())))
