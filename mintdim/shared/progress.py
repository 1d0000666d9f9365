"""A progress bar on a terminal, nothing anywhere else."""

from __future__ import annotations

import contextlib
import sys
import time
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType


class _Bar:
    def __init__(self, total_bytes: int, title: str) -> None:
        self._bar = _open_bar(total_bytes, title) if sys.stderr and sys.stderr.isatty() else None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.refresh()  # also of work that was done before the next drawing was due
            self._bar.close()


class ByteProgress(_Bar):
    """Bytes of bytes in all, their rate and the time left; drawn as ``Progress`` is."""

    def advance(self, count: int) -> None:
        """Count bytes that came."""
        if self._bar is not None:
            self._bar.update(count)


class Progress(_Bar):
    """Bytes read of bytes in all, samples/s, tokens/s and the time left.

    ``total_bytes`` counts the source files as they lie on the disk (compressed ones
    compressed); ``title`` stands before the bar. Drawn on ``sys.stderr`` only if that is a
    terminal.
    """

    def __init__(self, total_bytes: int, title: str) -> None:
        self._samples = 0
        self._tokens = 0
        self._started = time.monotonic()
        super().__init__(total_bytes, title)

    def advance(self, source_bytes: int, samples: int, tokens: int) -> None:
        """Count what one more chunk brought."""
        self._samples += samples
        self._tokens += tokens
        if self._bar is None:
            return
        seconds = max(time.monotonic() - self._started, 1e-9)
        rates = f"{self._samples / seconds:,.0f} samples/s, {self._tokens / seconds:,.0f} tokens/s"
        self._bar.set_postfix_str(rates, refresh=False)
        self._bar.update(source_bytes)


def _open_bar(total_bytes: int, title: str) -> Any:
    from tqdm import tqdm

    return tqdm(total=total_bytes, unit="B", unit_scale=True, desc=title, leave=False)


@contextlib.contextmanager
def above_bar() -> Iterator[None]:
    """Let a line be printed to stderr without tearing a bar that is being drawn."""
    tqdm_module = sys.modules.get("tqdm")
    if tqdm_module is None:
        yield
        return
    with tqdm_module.tqdm.external_write_mode(file=sys.stderr):
        yield
