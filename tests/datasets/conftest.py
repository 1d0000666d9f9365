"""Tiny datasets, built once for all tests of reading."""

from __future__ import annotations

import pytest
import worlds
from tiny import World, build, rows
from worlds import jsonl


@pytest.fixture(scope="session")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> World:
    """90 samples in units 8, 16 and 32, 7 to a shard, with duplicates and UNK."""
    content = {"in.jsonl": rows(seed=1, count=90), "tok.model": worlds.spm()}
    return build(tmp_path_factory.mktemp("mixed"), content, samples_per_shard=[7])


@pytest.fixture(scope="session")
def wide(tmp_path_factory: pytest.TempPathFactory) -> World:
    """Two files with sizes and shards of their own, one compressed, stored as uint32."""
    content = {
        "a.jsonl": rows(seed=2, count=20),
        "b.jsonl.gz": worlds.gz(rows(seed=3, count=25)),
        "tok.json": worlds.hf_gap(),
    }
    return build(
        tmp_path_factory.mktemp("wide"),
        content,
        files=["a.jsonl", "b.jsonl.gz"],
        tokenizer_type="hf_json",
        sizes=[[8, 32], [4, 16, 32]],
        samples_per_shard=[5, 3],
    )


@pytest.fixture(scope="session")
def special(tmp_path_factory: pytest.TempPathFactory) -> World:
    """Special tokens stand in the data of two samples, and in the template of all."""
    lines = jsonl({"text": "a</s>b"}, {"text": "ab"}, {"text": "<s></s>"}, {"text": "c"})
    content = {"in.jsonl": lines, "tok.json": worlds.hf_with_post_processor()}
    return build(
        tmp_path_factory.mktemp("special"),
        content,
        tokenizer_type="hf_json",
        templates=["<s>{text}"],
    )


@pytest.fixture(scope="session")
def empty(tmp_path_factory: pytest.TempPathFactory) -> World:
    """A dataset of no samples."""
    content = {"in.jsonl": b"\n\n", "tok.model": worlds.spm()}
    return build(tmp_path_factory.mktemp("empty"), content)


@pytest.fixture(params=["mixed", "wide", "special", "empty"])
def world(request: pytest.FixtureRequest) -> World:
    """Each of them in turn."""
    found: World = request.getfixturevalue(request.param)
    return found
