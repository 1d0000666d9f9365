"""Tiny stream datasets, written by hand from the contract: plain Python, nothing of the package.

A document is a language and its ids without EOS; a split is a list of shards, a shard a list of
documents::

    world = write(tmp_path / "set", {"val": [[("en", [5, 6]), ("ja", [7])]]})
"""

from __future__ import annotations

import hashlib
import json
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

LANGUAGES = ["en", "de", "fr", "ja"]
EOS = 2
Document = tuple[str, list[int]]
Splits = dict[str, list[list[Document]]]
# Two shards of train and val; documents of nothing but their EOS.
SPLITS: Splits = {
    "train": [[("en", [5, 6, 7]), ("de", []), ("ja", [8] * 30)], [("en", list(range(10, 60)))]],
    "val": [[("en", [5, 6]), ("ja", [7]), ("ja", []), ("en", [8, 9])], [("de", [4] * 40)]],
    "test": [[("fr", []), ("fr", []), ("en", [65_535, 3])]],
}
OURS = ("tokenizer_sha256", "vocab_size", "eos_id", "lang_codes", "format_version")


@dataclass
class World:
    """A dataset on the disk, and what was put into it."""

    path: Path
    splits: Splits
    eos: int = EOS

    def documents(self, split: str) -> list[list[int]]:
        return [ids for shard in self.splits[split] for _, ids in shard]

    def shard_tokens(self, split: str) -> list[list[int]]:
        """The stream of every shard, one token after the other."""
        return [
            [token for _, ids in shard for token in [*ids, self.eos]]
            for shard in self.splits[split]
        ]

    def languages(self, split: str) -> list[str]:
        return [language for shard in self.splits[split] for language, _ in shard]

    def token_languages(self, split: str) -> list[str]:
        """The language of every token, EOS belonging to the document that it ends."""
        return [
            language
            for shard in self.splits[split]
            for language, ids in shard
            for _ in range(len(ids) + 1)
        ]

    def index(self) -> Any:
        return json.loads((self.path / "shards_index.json").read_text())

    def change_index(self, edit: Any) -> None:
        index = self.index()
        edit(index)
        (self.path / "shards_index.json").write_text(json_text(index))

    def forge(self) -> None:
        """Let index and `.bin.json` agree with the sizes and hashes of all files as they are."""
        index = self.index()
        for entry in index["shards"]:
            shard = self.path / entry["name"]
            entry["sha256"] = digest(shard.read_bytes())
            if "langs_sha256" in entry:
                labels = self.path / entry["name"].replace(".bin", ".langs.u8")
                entry["langs_sha256"] = digest(labels.read_bytes())
            (self.path / (entry["name"] + ".json")).write_text(json_text(entry))
        (self.path / "shards_index.json").write_text(json_text(index))


def write(
    path: Path,
    splits: Splits,
    *,
    dtype: str = "uint16",
    eos: int = EOS,
    languages: list[str] = LANGUAGES,
    original: bool = False,
    vocab_size: int = 48_000,
    tokenizer_sha256: str = "0" * 64,
    shard_tokens: int = 1000,
) -> World:
    """Write a whole dataset; `original` without the keys that its first producer does not write."""
    path.mkdir(parents=True)
    entries = []
    for split in ("train", "val", "test"):
        for number, documents in enumerate(splits.get(split, [])):
            name = f"{split}_{number:03d}.bin"
            entries.append(_write_shard(path, name, split, documents, dtype, eos, languages))
    if original:
        for entry in entries:
            entry.pop("langs_sha256", None)
    for entry in entries:
        (path / (entry["name"] + ".json")).write_text(json_text(entry))
    index = {
        "tokenizer": "tok.model",
        "dtype": dtype,
        "shard_tokens": shard_tokens,
        "seed": 20260813,
        "created": "2026-10-10T01:05:23",
        "boundaries": {"mode": "none"},
        "shards": entries,
        "tokenizer_sha256": tokenizer_sha256,
        "vocab_size": vocab_size,
        "eos_id": eos,
        "lang_codes": languages,
        "format_version": 1,
    }
    if original:
        index = {name: value for name, value in index.items() if name not in OURS}
    (path / "shards_index.json").write_text(json_text(index))
    return World(path, splits, eos)


def json_text(value: Any) -> str:
    return json.dumps(value, indent=2)


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _write_shard(
    path: Path,
    name: str,
    split: str,
    documents: list[Document],
    dtype: str,
    eos: int,
    languages: list[str],
) -> dict[str, Any]:
    tokens = [token for _, ids in documents for token in [*ids, eos]]
    data = struct.pack(f"<{len(tokens)}{'H' if dtype == 'uint16' else 'I'}", *tokens)
    counts = {
        language: sum(len(ids) + 1 for found, ids in documents if found == language)
        for language in languages
    }
    entry: dict[str, Any] = {
        "name": name,
        "split": split,
        "tokens": len(tokens),
        "docs": len(documents),
        "sha256": digest(data),
        "langs": {language: count for language, count in counts.items() if count},
    }
    (path / name).write_bytes(data)
    if split != "train":
        labels = bytes(languages.index(language) for language, _ in documents)
        (path / f"{split}_{name[len(split) + 1 : -4]}.langs.u8").write_bytes(labels)
        entry["langs_sha256"] = digest(labels)
    return entry
