"""``unk_index.jsonl``: one row per sample whose field values produced UNK tokens."""

from mintdim.formats import json_text


def row_text(
    sample_id: int, digest: str, source_file: str, source_line: int, positions: list[int]
) -> str:
    """Return one JSON row; ``positions`` are token positions in the sample, from 0."""
    return (
        json_text.text(
            {
                "sample_id": sample_id,
                "hash": digest,
                "source_file": source_file,
                "source_line": source_line,
                "unk_count": len(positions),
                "unk_positions": positions,
            }
        )
        + "\n"
    )
