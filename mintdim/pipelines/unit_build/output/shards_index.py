"""Writer of ``shards_index.json``: shards are streamed, there may be any number of them."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from mintdim.formats import json_text, names
from mintdim.formats.shards_index import FileEntry, ShardEntry, shards_index

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mintdim.pipelines.unit_build.output.dir import OutputDirectory
    from mintdim.shared.files import HashedFile


def write_shards_index(output: OutputDirectory, shards: Iterable[ShardEntry]) -> HashedFile:
    """Write the document over ``shards`` and all finished files of ``output``."""
    entries = [FileEntry(name, file.bytes, file.sha256) for name, file in output.files]
    file = output.new_file(names.SHARDS_INDEX)
    file.append_rows(_pieces(shards, entries))
    output.finish(file, names.SHARDS_INDEX)
    return file


def _pieces(shards: Iterable[ShardEntry], files: list[FileEntry]) -> Iterator[str]:
    """Yield the text of the document; every shard takes one line."""
    document = json_text.document(shards_index([], files)).decode()
    head, tail = document.split("[]", maxsplit=1)  # the empty list of shards stands first
    yield head + "["
    separator = "\n    "
    for entry in shards:
        yield separator + json_text.text(asdict(entry))
        separator = ",\n    "
    yield "\n  ]" + tail
