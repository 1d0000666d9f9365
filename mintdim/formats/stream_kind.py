"""Telling the two kinds of datasets apart by the files of their folder."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from mintdim.formats import names, stream_names
from mintdim.formats.stream_index import MOST_BYTES
from mintdim.formats.stream_parsing import read_limited

if TYPE_CHECKING:
    from pathlib import Path


def is_stream(root: Path) -> bool:
    """Say whether a folder holds a stream dataset: an index of shards, and no manifest.

    A ``unit-build`` that ended between index and manifest is none; its index lists ``files``.
    """
    if (root / names.MANIFEST).exists() or not (root / stream_names.INDEX).is_file():
        return False
    try:
        index = json.loads(read_limited(root / stream_names.INDEX, MOST_BYTES))
    except (OSError, ValueError, RecursionError):
        return True  # whoever opens it says what is wrong
    return not (isinstance(index, dict) and "files" in index and "tokenizer" not in index)
