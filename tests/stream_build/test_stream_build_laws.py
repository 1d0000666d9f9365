"""stream-build writes what a slow, obvious writer does, whatever runs it."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import naive_writer
import pytest
import worlds
from hypothesis import example, given, settings
from hypothesis import strategies as st
from streams import AS_OF, MEMORY, declare, naive_job, plan, read, write_world

from mintdim.pipelines.stream_build import decide, pack
from mintdim.pipelines.stream_build.packing import buckets
from mintdim.shared.errors import SourceParseError, SplitError
from mintdim.sources import chunks
from mintdim.spill import external_sort, spool

if TYPE_CHECKING:
    from collections.abc import Callable

LAW = settings(max_examples=int(os.environ.get("MINTDIM_EXAMPLES", "120")), deadline=None)
DATES = [
    *(f"2026-09-{day:02d}" for day in range(1, 6)),
    "2026-09-03T12:00:00.5",
    "2026-09-03T23:30:00+09:00",
    "2026-09-03 14:30:00Z",
    AS_OF,
    "2026-10-10T00:00:00.000001",
    "2031-01-01",
    "yesterday",
    "2026-13-01",
    "",
    None,
    20260903,
]
ROWS = st.fixed_dictionaries(
    {"text": st.text("ab 日é", max_size=12)},
    optional={
        "lang": st.sampled_from(["en", "ja", "en", "ja", "xx", "", None]),
        "published": st.sampled_from(DATES),
        "url": st.sampled_from(["u1", "u2", "", None, 1, 2.50, "1"]),
    },
)
DOCUMENTS = st.fixed_dictionaries(
    {"time": st.just("published"), "time_zone": st.sampled_from(["UTC", "Asia/Tokyo"])},
    optional={"key": st.just("url"), "min_chars": st.integers(0, 8)},
)
LANGUAGES: dict[str, Any] = {"language": "lang", "languages": ["ja", "en"]}
SPLITS = st.one_of(
    st.just(("none", {})),
    st.tuples(
        st.just("fraction"),
        st.fixed_dictionaries(
            {
                "val": st.sampled_from([0, 0.25]),
                "test": st.sampled_from([0, 0.3]),
                "seed": st.integers(0, 3),
            }
        ),
    ),
    st.tuples(
        st.just("per_language_count"),
        st.fixed_dictionaries(
            {"test_docs": st.integers(0, 2), "val_docs": st.integers(0, 2)},
            optional={
                "future": st.sampled_from(["test", "train", "drop"]),
                "borders": st.sampled_from(["all", "kept"]),
            },
        ),
    ),
)


@st.composite
def jobs(draw: st.DrawFn) -> dict[str, Any]:
    documents = draw(DOCUMENTS) | (LANGUAGES if draw(st.booleans()) else {})
    return plan(
        documents=documents,
        splits=draw(SPLITS),
        tokens=draw(st.sampled_from([1, 8, 30, 1000])),
        seed=draw(st.integers(0, 2**64 - 1)),
        build_batch=draw(st.sampled_from([1, 2, 512])),
    )


@LAW
@given(st.lists(ROWS, max_size=30), st.integers(0, 30), jobs(), st.booleans())
@example([], 0, plan(), False)
@example([{"text": "a"}], 0, plan(), False)
def test_what_is_built_is_what_the_naive_writer_says(
    rows: list[Any], cut: int, job: dict[str, Any], spilling: bool
) -> None:
    with tempfile.TemporaryDirectory(dir=MEMORY) as folder:
        root = Path(folder)
        names = write_world(root, rows[:cut], rows[cut:])
        try:
            expected = naive_writer.dataset(naive_job(rows, names, job))
        except naive_writer.RefusedError:
            with pytest.raises(SplitError):
                run(root, names, job, spilling=spilling)
            assert {path.name for path in root.iterdir()} == {*names, "sp.model"}
            return
        run(root, names, job, spilling=spilling)
        assert read(root / "out") == expected


def run(root: Path, names: list[str], job: dict[str, Any], *, spilling: bool) -> None:
    """Build; with ``spilling`` everything goes to the disk in the smallest pieces there are."""
    build = declare(root, names, "out", job)
    if not spilling:
        build.run()
        return
    with (
        patch.object(chunks, "CHUNK_BYTES", 64),
        patch.object(chunks, "_SMALLEST_CHUNK", 64),
        patch.object(spool, "BLOCK_ROWS", 3),
        patch.object(buckets, "_BUCKET_BYTES", 64),
        patch.object(buckets, "_MOST_PENDING_BYTES", 40),
        patch.object(buckets, "_BLOCK_BYTES", 8),
        patch.object(external_sort, "_MERGE_BYTES", 64),
        patch.object(decide, "SORT_RUN_BYTES", 64),
        patch.object(pack, "SORT_RUN_BYTES", 64),
    ):
        build.run()


# ------------------------------------------------------------------------------- where it runs

ROWS_OF_TWO_FILES = [
    [
        {"text": f"text {n} of {file}" * (n % 4), "lang": "jaen"[n % 2 * 2 :][:2]}
        | {"published": f"2026-01-{n % 28 + 1:02d}", "url": f"u{n % 60}"}
        for n in range(70)
    ]
    for file in "ab"
]
FULL = plan(
    documents=LANGUAGES | {"time": "published", "key": "url", "min_chars": 5},
    splits=("per_language_count", {"test_docs": 5, "val_docs": 5}),
    tokens=200,
)


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    root = tmp_path_factory.mktemp("reference")
    declare(root, write_world(root, *ROWS_OF_TWO_FILES), "out", FULL).run()
    return read(root / "out")


@pytest.mark.parametrize("workers", [1, 2])
def test_any_number_of_workers_writes_the_same_bytes(
    workers: int, reference: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chunks, "CHUNK_BYTES", 512)
    names = write_world(tmp_path, *ROWS_OF_TWO_FILES)
    declare(tmp_path, names, "out", FULL).engine.processes(workers).run()
    assert read(tmp_path / "out") == reference


@pytest.mark.parametrize("size", [1024, 3000, 10**6])
def test_the_size_of_chunks_and_batches_changes_nothing(
    size: int, reference: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chunks, "CHUNK_BYTES", size)
    names = write_world(tmp_path, *ROWS_OF_TWO_FILES)
    declare(tmp_path, names, "out", {**FULL, "build_batch": size % 7 + 1}).run()
    assert read(tmp_path / "out") == reference


@pytest.mark.parametrize(("suffix", "pack"), [(".gz", worlds.gz), (".zst", worlds.zst)])
def test_compressed_sources_give_the_same_tokens(
    suffix: str,
    pack: Callable[[bytes], bytes],
    reference: dict[str, bytes],
    tmp_path: Path,
) -> None:
    names = write_world(tmp_path, *ROWS_OF_TWO_FILES)
    for name in names:
        (tmp_path / f"{name}{suffix}").write_bytes(pack((tmp_path / name).read_bytes()))
    declare(tmp_path, [f"{name}{suffix}" for name in names], "out", FULL).run()
    found = read(tmp_path / "out")
    del found["shards_index.json"]  # tells the names of the sources
    assert found.items() <= reference.items()
    assert len(found) == len(reference) - 1


@pytest.mark.parametrize("workers", [0, 2])
def test_the_first_bad_row_in_source_order_wins(
    workers: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chunks, "CHUNK_BYTES", 1024)
    names = write_world(tmp_path, *ROWS_OF_TWO_FILES)
    lines = (tmp_path / names[1]).read_bytes().split(b"\n")
    lines[60], lines[40] = b"{broken", b"{broken"
    (tmp_path / names[1]).write_bytes(b"\n".join(lines))
    job = declare(tmp_path, names, "out", FULL)
    if workers:
        job.engine.processes(workers)
    with pytest.raises(SourceParseError) as caught:
        job.run()
    assert (caught.value.file, caught.value.line) == (str(tmp_path / names[1]), 41)
