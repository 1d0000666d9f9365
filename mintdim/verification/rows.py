"""``sample_index.jsonl`` read once from end to end, then row by row where it is needed."""

from __future__ import annotations

import json
import mmap
import re
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from mintdim.formats import names
from mintdim.shared.messages import phrase
from mintdim.verification.findings import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from mintdim.verification.documents import Documents

_SHA256 = re.compile("[0-9a-f]{64}")
UNREADABLE = (
    ValueError,
    KeyError,
    TypeError,
    IndexError,
    AttributeError,
    OverflowError,
    RecursionError,
    OSError,
)


class SampleRows:
    """Any row of ``sample_index.jsonl``, and the first 64 bits of every hash.

    Memory: 16 bytes per sample.
    """

    def __init__(self, path: Path, samples: int) -> None:
        self._path = path
        self._starts = np.zeros(samples, dtype=np.int64)
        self.prefixes = np.zeros(samples, dtype=np.uint64)

    def note(self, sample: int, start: int, digest: str) -> None:
        """Remember where the row of a sample starts, and the beginning of its hash."""
        self._starts[sample] = start
        self.prefixes[sample] = int(digest[:16], 16)

    def __getitem__(self, sample: int) -> dict[str, Any]:
        start = int(self._starts[sample])
        row: dict[str, Any] = json.loads(self._text[start : self._text.find(b"\n", start)])
        return row

    @cached_property
    def _text(self) -> mmap.mmap:
        with open(self._path, "rb") as file:
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


def json_rows(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the byte where a row starts, and the row, of a file of JSON lines."""
    start = 0
    with open(path, "rb") as lines:
        for line in lines:
            if not line.endswith(b"\n"):
                raise ValueError("the last line has no end")
            row = json.loads(line.decode("utf-8"))
            if not isinstance(row, dict):
                raise ValueError("not a JSON object")
            yield start, row
            start += len(line)


def scan_rows(documents: Documents, index: Any) -> tuple[SampleRows | None, list[Finding]]:
    """Compare every row with ``sample_index.bin`` [samples]; stop at the first that differs.

    Without findings, the rows are returned for further checks.
    """
    path = documents.root / names.SAMPLE_INDEX
    rows, number = SampleRows(path, len(index)), 0
    origin = _Origin(documents)
    try:
        for number, (start, row) in enumerate(json_rows(path), 1):
            if number > len(index):
                break
            problem = _problem(number - 1, row, index, origin)
            if problem is not None:
                return None, [Finding(names.SAMPLE_INDEX, problem, line=number)]
            rows.note(number - 1, start, row["hash"])
    except UNREADABLE as error:
        return None, [unreadable(names.SAMPLE_INDEX, error, line=number + 1)]
    if number != len(index):
        problem = phrase("value_differs", name="rows", found=number, expected=len(index))
        return None, [Finding(names.SAMPLE_INDEX, problem, line=max(1, number))]
    return rows, []


def unreadable(file: str, error: Exception, line: int | None = None) -> Finding:
    """Return the finding for a row that is not what every row is."""
    detail = f"{type(error).__name__}: {error}"
    return Finding(file, phrase("unreadable", detail=detail), line=line)


def _problem(sample: int, row: dict[str, Any], index: Any, origin: _Origin) -> Any:
    try:
        return _placed(sample, row, index) or origin.problem(row)
    except UNREADABLE as error:
        return phrase("unreadable", detail=f"{type(error).__name__}: {error}")


def _placed(sample: int, row: dict[str, Any], index: Any) -> Any:
    """Return what a row says differently from ``sample_index.bin``."""
    count, unit, shard, _ = index[sample].tolist()
    keys = ("sample_id", "token_count", "unit_size", "shard_path")
    expected = (sample, count, unit, names.shard_path(unit, shard))
    found = tuple(row[key] for key in keys)
    if found != expected:
        return phrase("value_differs", name=", ".join(keys), found=found, expected=expected)
    if not _SHA256.fullmatch(row["hash"]):
        return phrase("value_differs", name="hash", found=row["hash"], expected="[0-9a-f]{64}")
    return None


class _Origin:
    """Follows rows through the source files: files in order, lines ascending, units fitting."""

    def __init__(self, documents: Documents) -> None:
        self._files: list[str] = documents.manifest["source"]["files"]
        self._sizes = documents.sizes_by_file
        self._file, self._line = 0, 0

    def problem(self, row: dict[str, Any]) -> Any:
        """Return what a row has that cannot follow on the row before it."""
        file, line, before = row["source_file"], row["source_line"], (self._file, self._line)
        if self._file >= len(self._files) or file != self._files[self._file] or line <= self._line:
            later = self._files[self._file + 1 :]
            if file not in later or type(line) is not int or line < 1:
                name, last = "source_file, source_line", (*self._files[self._file :][:1], before[1])
                return phrase("value_differs", name=name, found=(file, line), expected=f"> {last}")
            self._file += 1 + later.index(file)
        self._line = line
        unit = next(size for size in self._sizes[self._file] if size >= row["token_count"])
        if unit != row["unit_size"]:
            found = row["unit_size"]
            return phrase("value_differs", name="unit_size", found=found, expected=unit)
        return None
