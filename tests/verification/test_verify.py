"""`mintdim.verify`: a clean dataset has no findings, damage has one that names its place."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import worlds
from damage import KINDS, found
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from worlds import jsonl

import mintdim
from mintdim.shared.errors import NotADatasetError

if TYPE_CHECKING:
    from pathlib import Path

    from damage import Built

LEVELS = [{}, {"full": True}, {"source": True}, {"full": True, "source": True}]


# ----------------------------------------------------------------------------------------- clean


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_clean_dataset_has_no_findings(
    clean: dict[str, Built], kind: str, level: dict[str, bool]
) -> None:
    report = clean[kind].verify(**level)
    assert [str(finding) for finding in report.findings] == []
    assert report.ok
    assert report.checks == ("quick", *level)
    assert report.samples == {"mixed": 25, "mapped": 17, "special": 4, "empty": 0}[kind]


def test_a_report_shows_itself(clean: dict[str, Built], mixed: Built) -> None:
    text = str(clean["mixed"].verify(full=True))
    assert text.startswith("out: 25 samples, ")
    assert text.endswith("checked: quick, full\nno findings")
    mixed.flip("unit_8/shard_000000.bin", 0)
    assert "\n1 finding:\n  unit_8/shard_000000.bin: " in str(mixed.verify(full=True))


def test_a_report_is_json(mixed: Built) -> None:
    mixed.change_line("sample_index.jsonl", 3, lambda row: row.update(token_count=5))
    mixed.forge()
    report = json.loads(json.dumps(mixed.verify(full=True).as_dict()))
    assert report["ok"] is False
    assert report["checks"] == ["quick", "full"]
    (finding,) = report["findings"]
    assert finding["problem"].startswith("sample_id, token_count, unit_size, shard_path is (2, 5")
    assert (finding["file"], finding["code"]) == ("sample_index.jsonl", "value_differs")
    assert (finding["line"], finding["offset"]) == (3, None)


def test_a_clean_report_is_json(clean: dict[str, Built]) -> None:
    report = clean["empty"].verify().as_dict()
    assert report["ok"] is True
    assert report["findings"] == []


@pytest.mark.parametrize("name", ["nothing", "file", "directory"])
def test_what_has_no_manifest_is_not_a_dataset(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "directory").mkdir()
    with pytest.raises(NotADatasetError):
        mintdim.verify(tmp_path / name)


# ------------------------------------------------------------------------ found by names and sizes


def test_a_truncated_shard_is_found_by_the_quick_check(mixed: Built) -> None:
    name = "unit_16/shard_000000.bin"
    mixed.write(name, mixed.bytes(name)[:-2])
    report = mixed.verify()
    assert found(report) == [(name, None, None)]
    assert "it has 126 bytes, its index says 128" in str(report)


@pytest.mark.parametrize("name", ["unit_8/shard_000000.bin", "sample_index.jsonl", "stats.json"])
def test_a_missing_file_is_found_by_the_quick_check(mixed: Built, name: str) -> None:
    (mixed.path / name).unlink()
    assert (name, None, None) in found(mixed.verify())


@pytest.mark.parametrize(
    "name",
    [
        "stray",
        "unit_8/stray.bin",
        "unit_8/shard_000009.bin",
        "unit_8/UNIT_BUILD_FAILED.md",
        "unit_8/EMPTY_UNIT.md",
        ".mintdim-work/unit_8.bin",
        ".manifest.json.part",
        "special_index.jsonl",
    ],
)
def test_a_file_that_does_not_belong_is_found_by_the_quick_check(mixed: Built, name: str) -> None:
    (mixed.path / name).parent.mkdir(exist_ok=True)
    mixed.write(name, b"x")
    report = mixed.verify()
    assert (name, None, None) in found(report)
    assert "the file does not belong to this dataset" in str(report)


@pytest.mark.parametrize("name", [".mintdim-work", "unit_9", "unit_8/inner"])
def test_a_directory_that_does_not_belong_is_found_even_if_it_is_empty(
    mixed: Built, name: str
) -> None:
    (mixed.path / name).mkdir()
    assert found(mixed.verify()) == [(name, None, None)]


def test_a_stray_file_hides_no_other_damage(mixed: Built) -> None:
    mixed.write("stray", b"")
    mixed.change_line("sample_index.jsonl", 3, lambda row: row.update(token_count=5))
    mixed.forge()
    expected = [("stray", None, None), ("sample_index.jsonl", None, 3)]
    assert found(mixed.verify(full=True)) == expected


def test_a_missing_notice_of_an_empty_unit_is_found(mixed: Built) -> None:
    (mixed.path / "unit_64/EMPTY_UNIT.md").unlink()
    assert found(mixed.verify()) == [("unit_64/EMPTY_UNIT.md", None, None)]


def test_a_missing_notice_is_found_even_if_the_index_was_forged(mixed: Built) -> None:
    (mixed.path / "unit_64/EMPTY_UNIT.md").unlink()
    mixed.change(
        "shards_index.json",
        lambda index: index.update(
            files=[entry for entry in index["files"] if not entry["name"].startswith("unit_64")]
        ),
    )
    mixed.forge()
    assert ("unit_64/EMPTY_UNIT.md", None, None) in found(mixed.verify())


def test_the_manifest_of_another_build_is_found(mixed: Built, clean: dict[str, Built]) -> None:
    shutil.copyfile(clean["special"].path / "manifest.json", mixed.path / "manifest.json")
    assert found(mixed.verify()) == [("shards_index.json", None, None)]


def test_the_index_of_another_build_is_found(mixed: Built, clean: dict[str, Built]) -> None:
    for name in ("manifest.json", "shards_index.json"):
        shutil.copyfile(clean["special"].path / name, mixed.path / name)
    assert not mixed.verify().ok


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("total_samples", 26),
        ("total_tokens", 1),
        ("token_dtype", "uint32"),
        ("bytes_per_token", 4),
        ("unit_distribution", {"8": 25}),
    ],
)
def test_wrong_totals_are_found_by_the_quick_check(mixed: Built, key: str, value: Any) -> None:
    mixed.change("stats.json", lambda stats: stats.update({key: value}))
    mixed.forge()
    assert found(mixed.verify()) == [("stats.json", None, None)]


def test_a_wrong_histogram_is_found_by_the_quick_check(mixed: Built) -> None:
    mixed.change("histogram.json", lambda histogram: histogram.update({"8": 1}))
    mixed.forge()
    assert found(mixed.verify()) == [("histogram.json", None, None)]


@pytest.mark.parametrize(
    ("name", "edit"),
    [
        ("manifest.json", lambda value: value.pop("tokenizer")),
        ("manifest.json", lambda value: value.update(format_version=2)),
        ("manifest.json", lambda value: value.update(pipeline="stream-build")),
        ("manifest.json", lambda value: value["token_storage"].update(dtype="int8")),
        ("manifest.json", lambda value: value["token_storage"].update(dtype=[])),
        ("manifest.json", lambda value: value["token_storage"].update(byte_order="big")),
        ("manifest.json", lambda value: value["units"].update(sizes=[])),
        ("manifest.json", lambda value: value["units"].update(sizes=["8"])),
        ("manifest.json", lambda value: value["units"].update(sizes=[[8], [8]])),
        ("manifest.json", lambda value: value["output"].update(samples_per_shard="4")),
        ("manifest.json", lambda value: value["source"].update(files=[1])),
        ("shards_index.json", lambda value: value.pop("shards")),
        ("shards_index.json", lambda value: value["shards"][0].update(bytes="8")),
        ("shards_index.json", lambda value: value["shards"][0].update(samples=-4)),
        ("shards_index.json", lambda value: value["files"][0].update(name=None)),
        ("stats.json", lambda value: value.pop("total_samples")),
        ("histogram.json", lambda value: value.update({"8": "5"})),
    ],
)
def test_documents_of_another_form_are_a_finding_and_no_exception(
    mixed: Built, name: str, edit: Any
) -> None:
    mixed.change(name, edit)
    mixed.forge() if name != "shards_index.json" else mixed.forge_manifest()
    assert (name, None, None) in found(mixed.verify(full=True, source=True))


@pytest.mark.parametrize("name", ["manifest.json", "shards_index.json", "stats.json"])
@pytest.mark.parametrize("content", [b"", b"[]", b"{", b"\xff", b"[" * 100_000])
def test_documents_that_cannot_be_read_are_a_finding(
    mixed: Built, name: str, content: bytes
) -> None:
    mixed.write(name, content)
    assert not mixed.verify(full=True, source=True).ok


@pytest.mark.parametrize(
    "edit",
    [
        lambda index: index["shards"][0].update(name="unit_8/shard_000007.bin"),
        lambda index: index["shards"][0].update(name="../in.jsonl"),
        lambda index: index["shards"][0].update(samples=3),
        lambda index: index["files"].append(index["files"][0]),
        lambda index: index["files"].pop(0),
        lambda index: index["shards"].reverse(),
        lambda index: index["shards"].pop(),
    ],
)
def test_an_edited_index_of_shards_is_found_by_the_quick_check(mixed: Built, edit: Any) -> None:
    mixed.change("shards_index.json", edit)
    mixed.forge_manifest()
    assert not mixed.verify().ok


def test_shards_that_are_not_full_are_found(mixed: Built) -> None:
    mixed.change("manifest.json", lambda value: value["output"].update(samples_per_shard=5))
    assert "shards_index.json" in {finding.file for finding in mixed.verify().findings}


# ----------------------------------------------------------------------------- found by hashes


@pytest.mark.parametrize(
    ("name", "offset"), [("unit_8/shard_000000.bin", 0), ("unit_8/shard_000000.bin", 14)]
)
def test_a_flipped_bit_in_tokens_or_padding_is_found(mixed: Built, name: str, offset: int) -> None:
    mixed.flip(name, offset)
    assert (name, None, None) in found(mixed.verify(full=True))
    assert mixed.verify().ok


def test_two_shards_swapped_are_both_found(mixed: Built) -> None:
    one, other = "unit_8/shard_000000.bin", "unit_8/shard_000001.bin"
    first, second = mixed.bytes(one), mixed.bytes(other)
    mixed.write(one, second)
    mixed.write(other, first)
    assert {(one, None, None), (other, None, None)} <= set(found(mixed.verify(full=True)))


@settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_any_flipped_bit_in_any_file_but_manifest_and_log_is_found(
    clean: dict[str, Built], data: st.DataObject
) -> None:
    built = clean[data.draw(st.sampled_from(KINDS))]
    files = [path for path in sorted(built.path.rglob("*")) if path.is_file()]
    uncovered = ("manifest.json", "build_log.json")
    files = [path for path in files if path.stat().st_size and path.name not in uncovered]
    path = data.draw(st.sampled_from(files))
    before = path.read_bytes()
    damaged = bytearray(before)
    damaged[data.draw(st.integers(0, len(before) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    path.write_bytes(damaged)
    try:
        report = built.verify(full=True)
        names = {finding.file for finding in report.findings}
        assert path.relative_to(built.path).as_posix() in names
    finally:
        path.write_bytes(before)


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_a_flipped_bit_in_the_manifest_never_raises(
    clean: dict[str, Built], data: st.DataObject
) -> None:
    built = clean[data.draw(st.sampled_from(KINDS))]
    path = built.path / "manifest.json"
    before = path.read_bytes()
    damaged = bytearray(before)
    damaged[data.draw(st.integers(0, len(before) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    path.write_bytes(damaged)
    try:
        built.verify(full=True, source=True)
    finally:
        path.write_bytes(before)


# -------------------------------------------------------- found by rows and tokens: forged hashes


def test_a_slot_behind_the_tokens_is_named_by_its_byte(mixed: Built) -> None:
    name = "unit_8/shard_000000.bin"
    mixed.flip(name, 2 * 7)  # the first sample is "a": one token
    mixed.forge()
    assert found(mixed.verify(full=True)) == [(name, 14, None)]


def test_an_id_beyond_the_vocabulary_is_named_by_its_byte(mixed: Built) -> None:
    name = "unit_8/shard_000001.bin"
    data = mixed.bytes(name)
    data[16:18] = (60_000).to_bytes(2, "little")
    mixed.write(name, data)
    mixed.forge()
    assert found(mixed.verify(full=True)) == [(name, 16, None)]
    assert "larger than any id of the tokenizer" in str(mixed.verify(full=True))


def test_swapped_shards_with_forged_hashes_are_found(mixed: Built) -> None:
    one, other = "unit_8/shard_000000.bin", "unit_8/shard_000001.bin"
    first, second = mixed.bytes(one), mixed.bytes(other)
    mixed.write(one, second)
    mixed.write(other, first)
    mixed.forge()
    assert {file for file, _, _ in found(mixed.verify(full=True))} >= {one, other}


def test_a_token_that_was_replaced_is_found_by_the_source(mixed: Built) -> None:
    name = "unit_8/shard_000000.bin"
    data = mixed.bytes(name)
    data[16] ^= 1  # the first token of the second row
    mixed.write(name, data)
    mixed.forge()
    assert mixed.verify(full=True).ok
    assert found(mixed.verify(source=True)) == [(name, 16, None)]


EDITS = [
    lambda row: row.update(sample_id=7),
    lambda row: row.update(token_count=9),
    lambda row: row.update(unit_size=16),
    lambda row: row.update(shard_path="unit_8/shard_000001.bin"),
    lambda row: row.update(hash="0" * 63),
    lambda row: row.update(hash="X" * 64),
    lambda row: row.update(hash=5),
    lambda row: row.update(source_file="other.jsonl"),
    lambda row: row.update(source_line=1),
    lambda row: row.update(source_line="2"),
    lambda row: row.pop("source_line"),
    lambda row: row.pop("hash"),
]


@pytest.mark.parametrize("edit", EDITS)
def test_an_edited_row_of_the_sample_index_is_named_by_its_line(mixed: Built, edit: Any) -> None:
    mixed.change_line("sample_index.jsonl", 2, edit)
    mixed.forge()
    assert found(mixed.verify(full=True)) == [("sample_index.jsonl", None, 2)]


@pytest.mark.parametrize("line", ["{", "[]", "", '"x"', "nothing", "[" * 100_000])
def test_a_row_that_is_no_object_is_named_by_its_line(mixed: Built, line: str) -> None:
    lines = mixed.lines("sample_index.jsonl")
    lines[4] = line + "\n"
    mixed.write("sample_index.jsonl", "".join(lines).encode())
    mixed.forge()
    assert found(mixed.verify(full=True)) == [("sample_index.jsonl", None, 5)]


@pytest.mark.parametrize(("cut", "line"), [(3, 4), (0, 1), (24, 24)])
def test_a_missing_line_of_the_sample_index_is_found(mixed: Built, cut: int, line: int) -> None:
    lines = mixed.lines("sample_index.jsonl")
    del lines[cut]
    mixed.write("sample_index.jsonl", "".join(lines).encode())
    mixed.forge()
    assert found(mixed.verify(full=True)) == [("sample_index.jsonl", None, line)]


def test_a_line_too_many_and_a_line_without_end_are_found(mixed: Built) -> None:
    whole = mixed.bytes("sample_index.jsonl")
    for data in (whole + whole.splitlines(keepends=True)[-1], whole[:-1]):
        mixed.write("sample_index.jsonl", data)
        mixed.forge()
        assert [file for file, _, _ in found(mixed.verify(full=True))] == ["sample_index.jsonl"]


@pytest.mark.parametrize("column", range(4))
@pytest.mark.parametrize("row", [0, 11, 24])
def test_an_edited_row_of_the_binary_index_is_found(mixed: Built, column: int, row: int) -> None:
    data = mixed.bytes("sample_index.bin")
    data[16 * row + 4 * column] ^= 1
    mixed.write("sample_index.bin", data)
    mixed.forge()
    report = mixed.verify(full=True)
    expected = ("sample_index.jsonl", None, row + 1)
    assert (expected if column < 3 else ("sample_index.bin", 16 * row, None)) in found(report)


def test_rows_out_of_order_are_named_by_their_byte(mixed: Built) -> None:
    index = np.frombuffer(mixed.bytes("sample_index.bin"), dtype="<u4").reshape(-1, 4)
    members = np.flatnonzero((index[:, 1] == 8) & (index[:, 2] == 0))
    index[members[:2], 3] = [1, 0]
    mixed.write("sample_index.bin", index.tobytes())
    mixed.forge()
    expected = ("sample_index.bin", int(members[0]) * 16, None)
    assert expected in found(mixed.verify(full=True))


def test_more_tokens_than_slots_are_named_by_their_byte(mixed: Built) -> None:
    index = np.frombuffer(mixed.bytes("sample_index.bin"), dtype="<u4").reshape(-1, 4)
    index[0, 0] = 9
    mixed.write("sample_index.bin", index.tobytes())
    mixed.forge()
    assert found(mixed.verify(full=True))[0] == ("sample_index.bin", 0, None)


def test_a_sample_in_a_larger_unit_than_it_needs_is_found(mapped: Built) -> None:
    """Each file has sizes of its own: 8 and 32, then 4, 16 and 32."""
    sizes = [[8, 16, 32], [4, 16, 32]]
    mapped.change("manifest.json", lambda value: value["units"].update(sizes=sizes))
    assert mapped.verify().ok
    report = mapped.verify(full=True)
    assert found(report) == [("sample_index.jsonl", None, 6)]
    assert "unit_size is 32, must be 16" in str(report)


def test_wrong_tokens_of_a_shard_are_found(mixed: Built) -> None:
    def edit(index: Any) -> None:
        index["shards"][0]["tokens"] += 1
        index["shards"][1]["tokens"] -= 1

    mixed.change("shards_index.json", edit)
    mixed.forge_manifest()
    assert mixed.verify().ok
    report = mixed.verify(full=True)
    assert found(report) == [("shards_index.json", None, None)] * 2


# ------------------------------------------------------------------------------ UNK and duplicates


@pytest.mark.parametrize(
    "edit",
    [
        lambda row: row.update(unk_positions=[1, 2]),
        lambda row: row.update(unk_positions=[1]),
        lambda row: row.update(unk_count=1),
        lambda row: row.update(sample_id=3),
        lambda row: row.update(hash="0" * 64),
        lambda row: row.update(source_line=4),
        lambda row: row.update(extra=1),
        lambda row: row.clear(),
    ],
)
def test_an_edited_unk_row_is_named_by_its_line(mixed: Built, edit: Any) -> None:
    mixed.change_line("unk_index.jsonl", 1, edit)
    mixed.forge()
    assert found(mixed.verify(full=True)) == [("unk_index.jsonl", None, 1)]


def test_a_missing_or_repeated_unk_row_is_found(mixed: Built) -> None:
    (row,) = mixed.lines("unk_index.jsonl")
    for content, line in (("", 1), (row * 2, 2), ("5\n", None)):
        mixed.write("unk_index.jsonl", content.encode())
        mixed.forge()
        assert found(mixed.verify(full=True)) == [("unk_index.jsonl", None, line)]


@pytest.mark.parametrize(
    "edit",
    [
        lambda row: row.update(count=3),
        lambda row: row.update(hash="0" * 64),
        lambda row: row["samples"].pop(),
        lambda row: row["samples"].reverse(),
        lambda row: row["samples"][0].update(source_line=9),
        lambda row: row["samples"][1].update(sample_id=12),
    ],
)
def test_an_edited_group_of_duplicates_is_named_by_its_line(mixed: Built, edit: Any) -> None:
    groups = mixed.lines("duplicate_index.jsonl")
    line = next(i for i, group in enumerate(groups, 1) if '"sample_id": 13' in group)
    mixed.change_line("duplicate_index.jsonl", line, edit)
    mixed.forge()
    assert found(mixed.verify(full=True)) == [("duplicate_index.jsonl", None, line)]


def test_missing_repeated_and_swapped_groups_are_found(mixed: Built) -> None:
    groups = mixed.lines("duplicate_index.jsonl")
    assert len(groups) > 1
    count = len(groups)
    for content, line in (
        (groups[1:], 1),
        (groups[:-1], count),
        ([*groups, groups[0]], count + 1),
        ([groups[1], groups[0], *groups[2:]], 1),
    ):
        mixed.write("duplicate_index.jsonl", "".join(content).encode())
        mixed.forge()
        assert found(mixed.verify(full=True)) == [("duplicate_index.jsonl", None, line)]


@pytest.mark.parametrize(
    "key", ["duplicate_groups", "duplicate_samples", "samples_with_unk", "unk_tokens"]
)
def test_wrong_counts_in_the_statistics_are_found(mixed: Built, key: str) -> None:
    mixed.change("stats.json", lambda stats: stats.update({key: 99}))
    mixed.forge()
    assert found(mixed.verify(full=True)) == [("stats.json", None, None)]


def test_hashes_that_begin_alike_by_accident_are_no_duplicates(
    mixed: Built, monkeypatch: pytest.MonkeyPatch
) -> None:
    from mintdim.verification import rows

    note = rows.SampleRows.note
    monkeypatch.setattr(
        rows.SampleRows,
        "note",
        lambda self, sample, start, digest: note(
            self, sample, start, "0" * 64 if sample in (22, 24) else digest
        ),
    )
    digests = [json.loads(line)["hash"] for line in mixed.lines("sample_index.jsonl")]
    assert digests.count(digests[22]) == digests.count(digests[24]) == 1
    assert mixed.verify(full=True).ok


# ---------------------------------------------------------------------------------- special tokens


def test_a_missing_special_index_is_found(special: Built) -> None:
    (special.path / "special_index.jsonl").unlink()
    assert found(special.verify()) == [("special_index.jsonl", None, None)]


@pytest.mark.parametrize(
    "edit",
    [
        lambda row: row.update(special_count=2),
        lambda row: row.update(special_positions=[1]),
        lambda row: row.update(special_positions=[99]),
        lambda row: row.update(special_tokens=["<s>"]),
        lambda row: row.update(special_positions=[], special_tokens=[], special_count=0),
        lambda row: row.update(sample_id=1),
        lambda row: row.update(hash="0" * 64),
        lambda row: row.pop("special_tokens"),
    ],
)
def test_an_edited_row_of_special_tokens_is_found(special: Built, edit: Any) -> None:
    special.change_line("special_index.jsonl", 1, edit)
    special.forge()
    files = {file for file, _, _ in found(special.verify(full=True))}
    assert files & {"special_index.jsonl", "stats.json"}
    assert ("special_index.jsonl", None, 1) in found(special.verify(source=True))


def test_a_missing_row_of_special_tokens_is_found_by_the_source(special: Built) -> None:
    first, second = special.lines("special_index.jsonl")
    for content, line in ((first, 2), (second, 1), (first + second + second, 3)):
        special.write("special_index.jsonl", content.encode())
        special.forge()
        assert ("special_index.jsonl", None, line) in found(special.verify(source=True))
        assert not special.verify(full=True).ok


@pytest.mark.parametrize(
    "change", [{"samples_with_special_tokens": 1}, {"special_tokens": {"</s>": 5}}]
)
def test_wrong_counts_of_special_tokens_are_found(special: Built, change: Any) -> None:
    special.change("stats.json", lambda stats: stats.update(change))
    special.forge()
    assert found(special.verify(full=True)) == [("stats.json", None, None)]


# ------------------------------------------------------------------------------------------ source


def rewrite(built: Built, rows: list[Any]) -> None:
    (built.root / "in.jsonl").write_bytes(jsonl(*rows))


def source_rows(built: Built) -> list[Any]:
    return [json.loads(line) for line in (built.root / "in.jsonl").read_bytes().splitlines()]


def test_a_source_that_changed_is_found_at_the_record_of_its_sample(mixed: Built) -> None:
    rows = source_rows(mixed)
    rows[0] = {"text": "b"}
    rewrite(mixed, rows)
    assert found(mixed.verify(source=True)) == [("unit_8/shard_000000.bin", 0, None)]
    assert "sample 0 (in.jsonl:1)" in str(mixed.verify(source=True))


def test_a_source_line_that_is_gone_or_new_is_found(mixed: Built) -> None:
    rows = source_rows(mixed)
    rewrite(mixed, rows[:-1])
    assert found(mixed.verify(source=True)) == [("sample_index.jsonl", None, 25)]
    rewrite(mixed, [*rows, {"text": "more"}])
    report = mixed.verify(source=True)
    assert found(report) == [("sample_index.jsonl", None, None)]
    assert "in.jsonl:26 is not in the dataset" in str(report)


def test_only_a_hundred_differing_samples_are_listed(tmp_path: Path) -> None:
    from damage import build

    content = {"in.jsonl": jsonl(*[{"text": "a"}] * 150), "tok.model": worlds.spm()}
    built = build(tmp_path, content)
    rewrite(built, [{"text": "b"}] * 150)
    assert len(built.verify(source=True).findings) == 100


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("in.jsonl", None),
        ("in.jsonl", b"{\n"),
        ("in.jsonl", b'{"other": "a"}\n'),
        ("tok.model", None),
        ("tok.model", b"no tokenizer"),
    ],
)
def test_a_source_that_cannot_be_used_is_a_finding(
    mixed: Built, name: str, content: bytes | None
) -> None:
    path = mixed.root / name
    path.unlink() if content is None else path.write_bytes(content)
    report = mixed.verify(source=True)
    assert found(report) == [("manifest.json", None, None)]
    assert "its source cannot be used" in str(report)


def test_a_damaged_archive_is_a_finding(mapped: Built) -> None:
    path = mapped.root / "b.jsonl.gz"
    path.write_bytes(path.read_bytes()[:-9])
    assert found(mapped.verify(source=True))[-1] == ("manifest.json", None, None)


def test_a_dataset_in_uint32_with_files_of_their_own_is_checked_alike(mapped: Built) -> None:
    name = "unit_16/shard_000000.bin"
    mapped.flip(name, 4 * 15)
    mapped.forge()
    assert found(mapped.verify(full=True)) == [(name, 60, None)]
