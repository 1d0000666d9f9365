"""The scan stage: a pure task from a chunk of a file to the facts of its rows.

Nothing is tokenized here, so that whatever is wrong with a row, or with the splits, is known
before the long part of the work. A failure of the data is returned, not raised, so that the first
one in source order wins wherever the task runs.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from mintdim.pipelines.stream_build.contracts import ROW, Chunk, Failure, ScannedChunk, Status
from mintdim.pipelines.stream_build.documents.reader import Document, DocumentReader
from mintdim.shared.errors import MintDimDataError
from mintdim.sources.chunks import read_error, read_lines
from mintdim.sources.jsonl import is_blank
from mintdim.sources.lines import digest_of

if TYPE_CHECKING:
    from mintdim.pipelines.stream_build.contracts import Rows


def scan_chunk(chunk: Chunk) -> ScannedChunk | Failure:
    """Read the rows of a chunk, or return its first error in source order."""
    try:
        lines = read_lines(chunk)
    except OSError as error:
        return Failure(chunk, read_error(chunk.job, error))
    reader = DocumentReader(chunk.job)
    documents = []
    for number, line in enumerate(lines, 1):
        if is_blank(line):
            continue
        try:
            documents.append(reader.read(line, number))
        except MintDimDataError as error:
            return Failure(chunk, error)
    if chunk.failure is not None:
        return Failure(chunk, chunk.failure)
    return ScannedChunk(
        chunk=replace(chunk, block=None),  # its bytes are used up
        digest=digest_of(lines),
        rows=_rows(documents),
        line_count=len(lines),
        characters=sum(row.characters for row in documents if row.status == Status.KEPT),
    )


def _rows(documents: list[Document]) -> Rows:
    rows = np.empty(len(documents), dtype=ROW)
    if not documents:
        return rows
    columns = dict(zip(Document._fields, zip(*documents, strict=True), strict=True))
    for name in ("status", "code", "keyed", "time", "lot", "line"):
        rows[name] = np.array(columns[name], dtype=ROW[name])
    rows["key"] = np.frombuffer(b"".join(columns["key"]), dtype=np.uint8).reshape(-1, 16)
    return rows
