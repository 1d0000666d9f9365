"""Samples: a line of a file → the values that its template takes → the rendered text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mintdim.sources.jsonl import read_values
from mintdim.sources.template import parse_template

if TYPE_CHECKING:
    from mintdim.sources.contract import SourceJob
    from mintdim.sources.jsonl import Row


class SampleReader:
    """Reads the samples of one file.

    ``text_of`` and ``values_of`` raise ``SourceParseError``, ``SampleSchemaError`` or
    ``SampleFieldTypeError`` with the file as it was given and the line as it is passed.
    """

    def __init__(self, job: SourceJob) -> None:
        self._fields, self._file = job.fields, job.source.path
        self.template = parse_template(job.template, job.fields)
        order = [job.fields.index(name) for name in self.template.placeholders]
        # Most templates take the fields as they were declared; this spares a list per sample.
        self._order = None if order == list(range(len(job.fields))) else order

    def values_of(self, line: bytes, number: int) -> tuple[str, ...]:
        """Return one value per placeholder, in order."""
        return self._ordered(read_values(line, self._fields, self._file, number))

    def values_in(self, row: Row) -> tuple[str, ...]:
        """Return one value per placeholder, in order, of a line that was parsed before."""
        return self._ordered(row.values(self._fields))

    def text_of(self, line: bytes, number: int) -> str:
        """Return the rendered text of a sample."""
        return self.template.render(self.values_of(line, number))

    def _ordered(self, values: list[str]) -> tuple[str, ...]:
        return tuple(values if self._order is None else [values[i] for i in self._order])
