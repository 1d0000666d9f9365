"""docs/formats.md is true for stream datasets: it names all that is on the disk."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from streams import build, index

from mintdim.pipelines.stream_build.contracts import ROW
from mintdim.pipelines.stream_build.output import staging

DOCS = Path(__file__).parents[2] / "docs"
SECTION = (DOCS / "formats.md").read_text("utf-8").partition("\n## stream-build\n")[2]
SPLITS: list[tuple[str, dict[str, Any]]] = [
    ("none", {}),
    ("fraction", {"val": 0.3, "test": 0.3, "seed": 1}),
    ("per_language_count", {"test_docs": 2, "val_docs": 2}),
]
ROWS = [
    {"text": f"t{n}", "lang": "en", "published": f"2026-01-{n + 1:02d}", "url": str(n)}
    for n in range(20)
]


@pytest.fixture(scope="module")
def datasets(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    documents = {"language": "lang", "languages": ["en"], "time": "published", "key": "url"}
    root = tmp_path_factory.mktemp("docs")
    for splits in SPLITS:
        build(root, ROWS, documents=documents, splits=splits, output=splits[0])
    return [root / kind for kind, _ in SPLITS]


def keys(value: Any) -> set[str]:
    """All keys at any depth; languages are no keys of ours."""
    if isinstance(value, list):
        return set().union(*map(keys, value))
    if not isinstance(value, dict):
        return set()
    return (value.keys() - {"en"}).union(*map(keys, value.values()))


def test_every_key_of_an_index_is_explained_and_no_other(datasets: list[Path]) -> None:
    written = set().union(*(keys(index(dataset)) for dataset in datasets))
    rows = re.findall(r"^\| (`.*?`) \| (.*) \|$", SECTION, re.MULTILINE)
    explained = set(re.findall(r"`(\w+)`", " ".join(name for name, _ in rows)))
    assert explained <= written
    assert written - explained <= set(re.findall(r"`(\w+)`", " ".join(text for _, text in rows)))


def test_every_file_has_its_section(datasets: list[Path]) -> None:
    suffixes = {name.name.partition("_000")[2] for name in datasets[1].glob("*_000*")}
    assert suffixes == {".bin", ".bin.json", ".langs.u8"}
    for suffix in suffixes:
        assert f"{suffix}" in SECTION
    assert staging._SUFFIX in SECTION


def test_a_reader_of_a_few_lines_finds_every_document(datasets: list[Path]) -> None:
    for entry in index(datasets[2])["shards"]:
        tokens = np.fromfile(datasets[2] / entry["name"], dtype="<u2")
        ends = np.flatnonzero(tokens == index(datasets[2])["eos_id"])
        assert (len(tokens), len(ends)) == (entry["tokens"], entry["docs"])
        assert ends[-1] == len(tokens) - 1


def test_json_is_written_as_described(datasets: list[Path]) -> None:
    for path in datasets[1].glob("*.json"):
        text = path.read_text("ascii")
        assert text == json.dumps(json.loads(text), indent=2)


def test_the_row_of_the_scan_has_the_size_that_is_told() -> None:
    assert f"rows of {ROW.itemsize} bytes" in (DOCS / "architecture.md").read_text("utf-8")
