"""The names of all files of a stream dataset: one flat folder.

Names come from indexes that were written elsewhere, so they are matched as a whole and never
joined to a path before. What belongs to a shard is named by its suffix alone: ``.bin`` may stand
anywhere else in a path.
"""

from __future__ import annotations

import re
from typing import Literal, get_args

Split = Literal["train", "val", "test"]

INDEX = "shards_index.json"
SPLITS: tuple[Split, ...] = get_args(Split)  # in the order in which they are written
LABELLED_SPLITS: tuple[Split, ...] = ("val", "test")  # with the language of every document

_SUFFIX = ".bin"
_FEWEST_DIGITS = 3
# A file name has at most 255 bytes; so no number here is too long to be read.
_SHARD = re.compile(rf"(train|val|test)_([0-9]{{{_FEWEST_DIGITS},200}})\.bin")


def shard_name(split: Split, number: int, count: int) -> str:
    """Return the name of shard ``number`` (from 0) of the ``count`` shards of a split.

    All numbers of a split have the width of its largest one, but at least three digits, so that
    names sort as numbers do.
    """
    width = max(_FEWEST_DIGITS, len(str(count - 1)))
    return f"{split}_{number:0{width}d}{_SUFFIX}"


def is_shard(name: str) -> bool:
    """Say whether ``name`` is the plain name of a shard, nothing before or behind it."""
    return _SHARD.fullmatch(name) is not None


def split_of(name: str) -> Split:
    """Return the split of a shard; raises ``ValueError`` for any other name."""
    return _matched(name)[1]  # type: ignore[return-value]


def number_of(name: str) -> int:
    """Return the number of a shard; raises ``ValueError`` for any other name."""
    return int(_matched(name)[2])


def metadata_name(name: str) -> str:
    """Return the name of the JSON file that describes one shard: ``.bin.json``."""
    return f"{name}.json"


def languages_name(name: str) -> str:
    """Return the name of the language codes of the documents of one shard: ``.langs.u8``."""
    return f"{name.removesuffix(_SUFFIX)}.langs.u8"


def files_of(name: str) -> tuple[str, ...]:
    """Return the names of all files of one shard; train has no language codes."""
    labels = (languages_name(name),) if split_of(name) in LABELLED_SPLITS else ()
    return (name, metadata_name(name), *labels)


def _matched(name: str) -> re.Match[str]:
    found = _SHARD.fullmatch(name)
    if found is None:
        raise ValueError(f"no name of a shard: {name!r}")
    return found
