"""``unk_index.jsonl`` and ``special_index.jsonl``: samples that hold certain tokens, and where."""

from __future__ import annotations

from mintdim.formats import json_text


def unk_row(
    sample_id: int, digest: str, source_file: str, source_line: int, positions: list[int]
) -> str:
    """Return the row of a sample whose field values produced UNK tokens.

    ``positions`` are token positions in the sample, from 0.
    """
    row = _origin(sample_id, digest, source_file, source_line)
    return _line({**row, "unk_count": len(positions), "unk_positions": positions})


def special_row(
    sample_id: int,
    digest: str,
    source_file: str,
    source_line: int,
    positions: list[int],
    tokens: list[str],
) -> str:
    """Return the row of a sample whose field values hold special tokens; lists run in parallel."""
    row = _origin(sample_id, digest, source_file, source_line)
    counted = {"special_count": len(positions), "special_positions": positions}
    return _line({**row, **counted, "special_tokens": tokens})


def _origin(sample_id: int, digest: str, source_file: str, source_line: int) -> dict[str, object]:
    return {
        "sample_id": sample_id,
        "hash": digest,
        "source_file": source_file,
        "source_line": source_line,
    }


def _line(row: dict[str, object]) -> str:
    return json_text.text(row) + "\n"
