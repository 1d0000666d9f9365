"""Origins to fetch from, and waits that take no time."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import pytest
import worlds
from fetching.server import Origin, serving
from fetching.world import SPLITS
from stream_reading import tiny_streams

import mintdim
from mintdim.fetching import limits

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "BACK_OFF", 0.0)
    for name in ("MINTDIM_API_KEY", "MINTDIM_LANG"):
        monkeypatch.delenv(name, raising=False)
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    mintdim.set_language(None)


@pytest.fixture
def serve() -> Iterator[Callable[..., Origin]]:
    """Start servers that end with the test."""
    with contextlib.ExitStack() as stack:
        yield lambda root, **options: stack.enter_context(serving(root, **options))


@pytest.fixture
def stream(tmp_path: Path) -> Path:
    """A stream dataset: three training shards, one of val, two of test."""
    return tiny_streams.write(tmp_path / "stream", SPLITS).path


@pytest.fixture
def unit(tmp_path: Path) -> Path:
    """A unit dataset with two units and an empty one."""
    rows = worlds.jsonl(*({"text": "ab" * (i % 5)} for i in range(25)))
    files = {"in.jsonl": rows, "tok.model": worlds.spm()}
    worlds.write_files(tmp_path / "job", files)
    worlds.run_job(tmp_path / "job", **worlds.make_job(sizes=[[4, 8, 64]]))
    return tmp_path / "job" / "out"


@pytest.fixture(params=["stream", "unit"])
def dataset(request: pytest.FixtureRequest) -> Path:
    """One of each kind."""
    path: Path = request.getfixturevalue(request.param)
    return path


@pytest.fixture
def dest(tmp_path: Path) -> Path:
    return tmp_path / "dest"
