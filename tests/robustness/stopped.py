"""What a build that ended early may leave, and must leave."""

from __future__ import annotations

from typing import TYPE_CHECKING

from whole import check_whole

if TYPE_CHECKING:
    from pathlib import Path

SIZES = (2, 4, 8, 16, 64)


def check_left(root: Path) -> bool:
    """Nothing, a whole dataset, or shards and a notice in every unit folder; says if whole."""
    if (root / "manifest.json").exists():
        check_whole(root)
        return True
    if root.exists():
        check_no_temporary_file(root)
        notices = {path.parent.name for path in root.glob("*/UNIT_BUILD_FAILED.md")}
        assert notices == {f"unit_{size}" for size in SIZES}
    return False


def check_no_temporary_file(root: Path) -> None:
    assert not [path for path in root.rglob("*") if ".mintdim-work" in path.parts]
    assert not list(root.rglob("*.part"))
