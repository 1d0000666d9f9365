"""What a fetch did, counted as it happens; printed, a line for people."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mintdim.shared.messages import Phrase, phrase

if TYPE_CHECKING:
    from collections.abc import Callable

    from mintdim.fetching.contracts import Kind, TransferError, Wanted


@dataclass(frozen=True, slots=True)
class FetchResult:
    """A finished fetch.

    ``path`` is the folder as it was given, ``url`` the origin without what is secret in it.
    ``fetched`` and ``kept`` count files (the index among them), ``bytes`` what came over the wire.
    """

    path: str
    url: str
    kind: Kind
    fetched: int
    kept: int
    bytes: int
    seconds: float

    def __str__(self) -> str:
        files = f"{self.fetched:,} files fetched, {self.kept:,} kept"
        return (
            f"{self.path}: {self.kind} dataset, {files}; "
            f"{self.bytes:,} bytes in {self.seconds:,.1f} s"
        )


class Tally:
    """Counts of a fetch that is under way, and the first file that failed."""

    def __init__(self) -> None:
        self.fetched = self.kept = self.failed = self.bytes = 0
        self.first: tuple[str, TransferError] | None = None
        self.shown: Callable[[int], None] = lambda count: (
            None
        )  # the progress bar, once there is one
        self._started = time.monotonic()

    @property
    def seconds(self) -> float:
        """Since the beginning."""
        return time.monotonic() - self._started

    def receive(self, count: int) -> None:
        """Count bytes that came over the wire."""
        self.bytes += count
        self.shown(count)

    def keep(self, wanted: Wanted) -> None:
        """Count a file that was there."""
        self.kept += 1
        self.shown(wanted.bytes or 0)

    def fail(self, name: str, error: TransferError) -> None:
        """Count a file that could not be fetched."""
        self.failed += 1
        self.first = self.first or (name, error)

    def summary(self) -> Phrase:
        """Return what was done so far."""
        facts = {"fetched": self.fetched, "kept": self.kept, "failed": self.failed}
        return phrase("fetch_summary", **facts, bytes=self.bytes, seconds=round(self.seconds, 1))
