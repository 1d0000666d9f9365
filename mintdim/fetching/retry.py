"""Trying again: a few times, waiting twice as long before each further try."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, TypeVar

from mintdim.fetching import limits
from mintdim.fetching.contracts import TransferError
from mintdim.shared.log import logger

if TYPE_CHECKING:
    from collections.abc import Callable

Result = TypeVar("Result")


def tried(name: str, attempt: Callable[[], Result]) -> Result:
    """Return what ``attempt`` returns; raises its last ``TransferError``."""
    for number in range(1, limits.TRIES):
        try:
            return attempt()
        except TransferError as error:
            if error.final:
                raise
            wait = limits.BACK_OFF * 2 ** (number - 1)
            facts = (name, error.problem, wait, number + 1, limits.TRIES)
            logger.warning("%s: %s; next try in %g s (%d of %d)", *facts)
            time.sleep(wait)
    return attempt()
