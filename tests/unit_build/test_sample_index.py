"""Sample index: for people one JSON row per sample, for readers 16 bytes."""

from __future__ import annotations

import hashlib
import json
import os
import struct
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import worlds
from hypothesis import given, settings
from hypothesis import strategies as st
from worlds import jsonl, make_job, write_files

from mintdim.formats.sample_index import BINARY_ROW

LAW = settings(max_examples=int(os.environ.get("MINTDIM_EXAMPLES", "20")), deadline=None)


def build(root: Path, texts: list[str], **job: Any) -> Path:
    rows = jsonl(*({"text": text} for text in texts))
    tokenizers = {"tok.model": worlds.spm(), "tok.json": worlds.hf_char()}
    write_files(root, {"in.jsonl": rows, **tokenizers})
    worlds.run_job(root, **make_job(tokenizer_type="hf_json", **job))
    return root / "out"


def json_rows(out: Path) -> list[dict[str, Any]]:
    lines = (out / "sample_index.jsonl").read_text("utf-8").split("\n")
    assert lines.pop() == ""
    return [json.loads(line) for line in lines]


def binary_rows(out: Path) -> list[tuple[int, ...]]:
    return list(struct.iter_unpack("<4I", (out / "sample_index.bin").read_bytes()))


@LAW
@given(
    st.lists(st.text("ab\n", max_size=16), max_size=10),
    st.sampled_from([[4, 16], [16], [1, 2, 3, 16, 17]]),
    st.integers(1, 4),
)
def test_every_sample_is_found_by_its_16_bytes_alone(
    texts: list[str], sizes: list[int], per_shard: int
) -> None:
    """Seek to row * unit_size * 2, read token_count ids: it is the text, the rest is PAD."""
    letters = worlds.numbered(*worlds.ALPHABET)
    with tempfile.TemporaryDirectory() as folder:
        out = build(Path(folder), texts, sizes=[sizes], samples_per_shard=[per_shard])
        index = (out / "sample_index.bin").read_bytes()
        assert len(index) == 16 * len(texts)
        for sample_id, text in enumerate(texts):
            count, unit, shard, row = struct.unpack_from("<4I", index, 16 * sample_id)
            data = (out / f"unit_{unit}" / f"shard_{shard:06}.bin").read_bytes()
            slots = struct.unpack_from(f"<{unit}H", data, row * unit * 2)
            assert slots[:count] == tuple(letters[char] for char in text)
            assert set(slots[count:]) <= {1}
            assert row < per_shard


@LAW
@given(st.lists(st.text("ab\n", max_size=16), max_size=10), st.integers(1, 4))
def test_both_forms_say_the_same_of_every_sample(texts: list[str], per_shard: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        out = build(Path(folder), texts, sizes=[[4, 16]], samples_per_shard=[per_shard])
        rows = json_rows(out)
        assert [row["sample_id"] for row in rows] == list(range(len(texts)))
        for row, (count, unit, shard, _) in zip(rows, binary_rows(out), strict=True):
            assert (row["token_count"], row["unit_size"]) == (count, unit)
            assert row["shard_path"] == f"unit_{unit}/shard_{shard:06}.bin"


def test_a_row_has_the_keys_of_the_document_in_their_order(tmp_path: Path) -> None:
    out = build(tmp_path, ["", "a" * 9], files=["in.jsonl"], fields=[["text"]])
    assert [list(row.items()) for row in json_rows(out)] == [
        [
            ("sample_id", sample_id),
            ("hash", hashlib.sha256(text.encode()).hexdigest()),
            ("token_count", len(text)),
            ("unit_size", unit),
            ("source_file", "in.jsonl"),
            ("source_line", sample_id + 1),
            ("shard_path", f"unit_{unit}/shard_000000.bin"),
        ]
        for sample_id, text, unit in ((0, "", 8), (1, "a" * 9, 16))
    ]


def test_the_16_bytes_of_a_sample_written_out_by_hand(tmp_path: Path) -> None:
    out = build(tmp_path, ["a", "aa", "a" * 300], sizes=[[8, 400]], samples_per_shard=[1])
    assert (out / "sample_index.bin").read_bytes() == bytes.fromhex(
        "01000000 08000000 00000000 00000000"
        "02000000 08000000 01000000 00000000"
        "2c010000 90010000 00000000 00000000"
    )


def test_the_binary_row_is_four_little_endian_words() -> None:
    assert BINARY_ROW.itemsize == 16
    assert BINARY_ROW.names == ("token_count", "unit_size", "shard", "row")
    row = np.zeros(1, dtype=BINARY_ROW)
    row["shard"] = 0x01020304
    assert row.tobytes() == bytes([0] * 8 + [4, 3, 2, 1] + [0] * 4)


def test_the_hash_is_that_of_the_rendered_text_in_utf_8(tmp_path: Path) -> None:
    out = build(tmp_path, ["é日本"], templates=["é:{text}\n"])
    assert json_rows(out)[0]["hash"] == hashlib.sha256("é:é日本\n".encode()).hexdigest()


def test_lines_are_physical_and_blank_ones_have_no_row(tmp_path: Path) -> None:
    rows = b'\n{"text":"a"}\r\n\t\r\n\n{"text":"b"}'
    write_files(tmp_path, {"in.jsonl": rows, "tok.model": worlds.spm()})
    worlds.run_job(tmp_path, **make_job())
    found = [(row["sample_id"], row["source_line"]) for row in json_rows(tmp_path / "out")]
    assert found == [(0, 2), (1, 5)]


def test_ids_run_on_over_files_and_lines_begin_again(tmp_path: Path) -> None:
    files = {name: jsonl({"text": "a"}, {"text": "b"}) for name in ("a.jsonl", "b.jsonl")}
    write_files(tmp_path, {**files, "empty.jsonl": b"", "tok.model": worlds.spm()})
    worlds.run_job(tmp_path, **make_job(files=["a.jsonl", "empty.jsonl", "b.jsonl"]))
    found = json_rows(tmp_path / "out")
    assert [(row["sample_id"], row["source_file"], row["source_line"]) for row in found] == [
        (0, "a.jsonl", 1),
        (1, "a.jsonl", 2),
        (2, "b.jsonl", 1),
        (3, "b.jsonl", 2),
    ]


@pytest.mark.parametrize(
    "name", ["100%.jsonl", "%s %d.jsonl", 'q"\\.jsonl', "日本.jsonl", "tab\t.jsonl"]
)
def test_names_of_files_are_recorded_to_the_letter(tmp_path: Path, name: str) -> None:
    write_files(tmp_path, {name: jsonl({"text": "a"}), "tok.model": worlds.spm()})
    worlds.run_job(tmp_path, **make_job(files=[name]))
    assert json_rows(tmp_path / "out")[0]["source_file"] == name


def test_a_name_that_is_not_utf_8_is_recorded_so_that_it_can_be_opened_again(
    tmp_path: Path,
) -> None:
    name = os.fsdecode(b"caf\xe9.jsonl")
    try:
        (tmp_path / name).write_bytes(jsonl({"text": "a"}))
    except OSError:
        pytest.skip("this file system has no such names")
    write_files(tmp_path, {"tok.model": worlds.spm()})
    worlds.run_job(tmp_path, **make_job(files=[name]))
    assert json_rows(tmp_path / "out")[0]["source_file"] == name
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text("utf-8"))
    assert manifest["source"]["files"] == [name]


def test_shard_numbers_keep_six_digits_and_grow_beyond_them() -> None:
    from mintdim.formats.names import shard_path

    assert shard_path(8, 7) == "unit_8/shard_000007.bin"
    assert shard_path(8, 1_234_567) == "unit_8/shard_1234567.bin"
