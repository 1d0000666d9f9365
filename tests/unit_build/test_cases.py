"""Fifteen situations that went wrong elsewhere, each with the one outcome it has here.

The inputs lie in tests/data/cases; beside each case stand variations of the same kind. A build
that succeeds is compared with the oracle as a whole, not only in what its case is about.
"""

from __future__ import annotations

import json
import logging
import os
import re
import shutil
import struct
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import oracle
import pytest
import worlds
from worlds import jsonl, make_job, write_files

from mintdim.shared.errors import MintDimError

if TYPE_CHECKING:
    from collections.abc import Iterator

TESTS = Path(__file__).parents[1]
CASES = TESTS / "data" / "cases"
BOM = "\ufeff"


# --------------------------------------------------------------------------------------- helpers


def open_case(root: Path, name: str) -> dict[str, Any]:
    """Copy the files of a case into `root`; its job."""
    shutil.copytree(CASES / name, root, dirs_exist_ok=True)
    job: dict[str, Any] = json.loads((root / "case.json").read_text("utf-8"))["run"]
    return job


def world(root: Path, rows: bytes, name: str = "in.jsonl") -> Path:
    """One source and a tokenizer of each kind, under the names that make_job uses."""
    tokenizers = {"tok.model": worlds.spm(), "tok.json": worlds.hf_char()}
    return write_files(root, {name: rows, **tokenizers})


def built(root: Path, **job: Any) -> oracle.ExpectedOutput:
    """Build, compare every file of every output with the oracle; the (first) output."""
    expected = oracle.expect(root, job)
    assert expected.error is None
    worlds.run_job(root, **job)
    for output in expected.outputs:
        found = worlds.read_output(root / output.directory)
        assert oracle.differences(output, found) == []
    return expected.outputs[0]


def refused(root: Path, name: str, **job: Any) -> MintDimError:
    """The build raises the error class of that name; no output has a manifest."""
    with pytest.raises(MintDimError) as caught:
        worlds.run_job(root, **job)
    assert type(caught.value).__name__ == name
    assert not list(root.rglob("manifest.json"))
    return caught.value


def refused_at(root: Path, name: str, line: int, **job: Any) -> MintDimError:
    """As above, at that line of the job's last file; the oracle agrees."""
    file = job["files"][-1]
    assert oracle.expect(root, job).error == oracle.ExpectedError(name, file, line)
    error = refused(root, name, **job)
    assert (error.file, error.line) == (file, line)
    return error


def rows_of(output: oracle.ExpectedOutput) -> list[list[int]]:
    """The tokens of each sample, read by place from the shards."""
    bytes_per_token = output.stats["bytes_per_token"]
    letter = {2: "H", 4: "I"}[bytes_per_token]
    rows = []
    places = struct.iter_unpack("<4I", output.sample_index_bin)
    for entry, (count, unit, _, row) in zip(output.sample_index, places, strict=True):
        shard = output.shards[entry["shard_path"]]
        rows.append(
            list(struct.unpack_from(f"<{count}{letter}", shard, row * unit * bytes_per_token))
        )
    return rows


def column(output: oracle.ExpectedOutput, key: str) -> list[Any]:
    return [row[key] for row in output.sample_index]


def hash_of(text: str) -> str:
    return oracle.sha256_of(text.encode("utf-8"))


@pytest.fixture
def warnings() -> Iterator[list[str]]:
    """The warnings of the library's logger, whatever its own handlers do with them."""
    messages: list[str] = []

    class Collect(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            messages.append(record.getMessage())

    handler = Collect(logging.WARNING)
    logging.getLogger("mintdim").addHandler(handler)
    yield messages
    logging.getLogger("mintdim").removeHandler(handler)


# ------------------------------------------------------------------------ 01 byte order mark


def test_a_byte_order_mark_is_no_data_and_all_rows_are_built(tmp_path: Path) -> None:
    output = built(tmp_path, **open_case(tmp_path, "01-utf8-bom"))
    assert rows_of(output)[2] == [93, 30]
    assert column(output, "source_line") == [1, 2, 3]
    assert column(output, "hash")[0] == hash_of("mint leaf")


def test_a_byte_order_mark_inside_an_archive_is_no_data(tmp_path: Path) -> None:
    text = BOM.encode() + jsonl({"text": "mint"})
    write_files(
        world(tmp_path, b""), {"a.jsonl.gz": worlds.gz(text), "b.jsonl.zst": worlds.zst(text)}
    )
    output = built(tmp_path, **make_job(files=["a.jsonl.gz", "b.jsonl.zst"]))
    assert column(output, "hash") == [hash_of("mint")] * 2


def test_a_byte_order_mark_at_the_start_of_the_second_file_is_no_data(tmp_path: Path) -> None:
    world(tmp_path, jsonl({"text": "a"}))
    write_files(tmp_path, {"b.jsonl": BOM.encode() + b'\r\n{"text":"b"}'})
    output = built(tmp_path, **make_job(files=["in.jsonl", "b.jsonl"]))
    assert column(output, "source_line") == [1, 2]


def test_a_byte_order_mark_inside_a_string_stays(tmp_path: Path) -> None:
    world(tmp_path, jsonl({"text": BOM + "a"}))
    assert column(built(tmp_path, **make_job()), "hash") == [hash_of(BOM + "a")]


@pytest.mark.parametrize("start", [BOM + BOM, BOM + '{"text":"a"}\n' + BOM])
def test_any_other_byte_order_mark_is_a_parse_error(tmp_path: Path, start: str) -> None:
    world(tmp_path, start.encode() + jsonl({"text": "b"}))
    refused_at(tmp_path, "SourceParseError", 1 + start.count("\n"), **make_job())


def test_a_file_in_utf_16_is_a_parse_error_in_line_1(tmp_path: Path) -> None:
    world(tmp_path, '{"text":"a"}\n'.encode("utf-16"))
    refused_at(tmp_path, "SourceParseError", 1, **make_job())


# ------------------------------------------------------------------- 03 unicode line separators


def test_only_line_feeds_end_a_row(tmp_path: Path) -> None:
    output = built(tmp_path, **open_case(tmp_path, "03-unicode-line-separators"))
    assert column(output, "source_line") == [1, 2, 3, 4]
    assert rows_of(output)[3] == [81, 0, 82, 83]
    assert [(row["sample_id"], row["unk_positions"]) for row in output.unk_index] == [(3, [1])]


@pytest.mark.parametrize("kind", ["sentencepiece", "hf_json"])
def test_separators_in_literals_and_values_reach_the_tokens(tmp_path: Path, kind: str) -> None:
    rows = b'\n {"text":"a\\r\\nb\xe2\x80\xa9"}\r\n\t\r\n{"text":\r"\xc2\x85\\u0000"}\r'
    world(tmp_path, rows)
    output = built(tmp_path, **make_job(tokenizer_type=kind, templates=["\u2028{text}\n"]))
    assert column(output, "source_line") == [2, 4]
    expected = ["\u2028a\r\nb\u2029\n", "\u2028\u0085\0\n"]
    assert column(output, "hash") == [hash_of(text) for text in expected]


# ---------------------------------------------------------------------------- 04 lone surrogate


def test_half_a_surrogate_pair_in_a_field_is_a_parse_error_with_its_line(tmp_path: Path) -> None:
    error = refused_at(tmp_path, "SourceParseError", 3, **open_case(tmp_path, "04-lone-surrogate"))
    head = (
        "SourceParseError:\nJSONL line could not be parsed.\n\n"
        "File:\ninput.jsonl\n\nLine:\n3\n\nReason:\n"
    )
    assert str(error).startswith(head)
    assert len(str(error)) > len(head)


def test_halves_in_two_fields_do_not_become_a_pair(tmp_path: Path) -> None:
    world(tmp_path, jsonl(r'{"a":"\ud83d","b":"\ude00"}'))
    job = make_job(fields=[["a", "b"]], templates=["{a}{b}"])
    refused_at(tmp_path, "SourceParseError", 1, **job)


@pytest.mark.parametrize("half", [r"\ude00\ud83d", r"\uDC00", r"\ud800\u0041", r"\ud83d\\ude00"])
def test_halves_in_other_orders_are_parse_errors(tmp_path: Path, half: str) -> None:
    world(tmp_path, jsonl({"text": "a"}, f'{{"text":"{half}"}}'))
    refused_at(tmp_path, "SourceParseError", 2, **make_job())


def test_half_a_pair_that_nobody_uses_is_ignored(tmp_path: Path) -> None:
    rows = [r'{"text":"a","x":"\ud83d"}', r'{"\udfff":[{"\ud800":"\ud800"}],"text":"b"}']
    world(tmp_path, jsonl(*rows, r'{"text":"\ud83d","text":"\uD83D\ude00"}'))
    output = built(tmp_path, **make_job())
    assert column(output, "hash") == [hash_of(text) for text in ("a", "b", "😀")]


def test_a_missing_field_beside_a_half_pair_key_is_a_schema_error_that_can_be_printed(
    tmp_path: Path,
) -> None:
    world(tmp_path, jsonl(r'{"\ud83d":"a"}'))
    error = refused_at(tmp_path, "SampleSchemaError", 1, **make_job())
    assert "in.jsonl" in str(error).encode("utf-8").decode("utf-8")


def test_a_surrogate_written_as_bytes_is_a_parse_error(tmp_path: Path) -> None:
    world(tmp_path, b'{"text":"a","x":"\xed\xa0\xbd\xed\xb8\x80"}\n')
    refused_at(tmp_path, "SourceParseError", 1, **make_job())


# ------------------------------------------------------------------------------ 07 NaN, Infinity


def test_nan_in_a_declared_field_is_a_parse_error_in_its_line(tmp_path: Path) -> None:
    job = open_case(tmp_path, "07-nan-infinity-literals")
    assert "\nLine:\n2\n" in str(refused_at(tmp_path, "SourceParseError", 2, **job))


@pytest.mark.parametrize("literal", ["NaN", "Infinity", "-Infinity", '[1, {"k": NaN}]', "nan"])
def test_nan_in_a_value_that_nobody_uses_is_a_parse_error(tmp_path: Path, literal: str) -> None:
    world(tmp_path, jsonl({"text": "a"}, f'{{"x": {literal}, "text": "b"}}'))
    refused_at(tmp_path, "SourceParseError", 2, **make_job())


def test_nan_as_a_string_is_text(tmp_path: Path) -> None:
    world(tmp_path, jsonl({"text": "NaN"}, {"text": "-Infinity"}))
    assert column(built(tmp_path, **make_job()), "token_count") == [3, 9]


# -------------------------------------------------------------------------- 08 values, their types


def test_null_in_a_declared_field_is_a_type_error_with_line_field_and_type(tmp_path: Path) -> None:
    job = open_case(tmp_path, "08-non-string-values")
    error = refused_at(tmp_path, "SampleFieldTypeError", 2, **job)
    assert {base.__name__ for base in type(error).__mro__} >= {"SampleSchemaError"}
    for fact in (r"input\.jsonl", "2", "v", "null"):
        assert re.search(rf"^{fact}\b", str(error), re.MULTILINE)


@pytest.mark.parametrize(
    ("value", "found"), [("[]", "array"), ('["a"]', "array"), ("{}", "object"), ("null", "null")]
)
def test_arrays_and_objects_are_type_errors_named_as_in_json(
    tmp_path: Path, value: str, found: str
) -> None:
    world(tmp_path, jsonl(f'{{"text": "earlier", "text": {value}}}'))
    assert found in str(refused_at(tmp_path, "SampleFieldTypeError", 1, **make_job()))


def test_numbers_and_booleans_are_the_text_that_stands_in_the_line(tmp_path: Path) -> None:
    spelled = ["true", "false", "3", "-0", "2.50", "1e5", "1E+05", "0.10"]
    world(tmp_path, jsonl(*(f'{{"text":{value}}}' for value in spelled)))
    output = built(tmp_path, **make_job())
    assert column(output, "hash") == [hash_of(value) for value in spelled]


def test_null_in_a_field_that_nobody_declared_or_that_is_overwritten_is_ignored(
    tmp_path: Path,
) -> None:
    world(tmp_path, jsonl('{"x":null,"text":"a"}', '{"text":null,"text":"b"}'))
    assert column(built(tmp_path, **make_job()), "hash") == [hash_of("a"), hash_of("b")]


# ------------------------------------------------------------------------------- 09 big numbers


def test_a_huge_integer_that_nobody_declared_is_ignored(tmp_path: Path) -> None:
    output = built(tmp_path, **open_case(tmp_path, "09-huge-integer"))
    assert rows_of(output) == [[70], [71], [72]]


@pytest.mark.parametrize(
    "number",
    [
        "9007199254740993",
        "-147573952589676412927",
        "1e999",
        "-1E-999",
        "7" * 5000,
        "0." + "3" * 400,
    ],
    ids=lambda number: number[:24],
)
def test_a_declared_number_keeps_every_digit(tmp_path: Path, number: str) -> None:
    world(tmp_path, jsonl(f'{{"text":{number}}}'))
    output = built(tmp_path, **make_job(sizes=[[8, 6000]]))
    assert column(output, "hash") == [hash_of(number)]


def test_nesting_is_fine_at_100_and_a_parse_error_at_2000(tmp_path: Path) -> None:
    deep = ['{"text":"a","x":' + "[" * n + "]" * n + "}" for n in (100, 2_000)]
    world(tmp_path, jsonl(*deep))
    error = refused(tmp_path, "SourceParseError", **make_job())
    assert (error.file, error.line) == ("in.jsonl", 2)


# ----------------------------------------------------------------------------------- 11 archives


def test_a_gzip_file_is_read(tmp_path: Path) -> None:
    output = built(tmp_path, **open_case(tmp_path, "11-gzip-content"))
    assert rows_of(output) == [[70, 70], [71, 71]]
    assert column(output, "source_line") == [1, 2]


@pytest.mark.parametrize(("suffix", "pack"), [("gz", worlds.gz), ("zst", worlds.zst)])
def test_an_archive_of_two_members_is_one_text(tmp_path: Path, suffix: str, pack: Any) -> None:
    first, second = b'{"text":"a"}\n{"te', b'xt":"b"}'  # the cut is no line end
    world(tmp_path, pack(first) + pack(second), f"in.jsonl.{suffix}")
    output = built(tmp_path, **make_job(files=[f"in.jsonl.{suffix}"]))
    assert column(output, "source_line") == [1, 2]


MANY = jsonl(*({"text": f"row {i}"} for i in range(200)))
BROKEN = {
    "truncated in the middle": lambda data: data[: len(data) // 2],
    "without its last byte": lambda data: data[:-1],
    "with garbage behind it": lambda data: data + b"garbage",
    "with a changed byte": lambda data: data[:-12] + bytes([data[-12] ^ 255]) + data[-11:],
    "that is no archive": lambda data: MANY,
}


@pytest.mark.parametrize("damage", BROKEN)
@pytest.mark.parametrize(("suffix", "pack"), [("gz", worlds.gz), ("zst", worlds.zst)])
def test_a_broken_archive_is_a_parse_error_with_file_and_line(
    tmp_path: Path, suffix: str, pack: Any, damage: str
) -> None:
    file = f"in.jsonl.{suffix}"
    world(tmp_path, BROKEN[damage](pack(MANY)), file)
    error = refused(tmp_path, "SourceParseError", **make_job(files=[file]))
    assert error.file == file
    # Which line is reached before the damage shows depends on the library's blocks.
    assert 1 <= error.line <= 201


def test_a_bad_line_before_the_end_of_a_broken_archive_comes_first(tmp_path: Path) -> None:
    world(tmp_path, worlds.gz(b"{\n" + MANY)[:-1], "in.jsonl.gz")
    refused_at(tmp_path, "SourceParseError", 1, **make_job(files=["in.jsonl.gz"]))


def test_an_archive_without_its_suffix_is_a_parse_error_in_line_1(tmp_path: Path) -> None:
    world(tmp_path, worlds.gz(MANY))
    refused_at(tmp_path, "SourceParseError", 1, **make_job())


# ---------------------------------------------------------------- 12 settings stored in the file


def test_stored_padding_reaches_neither_counts_nor_units_whatever_the_batch(
    tmp_path: Path,
) -> None:
    job = open_case(tmp_path, "12-hf-padding-block")
    output = built(tmp_path, **job)
    assert column(output, "token_count") == [3, 10, 1, 20]
    assert column(output, "unit_size") == [8, 16, 8, 32]
    for batch in (1, 3):
        again = built(tmp_path, **job | {"build_batch": [batch], "output": f"out {batch}"})
        assert again.shards == output.shards


def test_stored_truncation_and_dropout_do_not_reach_the_tokens(tmp_path: Path) -> None:
    tokenizer = worlds.hf_bpe_with_stored_settings(max_length=2, dropout=0.9)
    text = "abababab the ab"
    write_files(tmp_path, {"in.jsonl": jsonl(*[{"text": text}] * 20), "tok.json": tokenizer})
    output = built(tmp_path, **make_job(tokenizer_type="hf_json"))
    assert len({tuple(row) for row in rows_of(output)}) == 1
    assert column(output, "token_count") == [6] * 20
    assert (tmp_path / "tok.json").read_bytes() == tokenizer


# --------------------------------------------------------------------------- 14 PAD and UNK ids


def special_token_text(token: str) -> str:
    return (
        "TokenizerSpecialTokenError:\n"
        "Tokenizer library did not expose a required special token.\n\n"
        f"Special token:\n{token}"
    )


def missing_special_token(root: Path, token: str, **job: Any) -> str:
    """The text of the error; nothing may have been created on disk."""
    before = sorted(root.rglob("*"))
    text = str(refused(root, "TokenizerSpecialTokenError", **job))
    assert text.startswith(special_token_text(token))
    assert sorted(root.rglob("*")) == before
    return text


def test_a_pad_id_that_is_not_the_pad_tokens_is_refused_before_anything_is_written(
    tmp_path: Path,
) -> None:
    job = open_case(tmp_path, "14-hf-pad-id-mismatch")
    text = missing_special_token(tmp_path, "pad_id", **job)
    assert "\n\nFix:\n" in text
    assert "prepare_tokenizer" in text


CHARS = worlds.numbered(*worlds.ALPHABET)
WITHOUT_UNK = {token: i for token, i in CHARS.items() if token != worlds.UNK}


@pytest.mark.parametrize(
    ("tokenizer", "token"),
    [
        (worlds.tokenizer_json(worlds.word_level(CHARS), padding=None), "pad_id"),
        (
            worlds.tokenizer_json(worlds.word_level(CHARS), padding=worlds.padding(1, "[NO]")),
            "pad_id",
        ),
        (worlds.tokenizer_json(worlds.word_level(WITHOUT_UNK)), "unk_id"),
        (worlds.tokenizer_json(worlds.bpe(CHARS, [], unk_token=None)), "unk_id"),
    ],
    ids=["no padding block", "unknown pad token", "UNK not in the vocabulary", "no UNK"],
)
def test_a_tokenizer_json_without_pad_or_unk_is_refused(
    tmp_path: Path, tokenizer: bytes, token: str
) -> None:
    write_files(tmp_path, {"in.jsonl": jsonl({"text": "a"}), "tok.json": tokenizer})
    missing_special_token(tmp_path, token, **make_job(tokenizer_type="hf_json"))


def test_a_sentencepiece_model_without_pad_is_refused(tmp_path: Path) -> None:
    write_files(tmp_path, {"in.jsonl": jsonl({"text": "a"}), "tok.model": worlds.spm(pad=False)})
    missing_special_token(tmp_path, "pad_id", **make_job())


# ------------------------------------------------------------------------------------- 16 dtype


def test_a_vocabulary_of_65536_is_stored_in_32_bits_and_its_last_id_reads_back(
    tmp_path: Path,
) -> None:
    output = built(tmp_path, **open_case(tmp_path, "16-vocab-65536-boundary"))
    assert output.stats["token_dtype"] == "uint32"
    assert rows_of(output) == [[2, 3, 65535], [65535, 4]]


@pytest.mark.parametrize(
    ("tokenizer", "dtype", "last"),
    [
        (worlds.hf_wide(65_535), "uint16", 65_534),
        (worlds.hf_wide(70_001), "uint32", 70_000),
        (worlds.hf_gap(70_000), "uint32", 70_000),
    ],
    ids=["65535 entries", "70001 entries", "few entries, one of them with id 70000"],
)
def test_the_dtype_holds_every_id(tmp_path: Path, tokenizer: bytes, dtype: str, last: int) -> None:
    write_files(tmp_path, {"in.jsonl": jsonl({"text": "az"}), "tok.json": tokenizer})
    output = built(tmp_path, **make_job(tokenizer_type="hf_json"))
    assert output.stats["token_dtype"] == dtype
    assert rows_of(output)[0][1] == last


# ---------------------------------------------------------------- 19 literals that are normalised


def test_a_literal_that_the_normaliser_drops_is_built_with_one_warning_that_shows_it(
    tmp_path: Path, warnings: list[str]
) -> None:
    output = built(tmp_path, **open_case(tmp_path, "19-spm-newline-separator-vanishes"))
    assert rows_of(output) == [[16, 15, 56], [47, 70, 18], [54, 13, 60]]
    assert len(warnings) == 1
    assert r'"\n\n"' in warnings[0]
    # Alone it becomes nothing, between two words one space; either is what it becomes.
    assert re.search(r'""|" "|"▁"|nothing', warnings[0])


def test_a_literal_that_the_normaliser_keeps_gives_no_warning(
    tmp_path: Path, warnings: list[str]
) -> None:
    world(tmp_path, jsonl({"text": "a"}))
    built(tmp_path, **make_job(templates=["\n\n{text}\té"]))
    assert warnings == []


def test_two_files_with_one_template_give_one_warning_and_two_templates_give_two(
    tmp_path: Path, warnings: list[str]
) -> None:
    job = open_case(tmp_path, "19-spm-newline-separator-vanishes")
    job = job | {"files": ["input.jsonl"] * 2}
    built(tmp_path, **job)
    assert len(warnings) == 1
    built(tmp_path, **job | {"templates": ["{q}\n{a}", "{q}\n\n\n{a}"], "output": "two"})
    assert len(warnings) == 3


# --------------------------------------------------------------------------- 20 post-processors


def test_special_tokens_of_the_template_stand_once(tmp_path: Path) -> None:
    output = built(tmp_path, **open_case(tmp_path, "20-hf-post-processor-bos-eos"))
    assert rows_of(output) == [[2, 11, 12, 3], [2, 23, 11, 8, 21, 8, 3]]
    assert output.stats["samples_with_unk"] == 0


def test_a_post_processor_adds_nothing_and_special_tokens_in_values_are_encoded_as_such(
    tmp_path: Path,
) -> None:
    rows = jsonl({"text": ""}, {"text": "a"}, {"text": "<s>a[PAD]"}, {"text": "[UNK]"})
    write_files(tmp_path, {"in.jsonl": rows, "tok.json": worlds.hf_with_post_processor()})
    output = built(tmp_path, **make_job(tokenizer_type="hf_json"))
    letter = worlds.numbered("<s>", "</s>", *worlds.ALPHABET)["a"]
    assert rows_of(output) == [[], [letter], [2, letter, 1], [0]]
    assert column(output, "token_count") == [0, 1, 3, 1]


def test_an_unk_token_in_a_template_literal_is_refused_before_anything_is_written(
    tmp_path: Path,
) -> None:
    world(tmp_path, jsonl({"text": "a"}))
    error = refused(tmp_path, "TemplateTokenizerError", **make_job(templates=["{text}ß"]))
    assert '\n\nTemplate:\n"{text}ß"\n' in str(error)
    assert not (tmp_path / "out").exists()


# ------------------------------------------------------------------------ 21 files in one output


def test_files_with_their_own_templates_meet_in_one_data_set(tmp_path: Path) -> None:
    output = built(tmp_path, **open_case(tmp_path, "21-two-templates-one-output"))
    assert column(output, "sample_id") == [0, 1, 2, 3]
    assert column(output, "source_line") == [1, 2, 1, 2]
    members = [row["samples"] for row in output.duplicate_index]
    assert [[member["sample_id"] for member in group] for group in members] == [[1, 3]]


def test_mapped_sizes_make_the_union_of_the_units(tmp_path: Path) -> None:
    job = open_case(tmp_path, "21-two-templates-one-output") | {"sizes": [[7, 20], [4, 8]]}
    output = built(tmp_path, **job)
    assert column(output, "unit_size") == [7, 7, 8, 4]
    assert output.empty_units == {"unit_20/EMPTY_UNIT.md"}


def test_a_change_of_samples_per_shard_closes_the_open_shards(tmp_path: Path) -> None:
    three = jsonl({"text": "a"}, {"text": "b"}, {"text": "c"})
    write_files(world(tmp_path, three), {"b.jsonl": three, "c.jsonl": three})
    job = make_job(files=["in.jsonl", "b.jsonl", "c.jsonl"])
    changed = built(tmp_path, **job | {"samples_per_shard": [2, 4, 4]})
    assert [row["samples"] for row in changed.shards_index] == [2, 1, 4, 2]
    steady = built(tmp_path, **job | {"samples_per_shard": [4, 4, 4], "output": "steady"})
    assert [row["samples"] for row in steady.shards_index] == [4, 4, 1]


def test_copies_of_one_tokenizer_may_meet_in_one_output_and_others_may_not(tmp_path: Path) -> None:
    job = open_case(tmp_path, "21-two-templates-one-output")
    write_files(tmp_path, {"copy.model": (tmp_path / "tok.model").read_bytes()})
    write_files(tmp_path, {"other.model": worlds.spm()})
    built(tmp_path, **job | {"tokenizer": [{"path": "tok.model"}, {"path": "copy.model"}]})
    others = [{"path": "tok.model"}, {"path": "other.model"}]
    with pytest.raises(MintDimError) as caught:
        worlds.run_job(tmp_path, **job | {"tokenizer": others, "output": "mixed"})
    assert "OutputMappingError" in {base.__name__ for base in type(caught.value).__mro__}
    assert not (tmp_path / "mixed").exists()


def test_a_bad_line_in_the_second_file_leaves_no_manifest_in_the_shared_output(
    tmp_path: Path,
) -> None:
    job = open_case(tmp_path, "21-two-templates-one-output")
    write_files(tmp_path, {"b.jsonl": jsonl({"p": "x", "r": "y"}, {"p": "x"})})
    refused_at(tmp_path, "SampleSchemaError", 2, **job)
    assert (tmp_path / "out" / "unit_8" / "UNIT_BUILD_FAILED.md").exists()


# ------------------------------------------------------------------- 23 no tokens, exact fits


def test_a_sample_without_tokens_is_kept_in_the_smallest_unit(tmp_path: Path) -> None:
    output = built(tmp_path, **open_case(tmp_path, "23-empty-sample-and-exact-boundary"))
    assert column(output, "token_count") == [0, 8, 9, 32, 1, 1]
    assert column(output, "unit_size") == [8, 8, 16, 32, 8, 8]
    assert column(output, "source_line") == [1, 2, 3, 4, 5, 8]
    assert output.shards["unit_8/shard_000000.bin"][:16] == struct.pack("<8H", *[1] * 8)


def test_one_token_more_than_the_largest_unit_is_an_overflow_with_file_line_and_counts(
    tmp_path: Path,
) -> None:
    world(tmp_path, jsonl({"text": "x" * 32}, "", {"text": "x" * 33}))
    error = refused_at(tmp_path, "UnitOverflowError", 3, **make_job())
    expected = (
        "UnitOverflowError:\nSample token length exceeds max unit size.\n\n"
        "Sample:\nin.jsonl:3\n\ntoken_count:\n33\n\nmax_unit_size:\n32\n\n"
        "Increase unit sizes and run again."
    )
    assert str(error).startswith(expected)


def test_a_value_that_the_normaliser_empties_is_a_sample_without_tokens(tmp_path: Path) -> None:
    model = worlds.spm(dummy_prefix=True, remove_extra_whitespaces=True)
    write_files(tmp_path, {"in.jsonl": jsonl({"text": "  "}, {"text": "  a"}), "tok.model": model})
    assert column(built(tmp_path, **make_job()), "token_count") == [0, 2]


@pytest.mark.parametrize("content", ["", BOM, "\n \r\n\t"])
def test_a_source_without_samples_gives_an_empty_data_set_and_a_warning(
    tmp_path: Path, warnings: list[str], content: str
) -> None:
    world(tmp_path, content.encode())
    output = built(tmp_path, **make_job())
    assert output.stats["total_samples"] == 0
    assert len(output.empty_units) == 3
    assert len(warnings) == 1


# ------------------------------------------------------------------------- 24 writing fails midway

CHILD = """
import json, resource, signal, sys
sys.path.insert(0, sys.argv[1])
import worlds
job, limit = json.loads(sys.argv[2]), int(sys.argv[3])
import mintdim.shared.errors
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
try:
    from pathlib import Path
    worlds.run_job(Path.cwd(), **job)
except mintdim.shared.errors.MintDimError as error:
    print(json.dumps([type(error).__name__, str(error)]))
"""


def fails_to_write(root: Path, limit: int, **job: Any) -> str:
    """Build in a child whose files may not grow past `limit` bytes; the error's text."""
    (root / "temporary").mkdir()
    process = subprocess.run(
        [sys.executable, "-c", CHILD, str(TESTS), json.dumps(job), str(limit)],
        cwd=root,
        env=os.environ | {"TMPDIR": str(root / "temporary"), "PYTHONPATH": str(TESTS.parent)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert process.returncode == 0, process.stderr
    assert process.stdout, "the build succeeded"
    return str(json.loads(process.stdout)[1])


LAYOUT = re.compile(
    r"(manifest|histogram|stats|shards_index|build_log)\.json|(sample|duplicate|unk)_index\.jsonl"
    r"|sample_index\.bin|unit_\d+/(shard_\d{6}\.bin|EMPTY_UNIT\.md|UNIT_BUILD_FAILED\.md)"
)


def left_behind(root: Path, *outputs: str) -> set[str]:
    """The files of the outputs; nothing else may be left anywhere, and no temporary name."""
    files = {name for name in worlds.read_output(root) if name.split("/")[0] in outputs}
    assert all(LAYOUT.fullmatch(name.partition("/")[2]) for name in files)
    assert not list((root / "temporary").iterdir())
    return files


def test_a_full_disk_is_an_error_that_names_the_path_and_leaves_a_notice(tmp_path: Path) -> None:
    job = open_case(tmp_path, "24-write-fails-midway")
    before = set(worlds.read_output(tmp_path))
    text = fails_to_write(tmp_path, 150_000, **job)
    assert re.search(r"\bout\b", text)
    files = left_behind(tmp_path, "out")
    assert set(worlds.read_output(tmp_path)) == before | files
    assert "out/unit_64/UNIT_BUILD_FAILED.md" in files
    assert "out/manifest.json" not in files
    # 2000 samples would be one shard: it was never whole.
    assert not any("shard_" in name and name.endswith(".bin") for name in files)


def test_whole_shards_stay_when_a_later_write_fails(tmp_path: Path) -> None:
    """Shards of 500 x 64 x 2 = 64,000 bytes fit; the index of 2000 samples does not."""
    job = open_case(tmp_path, "24-write-fails-midway") | {"samples_per_shard": [500]}
    whole = oracle.expect(tmp_path, job).outputs[0].shards
    fails_to_write(tmp_path, 100_000, **job)
    files = left_behind(tmp_path, "out")
    assert "out/manifest.json" not in files
    assert "out/unit_64/UNIT_BUILD_FAILED.md" in files
    for name in files:
        if "/shard_" in name:
            assert (tmp_path / name).read_bytes() == whole[name.removeprefix("out/")]


def test_an_output_finished_before_the_disk_is_full_stays_complete(tmp_path: Path) -> None:
    job = open_case(tmp_path, "24-write-fails-midway")
    write_files(tmp_path, {"small.jsonl": jsonl({"text": "a"})})
    job = job | {"files": ["small.jsonl", "input.jsonl"], "output": ["first", "second"]}
    expected = oracle.expect(tmp_path, job).outputs[0]
    text = fails_to_write(tmp_path, 150_000, **job)
    assert "second" in text
    assert oracle.differences(expected, worlds.read_output(tmp_path / "first")) == []
    assert "second/manifest.json" not in left_behind(tmp_path, "first", "second")
