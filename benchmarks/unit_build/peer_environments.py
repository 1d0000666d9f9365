"""The virtual environments of the peers: made on demand from pinned versions, then kept."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_TORCH = "torch==2.13.0"
_BOTH = ("tokenizers==0.23.3", "sentencepiece==0.2.3")
PINS: dict[str, tuple[str, ...]] = {
    "mintdim-0.1.3": ("mintdim==0.1.3", *_BOTH, "numpy==2.5.5"),
    "datatrove": ("datatrove==0.10.1", _BOTH[0], "orjson==3.13.0", "numpy==2.4.6"),
    "datasets": ("datasets==5.2.0", *_BOTH),
    # it holds back huggingface-hub, and that the newest tokenizers
    "mds": (
        "mosaicml-streaming==0.13.0",
        "tokenizers==0.22.2",
        _BOTH[1],
        _TORCH,
        "torchvision==0.28.0",
    ),
    "litdata": ("litdata==0.2.76", *_BOTH, _TORCH),
}
NEEDS_312 = {"mintdim-0.1.3"}


def python_of(name: str, root: Path, python312: str) -> str:
    """Return the interpreter of an environment under ``root``, made first if need be."""
    folder, wanted = root / name, "\n".join(PINS[name]) + "\n"
    python, ready = folder / "bin" / "python", folder / "pins.txt"
    if not ready.exists() or ready.read_text() != wanted:
        print(f"making {folder} ...", flush=True)
        maker = python312 if name in NEEDS_312 else sys.executable
        subprocess.run([maker, "-m", "venv", "--clear", folder], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *PINS[name]], check=True)
        ready.write_text(wanted)
    return str(python)
