"""A body that drips is as good as none: what comes too slowly is given up."""

import time

from mintdim.fetching import limits
from mintdim.fetching.contracts import TransferError
from mintdim.shared.messages import phrase


class Pace:
    """Counts the bytes of one body."""

    def __init__(self) -> None:
        self._since = time.monotonic()
        self._bytes = 0

    def count(self, length: int) -> None:
        """Count bytes that came; raises ``TransferError`` at the end of a span with too few."""
        self._bytes += length
        seconds = time.monotonic() - self._since
        if seconds < limits.PACE_SECONDS:
            return
        if self._bytes < limits.PACE_BYTES:
            facts = {"found": self._bytes, "seconds": f"{seconds:.0f}"}
            raise TransferError(phrase("fetch_slow", **facts))
        self._since, self._bytes = time.monotonic(), 0
