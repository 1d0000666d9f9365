"""Memory: flat in the number of samples, whatever they are like.

Each build is a process of its own with small blocks, so that a few samples fill them; the
benchmark does the same with the real ones and millions of samples.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import worlds

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/status").exists(), reason="peak memory of a process is read from /proc"
)
TOLERANCE = 6.0  # MB: what the allocator keeps, more or less
PROGRAM = """
import json, logging, os, resource, sys
from pathlib import Path
import worlds
import mintdim
from mintdim.spill import external_sort
from mintdim.sources import chunks

def megabytes(name):
    return int(Path("/proc/self/status").read_text().partition(name)[2].split()[0]) / 1024

logging.getLogger("mintdim").setLevel(logging.ERROR)
chunks.CHUNK_BYTES = 128 * 1024
external_sort._MERGE_BYTES = 512 * 1024
external_sort.ExternalSorter.__init__.__defaults__ = (512 * 1024,)
os.fsync = lambda descriptor: None
resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
worlds.run_job(Path.cwd(), **json.loads(sys.argv[1]))
print(megabytes("VmHWM:"))
"""


@pytest.fixture
def peak(fast_disk: Path) -> Callable[..., float]:
    """Build lines in a process of their own; returns its peak memory in MB."""

    def measure(rows: list[str], name: str = "in.jsonl", **changes: object) -> float:
        pack = worlds.gz if name.endswith(".gz") else bytes
        root = fast_disk / f"{len(list(fast_disk.iterdir()))}"
        content = pack("".join(rows).encode())
        worlds.write_files(root, {name: content, "tok.model": worlds.spm()})
        job = worlds.make_job(files=[name], build_batch=[1000], samples_per_shard=[10**6])
        path = os.pathsep.join([str(Path(worlds.__file__).parent), *filter(None, sys.path)])
        command = [sys.executable, "-c", PROGRAM, json.dumps(job | changes)]
        environment = {**os.environ, "PYTHONPATH": path}
        return float(subprocess.check_output(command, cwd=root, env=environment))

    return measure


def short(count: int) -> list[str]:
    rng = random.Random(count)
    return [f'{{"text":"w{rng.randrange(1000)} w{rng.randrange(1000)}"}}\n' for _ in range(count)]


KINDS: dict[str, Callable[[int], list[str]]] = {
    "short": short,
    "all different": lambda count: [f'{{"text":"{i}"}}\n' for i in range(count)],
    "all equal": lambda count: ['{"text":"a"}\n'] * count,
    "all unknown": lambda count: ['{"text":"ß語"}\n'] * count,
}


@pytest.mark.parametrize("kind", KINDS)
def test_memory_is_flat_in_the_number_of_samples(peak: Callable[..., float], kind: str) -> None:
    few, many = (peak(KINDS[kind](count)) for count in (40_000, 120_000))
    assert many < few + TOLERANCE
    assert many < 150


def test_memory_does_not_follow_the_number_of_shards(peak: Callable[..., float]) -> None:
    rows = short(12_000)
    assert peak(rows, samples_per_shard=[1]) < peak(rows) + TOLERANCE


def test_literals_that_multiply_short_lines_are_cut_into_small_chunks(
    peak: Callable[..., float],
) -> None:
    rows = ['{"text":""}\n'] * 1_000
    template = "a" * 10_000 + "{text}"
    plain, packed = (
        peak(rows, name, templates=[template], sizes=[[10_000]])
        for name in ("in.jsonl", "in.jsonl.gz")
    )
    assert max(plain, packed) < 150


def test_an_archive_that_unpacks_a_thousandfold(peak: Callable[..., float]) -> None:
    row = json.dumps({"text": "a" * 20, "other": " " * 5_000}) + "\n"
    assert peak([row] * 4_000, "in.jsonl.gz") < 150


def test_a_line_of_many_megabytes_in_a_key_that_is_not_used(peak: Callable[..., float]) -> None:
    size = 10_000_000
    row = json.dumps({"other": "x" * size, "text": "a"}) + "\n"
    assert peak([*short(10), row, *short(10)]) < peak(short(20)) + 4.5 * size / 1e6


def test_three_hundred_units_under_a_limit_of_handles(peak: Callable[..., float]) -> None:
    rows = [json.dumps({"text": "a" * (1 + i % 300)}) + "\n" for i in range(3_000)]
    assert peak(rows, sizes=[list(range(1, 301))]) < 150
