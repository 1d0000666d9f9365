"""The language that errors speak: ``set_language``, else ``MINTDIM_LANG``, else English."""

import contextlib
import os
from collections.abc import Iterator
from typing import get_args

from mintdim.shared.types import Language

_chosen: Language | None = None


def set_language(language: Language | None) -> None:
    """Choose the language of error texts for this process.

    ``"en"`` or ``"vi"``; ``None`` gives the choice back to the environment variable
    ``MINTDIM_LANG``. The text is made when an error is printed, so the choice also holds
    for errors that were raised before it.

    Raises ``LanguageError`` for anything else.
    """
    global _chosen
    if language is not None and str(language) not in get_args(Language):
        from mintdim.shared.errors import LanguageError

        raise LanguageError(language=str(language))
    _chosen = language


def current_language() -> Language:
    """Return the language in force now; an unknown ``MINTDIM_LANG`` means English."""
    if _chosen is not None:
        return _chosen
    return "vi" if os.environ.get("MINTDIM_LANG") == "vi" else "en"


@contextlib.contextmanager
def english() -> Iterator[None]:
    """Speak English inside the block: for texts that become part of an output."""
    global _chosen
    before, _chosen = _chosen, "en"
    try:
        yield
    finally:
        _chosen = before
