"""``unk_index.jsonl`` and ``special_index.jsonl``: samples that hold certain tokens, and where.

Rows are written by hand, because a web corpus may need one for every fourth sample. A list of
numbers reads the same in Python and in JSON.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from mintdim.formats import json_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


class Origins(NamedTuple):
    """Some samples of one source file: ids, SHA-256 in hex and lines, in parallel."""

    source_file: str
    sample_ids: list[int]
    digests: list[str]
    lines: list[int]


def unk_rows(origins: Origins, positions: Iterable[list[int]]) -> Iterator[str]:
    """Yield the rows of samples whose field values produced UNK tokens.

    ``positions``: for each sample the places of the tokens in it, from 0.
    """
    for head, found in zip(_heads(origins), positions, strict=True):
        yield f'{head}, "unk_count": {len(found)}, "unk_positions": {found}}}\n'


def special_rows(
    origins: Origins, positions: Iterable[list[int]], tokens: Iterable[list[str]]
) -> Iterator[str]:
    """Yield the rows of samples whose field values hold special tokens.

    ``positions`` and ``tokens`` (as JSON text) run in parallel, in each sample too.
    """
    for head, found, shown in zip(_heads(origins), positions, tokens, strict=True):
        yield (
            f'{head}, "special_count": {len(found)}, "special_positions": {found}, '
            f'"special_tokens": [{", ".join(shown)}]}}\n'
        )


def _heads(origins: Origins) -> Iterator[str]:
    file = json_text.text(origins.source_file)
    columns = zip(origins.sample_ids, origins.digests, origins.lines, strict=True)
    for sample_id, digest, line in columns:
        yield (
            f'{{"sample_id": {sample_id}, "hash": "{digest}", "source_file": {file}, '
            f'"source_line": {line}'
        )
