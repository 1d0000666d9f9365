"""Which engine runs a job: the one that was asked for, or the one that pays."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from mintdim.engines.inline import InlineEngine
from mintdim.engines.processes import ProcessEngine

if TYPE_CHECKING:
    from mintdim.engines.contract import Engine
    from mintdim.shared.types import EngineKind

# Below this a worker hardly has its tokenizer open before the work is done.
_BYTES_PER_WORKER = 32 * 1024 * 1024


def open_engine(kind: EngineKind, workers: int, source_bytes: int) -> Engine:
    """Return an engine; ``workers`` 0 means one per core, as far as the input is worth it."""
    if kind == "inline":
        return InlineEngine()
    cores = _cores()
    if kind == "processes":
        return ProcessEngine(workers or cores)
    worth = min(cores, source_bytes // _BYTES_PER_WORKER)
    return ProcessEngine(worth) if worth > 1 else InlineEngine()


def _cores() -> int:
    """Count the cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
