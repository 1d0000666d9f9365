"""A file on its way: what has come so far, continued where the origin allows it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from mintdim.fetching.contracts import TransferError
from mintdim.fetching.pace import Pace
from mintdim.fetching.target import part_name
from mintdim.shared.files import HashedFile, remove
from mintdim.shared.messages import phrase

if TYPE_CHECKING:
    from collections.abc import Callable

    from mintdim.fetching.contracts import Body, Source, Wanted
    from mintdim.fetching.target import Target


class Partial:
    """One file of known size; ``received`` is called with the count of every block that comes."""

    def __init__(self, wanted: Wanted, target: Target, received: Callable[[int], None]) -> None:
        self._wanted = wanted
        self._bytes = wanted.bytes or 0
        self._target = target
        self._received = received
        self._part = target.path(part_name(wanted.name, wanted.sha256))
        self._validator: str | None = None
        self._file = self._left_by_an_earlier_run()

    def complete(self, source: Source) -> None:
        """Fetch what is missing and give the file its name; raises ``TransferError``."""
        if self._wanted.sha256 is None and self._validator is None:
            self._drop()  # nothing could tell whether the rest is of the same file
        have = self._file.bytes if self._file else 0
        if have < self._bytes or not self._bytes:
            self._receive(source, have)
        file, expected = self._begun(), self._wanted.sha256
        if expected is not None and file.sha256 != expected:
            self._drop()
            raise TransferError(phrase("other_content"), "fetch_ask_origin")
        file.publish(self._target.path(self._wanted.name))

    def _receive(self, source: Source, start: int) -> None:
        try:
            with source.open(self._wanted.name, start, self._validator) as body:
                self._take(body)
        except TransferError as error:
            if error.anew:
                self._drop()
            raise

    def _left_by_an_earlier_run(self) -> HashedFile | None:
        """Only a recorded hash can tell in the end whether it was right to go on."""
        if self._wanted.sha256 is not None and os.path.lexists(self._part):
            file = HashedFile.reopened(self._part)
            if file.bytes <= self._bytes:
                return file
        remove(self._part)
        return None

    def _begun(self) -> HashedFile:
        if self._file is None:
            self._file = HashedFile(self._part)
        return self._file

    def _drop(self) -> None:
        remove(self._part)
        self._file, self._validator = None, None

    def _take(self, body: Body) -> None:
        if body.total is not None and body.total != self._bytes:
            facts = {"found": body.total, "expected": self._bytes}
            raise TransferError(phrase("fetch_other_size", **facts), "fetch_ask_origin")
        self._place(body)
        file, pace = self._begun(), Pace()
        while block := body.read():
            if file.bytes + len(block) > self._bytes:
                problem = phrase("fetch_too_long", expected=self._bytes)
                raise TransferError(problem, "fetch_ask_origin", anew=True)
            file.append(block)
            self._received(len(block))
            pace.count(len(block))
        if file.bytes < self._bytes:
            raise TransferError(phrase("fetch_cut", found=file.bytes, expected=self._bytes))

    def _place(self, body: Body) -> None:
        """Start anew where the origin sends all of the file, or another one than before."""
        before, now = self._validator, body.validator
        if body.start and before and now and before != now:
            raise TransferError(phrase("fetch_changed"), anew=True)
        if not body.start:
            self._drop()
        self._validator = now
