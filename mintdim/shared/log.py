"""The logger ``mintdim``: shown on stderr when the user configured no logging at all.

With handlers or levels of the user's own in place (``logging.basicConfig``, a level on the
logger, ``propagate = False``) nothing is added: ordinary logging settings decide.
"""

import contextlib
import logging
import sys
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


@contextlib.contextmanager
def shown_by_default() -> Iterator[None]:
    """Show the log on stderr inside the block, unless the user has set up logging."""
    if logger.hasHandlers() or not logger.propagate:
        yield
        return
    handler, level = _StderrHandler(), logger.level
    logger.addHandler(handler)
    if level == logging.NOTSET:
        logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)
