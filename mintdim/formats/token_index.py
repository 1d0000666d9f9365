"""``unk_index.jsonl`` and ``special_index.jsonl``: samples that hold certain tokens, and where."""

from __future__ import annotations

from functools import lru_cache

from mintdim.formats import json_text


def unk_row(
    sample_id: int, digest: str, source_file: str, source_line: int, positions: list[int]
) -> str:
    """Return the row of a sample whose field values produced UNK tokens.

    ``positions`` are token positions in the sample, from 0.
    """
    origin = _origin(sample_id, digest, source_file, source_line)
    return f'{origin}, "unk_count": {len(positions)}, "unk_positions": {positions}}}\n'


def special_row(
    sample_id: int,
    digest: str,
    source_file: str,
    source_line: int,
    positions: list[int],
    tokens: list[str],
) -> str:
    """Return the row of a sample whose field values hold special tokens; lists run in parallel."""
    origin = _origin(sample_id, digest, source_file, source_line)
    counted = f'"special_count": {len(positions)}, "special_positions": {positions}'
    shown = ", ".join(map(_escaped, tokens))
    return f'{origin}, {counted}, "special_tokens": [{shown}]}}\n'


# By hand, because a web corpus may need a row for every fourth sample. A list of numbers reads
# the same in Python and in JSON.
def _origin(sample_id: int, digest: str, source_file: str, source_line: int) -> str:
    file = _escaped(source_file)
    return (
        f'{{"sample_id": {sample_id}, "hash": "{digest}", "source_file": {file}, '
        f'"source_line": {source_line}'
    )


@lru_cache(maxsize=1024)
def _escaped(text: str) -> str:
    return json_text.text(text)
