"""SIGINT and SIGTERM: noted when they arrive, acted on between two pieces of work.

The build ends in an orderly way, then the earlier handlers are back in place and the signal is
raised again, so that it has its usual effect (``KeyboardInterrupt``, or the end of the process).
"""

from __future__ import annotations

import signal
import threading
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types import FrameType, TracebackType

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class StopSignals:
    """Context that records the first stop signal; does nothing outside the main thread."""

    def __init__(self) -> None:
        self.received: signal.Signals | None = None
        self._earlier: dict[signal.Signals, Any] = {}

    def __enter__(self) -> StopSignals:
        if threading.current_thread() is threading.main_thread():
            for number in _SIGNALS:
                self._earlier[number] = signal.signal(number, self._record)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for number, handler in self._earlier.items():
            # None stands for a handler that was not set from Python and cannot be named.
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
        if self.received is not None:
            signal.raise_signal(self.received)

    def _record(self, number: int, frame: FrameType | None) -> None:
        if self.received is None:
            self.received = signal.Signals(number)
