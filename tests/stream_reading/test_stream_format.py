"""Names, index and shard entries of a stream dataset: their text, and what is refused."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiny_streams import json_text, write

from mintdim.formats import stream_names
from mintdim.formats.stream_index import (
    LanguageBorders,
    StreamIndex,
    document,
    parse_index,
    parse_shard,
    per_language_count,
    token_dtype,
)
from mintdim.formats.stream_parsing import IndexProblemError
from mintdim.shared.errors import TokenDTypeValidationError

if TYPE_CHECKING:
    from pathlib import Path

DIGEST = "caa2269fbc07182deffdb94f05d39ccd7771e93cd07de971aa3dd50e6548b7d2"
ENTRY: dict[str, Any] = {
    "name": "train_000.bin",
    "split": "train",
    "tokens": 49999705,
    "docs": 66538,
    "sha256": DIGEST,
    "langs": {"en": 30775576, "de": 12011218, "fr": 5450408, "ja": 1762503},
}
INDEX: dict[str, Any] = {
    "tokenizer": "sp_bpe_48k.model",
    "dtype": "uint16",
    "shard_tokens": 50000000,
    "seed": 20260813,
    "created": "2026-10-10T01:05:23",
    "boundaries": {"mode": "per_lang_count", "test_docs": 8000, "val_docs": 3000},
    "shards": [ENTRY],
}
OURS: dict[str, Any] = {
    "tokenizer_sha256": DIGEST,
    "vocab_size": 48000,
    "eos_id": 2,
    "lang_codes": ["en", "de", "fr", "ja"],
    "format_version": 1,
}


def parsed(index: Any) -> StreamIndex:
    return parse_index(json.dumps(index).encode())


# ---------------------------------------------------------------------------------------- names


def test_numbers_have_three_digits_until_the_largest_one_needs_more() -> None:
    assert stream_names.shard_name("train", 7, 999) == "train_007.bin"
    assert stream_names.shard_name("train", 999, 1000) == "train_999.bin"
    assert stream_names.shard_name("train", 7, 1001) == "train_0007.bin"


@given(count=st.integers(1, 20_000), data=st.data())
def test_names_sort_as_their_numbers_do(count: int, data: st.DataObject) -> None:
    first, second = (data.draw(st.integers(0, count - 1)) for _ in range(2))
    names = [stream_names.shard_name("val", number, count) for number in (first, second)]
    assert (names[0] < names[1]) == (first < second)
    assert [stream_names.number_of(name) for name in names] == [first, second]
    assert all(map(stream_names.is_shard, names))


@pytest.mark.parametrize(
    "name",
    [
        "../train_000.bin",
        "/train_000.bin",
        "a/train_000.bin",
        "train_000.bin\n",
        "train_00.bin",
        "train_\u0660\u0660\u0660.bin",  # digits, but not ours
        "Train_000.bin",
        "valid_000.bin",
        "train_000.bin.json",
        "train_-01.bin",
        f"train_{'0' * 300}.bin",
        "",
    ],
)
def test_only_the_plain_name_of_a_shard_is_one(name: str) -> None:
    assert not stream_names.is_shard(name)
    with pytest.raises(ValueError, match="no name of a shard"):
        stream_names.split_of(name)


def test_the_files_of_a_shard_are_named_by_its_suffix_alone() -> None:
    assert stream_names.files_of("train_000.bin") == ("train_000.bin", "train_000.bin.json")
    assert stream_names.files_of("val_000.bin")[1:] == ("val_000.bin.json", "val_000.langs.u8")
    assert stream_names.languages_name("my.bin.dir/val_000.bin") == "my.bin.dir/val_000.langs.u8"


# ----------------------------------------------------------------------------------------- text


@pytest.mark.parametrize("index", [INDEX, INDEX | OURS], ids=["the original's", "ours"])
def test_an_index_that_was_read_is_written_byte_for_byte(index: Any) -> None:
    data = json_text(index).encode()
    assert document(parse_index(data)) == data


def test_the_text_is_indented_by_two_ascii_and_has_no_final_newline() -> None:
    index = parsed(INDEX | {"tokenizer": "ü.model"})
    assert document(index).startswith(b'{\n  "tokenizer": "\\u00fc.model",\n  "dtype": "uint16",\n')
    assert document(index).endswith(b"\n  ]\n}")


def test_the_json_of_a_shard_is_its_entry() -> None:
    shard = parsed(INDEX).shards[0]
    assert document(shard) == json_text(ENTRY).encode()
    assert parse_shard(document(shard)) == shard


def test_a_written_world_is_read_as_it_was_meant(tmp_path: Path) -> None:
    world = write(
        tmp_path / "set", {"train": [[("en", [5])], [("de", [])]], "val": [[("ja", [7])]]}
    )
    data = (world.path / "shards_index.json").read_bytes()
    index = parse_index(data)
    assert document(index) == data
    assert index.splits == ("train", "val")
    assert [shard.docs for shard in index.of_split("train")] == [1, 1]
    assert index.of_split("test") == ()


def test_unknown_keys_are_kept() -> None:
    entry = {**ENTRY, "bytes": 3}
    index = parsed({**INDEX, "shards": [entry], "note": {"x": [1]}})
    assert index.unknown == {"note": {"x": [1]}}
    assert index.as_dict()["note"] == {"x": [1]}
    assert index.shards[0].as_dict() == entry


def test_what_the_original_leaves_unsaid_is_what_it_always_used() -> None:
    index = parsed(INDEX)
    assert (index.eos_id, index.lang_codes) == (2, ("en", "de", "fr", "ja"))
    assert (index.format_version, index.tokenizer_sha256, index.vocab_size) == (0, None, None)


def test_boundaries_by_time_have_their_keys_in_order() -> None:
    borders = LanguageBorders(9, "2026-01-03T00:00:00", "2026-01-02T00:00:00", "x", 2, 3)
    made = per_language_count(
        test_docs=2,
        val_docs=3,
        computed_at="now",
        snapshot="a.jsonl",
        langs={"en": borders},
        meta={},
    )
    assert " ".join(made) == "mode test_docs val_docs computed_at snapshot langs _meta"
    assert " ".join(made["langs"]["en"]) == (
        "docs max_pub_date test_start val_start test_docs_actual val_docs_actual"
    )


@pytest.mark.parametrize(
    ("vocabulary", "dtype"), [(1, "uint16"), (2**16, "uint16"), (2**16 + 1, "uint32")]
)
def test_two_bytes_hold_65536_ids(vocabulary: int, dtype: str) -> None:
    assert token_dtype(vocabulary) == dtype


def test_ids_above_four_bytes_are_refused() -> None:
    with pytest.raises(TokenDTypeValidationError):
        token_dtype(2**32 + 1)


# -------------------------------------------------------------------------------------- refusals

WRONG_ENTRIES: dict[str, Any] = {
    "name": ["../train_000.bin", "train_0.bin", "train_000.bin/", 3, None],
    "split": ["val", "", None],
    "tokens": [-1, 1.0, True, "1", 2**63],
    "docs": [-1, None],
    "sha256": [DIGEST.upper(), DIGEST[1:], DIGEST + "\n", 0],
    "langs": [{"en": -1}, {"en": 1.5}, [], "en"],
    "langs_sha256": ["", None],
}
WRONG_KEYS: dict[str, Any] = {
    "tokenizer": [None, 3, "\ud800"],
    "dtype": ["uint8", ["uint16"], None],
    "shard_tokens": [-1, "50"],
    "seed": [1.5, None],
    "created": [0],
    "boundaries": [[], None],
    "shards": [{}, None, [3], [ENTRY, ENTRY]],
    "tokenizer_sha256": [None, "x"],
    "vocab_size": [-1],
    "eos_id": [None, -2],
    "lang_codes": [[], "en", ["en", "en"], [1], [str(k) for k in range(257)], {"en": 0}],
    "format_version": [0, 2, "1"],
}


@pytest.mark.parametrize(
    ("key", "value"), [(key, value) for key in WRONG_ENTRIES for value in WRONG_ENTRIES[key]]
)
def test_a_shard_with_a_wrong_value_is_refused_and_the_key_is_named(key: str, value: Any) -> None:
    with pytest.raises(IndexProblemError) as caught:
        parsed({**INDEX, "shards": [ENTRY, ENTRY | {"name": "train_001.bin", key: value}]})
    assert f"shards[1].{key}" in str(caught.value.problem)


@pytest.mark.parametrize(
    ("key", "value"), [(key, value) for key in WRONG_KEYS for value in WRONG_KEYS[key]]
)
def test_an_index_with_a_wrong_value_is_refused(key: str, value: Any) -> None:
    with pytest.raises(IndexProblemError):
        parsed({**INDEX, **OURS, key: value})


@pytest.mark.parametrize("key", [*INDEX, *OURS])
def test_an_index_without_one_of_its_keys_is_refused_and_the_key_is_named(key: str) -> None:
    index = {name: value for name, value in (INDEX | OURS).items() if name != key}
    with pytest.raises(IndexProblemError, match=f"{key} is missing"):
        parsed(index)


@pytest.mark.parametrize("key", ENTRY)
def test_a_shard_without_one_of_its_keys_is_refused(key: str) -> None:
    entry = {name: value for name, value in ENTRY.items() if name != key}
    with pytest.raises(IndexProblemError, match=rf"shards\[0\].{key} is missing"):
        parsed({**INDEX, "shards": [entry]})


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"[]",
        b"3",
        b"\xff{}",
        b"[" * 100_000,
        b'{"seed": ' + b"1" * 5000 + b"}",
        b'{"seed": NaN}',
        b'{"a": 1, "a": 1}',
        b'{"a": {"b": 1, "b": 2}}',
    ],
    ids=range(10),
)
def test_what_is_no_json_object_is_refused(data: bytes) -> None:
    with pytest.raises(IndexProblemError):
        parse_index(data)


def test_an_index_of_absurd_size_is_refused_unread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mintdim.formats.stream_index.MOST_BYTES", 100)
    with pytest.raises(IndexProblemError, match="at most 100 are read"):
        parsed(INDEX)


@given(data=st.binary(max_size=40))
def test_no_bytes_at_all_break_the_parser(data: bytes) -> None:
    with pytest.raises(IndexProblemError):
        parse_index(data)


def test_a_problem_shows_little_of_a_huge_value() -> None:
    with pytest.raises(IndexProblemError) as caught:
        parsed({**INDEX, "dtype": "x" * 10**6})
    assert len(str(caught.value.problem)) < 200
