"""The engine block of the fluent API."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

if TYPE_CHECKING:
    from mintdim.shared.types import EngineKind

Builder = TypeVar("Builder")


class Declared(Protocol):
    """The part of a declaration that this block fills."""

    engine_kind: EngineKind
    workers: Any


class EngineBlock(Generic[Builder]):
    """Where the job runs; the bytes that it writes do not depend on it."""

    def __init__(self, job: Builder, declared: Declared) -> None:
        self._job, self._declared = job, declared

    def inline(self) -> Builder:
        """Run in this process, one piece after the other."""
        return self._record("inline", None)

    def processes(self, workers: int | None = None) -> Builder:
        """Run in ``workers`` processes of this machine (default: one per core).

        Without an engine block, large inputs get as many workers as there are cores.
        """
        return self._record("processes", workers)

    def _record(self, kind: EngineKind, workers: int | None) -> Builder:
        self._declared.engine_kind = kind
        self._declared.workers = workers
        return self._job
