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
        self._file = self._begun()
        self._validator: str | None = None

    def complete(self, source: Source) -> None:
        """Fetch what is missing and give the file its name; raises ``TransferError``."""
        have = self._file.bytes
        if have < self._bytes or not self._bytes:
            with source.open(self._wanted.name, have, self._validator) as body:
                self._take(body)
        expected = self._wanted.sha256
        if expected is not None and self._file.sha256 != expected:
            self._restart()
            raise TransferError(phrase("other_content"), "fetch_ask_origin")
        self._file.publish(self._target.path(self._wanted.name))

    def _begun(self) -> HashedFile:
        """Go on with what an earlier run left; only a recorded hash can tell if that was right."""
        if self._wanted.sha256 is not None and os.path.lexists(self._part):
            file = HashedFile.reopened(self._part)
            if file.bytes <= self._bytes:
                return file
        return self._new()

    def _new(self) -> HashedFile:
        remove(self._part)
        return HashedFile(self._part)

    def _restart(self) -> None:
        self._file, self._validator = self._new(), None

    def _take(self, body: Body) -> None:
        if body.total is not None and body.total != self._bytes:
            facts = {"found": body.total, "expected": self._bytes}
            raise TransferError(phrase("fetch_other_size", **facts), "fetch_ask_origin")
        self._place(body)
        pace = Pace()
        while block := body.read():
            if self._file.bytes + len(block) > self._bytes:
                self._restart()
                problem = phrase("fetch_too_long", expected=self._bytes)
                raise TransferError(problem, "fetch_ask_origin")
            self._file.append(block)
            self._received(len(block))
            pace.count(len(block))
        if self._file.bytes < self._bytes:
            raise TransferError(phrase("fetch_cut", found=self._file.bytes, expected=self._bytes))

    def _place(self, body: Body) -> None:
        """Start anew where the origin sends all of the file, or another one than before."""
        changed = None not in (self._validator, body.validator) and (
            self._validator != body.validator
        )
        if body.start != self._file.bytes:
            self._restart()
        elif changed and body.start:
            self._restart()
            raise TransferError(phrase("fetch_changed"))
        self._validator = body.validator
