"""Memory: four times the documents take no more of it, but for the order of training documents."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from streams import write_world

TESTS = Path(__file__).parents[1]
GROWTH_MB = 4

# Buffers so small that either corpus fills them.
CHILD = """
import resource, sys
from pathlib import Path
sys.path[:0] = {path!r}
from streams import declare, plan
from mintdim.pipelines.stream_build import decide, pack
from mintdim.pipelines.stream_build.packing import buckets
from mintdim.sources import chunks
from mintdim.spill import spool
decide.SORT_RUN_BYTES = pack.SORT_RUN_BYTES = 64 * 1024
buckets._BUCKET_BYTES = buckets._PENDING_BYTES = 64 * 1024
chunks.CHUNK_BYTES, spool.BLOCK_ROWS = 64 * 1024, 4096
splits = ("per_language_count", {{"test_docs": 500, "val_docs": 500}})
documents = {{"time": "published", "key": "url"}}
job = plan(documents=documents, splits=splits, tokens=100_000)
declare(Path({root!r}), ["news0.jsonl"], "out", job).run()
print(Path("/proc/self/status").read_text().partition("VmHWM:")[2].split()[0])
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the kernel tells peaks here")
def test_the_peak_does_not_grow_with_the_documents(tmp_path: Path) -> None:
    peaks = [peak_mb(tmp_path / str(count), count) for count in (10_000, 40_000)]
    assert peaks[1] - peaks[0] < GROWTH_MB


def peak_mb(root: Path, count: int) -> float:
    rows = [
        {
            "text": f"t{n}",
            "published": f"{1000 + n % 1000}-01-{n % 28 + 1:02d}",
            "url": f"u{n // 2}",
        }
        for n in range(count)
    ]
    root.mkdir()
    write_world(root, rows)
    script = CHILD.format(path=[str(TESTS / "stream_build"), str(TESTS)], root=str(root))
    done = subprocess.run([sys.executable, "-c", script], check=True, stdout=subprocess.PIPE)
    return int(done.stdout.split()[-1]) / 1024
