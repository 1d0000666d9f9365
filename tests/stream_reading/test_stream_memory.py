"""Reading a large shard takes the memory of a block and of its documents, not of its tokens."""

from __future__ import annotations

import hashlib
import tracemalloc
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tiny_streams import World, write

import mintdim

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

TOKENS = 12_000_000
DOCUMENTS = 3_000
MEGABYTE = 2**20


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> World:
    """One shard of 24 MB in val: documents of 4,000 tokens in two languages."""
    world = write(tmp_path_factory.mktemp("large") / "set", {"val": [[("en", [5])]]})
    tokens = np.full(TOKENS, 7, dtype="<u2")
    tokens[TOKENS // DOCUMENTS - 1 :: TOKENS // DOCUMENTS] = 2
    labels = bytes([0, 3] * (DOCUMENTS // 2))
    (world.path / "val_000.bin").write_bytes(tokens.tobytes())
    (world.path / "val_000.langs.u8").write_bytes(labels)
    langs = {"en": TOKENS // 2, "ja": TOKENS // 2}
    counts = {"tokens": TOKENS, "docs": DOCUMENTS, "langs": langs}
    sha256 = hashlib.sha256(tokens.tobytes()).hexdigest()

    def edit(index: Any) -> None:
        index["shard_tokens"] = TOKENS
        index["shards"][0].update(**counts, sha256=sha256)

    world.change_index(edit)
    world.forge()
    return world


def peak(action: Callable[[], object]) -> float:
    """The most megabytes that were allocated at a time (mapped files are not)."""
    tracemalloc.start()
    try:
        action()
        return tracemalloc.get_traced_memory()[1] / MEGABYTE
    finally:
        tracemalloc.stop()


def test_a_document_is_found_block_by_block(large: World) -> None:
    def read() -> None:
        documents = mintdim.open(large.path).documents("val")
        assert len(documents[DOCUMENTS - 1]) == TOKENS // DOCUMENTS - 1

    assert peak(read) < 4


def test_windows_are_read_without_the_rest(large: World) -> None:
    dataset = mintdim.open(large.path)
    assert peak(lambda: dataset.sampler(64, 0, split="val").draw(64)) < 4
    assert peak(lambda: next(dataset.epochs(64, 0, split="val").batches(64))) < 4
    assert peak(lambda: next(dataset.evaluation_windows("val", 64).batches(64))) < 8


def test_verification_reads_block_by_block(large: World, tmp_path: Path) -> None:
    def verify() -> None:
        assert mintdim.verify(large.path, full=True).ok

    assert peak(verify) < 20
