"""docs/formats.md is true: it names what is on the disk, and its reader reads it."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
import worlds
from worlds import jsonl, make_job, write_files

from mintdim.formats import names

TESTS = Path(__file__).parents[1]
DOCS = (TESTS.parent / "docs" / "formats.md").read_text("utf-8")

ROWS = ["", "a", "b", "the cat", "a", "ß", "x" * 9, "the cat", "a"]  # equal ones, UNK, none


def build(root: Path, **changes: Any) -> Path:
    """Build two files into `out`; unit 16 stays empty."""
    rows = [jsonl(*({"text": text} for text in texts)) for texts in (ROWS, ["a", "zz"])]
    files = {"a.jsonl": rows[0], "b.jsonl": rows[1], "tok.model": worlds.spm()}
    write_files(root, files)
    job = make_job(files=["a.jsonl", "b.jsonl"], sizes=[[4, 12, 16]], samples_per_shard=[3])
    worlds.run_job(root, **job | changes)
    return root / "out"


SPECIAL = {"tokenizer_type": "hf_json", "tokenizer": {"path": "special.json"}}


def build_with_special_tokens(root: Path) -> Path:
    """The same, but data hold `</s>`, and the tokenizer takes it for its special token."""
    rows = jsonl({"text": "a</s>b"}, {"text": "c"}, {"text": "c"}, {"text": "ß"})
    write_files(root, {"c.jsonl": rows, "special.json": worlds.hf_with_post_processor()})
    return build(root, files=["a.jsonl", "c.jsonl"], **SPECIAL)


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("dataset"))


@pytest.fixture(scope="module")
def contents(dataset: Path, tmp_path_factory: pytest.TempPathFactory) -> list[tuple[str, bytes]]:
    """Name and content of every file of two datasets: a usual one, and one with special tokens."""
    special = build_with_special_tokens(tmp_path_factory.mktemp("special"))
    return [
        item for root in (dataset, special) for item in worlds.read_output(root, log=True).items()
    ]


def as_documented(name: str) -> str:
    """A path as the docs spell it: sizes and numbers as <size>, <number> and <n>."""
    for pattern, spelled in ((r"unit_\d+", "unit_<size>"), (r"shard_\d+", "shard_<number>")):
        name = re.sub(pattern, spelled, name)
    return re.sub(r"\.\d+$", ".<n>", name)


def keys(value: Any) -> set[str]:
    """All keys at any depth; unit sizes and the texts of tokens are no keys of ours."""
    if isinstance(value, list):
        return set().union(*map(keys, value))
    if not isinstance(value, dict):
        return set()
    own = {key for key in value if re.fullmatch(r"[a-z]\w+", key)}
    return own.union(*map(keys, value.values()))


def section(title: str) -> str:
    """The part under the heading that contains `title`."""
    parts = re.split(r"^## ", DOCS, flags=re.MULTILINE)
    return next(part for part in parts if title in part.partition("\n")[0])


def documents(name: str, content: bytes) -> list[Any]:
    return [json.loads(text) for text in (content.splitlines() if ".jsonl" in name else [content])]


def test_every_file_of_a_dataset_is_named_in_the_docs(contents: list[tuple[str, bytes]]) -> None:
    for name, _ in contents:
        assert f"`{as_documented(name)}`" in DOCS


def test_every_name_that_the_library_uses_is_in_the_docs() -> None:
    values = [value for key, value in vars(names).items() if key.isupper()]
    constants = [value for value in values if isinstance(value, str)]
    assert len(constants) > 10
    for name in constants:
        assert name in DOCS


def test_every_json_key_is_explained_in_the_section_of_its_file(
    contents: list[tuple[str, bytes]],
) -> None:
    seen = 0
    for name, content in contents:
        if name.endswith((".json", ".jsonl")):
            for key in set().union(*map(keys, documents(name, content))):
                assert f"`{key}`" in section(f"`{name}`"), (name, key)
                seen += 1
    assert seen > 30


def test_every_key_in_the_tables_of_the_docs_exists(contents: list[tuple[str, bytes]]) -> None:
    found: dict[str, set[str]] = {}
    for name, content in contents:
        if name.endswith((".json", ".jsonl")) and name != "histogram.json":
            found.setdefault(name, set()).update(*map(keys, documents(name, content)))
    for name, existing in found.items():
        table = section(f"`{name}`").partition("### ")[0]
        rows = re.findall(r"^\| (`\w+`(?:, `\w+`)*) \|", table, re.MULTILINE)
        explained = set(re.findall(r"`(\w+)`", " ".join(rows)))
        assert explained
        assert explained <= existing, name


def test_every_sample_is_read_back_by_the_reader_of_the_docs(dataset: Path) -> None:
    (source,) = re.findall(r"```python\n(.*?)```", section("Shards"), re.DOTALL)
    room: dict[str, Any] = {}
    exec(source, room)
    assert len(source.partition("def ")[2].splitlines()) <= 7
    ids = {char: 3 + i for i, char in enumerate("▁" + worlds.ALPHABET.replace(" ", ""))}
    for sample_id, text in enumerate([*ROWS, "a", "zz"]):
        expected = [ids.get(char, 0) for char in text.replace(" ", "▁")]
        assert room["read_sample"](dataset, sample_id).tolist() == expected


def test_the_reader_of_the_docs_reads_wide_tokens_too(tmp_path: Path) -> None:
    (source,) = re.findall(r"```python\n(.*?)```", section("Shards"), re.DOTALL)
    room: dict[str, Any] = {}
    exec(source, room)
    write_files(tmp_path, {"tok.json": worlds.hf_gap(70_000)})
    out = build(tmp_path, tokenizer_type="hf_json", tokenizer={"path": "tok.json"})
    assert room["read_sample"](out, len(ROWS) + 1).tolist() == [70_000, 70_000]


def test_the_last_slots_of_a_record_hold_the_pad_id(dataset: Path) -> None:
    shard = np.fromfile(dataset / "unit_4/shard_000000.bin", dtype="<u2").reshape(3, 4)
    pad = json.loads((dataset / "manifest.json").read_text())["tokenizer"]["pad_id"]
    assert shard[0].tolist() == [pad] * 4
    assert shard[1, 1:].tolist() == [pad] * 3


def test_the_indexes_of_a_dataset_without_samples_are_empty(tmp_path: Path) -> None:
    write_files(tmp_path, {"empty.jsonl": "\n\n"})
    out = build(tmp_path, files=["empty.jsonl"])
    indexes = ("sample_index.jsonl", "sample_index.bin", "unk_index.jsonl", "duplicate_index.jsonl")
    assert all((out / name).read_bytes() == b"" for name in indexes)
    assert json.loads((out / "histogram.json").read_text()) == {}


SHAPES = re.findall(r"^\| `([\w.]+)` \| `(.*)` \| `(.*)` \|$", DOCS, re.MULTILINE)
MAPPED = {
    "tokenizer": [{"path": "tok.model"}] * 2,
    "sizes": [[4, 12], [8]],
    "build_batch": [2, 3],
    "samples_per_shard": [3, 2],
    "fields": [["text"], ["text"]],
    "templates": ["{text}", "{text}"],
}


def shape(value: Any) -> Any:
    """The kind of a value, lists by what they hold."""
    return [shape(value[0])] if isinstance(value, list) else type(value)


def test_shared_and_mapped_values_have_the_shapes_of_the_docs(tmp_path: Path) -> None:
    assert len(SHAPES) == len(MAPPED)
    (tmp_path / "shared").mkdir()
    (tmp_path / "mapped").mkdir()
    outputs = build(tmp_path / "shared"), build(tmp_path / "mapped", **MAPPED)
    manifests = [json.loads((out / "manifest.json").read_text()) for out in outputs]
    for path, *spelled in SHAPES:
        for manifest, text in zip(manifests, spelled, strict=True):
            value = manifest
            for key in path.split("."):
                value = value[key]
            assert shape(value) == shape(json.loads(text.replace("{…}", "{}"))), path


def test_one_output_per_file_has_mapped_values_of_one_entry(tmp_path: Path) -> None:
    build(tmp_path, output=["out", "out2"], **MAPPED)
    manifest = json.loads((tmp_path / "out2/manifest.json").read_text())
    assert manifest["units"] == {"sizes": [[8]], "build_batch": [3]}
    assert manifest["output"] == {"samples_per_shard": [2]}
    assert manifest["source"]["files"] == ["b.jsonl"]
    assert len(manifest["source"]["bytes"]) == len(manifest["tokenizer"]) == 1


def test_files_get_their_final_names_in_the_order_of_the_docs(tmp_path: Path) -> None:
    renamed: list[str] = []
    replace = os.replace

    def record(source: Any, target: Any) -> None:
        renamed.append(as_documented(Path(target).relative_to(tmp_path / "out").as_posix()))
        replace(source, target)

    with patch("os.replace", record):
        build_with_special_tokens(tmp_path)
    steps = re.findall(r"^\d+\. (.*)$", section("Order of writing"), re.MULTILINE)
    assert list(dict.fromkeys(renamed)) == [re.findall(r"`(.*?)`", step)[-1] for step in steps]


KILLED = """
import logging, os, signal, sys
from pathlib import Path
sys.path[:0] = sys.argv[1:3]
import test_docs

class Kill(logging.Handler):
    def emit(self, record):
        if "shard=000001" in record.getMessage():
            os.kill(os.getpid(), signal.SIGKILL)

logging.getLogger("mintdim").addHandler(Kill())
logging.getLogger("mintdim").setLevel(logging.INFO)
test_docs.build(Path.cwd())
"""


def test_a_killed_build_leaves_what_the_docs_say(tmp_path: Path) -> None:
    process = subprocess.run(
        [sys.executable, "-c", KILLED, str(TESTS), str(Path(__file__).parent)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert process.returncode == -signal.SIGKILL, process.stderr
    left = worlds.read_output(tmp_path / "out")
    assert "manifest.json" not in left
    assert not any(name.endswith("UNIT_BUILD_FAILED.md") for name in left)
    assert "unit_4/shard_000000.bin" in left
    working = {name for name in left if name.startswith(".mintdim-work/")}
    assert working
    for name in left:
        assert f"`{as_documented(name).removeprefix('.mintdim-work/')}`" in DOCS
