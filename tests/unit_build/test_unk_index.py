"""UNK index: which samples the tokenizer could not represent, and where in them."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import oracle
import pytest
import worlds
from hypothesis import given, settings
from hypothesis import strategies as st
from worlds import jsonl, make_job, write_files

from mintdim.sources import chunks

if TYPE_CHECKING:
    from collections.abc import Iterator

LAW = settings(max_examples=int(os.environ.get("MINTDIM_EXAMPLES", "20")), deadline=None)


@contextlib.contextmanager
def chunk_bytes(size: int) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(chunks.plan_chunks, "__defaults__", (size,))
        yield


def build(root: Path, texts: list[str], **job: Any) -> list[dict[str, Any]]:
    """The rows of the UNK index; the counts of the statistics and of the result agree."""
    rows = jsonl(*({"text": text} for text in texts))
    tokenizers = {"tok.model": worlds.spm(), "tok.json": worlds.hf_char()}
    write_files(root, {"in.jsonl": rows, **tokenizers})
    (result,) = worlds.run_job(root, **make_job(**job)).outputs
    lines = (root / "out" / "unk_index.jsonl").read_text("utf-8").split("\n")
    assert lines.pop() == ""
    found = [json.loads(line) for line in lines]
    stats = json.loads((root / "out" / "stats.json").read_text("utf-8"))
    counts = (len(found), sum(row["unk_count"] for row in found))
    assert (result.samples_with_unk, result.unk_tokens) == counts
    assert (stats["samples_with_unk"], stats["unk_tokens"]) == counts
    return found


@LAW
@given(
    st.lists(st.text("aß語b", max_size=6), max_size=8),
    st.sampled_from(["sentencepiece", "hf_json"]),
    st.sampled_from([1, 40, 10**6]),
)
def test_every_unknown_character_is_found_in_its_place(
    texts: list[str], kind: str, size: int
) -> None:
    """With one token per character, the positions are those of the characters.

    SentencePiece makes one token of neighbouring unknown characters.
    """
    with tempfile.TemporaryDirectory() as folder, chunk_bytes(size):
        found = build(Path(folder), texts, tokenizer_type=kind)
    expected = []
    for sample_id, text in enumerate(texts):
        unknown = [char in "ß語" for char in text]
        if kind == "sentencepiece":
            unknown = [u for i, u in enumerate(unknown) if not (u and i and unknown[i - 1])]
        if any(unknown):
            expected.append((sample_id, [i for i, u in enumerate(unknown) if u]))
    assert [(row["sample_id"], row["unk_positions"]) for row in found] == expected


def test_a_row_has_the_keys_of_the_document_in_their_order(tmp_path: Path) -> None:
    (row,) = build(tmp_path, ["fine", "aßbß"])
    assert list(row.items()) == [
        ("sample_id", 1),
        ("hash", oracle.sha256_of("aßbß".encode())),
        ("source_file", "in.jsonl"),
        ("source_line", 2),
        ("unk_count", 2),
        ("unk_positions", [1, 3]),
    ]


def test_samples_without_unk_leave_an_empty_file(tmp_path: Path) -> None:
    assert build(tmp_path, ["fine", "", "also fine"]) == []
    assert (tmp_path / "out" / "unk_index.jsonl").read_bytes() == b""


def test_positions_count_from_the_beginning_of_the_rendered_text(tmp_path: Path) -> None:
    """The literal and the first token come before it."""
    (row,) = build(tmp_path, ["aß"], templates=["Q: {text}"])
    assert row["unk_positions"] == [4]


def test_the_first_and_the_last_token_of_a_sample_are_its_own(tmp_path: Path) -> None:
    """Samples lie one behind the other in memory: an UNK at a border belongs to one of them."""
    found = build(tmp_path, ["aß", "ßa", "", "ß", "a", "ß"], tokenizer_type="hf_json")
    places = [(row["sample_id"], row["unk_positions"]) for row in found]
    assert places == [(0, [1]), (1, [0]), (3, [0]), (5, [0])]


def test_the_unk_token_spelled_out_in_a_value_counts_if_the_library_encodes_it_as_unk(
    tmp_path: Path,
) -> None:
    """As an added token it does; as plain characters it does not."""
    assert build(tmp_path, ["[UNK]"], tokenizer_type="hf_json") == []
    write_files(tmp_path, {"post.json": worlds.hf_with_post_processor()})
    job = {"tokenizer_type": "hf_json", "tokenizer": {"path": "post.json"}}
    write_files(tmp_path, {"in.jsonl": jsonl({"text": "a[UNK]"})})
    worlds.run_job(tmp_path, **make_job(output="again", **job))
    row = json.loads((tmp_path / "again" / "unk_index.jsonl").read_text("utf-8"))
    assert row["unk_positions"] == [1]


def test_ids_and_lines_run_on_over_files_as_they_do_in_the_sample_index(tmp_path: Path) -> None:
    rows = {"a.jsonl": jsonl({"text": "a"}, "", {"text": "ß"}), "b.jsonl": jsonl("", {"text": "ß"})}
    write_files(tmp_path, {**rows, "tok.model": worlds.spm()})
    worlds.run_job(tmp_path, **make_job(files=["a.jsonl", "b.jsonl"]))
    lines = (tmp_path / "out" / "unk_index.jsonl").read_bytes().splitlines()
    found = [json.loads(line) for line in lines]
    places = [(row["sample_id"], row["source_file"], row["source_line"]) for row in found]
    assert places == [(1, "a.jsonl", 3), (2, "b.jsonl", 2)]


def test_padding_is_not_counted_where_pad_and_unk_are_one_token(tmp_path: Path) -> None:
    """A tokenizer may pad with its unknown token: the slots behind a text are no UNK."""
    vocab = worlds.word_level(worlds.numbered(*worlds.ALPHABET))
    same = worlds.tokenizer_json(
        vocab, padding=worlds.padding(0, worlds.UNK), pre_tokenizer=worlds.BY_CHARACTER
    )
    write_files(tmp_path, {"same.json": same})
    job = {"tokenizer_type": "hf_json", "tokenizer": {"path": "same.json"}}
    (row,) = build(tmp_path, ["a", "ß"], **job)
    assert (row["sample_id"], row["unk_positions"]) == (1, [0])
