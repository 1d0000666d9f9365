"""``build_log.json``: how this copy of a dataset came about, which no other file depends on."""

from __future__ import annotations

import platform
import sys
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

from mintdim.shared.version import __version__

if TYPE_CHECKING:
    from mintdim.pipelines.unit_build.config import Session

_PACKAGES = ("numpy", "orjson", "sentencepiece", "tokenizers", "fastokens")


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What the driver knows of a build.

    ``started`` is ISO 8601 in UTC, ``workers`` 0 without worker processes, ``rebuilt`` why an
    earlier attempt of the same run was thrown away, or None.
    """

    engine: str
    workers: int
    started: str
    wall_seconds: float
    rebuilt: str | None


def build_log(session: Session, facts: Circumstances) -> dict[str, Any]:
    """Return the content of ``build_log.json``."""
    return {
        "engine": {"kind": facts.engine, "workers": facts.workers},
        "tokenizers": [
            {"path": path, "library": library, "accelerator": accelerator or None}
            for path, library, accelerator in dict.fromkeys(
                (job.tokenizer.path, _library(job.tokenizer.kind), job.tokenizer.accelerator)
                for job in session.jobs
            )
        ],
        "rebuilt": facts.rebuilt,
        "started": facts.started,
        "wall_seconds": round(facts.wall_seconds, 3),
        "versions": {
            "mintdim": __version__,
            "python": platform.python_version(),
            **{name: _version(name) for name in _PACKAGES},
        },
        "platform": f"{sys.platform}-{platform.machine()}",
    }


def _library(kind: str) -> str:
    return "tokenizers" if kind == "hf_json" else kind


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
