"""Datasets to damage, and the hands that do it.

Most damage is found by a hash alone. `forge` makes every size and hash fit again, so that only
what the rows and tokens say can give it away.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import worlds
from worlds import jsonl, make_job, write_files

import mintdim

KINDS = ["mixed", "mapped", "special", "empty"]

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from mintdim.verification.findings import VerifyReport


@dataclass(frozen=True)
class Built:
    """A dataset at `root/out`, whose sources lie in `root`."""

    root: Path

    @property
    def path(self) -> Path:
        return self.root / "out"

    def copy(self, to: Path) -> Built:
        return Built(shutil.copytree(self.root, to / "copy"))

    def verify(self, **options: bool) -> VerifyReport:
        """With the working directory of the build, where sources and tokenizer are found."""
        with contextlib.chdir(self.root):
            return mintdim.verify("out", **options)

    def bytes(self, name: str) -> bytearray:
        return bytearray((self.path / name).read_bytes())

    def write(self, name: str, data: bytes) -> None:
        (self.path / name).write_bytes(data)

    def json(self, name: str) -> Any:
        return json.loads((self.path / name).read_text("utf-8"))

    def change(self, name: str, edit: Callable[[Any], object]) -> None:
        value = self.json(name)
        edit(value)
        (self.path / name).write_text(json.dumps(value, ensure_ascii=False, indent=2) + "\n")

    def lines(self, name: str) -> list[str]:
        return (self.path / name).read_text("utf-8").splitlines(keepends=True)

    def change_line(self, name: str, line: int, edit: Callable[[Any], object]) -> None:
        """Edit the row in a line (from 1) of a file of JSON lines."""
        lines = self.lines(name)
        row = json.loads(lines[line - 1])
        edit(row)
        lines[line - 1] = json.dumps(row, ensure_ascii=False) + "\n"
        (self.path / name).write_text("".join(lines), "utf-8")

    def flip(self, name: str, offset: int) -> None:
        data = self.bytes(name)
        data[offset] ^= 1
        self.write(name, data)

    def forge(self) -> None:
        """Let `shards_index.json` and the manifest agree with all files as they are now."""

        def edit(index: Any) -> None:
            for entry in [*index["shards"], *index["files"]]:
                path = self.path / entry["name"]
                if path.is_file():
                    entry["bytes"] = path.stat().st_size
                    entry["sha256"] = hashlib.sha256(path.read_bytes()).hexdigest()

        self.change("shards_index.json", edit)
        self.forge_manifest()

    def forge_manifest(self) -> None:
        digest = hashlib.sha256(bytes(self.bytes("shards_index.json"))).hexdigest()
        self.change("manifest.json", lambda manifest: manifest.update(shards_index_sha256=digest))


def found(report: VerifyReport) -> list[tuple[str, int | None, int | None]]:
    """File, offset and line of every finding."""
    return [(finding.file, finding.offset, finding.line) for finding in report.findings]


def build(root: Path, content: dict[str, Any], **changes: Any) -> Built:
    write_files(root, content)
    worlds.run_job(root, **make_job(**changes))
    return Built(root)


def mixed(root: Path) -> Built:
    """25 samples, 4 to a shard; 3 = 13, 6 = 20, 2 has two UNK; unit 64 is empty."""
    texts = ["abcdefghij"[: i % 10 + 1] * (i % 3 + 1) for i in range(25)]
    texts[2], texts[3], texts[13] = "a\u8a9eb\u8a9e", "again", "again"
    texts[20] = texts[6]
    content = {"in.jsonl": jsonl(*({"text": t} for t in texts)), "tok.model": worlds.spm()}
    return build(root, content, sizes=[[8, 16, 32, 64]], samples_per_shard=[4])


def mapped(root: Path) -> Built:
    """Two files with blocks of their own, the second compressed, ids in uint32."""
    content = {
        "a.jsonl": jsonl(*({"text": "ab" * i} for i in range(9))),
        "b.jsonl.gz": worlds.gz(jsonl(*({"q": "z" * i, "n": i} for i in range(8)))),
        "tok.json": worlds.hf_gap(),
    }
    return build(
        root,
        content,
        files=["a.jsonl", "b.jsonl.gz"],
        fields=[["text"], ["q", "n"]],
        templates=["{text}", "{q}{n}"],
        tokenizer_type="hf_json",
        sizes=[[8, 32], [4, 16, 32]],
        build_batch=[4, 2],
        samples_per_shard=[5, 3],
    )


def special(root: Path) -> Built:
    """Special tokens in the data of samples 0 and 2, and in the template of all."""
    rows = jsonl({"text": "a</s>b"}, {"text": "ab"}, {"text": "<s></s>"}, {"text": "c"})
    content = {"in.jsonl": rows, "tok.json": worlds.hf_with_post_processor()}
    return build(root, content, tokenizer_type="hf_json", templates=["<s>{text}"])


def empty(root: Path) -> Built:
    """No samples at all."""
    return build(root, {"in.jsonl": b"\n", "tok.model": worlds.spm()})
