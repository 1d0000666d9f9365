"""What belongs to a stream dataset: its shards, and the two small files beside each."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mintdim.fetching.contracts import Plan, TransferError, Wanted
from mintdim.formats import stream_names
from mintdim.formats.shards import bytes_per_token
from mintdim.formats.stream_index import StreamIndex, document, parse_index
from mintdim.formats.stream_parsing import IndexProblemError
from mintdim.shared.errors import FetchArgumentError
from mintdim.shared.messages import phrase

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mintdim.fetching.choice import Choice
    from mintdim.formats.stream_index import StreamShard


def stream_plan(data: bytes, choice: Choice) -> Plan:
    """Return the plan of the index in ``data``.

    Raises ``TransferError`` for an index that no such dataset has, ``FetchArgumentError`` where
    a split was asked for that is not there.
    """
    try:
        index = parse_index(data)
        if not index.shards:
            raise IndexProblemError(phrase("empty", name="shards"))
    except IndexProblemError as error:
        raise TransferError(error.problem, "fetch_ask_origin", final=True) from error
    kept = chosen(index, choice)
    whole = kept == index
    files = tuple(wanted for shard in kept.shards for wanted in _files(kept, shard))
    # An index that nothing was left out of is passed on as it is, byte by byte.
    last = ((stream_names.INDEX, data if whole else document(kept)),)
    return Plan("stream-build", files, last, lambda earlier: _is_part(earlier, kept))


def chosen(index: StreamIndex, choice: Choice) -> StreamIndex:
    """Return the index of the shards that were asked for, everything else as it was."""
    splits = index.splits if choice.splits is None else choice.splits
    for split in splits:
        if split not in index.splits:
            known = ", ".join(index.splits) or "-"
            raise FetchArgumentError(problem=phrase("fetch_no_split", split=split, known=known))
    train = {shard.name for shard in index.of_split("train")[: choice.train_limit]}
    kept = (
        shard
        for shard in index.shards
        if shard.split in splits and (shard.split != "train" or shard.name in train)
    )
    return replace(index, shards=tuple(kept))


def _files(index: StreamIndex, shard: StreamShard) -> Iterator[Wanted]:
    yield Wanted(shard.name, shard.tokens * bytes_per_token(index.dtype), shard.sha256)
    yield Wanted(stream_names.metadata_name(shard.name), None, None, shard)
    if shard.split in stream_names.LABELLED_SPLITS:
        name = stream_names.languages_name(shard.name)
        # The layout's first producer left it to people to place these files.
        optional = not index.format_version and shard.langs_sha256 is None
        yield Wanted(name, shard.docs, shard.langs_sha256, optional=optional)


def _is_part(earlier: bytes, kept: StreamIndex) -> bool:
    try:
        index = parse_index(earlier)
    except IndexProblemError:
        return False
    same_origin = replace(index, shards=()) == replace(kept, shards=())
    by_name = {shard.name: shard for shard in kept.shards}
    return same_origin and all(by_name.get(shard.name) == shard for shard in index.shards)
