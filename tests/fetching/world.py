"""The dataset that is fetched, and what may lie in a target at any time."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

from worlds import read_output

import mintdim

if TYPE_CHECKING:
    from pathlib import Path

    from stream_reading.tiny_streams import Splits

INDEX = "shards_index.json"
MANIFEST = "manifest.json"
SPLITS: Splits = {
    "train": [
        [("en", list(range(100, 1090))), ("de", [7, 8])],
        [("fr", [9])],
        [("ja", [10, 11])],
    ],
    "val": [[("en", [5, 6]), ("ja", [7])]],
    "test": [[("en", []), ("de", [12])], [("fr", [13])]],
}


def commit_name(dataset: Path) -> str:
    """The file whose presence makes a dataset of the folder."""
    return MANIFEST if (dataset / MANIFEST).exists() else INDEX


def check_unfinished(dest: Path, dataset: Path) -> None:
    """Whatever bears a final name is whole, and the one that commits is not there."""
    expected = read_output(dataset)
    for name, data in read_output(dest).items():
        if not name.endswith(".part"):
            assert data == expected[name], name
    assert not (dest / commit_name(dataset)).exists()


def check_part(dest: Path) -> None:
    """A whole dataset by its own index; nothing else is there."""
    listed = {INDEX}
    for entry in json.loads((dest / INDEX).read_text())["shards"]:
        data = (dest / entry["name"]).read_bytes()
        assert hashlib.sha256(data).hexdigest() == entry["sha256"]
        assert json.loads((dest / f"{entry['name']}.json").read_text()) == entry
        listed |= {entry["name"], f"{entry['name']}.json"}
        if "langs_sha256" in entry:
            labels = entry["name"].replace(".bin", ".langs.u8")
            data = (dest / labels).read_bytes()
            assert hashlib.sha256(data).hexdigest() == entry["langs_sha256"]
            listed.add(labels)
    assert set(read_output(dest)) == listed
    assert mintdim.verify(dest, full=True).ok
