"""The logger ``mintdim``: shown on stderr when the user configured no logging at all.

With handlers or levels of the user's own in place (``logging.basicConfig``, a level on the
logger, ``propagate = False``) nothing is added: ordinary logging settings decide.
"""

import contextlib
import logging
import sys
import threading
from collections.abc import Iterator

logger = logging.getLogger("mintdim")


class _StderrHandler(logging.Handler):
    """Writes plain lines to the ``sys.stderr`` of the moment, above a progress bar if any."""

    def emit(self, record: logging.LogRecord) -> None:
        from mintdim.shared.progress import above_bar

        try:
            with above_bar():
                sys.stderr.write(self.format(record) + "\n")
                sys.stderr.flush()
        except Exception:
            self.handleError(record)


_lock = threading.Lock()
_shown: list[tuple[logging.Handler, int]] = []  # handler and earlier level, while builds run
_builds = 0


@contextlib.contextmanager
def shown_by_default() -> Iterator[None]:
    """Show the log on stderr inside the block, unless the user has set up logging.

    Blocks may overlap in several threads; the last one to end takes the handler away.
    """
    global _builds
    with _lock:
        _builds += 1
        if _builds == 1 and not logger.hasHandlers() and logger.propagate:
            _shown.append(_show())
    try:
        yield
    finally:
        with _lock:
            _builds -= 1
            if not _builds and _shown:
                _hide(*_shown.pop())


def _show() -> tuple[logging.Handler, int]:
    handler, level = _StderrHandler(), logger.level
    logger.addHandler(handler)
    if level == logging.NOTSET:
        logger.setLevel(logging.INFO)
    return handler, level


def _hide(handler: logging.Handler, level: int) -> None:
    logger.removeHandler(handler)
    logger.setLevel(level)
