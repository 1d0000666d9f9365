"""The index of a dataset that lies elsewhere: which kind it is, and what must be fetched."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mintdim.fetching import limits
from mintdim.fetching.contracts import TransferError
from mintdim.fetching.pace import Pace
from mintdim.fetching.retry import tried
from mintdim.fetching.stream_plan import stream_plan
from mintdim.fetching.unit_plan import unit_plan
from mintdim.formats import names
from mintdim.formats.stream_parsing import IndexProblemError, json_object
from mintdim.shared.errors import FetchArgumentError
from mintdim.shared.messages import phrase

if TYPE_CHECKING:
    from collections.abc import Callable

    from mintdim.fetching.choice import Choice
    from mintdim.fetching.contracts import Plan, Source


def read_small(
    source: Source, name: str, most: int, received: Callable[[int], None] = lambda count: None
) -> bytes:
    """Return a file of at most ``most`` bytes, tried once; raises ``TransferError``."""
    data, pace = bytearray(), Pace()
    with source.open(name) as body:
        if body.total is not None:
            _check_size(body.total, most)
        while block := body.read():
            data += block
            _check_size(len(data), most)
            received(len(block))
            pace.count(len(block))
        if body.total is not None and len(data) < body.total:
            raise TransferError(phrase("fetch_cut", found=len(data), expected=body.total))
    return bytes(data)


def _check_size(found: int, most: int) -> None:
    if found > most:
        problem = phrase("too_many_bytes", found=found, most=most)
        raise TransferError(problem, "fetch_ask_origin", final=True)


class Reader:
    """Reads index and manifest; ``name`` is the file it is at, for the error."""

    def __init__(self, source: Source, received: Callable[[int], None]) -> None:
        self.name = names.SHARDS_INDEX
        self._source = source
        self._received = received

    def plan(self, choice: Choice) -> Plan:
        """Return what must be fetched; raises ``TransferError`` or ``FetchArgumentError``."""
        index = self._read(names.SHARDS_INDEX)
        if not _is_unit_index(index):
            return stream_plan(index, choice)
        if not choice.is_everything:
            raise FetchArgumentError(problem=phrase("fetch_whole_only"))
        return unit_plan(index, self._read(names.MANIFEST))

    def _read(self, name: str) -> bytes:
        self.name = name
        attempt = lambda: read_small(self._source, name, limits.INDEX_BYTES, self._received)  # noqa: E731
        return tried(name, attempt)


def _is_unit_index(data: bytes) -> bool:
    """Both kinds have ``shards``; only a unit dataset lists its other files as well."""
    try:
        return "files" in json_object(data, limits.INDEX_BYTES)
    except IndexProblemError as error:
        raise TransferError(error.problem, "fetch_check_url", final=True) from error
