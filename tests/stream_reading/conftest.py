"""Tiny stream datasets for all tests of reading."""

from __future__ import annotations

import pytest
from tiny_streams import SPLITS, World, write


@pytest.fixture(params=["ours", "the original's", "uint32"])
def world(request: pytest.FixtureRequest, tmp_path: object) -> World:
    """All splits, two shards of train and val; documents without a token beside the EOS."""
    options = {
        "ours": {"vocab_size": 65_536},
        "the original's": {"original": True},
        "uint32": {"dtype": "uint32", "vocab_size": 100_000, "eos": 70_000},
    }
    return write(tmp_path / "set", SPLITS, **options[request.param])  # type: ignore[operator]
