"""Tiny jobs of stream-build, for the library and for the naive writer alike."""

from __future__ import annotations

import functools
import hashlib
import json
import os
from typing import TYPE_CHECKING, Any

import worlds
from naive_writer import Job

import mintdim

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from mintdim.pipelines.stream_build.api import StreamBuild

# Where the system has a disk in memory, hundreds of builds flush there in no time.
MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
AS_OF = "2026-10-10T00:00:00"
EOS_ID = 3  # of worlds.spm(eos=True), which has one token per character
PLAN: dict[str, Any] = {
    "documents": {},
    "splits": ("none", {}),
    "tokens": 10,
    "seed": 7,
    "build_batch": None,
    "as_of": AS_OF,
}


def plan(**changes: Any) -> dict[str, Any]:
    """A job as plain values: documents, splits, tokens, seed, build_batch, as_of."""
    return {**PLAN, **changes}


def write_world(root: Path, *files: Iterable[Any]) -> list[str]:
    """Write one source per list of rows (or bytes), and a tokenizer; return the names."""
    names = [f"news{number}.jsonl" for number in range(len(files))]
    contents = {
        name: rows if isinstance(rows, bytes) else jsonl(rows)
        for name, rows in zip(names, files, strict=True)
    }
    worlds.write_files(root, {"sp.model": worlds.spm(eos=True), **contents})
    return names


def jsonl(rows: Iterable[Any]) -> bytes:
    return b"".join(json.dumps(row, ensure_ascii=False).encode() + b"\n" for row in rows)


def declare(root: Path, names: list[str], output: str, job: dict[str, Any]) -> StreamBuild:
    """The job over sources of ``root``, for `pipeline`."""
    build = mintdim.pipeline("stream-build").source.jsonl(
        files=[root / name for name in names], fields=[["text"]], templates=["<{text}>"]
    )
    build.documents(**job["documents"])
    build.tokenizer.sentencepiece({"path": root / "sp.model"})
    kind, arguments = job["splits"]
    getattr(build.splits, kind)(**arguments, as_of=job["as_of"])
    build.shards(tokens=job["tokens"], seed=job["seed"], build_batch=job["build_batch"])
    return build.output.dir(root / output).engine.inline()


def naive_job(rows: list[Any], names: list[str], job: dict[str, Any]) -> Job:
    """The same job for the naive writer."""
    model = worlds.spm(eos=True)
    return Job(
        rows=rows,
        render=lambda row: f"<{row['text']}>",
        encode=encoder(model),
        eos_id=EOS_ID,
        vocab_size=pieces(model),
        tokenizer="sp.model",
        tokenizer_sha256=hashlib.sha256(model).hexdigest(),
        snapshot=", ".join(names),
        as_of=job["as_of"],
        tokens=job["tokens"],
        seed=job["seed"],
        splits=job["splits"],
        **job["documents"],
    )


@functools.cache
def library(model: bytes) -> Any:
    from sentencepiece import SentencePieceProcessor

    return SentencePieceProcessor(model_proto=model)


def encoder(model: bytes) -> Callable[[str], list[int]]:
    return lambda text: list(library(model).encode(text))


def pieces(model: bytes) -> int:
    return int(library(model).vocab_size())


def build(root: Path, *files: Iterable[Any], output: str = "out", **changes: Any) -> Any:
    """Build ``files`` in ``root``; returns the result."""
    return declare(root, write_world(root, *files), output, plan(**changes)).run()


def read(directory: Path) -> dict[str, bytes]:
    """Return every file of a directory, which has no folders."""
    return {path.name: path.read_bytes() for path in directory.iterdir()}


def index(directory: Path) -> Any:
    return json.loads((directory / "shards_index.json").read_bytes())


def texts(directory: Path, split: str) -> list[str]:
    """Return the texts of a split in their order; every token is a character."""
    names = [entry["name"] for entry in index(directory)["shards"] if entry["split"] == split]
    data = b"".join((directory / name).read_bytes() for name in names)
    ids = [int.from_bytes(data[i : i + 2], "little") for i in range(0, len(data), 2)]
    found: list[list[int]] = [[]]
    for token in ids:
        found[-1].append(token)
        if token == EOS_ID:
            found.append([])
    assert found.pop() == []
    model = library(worlds.spm(eos=True))
    return [model.decode(document[:-1])[1:-1] for document in found]
