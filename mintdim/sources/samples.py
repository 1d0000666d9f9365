"""Samples: a line of a file → the values that its template takes → the rendered text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mintdim.sources.jsonl import read_values, string_columns
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
        self._order = [job.fields.index(name) for name in self.template.placeholders]

    def texts_of(self, lines: list[bytes]) -> list[str] | None:
        """Return the rendered text of every line, or None: then each line has to be read alone."""
        columns = string_columns(lines, self._fields)
        if columns is None:
            return None
        return self.template.render_all([columns[i] for i in self._order])

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
        return tuple([values[i] for i in self._order])
