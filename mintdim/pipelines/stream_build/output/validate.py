"""Rules of the output block."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mintdim.pipelines.stream_build.output import staging
from mintdim.shared.errors import OutputConfigError
from mintdim.shared.log import logger
from mintdim.shared.paths import absolute
from mintdim.shared.structure import a_path

if TYPE_CHECKING:
    from mintdim.shared.messages import Phrase


def check_structure(path: object) -> str:
    """Return the path of the output as it was given.

    Raises ``OutputConfigError``.
    """
    directory = a_path(path, "dir", _error)
    if ".bin" in directory:
        # The tools that this layout comes from look for sidecars by replacing it in whole paths.
        logger.warning(
            '[stream-build:warning] %s has ".bin" in its path: some readers of this layout will '
            "not find the languages of its documents.",
            directory,
        )
    return directory


def check_new(directory: str) -> None:
    """Check that the output is new or empty, or holds what a killed run of ours left.

    Raises ``OutputValidationError``, ``OutputNotADirectoryError`` or ``OutputWriteError``.
    """
    staging.check_new(directory, absolute(directory))


def _error(problem: Phrase) -> OutputConfigError:
    return OutputConfigError(problem=problem)
