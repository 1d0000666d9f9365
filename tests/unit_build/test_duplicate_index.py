"""Duplicate index: the groups that a dictionary finds, in order of first appearance."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import worlds
from hypothesis import given, settings
from hypothesis import strategies as st
from worlds import jsonl, make_job, write_files

from mintdim.pipelines.unit_build.output import duplicate_index
from mintdim.sources import chunks
from mintdim.spill import external_sort
from mintdim.spill.external_sort import ExternalSorter

if TYPE_CHECKING:
    from collections.abc import Iterator

LAW = settings(max_examples=int(os.environ.get("MINTDIM_EXAMPLES", "30")), deadline=None)
Group = dict[str, Any]


@contextlib.contextmanager
def tiny_sizes(
    chunk_bytes: int, run_bytes: int, merge_bytes: int, text_rows: int = 2
) -> Iterator[None]:
    """Sizes at which a handful of samples makes many chunks, runs and blocks."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(chunks.plan_chunks, "__defaults__", (chunk_bytes,))
        patch.setattr(ExternalSorter.__init__, "__defaults__", (run_bytes,))
        patch.setattr(external_sort, "_MERGE_BYTES", merge_bytes)
        patch.setattr(duplicate_index, "_TEXT_ROWS", text_rows)
        yield


def groups_of(files: list[tuple[str, list[str]]]) -> list[Group]:
    """The groups by a dictionary from hash to members; it keeps the order of first appearance."""
    groups: dict[str, list[Group]] = {}
    sample_id = 0
    for name, texts in files:
        for line, text in enumerate(texts, 1):
            digest = hashlib.sha256(text.encode()).hexdigest()
            member = {"sample_id": sample_id, "source_file": name, "source_line": line}
            groups.setdefault(digest, []).append(member)
            sample_id += 1
    return [
        {"hash": digest, "count": len(members), "samples": members}
        for digest, members in groups.items()
        if len(members) > 1
    ]


def written_groups(directory: Path) -> list[Group]:
    rows = (directory / "duplicate_index.jsonl").read_text("utf-8").split("\n")
    assert rows.pop() == ""
    return [json.loads(row) for row in rows]


def build(root: Path, files: list[tuple[str, list[str]]], **job: Any) -> list[Group]:
    sources = {name: jsonl(*({"text": text} for text in texts)) for name, texts in files}
    write_files(root, {**sources, "tok.model": worlds.spm()})
    names = [name for name, _ in files]
    (result,) = worlds.run_job(root, **make_job(files=names) | job).outputs
    found = written_groups(root / "out")
    assert result.duplicate_groups == len(found)
    assert result.duplicate_samples == sum(group["count"] for group in found)
    stats = json.loads((root / "out" / "stats.json").read_text("utf-8"))
    assert (stats["duplicate_groups"], stats["duplicate_samples"]) == (
        result.duplicate_groups,
        result.duplicate_samples,
    )
    return found


TEXTS = st.lists(st.sampled_from(["", "a", "b", "c", "d", "e", "f", "ß"]), max_size=12)


@LAW
@given(
    st.lists(TEXTS, min_size=1, max_size=3),
    st.sampled_from([1, 30, 10**6]),
    st.sampled_from([1, 48, 100, 200, 300, 10**6]),
    st.sampled_from([1, 60, 200, 10**6]),
    st.sampled_from([1, 2, 3, 10**6]),
)
def test_the_groups_are_those_of_a_dictionary_whatever_the_sizes(
    texts: list[list[str]], chunk_bytes: int, run_bytes: int, merge_bytes: int, text_rows: int
) -> None:
    files = [(f"{i}.jsonl", entries) for i, entries in enumerate(texts)]
    with (
        tempfile.TemporaryDirectory() as folder,
        tiny_sizes(chunk_bytes, run_bytes, merge_bytes, text_rows),
    ):
        assert build(Path(folder), files) == groups_of(files)


def test_groups_stand_in_order_of_first_appearance_and_members_in_source_order(
    tmp_path: Path,
) -> None:
    texts = list("zaybzcyaz")
    found = build(tmp_path, [("in.jsonl", texts)])
    assert [[m["sample_id"] for m in group["samples"]] for group in found] == [
        [0, 4, 8],  # z
        [1, 7],  # a
        [2, 6],  # y
    ]
    assert [list(group) for group in found] == [["hash", "count", "samples"]] * 3
    assert list(found[0]["samples"][0]) == ["sample_id", "source_file", "source_line"]


def test_samples_that_are_all_different_make_an_empty_file(tmp_path: Path) -> None:
    assert build(tmp_path, [("in.jsonl", list("abcdef"))]) == []
    assert (tmp_path / "out" / "duplicate_index.jsonl").read_bytes() == b""


@pytest.mark.parametrize("run_bytes", [48, 500, 10**6])
def test_samples_that_are_all_equal_make_one_group(tmp_path: Path, run_bytes: int) -> None:
    """More members than are held as text at once, in runs that split the group."""
    texts = ["a"] * (5000 if run_bytes > 1000 else 60)
    with tiny_sizes(200, run_bytes, 300 if run_bytes < 1000 else 10**6):
        found = build(tmp_path, [("in.jsonl", texts)], samples_per_shard=[10**4])
    assert found == groups_of([("in.jsonl", texts)])
    assert found[0]["count"] == len(texts)


def test_equal_samples_in_different_files_are_one_group(tmp_path: Path) -> None:
    files = [("a.jsonl", ["x", "y"]), ("b.jsonl", ["y"]), ("c.jsonl", []), ("d.jsonl", ["x", "y"])]
    assert build(tmp_path, files) == groups_of(files)


def test_a_file_that_is_given_twice_duplicates_itself_line_by_line(tmp_path: Path) -> None:
    files = [("in.jsonl", ["x", "y"])] * 2
    assert build(tmp_path, files) == groups_of(files)


def test_a_file_may_come_back_after_another(tmp_path: Path) -> None:
    a, b, empty = ("a.jsonl", ["x", "y"]), ("b.jsonl", ["y", "z"]), ("c.jsonl", [])
    files = [a, b, a, empty, b]
    assert build(tmp_path, files) == groups_of(files)


def test_what_is_compared_is_the_text_and_not_the_line_or_its_tokens(tmp_path: Path) -> None:
    """Two spellings of one text are equal; two unknown letters are not, though both are UNK."""
    rows = ['{"text":"é"}', '{"text" : "\\u00e9"}', '{"text":"ß"}', '{"text":"ŧ"}']
    write_files(tmp_path, {"in.jsonl": jsonl(*rows), "tok.model": worlds.spm()})
    worlds.run_job(tmp_path, **make_job())
    (group,) = written_groups(tmp_path / "out")
    assert [member["sample_id"] for member in group["samples"]] == [0, 1]


def test_the_same_text_by_two_templates_is_one_group(tmp_path: Path) -> None:
    rows = {"a.jsonl": jsonl({"p": "x", "q": "y"}), "b.jsonl": jsonl({"r": "y"})}
    write_files(tmp_path, {**rows, "tok.model": worlds.spm()})
    job = make_job(files=["a.jsonl", "b.jsonl"], fields=[["p", "q"], ["r"]])
    worlds.run_job(tmp_path, **job | {"templates": ["{p}-{q}", "x-{r}"]})
    assert [group["count"] for group in written_groups(tmp_path / "out")] == [2]


def test_each_output_has_groups_of_its_own(tmp_path: Path) -> None:
    rows = {"a.jsonl": jsonl({"text": "x"}), "b.jsonl": jsonl({"text": "x"}, {"text": "x"})}
    write_files(tmp_path, {**rows, "tok.model": worlds.spm()})
    worlds.run_job(tmp_path, **make_job(files=["a.jsonl", "b.jsonl"], output=["one", "two"]))
    assert written_groups(tmp_path / "one") == []
    (group,) = written_groups(tmp_path / "two")
    assert [member["sample_id"] for member in group["samples"]] == [0, 1]


@pytest.mark.parametrize("name", ["with space.jsonl", 'q"uote.jsonl', "日本.jsonl", "100%s.jsonl"])
def test_names_of_files_are_recorded_to_the_letter(tmp_path: Path, name: str) -> None:
    files = [(name, ["x", "x"])]
    assert build(tmp_path, files) == groups_of(files)
