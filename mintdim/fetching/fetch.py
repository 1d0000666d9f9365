"""``mintdim.fetch``: a whole dataset from elsewhere, or nothing that looks like one.

read the index → check the target → for every file: keep it, or fetch and check it → index, last
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from mintdim.fetching import limits
from mintdim.fetching.address import parse_address
from mintdim.fetching.choice import parse_choice
from mintdim.fetching.contracts import TransferError
from mintdim.fetching.file_source import FileSource
from mintdim.fetching.http_source import HttpSource
from mintdim.fetching.partial import Partial
from mintdim.fetching.reading import Reader, read_small
from mintdim.fetching.result import FetchResult, Tally
from mintdim.fetching.retry import tried
from mintdim.fetching.target import Target, describes
from mintdim.shared.errors import FetchArgumentError, FetchError, OutputWriteError
from mintdim.shared.log import logger, shown_by_default
from mintdim.shared.messages import Phrase, os_reason, phrase
from mintdim.shared.paths import absolute, is_path, is_usable_path
from mintdim.shared.progress import ByteProgress

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mintdim.fetching.choice import Choice
    from mintdim.fetching.contracts import Plan, Source, Wanted
    from mintdim.formats.stream_index import StreamShard
    from mintdim.shared.types import StrPath


def fetch(
    url: str,
    dest: StrPath,
    only: str | Iterable[str] | None = None,
    train_limit: int | None = None,
) -> FetchResult:
    """Fetch a dataset of either kind, check every file of it, and commit it by its index.

    ``url`` is the folder of the dataset: ``http://``, ``https://`` or ``file:///``. ``dest`` is a
    new or empty directory, or holds files of the same dataset: what is whole is kept, what is
    missing or wrong is fetched, unfinished files are continued. ``only`` (``"train,val"``, or a
    list of splits) and ``train_limit`` (the first N training shards) fetch a part of a stream
    dataset; its index then lists that part. The key in ``MINTDIM_API_KEY`` is sent to the origin
    of ``url`` and nowhere else.

    Raises ``FetchArgumentError`` if the call or the target is not right, ``FetchError`` if
    anything could not be fetched; then what is whole stays, and the index does not appear.
    """
    choice = parse_choice(only, train_limit)
    address = parse_address(url)
    if not is_path(dest) or not is_usable_path(os.fspath(dest)):
        raise FetchArgumentError(problem=phrase("fetch_dest"))
    with shown_by_default():
        source = FileSource(address) if address.parts.scheme == "file" else HttpSource(address)
        return _Fetch(source, os.fspath(dest)).run(choice)


class _Fetch:
    """One fetch: where from, where to, and what was done so far."""

    def __init__(self, source: Source, dest: str) -> None:
        self._source = source
        self._dest = dest
        self._tally = Tally()

    def run(self, choice: Choice) -> FetchResult:
        plan = self._plan(choice)
        target = Target(Path(absolute(self._dest)), plan)
        try:
            with target.opened():
                _warn_if_short_of_space(target)
                self._fetch_files(plan, target)
                self._commit(plan, target)
        except KeyboardInterrupt:
            logger.warning("stopped; the same call goes on where this one ended")
            raise
        except OutputWriteError as error:
            raise self._error(error.path, error.reason, "fetch_make_room") from error
        except OSError as error:
            raise self._error(self._dest, os_reason(error), "fetch_make_room") from error
        return self._result(plan)

    def _plan(self, choice: Choice) -> Plan:
        reader = Reader(self._source, self._tally.receive)
        try:
            return reader.plan(choice)
        except TransferError as error:
            self._tally.fail(reader.name, error)
            raise self._error(reader.name, error.problem, error.advice) from error

    def _fetch_files(self, plan: Plan, target: Target) -> None:
        """Bring all files; one that fails does not stop the others, a dead server does."""
        unreachable = 0
        with ByteProgress(sum(file.bytes or 0 for file in plan.files), "fetch") as progress:
            self._tally.shown = progress.advance
            for wanted in plan.files:
                try:
                    if unreachable == limits.UNREACHABLE:
                        raise TransferError(phrase("fetch_not_tried", count=unreachable))
                    self._bring(wanted, target)
                    unreachable = 0
                except TransferError as error:
                    unreachable += error.unreachable
                    self._tally.fail(wanted.name, error)
                    logger.error("%s: %s", wanted.name, error.problem)
        if self._tally.first is not None:
            name, first = self._tally.first
            raise self._error(name, first.problem, first.advice) from first

    def _bring(self, wanted: Wanted, target: Target) -> None:
        """Keep a file or fetch it; raises ``TransferError``."""
        if target.is_whole(wanted):
            self._tally.keep(wanted)
            return
        try:
            if wanted.shard is not None:
                self._fetch_metadata(wanted.name, wanted.shard, target)
            else:
                partial = Partial(wanted, target, self._tally.receive)
                tried(wanted.name, lambda: partial.complete(self._source))
        except TransferError as error:
            if not (wanted.optional and error.absent):
                raise
            logger.warning("%s: not at the origin; its languages will be unknown", wanted.name)
            return
        self._tally.fetched += 1
        logger.info("[fetch] %s", wanted.name)

    def _fetch_metadata(self, name: str, shard: StreamShard, target: Target) -> None:
        def attempt() -> bytes:
            data = read_small(self._source, name, limits.METADATA_BYTES, self._tally.receive)
            if not describes(data, shard):
                raise TransferError(phrase("fetch_other_entry"), "fetch_ask_origin")
            return data

        target.write(name, tried(name, attempt))

    def _commit(self, plan: Plan, target: Target) -> None:
        target.flush()
        for name, data in plan.last:
            if target.read(name, len(data)) == data:
                self._tally.kept += 1
            else:
                target.write(name, data)
                self._tally.fetched += 1
        target.flush()

    def _result(self, plan: Plan) -> FetchResult:
        tally = self._tally
        counts = (tally.fetched, tally.kept, tally.bytes, tally.seconds)
        return FetchResult(self._dest, self._source.shown, plan.kind, *counts)

    def _error(self, file: str, problem: Phrase, advice: str) -> FetchError:
        return FetchError(
            url=self._source.shown,
            path=self._dest,
            file=file,
            problem=problem,
            advice=phrase(advice),
            summary=self._tally.summary(),
        )


def _warn_if_short_of_space(target: Target) -> None:
    try:
        free = shutil.disk_usage(target.root).free
    except OSError:
        return  # some file systems do not tell; a full one is still met by a clear error
    needed = target.missing_bytes()
    if needed > free:
        text = "%s: %.1f MiB are to come, %.1f MiB are free on its disk"
        logger.warning(text, target.root, needed / 2**20, free / 2**20)
