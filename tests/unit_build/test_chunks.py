"""Chunks: however a file is cut, the same lines with the same numbers come out, each once."""

from __future__ import annotations

import contextlib
import logging
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import worlds
from hypothesis import example, given, settings
from hypothesis import strategies as st
from worlds import jsonl, make_job, write_files

from mintdim.pipelines.unit_build.config import FileJob, TokenizerInfo
from mintdim.shared.errors import MintDimError, SourceParseError
from mintdim.sources import chunks
from mintdim.sources.chunks import plan_chunks, read_lines
from mintdim.sources.contract import SourceFile

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mintdim.pipelines.unit_build.contracts import Chunk

LAW = settings(max_examples=int(os.environ.get("MINTDIM_EXAMPLES", "150")), deadline=None)
PACK = {"": bytes, ".gz": worlds.gz, ".zst": worlds.zst}
BOM = b"\xef\xbb\xbf"
HUGE = 2**40


def job_for(path: Path) -> FileJob:
    """A file job in which nothing but the file matters."""
    facts = path.stat()
    found = SourceFile(str(path), str(path), facts.st_size, facts.st_mtime_ns)
    tokenizer = TokenizerInfo("hf_json", "t", "/t", "0", 2, 1, 0, 1)
    return FileJob(0, found, ("text",), "{text}", tokenizer, (8,), 1, 1)


@contextlib.contextmanager
def written(content: bytes, suffix: str) -> Iterator[FileJob]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"in.jsonl{suffix}"
        path.write_bytes(PACK[suffix](content))
        yield job_for(path)


def expected_lines(content: bytes) -> list[bytes]:
    """Split at every line feed; the mark at the very start is no data."""
    pieces = content.removeprefix(BOM).split(b"\n")
    return pieces if pieces[-1] else pieces[:-1]


def contents() -> st.SearchStrategy[bytes]:
    pieces = st.sampled_from(
        [b"\n", b"\n", b"a", b"bc", b"\r\n", b" ", BOM, b"{}", b"\xff", b"x" * 50]
    )
    return st.lists(pieces, max_size=12).map(b"".join) | st.binary(max_size=40)


def numbered(planned: list[Chunk]) -> list[tuple[int, bytes]]:
    """Every line with its number, counted on from chunk to chunk."""
    lines = [line for chunk in planned for line in read_lines(chunk)]
    return list(enumerate(lines, 1))


# ---------------------------------------------------------------------------------------- laws


@LAW
@given(contents(), st.integers(1, 60), st.sampled_from(sorted(PACK)))
@example(BOM, 1, "")
@example(BOM + b"a", 2, "")
@example(b"\n\n\n", 1, "")
@example(b"a\nb", 2, "")
@example(b"", 1, ".gz")
def test_lines_and_their_numbers_do_not_depend_on_the_size_of_chunks(
    content: bytes, size: int, suffix: str
) -> None:
    with written(content, suffix) as job:
        found = numbered(list(plan_chunks(job, size)))
        assert found == numbered(list(plan_chunks(job, HUGE)))
    assert found == list(enumerate(expected_lines(content), 1))


@LAW
@given(contents(), st.integers(1, 60))
def test_chunks_of_a_plain_file_lie_side_by_side_and_own_the_lines_that_begin_in_them(
    content: bytes, size: int
) -> None:
    starts = [0] if content else []
    starts += [i + 1 for i, byte in enumerate(content[:-1]) if byte == ord("\n")]
    with written(content, "") as job:
        planned = list(plan_chunks(job, size))
        assert [chunk.start for chunk in planned] == list(range(0, len(content), size))
        for chunk in planned:
            assert chunk.stop == min(chunk.start + size, len(content))
            own = [start for start in starts if chunk.start <= start < chunk.stop]
            if content == BOM and own:
                own = []
            assert len(read_lines(chunk)) == len(own)


@LAW
@given(contents(), st.integers(1, 60), st.sampled_from(sorted(PACK)))
def test_what_is_consumed_adds_up_to_the_bytes_on_the_disk(
    content: bytes, size: int, suffix: str
) -> None:
    with written(content, suffix) as job:
        planned = list(plan_chunks(job, size))
        assert sum(chunk.consumed for chunk in planned) == job.source.bytes
        assert all(chunk.consumed >= 0 for chunk in planned)


@pytest.mark.parametrize("suffix", PACK)
def test_the_blocks_of_an_archive_hold_whole_lines(suffix: str) -> None:
    content = b"".join(b"%d %s\n" % (i, b"x" * (i % 300)) for i in range(5000)) + b"open end"
    with written(content, suffix) as job:
        planned = list(plan_chunks(job, 1000))
        assert numbered(planned) == list(enumerate(expected_lines(content), 1))
        assert len(planned) > 1
        for chunk in planned[:-1]:
            assert chunk.block is None or chunk.block.endswith(b"\n")


@pytest.mark.parametrize("suffix", PACK)
@pytest.mark.parametrize("size", [1, 7, 1000])
def test_a_line_longer_than_many_chunks_belongs_to_the_one_in_which_it_begins(
    suffix: str, size: int
) -> None:
    content = b"a\n" + b"y" * 20_000 + b"\nb\n"
    with written(content, suffix) as job:
        found = numbered(list(plan_chunks(job, size)))
    assert found == [(1, b"a"), (2, b"y" * 20_000), (3, b"b")]


def test_a_line_longer_than_the_blocks_of_an_archive_stays_whole() -> None:
    long = os.urandom(400_000).hex().encode()  # 800,000 bytes; blocks have 256 KiB
    for suffix in (".gz", ".zst"):
        with written(b"a\n" + long + b"\nb", suffix) as job:
            assert numbered(list(plan_chunks(job, 1))) == [(1, b"a"), (2, long), (3, b"b")]


# ---------------------------------------------------------------------------------- whole builds


@contextlib.contextmanager
def chunk_bytes(size: int) -> Iterator[None]:
    patch = pytest.MonkeyPatch()
    patch.setattr(chunks.plan_chunks, "__defaults__", (size,))
    yield
    patch.undo()


GOOD = [
    *[{"text": "abc"}, "", {"text": "a" * 10}, "  ", {"text": "abc"}, {"text": "ß語"}],
    *[{"text": "x" * 30}, {"text": ""}, {"text": "ß" * 3}, {"text": "\u2028"}, {"text": "abc"}],
]
BAD = {
    "no JSON": '{"text": ',
    "no such field": '{"x": 1}',
    "wrong type": '{"text": null}',
    "too long": '{"text": "' + "x" * 33 + '"}',
    "not UTF-8": b'{"text": "\xff"}\n',
}


def source(rows: list[Any]) -> bytes:
    return b"".join(row if isinstance(row, bytes) else jsonl(row) for row in rows)


def outcome(root: Path, size: int, **job: Any) -> tuple[Any, ...]:
    """Every byte that was written, and the error if there was one."""
    with chunk_bytes(size):
        try:
            worlds.run_job(root, **job)
            error: Any = None
        except MintDimError as raised:
            error = (type(raised), str(raised))
    out = root / "out"
    found = worlds.read_output(out)
    for path in sorted(out.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    out.rmdir()
    return error, found


def files(rows: list[Any], suffix: str) -> dict[str, bytes]:
    good = PACK[suffix](BOM + source(GOOD))
    other = PACK[suffix](source(rows).replace(b"\n", b"\r\n").removesuffix(b"\r\n"))
    return {f"a.jsonl{suffix}": good, f"b.jsonl{suffix}": other, "tok.model": worlds.spm()}


@pytest.mark.parametrize("suffix", PACK)
def test_a_build_writes_the_same_bytes_whatever_the_size_of_chunks(
    tmp_path: Path, suffix: str
) -> None:
    write_files(tmp_path, files(GOOD, suffix))
    job = make_job(files=[f"{name}.jsonl{suffix}" for name in "aba"], samples_per_shard=[2, 3, 3])
    expected = outcome(tmp_path, HUGE, **job)
    assert expected[0] is None
    for size in (1, 7, 64):
        assert outcome(tmp_path, size, **job) == expected


@pytest.mark.parametrize("bad", BAD)
@pytest.mark.parametrize("suffix", PACK)
def test_the_same_error_is_raised_whatever_the_size_of_chunks(
    tmp_path: Path, suffix: str, bad: str
) -> None:
    """The second bad line never wins, though it may be noticed first in a chunk of its own."""
    rows = [*GOOD[:7], BAD[bad], *GOOD, '{"text": "' + "y" * 40 + '"}', "{"]
    write_files(tmp_path, files(rows, suffix))
    job = make_job(files=[f"{name}.jsonl{suffix}" for name in "ab"], samples_per_shard=[1])
    error, _ = outcome(tmp_path, HUGE, **job)
    assert error is not None
    for size in (1, 7, 64):
        assert outcome(tmp_path, size, **job)[0] == error


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
def test_a_cut_archive_names_the_same_line_whatever_the_size_of_chunks(
    tmp_path: Path, suffix: str
) -> None:
    packed = PACK[suffix](jsonl(*({"text": f"{i:03}"} for i in range(100))))
    write_files(tmp_path, {f"in.jsonl{suffix}": packed[:-2], "tok.model": worlds.spm()})
    job = make_job(files=[f"in.jsonl{suffix}"])
    error, _ = outcome(tmp_path, HUGE, **job)
    assert error[0] is SourceParseError
    for size in (1, 7, 64):
        assert outcome(tmp_path, size, **job)[0] == error


def test_a_failed_build_with_small_chunks_keeps_the_whole_shards_before_the_bad_line(
    tmp_path: Path,
) -> None:
    write_files(tmp_path, files([*GOOD[:3], "{"], ""))
    job = make_job(files=["a.jsonl", "b.jsonl"], samples_per_shard=[1])
    whole = outcome(tmp_path, HUGE, **job | {"files": ["a.jsonl", "a.jsonl"]})[1]
    _, found = outcome(tmp_path, 7, **job)
    shards = {name for name in found if name.endswith(".bin")}
    assert "unit_8/shard_000000.bin" in shards
    assert all(found[name] == whole[name] for name in shards)
    assert "manifest.json" not in found


def test_the_log_does_not_depend_on_the_size_of_chunks(tmp_path: Path) -> None:
    write_files(tmp_path, files(GOOD, ""))
    job = make_job(files=["a.jsonl", "b.jsonl"], samples_per_shard=[2])
    assert log_of(tmp_path, 1, **job) == log_of(tmp_path, HUGE, **job)


def log_of(root: Path, size: int, **job: Any) -> list[str]:
    """The lines of one build, sorted: units are served in turn within a chunk."""
    lines: list[str] = []
    handler = logging.Handler(logging.INFO)
    handler.emit = lambda record: lines.append(record.getMessage())  # type: ignore[method-assign]
    logger = logging.getLogger("mintdim")
    level = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    outcome(root, size, **job)
    logger.removeHandler(handler)
    logger.setLevel(level)
    return sorted(lines)
