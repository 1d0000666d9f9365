"""Tiny datasets, built once: what a job gives, and what the oracle says about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import oracle
import worlds
from worlds import jsonl, make_job, write_files

import mintdim

if TYPE_CHECKING:
    from pathlib import Path

    from mintdim.datasets.unit_dataset import UnitDataset


@dataclass(frozen=True)
class World:
    """A built dataset, its folder, and every sample as the oracle sees it."""

    root: Path
    path: Path
    expected: oracle.ExpectedOutput
    samples: list[oracle.Sample]

    def open(self) -> UnitDataset:
        return mintdim.open(self.path)


def build(root: Path, content: dict[str, Any], **changes: Any) -> World:
    write_files(root, content)
    job = make_job(**changes)
    worlds.run_job(root, **job)
    samples = oracle.samples_of_output(root, job, list(range(len(job["files"]))))
    assert isinstance(samples, list)
    return World(root, root / "out", oracle.expect(root, job).outputs[0], samples)


def texts(*, seed: int, count: int) -> list[str]:
    """Texts of 0 to 30 letters; every fifth one is the same, every seventh has an UNK."""
    letters = "abcdefghij"
    made = []
    for i in range(count):
        length = (i * 7 + seed * 3) % 31
        text = "".join(letters[(i * 3 + j * j + seed) % 10] for j in range(length))
        made.append("again" if i % 5 == 3 else text + "\u8a9e" * (i % 7 == 6))
    return made


def rows(**options: Any) -> bytes:
    return jsonl(*({"text": text} for text in texts(**options)))
