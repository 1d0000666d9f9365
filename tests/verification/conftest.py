"""Clean datasets, built once, and a copy of one to damage."""

from __future__ import annotations

from typing import TYPE_CHECKING

import damage
import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from damage import Built


@pytest.fixture(scope="session")
def clean(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Built]:
    return {kind: getattr(damage, kind)(tmp_path_factory.mktemp(kind)) for kind in damage.KINDS}


@pytest.fixture
def mixed(clean: dict[str, Built], tmp_path: Path) -> Built:
    return clean["mixed"].copy(tmp_path)


@pytest.fixture
def mapped(clean: dict[str, Built], tmp_path: Path) -> Built:
    return clean["mapped"].copy(tmp_path)


@pytest.fixture
def special(clean: dict[str, Built], tmp_path: Path) -> Built:
    return clean["special"].copy(tmp_path)
