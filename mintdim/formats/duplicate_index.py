"""``duplicate_index.jsonl``: one row per group of samples with the same hash.

A row is made in three parts (head, members, tail), so that a group of any size can be written
without holding it.
"""

from mintdim.formats import json_text

TAIL = "]}\n"
SEPARATOR = ", "


def head_text(digest: str, count: int) -> str:
    """Return the beginning of the row of a group of ``count`` samples."""
    return f'{{"hash": "{digest}", "count": {count}, "samples": ['


def member_text(sample_id: int, source_file: str, source_line: int) -> str:
    """Return one member of a group."""
    return json_text.text(
        {"sample_id": sample_id, "source_file": source_file, "source_line": source_line}
    )
