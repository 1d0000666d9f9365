"""examples/train_baseline.py as a module; what imports this is skipped where there is no torch."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")

ROOT = Path(__file__).resolve().parents[2]


def load_example() -> Any:
    path = ROOT / "examples" / "train_baseline.py"
    spec = importlib.util.spec_from_file_location("train_baseline", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["train_baseline"] = module
    spec.loader.exec_module(module)
    return module


example = load_example()
