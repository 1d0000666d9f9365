"""States that windows are resumed from: what is said of one that belongs elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mintdim.shared.errors import DatasetStateError
from mintdim.shared.messages import phrase
from mintdim.shared.structure import shown

if TYPE_CHECKING:
    from pathlib import Path


def differing_state(root: Path, name: str, found: object, expected: object) -> DatasetStateError:
    """Return the error of a state whose ``name`` is not the one of here."""
    facts = {"name": name, "found": shown(found), "expected": shown(expected)}
    return DatasetStateError(path=str(root), problem=phrase("state_differs", **facts))
