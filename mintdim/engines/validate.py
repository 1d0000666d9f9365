"""Rules of the engine block, which are the same in every pipeline."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mintdim.engines.contract import EngineConfig
from mintdim.shared.errors import EngineValidationError
from mintdim.shared.messages import phrase
from mintdim.shared.structure import a_positive_int

if TYPE_CHECKING:
    from mintdim.shared.types import EngineKind

EXACTNESS = ("checked", "official")


def check_engine(kind: EngineKind, workers: object) -> EngineConfig:
    """Return the checked block; ``workers`` None means one per core.

    Raises ``EngineValidationError``.
    """
    if workers is None:
        return EngineConfig(kind)
    count = a_positive_int(
        workers, "workers", lambda problem: EngineValidationError(problem=problem)
    )
    return EngineConfig(kind, count)


def check_exactness(exactness: object) -> None:
    """Raise ``EngineValidationError`` unless it is ``"checked"`` or ``"official"``."""
    if exactness not in EXACTNESS:
        problem = phrase("exactness_value", found=repr(exactness), known=", ".join(EXACTNESS))
        raise EngineValidationError(problem=problem)
