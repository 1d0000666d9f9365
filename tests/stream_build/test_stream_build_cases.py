"""What becomes of single documents: tiny worlds that can be checked by eye."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
import worlds
from streams import AS_OF, MEMORY, build, declare, index, plan, read, texts, write_world

import mintdim
from mintdim.shared.errors import (
    DocumentError,
    OutputValidationError,
    SampleFieldTypeError,
    SampleSchemaError,
    SourceParseError,
    SplitError,
)

DATED: dict[str, Any] = {"time": "published"}


def by_time(test: int, val: int, **options: Any) -> tuple[str, dict[str, Any]]:
    return "per_language_count", {"test_docs": test, "val_docs": val, **options}


def dated(*pairs: tuple[str, object]) -> list[dict[str, object]]:
    return [{"text": text, "published": time} for text, time in pairs]


def meta(root: Path) -> dict[str, Any]:
    return dict(index(root / "out")["boundaries"]["_meta"])


# ------------------------------------------------------------------------------ order of packing


def test_training_documents_are_shuffled_as_cpython_does(tmp_path: Path) -> None:
    build(tmp_path, [{"text": str(n)} for n in range(10)], seed=20260813, tokens=1000)
    assert " ".join(texts(tmp_path / "out", "train")) == "3 8 9 6 5 1 0 7 4 2"


def test_val_and_test_keep_the_order_of_the_sources(tmp_path: Path) -> None:
    rows = dated(*((str(n), f"2026-01-{n + 1:02d}") for n in (5, 0, 3, 4, 1, 2)))
    build(tmp_path, rows, documents=DATED, splits=by_time(2, 3))
    assert texts(tmp_path / "out", "test") == ["5", "4"]
    assert texts(tmp_path / "out", "val") == ["3", "1", "2"]
    assert texts(tmp_path / "out", "train") == ["0"]


def test_a_document_above_the_limit_is_a_shard_of_its_own(tmp_path: Path) -> None:
    rows = dated(("a", "2026-02-02"), ("b" * 50, "2026-02-03"), ("c", "2026-02-04"), ("d", None))
    build(tmp_path, rows, documents=DATED, splits=by_time(0, 2), tokens=10)
    sizes = [(entry["name"], entry["tokens"]) for entry in index(tmp_path / "out")["shards"]]
    assert ("val_000.bin", 53) in sizes
    assert [name for name, _ in sizes] == ["train_000.bin", "val_000.bin", "val_001.bin"]


def test_documents_fill_a_shard_to_the_last_token(tmp_path: Path) -> None:
    """<ab> and EOS are five tokens."""
    build(tmp_path, [{"text": "ab"}] * 5, tokens=10)
    assert [entry["docs"] for entry in index(tmp_path / "out")["shards"]] == [2, 2, 1]


def test_beyond_999_shards_all_numbers_of_the_split_are_as_wide_as_the_largest() -> None:
    rows = [{"text": "", "published": "2026-01-01"}] * 1001 + dated(("v", "2026-02-02"))
    with tempfile.TemporaryDirectory(dir=MEMORY) as folder:
        build(Path(folder), rows, documents=DATED, splits=by_time(0, 1), tokens=1)
        names = sorted(path.name for path in Path(folder, "out").glob("*.bin"))
    assert names[0] == "train_0000.bin"
    assert names[1000] == "train_1000.bin"
    assert names[1001] == "val_000.bin"


def test_a_text_that_encodes_to_nothing_is_one_eos(tmp_path: Path) -> None:
    worlds.write_files(
        tmp_path, {"blank.model": worlds.spm(eos=True, remove_extra_whitespaces=True)}
    )
    names = write_world(tmp_path, [{"text": "   "}, {"text": " "}])
    job = declare(tmp_path, names, "out", plan())
    job.source.jsonl(files=[tmp_path / names[0]], fields=[["text"]], templates=["{text}"])
    job.tokenizer.sentencepiece({"path": tmp_path / "blank.model"}).run()
    assert (tmp_path / "out/train_000.bin").read_bytes() == b"\x03\x00" * 2
    assert index(tmp_path / "out")["shards"][0]["docs"] == 2


def test_the_text_of_eos_is_text_for_sentencepiece(tmp_path: Path) -> None:
    build(tmp_path, [{"text": "a</s>b"}, {"text": "c"}], tokens=100)
    assert sorted(texts(tmp_path / "out", "train")) == ["a</s>b", "c"]


def test_the_text_of_eos_is_an_error_where_the_library_makes_eos_of_it(tmp_path: Path) -> None:
    names = write_world(tmp_path, [{"text": "a"}], [{"text": "b"}, {"text": "c</s>"}])
    worlds.write_files(tmp_path, {"tok.json": worlds.hf_with_post_processor()})
    job = declare(tmp_path, names, "out", plan())
    job.tokenizer.hf_json({"path": tmp_path / "tok.json"}, eos="</s>")
    with pytest.raises(DocumentError) as caught:
        job.run()
    assert (caught.value.file, caught.value.line) == (str(tmp_path / names[1]), 2)
    assert not (tmp_path / "out").exists()


def test_a_duplicate_is_not_tokenized_so_its_eos_is_no_error(tmp_path: Path) -> None:
    rows = [{"text": "a", "url": "u"}, {"text": "</s>", "url": "u"}]
    names = write_world(tmp_path, rows)
    worlds.write_files(tmp_path, {"tok.json": worlds.hf_with_post_processor()})
    job = declare(tmp_path, names, "out", plan(documents={"key": "url"}))
    job.tokenizer.hf_json({"path": tmp_path / "tok.json"}, eos="</s>").run()
    assert index(tmp_path / "out")["shards"][0]["docs"] == 1


@pytest.mark.parametrize(
    ("document", "dtype", "width"),
    [(worlds.hf_wide(65_536), "uint16", 2), (worlds.hf_gap(), "uint32", 4)],
)
def test_ids_up_to_65535_take_two_bytes(
    document: bytes, dtype: str, width: int, tmp_path: Path
) -> None:
    names = write_world(tmp_path, [{"text": "z"}])
    worlds.write_files(tmp_path, {"tok.json": document})
    job = declare(tmp_path, names, "out", plan())
    job.source.jsonl(files=[tmp_path / names[0]], fields=[["text"]], templates=["{text}"])
    job.tokenizer.hf_json({"path": tmp_path / "tok.json"}, eos="[PAD]").run()
    found = index(tmp_path / "out")
    assert (found["dtype"], found["eos_id"]) == (dtype, 1)
    last = found["vocab_size"] - 1
    data = (tmp_path / "out/train_000.bin").read_bytes()
    assert data == last.to_bytes(width, "little") + (1).to_bytes(width, "little")


# ---------------------------------------------------------------------------------------- times


def test_all_documents_at_a_border_go_to_the_later_split(tmp_path: Path) -> None:
    rows = dated(
        ("old", "2026-01-01"),
        ("v1", "2026-01-02"),
        ("v2", "2026-01-02"),
        ("t1", "2026-01-03"),
        ("t2", "2026-01-03"),
    )
    build(tmp_path, rows, documents=DATED, splits=by_time(1, 2), tokens=100)
    assert texts(tmp_path / "out", "test") == ["t1", "t2"]
    assert texts(tmp_path / "out", "val") == ["v1", "v2"]
    borders = index(tmp_path / "out")["boundaries"]["langs"]["und"]
    assert borders == {
        "docs": 5,
        "max_pub_date": "2026-01-03T00:00:00",
        "test_start": "2026-01-03T00:00:00",
        "val_start": "2026-01-02T00:00:00",
        "test_docs_actual": 2,
        "val_docs_actual": 2,
    }


def test_ties_that_leave_nothing_for_val_are_an_error_before_anything_is_written(
    tmp_path: Path,
) -> None:
    rows = dated(("old", "2026-01-01"), *[(str(n), "2026-01-03") for n in range(4)])
    with pytest.raises(SplitError, match="val"):
        build(tmp_path, rows, documents=DATED, splits=by_time(1, 2))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["news0.jsonl", "sp.model"]


FUTURE = dated(("a", "2026-01-01"), ("b", "2026-01-02"), ("new", "2026-12-01"), ("c", "2026-01-03"))


@pytest.mark.parametrize(
    ("future", "test", "train"),
    [
        ("test", ["new", "c"], ["a"]),
        ("train", ["c"], ["a", "new"]),
        ("drop", ["c"], ["a"]),
    ],
)
def test_a_future_document_goes_where_it_is_told(
    future: str, test: list[str], train: list[str], tmp_path: Path
) -> None:
    build(tmp_path, FUTURE, documents=DATED, splits=by_time(1, 1, future=future), tokens=100)
    assert texts(tmp_path / "out", "test") == test
    assert texts(tmp_path / "out", "val") == ["b"]
    assert sorted(texts(tmp_path / "out", "train")) == train
    found = meta(tmp_path)
    assert (found["future_skipped"], found["future_documents"]) == (1, 1)
    assert found["dropped"]["future_date"] == (future == "drop")


def test_a_future_document_that_is_forbidden_is_named_by_file_and_line(tmp_path: Path) -> None:
    names = write_world(tmp_path, FUTURE[:2], b"\n" + json.dumps(FUTURE[2]).encode())
    splits = by_time(0, 0, future="error")
    job = declare(tmp_path, names, "out", plan(documents=DATED, splits=splits))
    with pytest.raises(DocumentError, match="2026-12-01T00:00:00") as caught:
        job.run()
    assert (caught.value.file, caught.value.line) == (str(tmp_path / names[1]), 2)


def test_documents_without_a_time_are_for_training_and_counted_apart(tmp_path: Path) -> None:
    rows = dated(("a", "2026-01-01"), ("t", "2026-01-02"), ("bad", "soon"), ("none", None))
    rows += [{"text": "absent"}, {"text": "list", "published": [2026]}]
    result = build(tmp_path, rows, documents=DATED, splits=by_time(1, 0), tokens=100)
    assert texts(tmp_path / "out", "test") == ["t"]
    found = meta(tmp_path)
    assert (found["bad_pub_date"], found["missing_pub_date"]) == (2, 2)
    assert found["undated_documents"] == result.undated == 4


def test_borders_over_all_rows_count_what_is_dropped_later(tmp_path: Path) -> None:
    """The newest row is too short: it moves the border of all rows, not that of kept ones."""
    rows = dated(("long one", "2026-01-01"), ("long two", "2026-01-02"), ("x", "2026-01-03"))
    documents = {**DATED, "min_chars": 5}
    with pytest.raises(SplitError, match="test"):
        build(tmp_path, rows, documents=documents, splits=by_time(1, 0))
    build(tmp_path, rows, documents=documents, splits=by_time(1, 0, borders="kept"))
    assert texts(tmp_path / "out", "test") == ["long two"]


def test_times_are_compared_in_utc_and_written_without_a_zone(tmp_path: Path) -> None:
    rows = dated(
        ("naive", "2026-01-02T08:00:00"),  # 23:00 of January 1 in UTC
        ("aware", "2026-01-01T23:30:00Z"),
        ("offset", "2026-01-01T18:00:00-05:00"),  # 23:00
    )
    documents = {**DATED, "time_zone": "Asia/Tokyo"}
    build(tmp_path, rows, documents=documents, splits=by_time(1, 0), as_of="2026-02-01T09:00:00")
    assert texts(tmp_path / "out", "test") == ["aware"]
    found = index(tmp_path / "out")
    assert found["boundaries"]["langs"]["und"]["test_start"] == "2026-01-01T23:30:00"
    assert found["created"] == found["boundaries"]["computed_at"] == "2026-02-01T00:00:00"


# ------------------------------------------------------------------------------ keys and languages


def test_null_absent_and_empty_keys_are_no_keys(tmp_path: Path) -> None:
    keys: list[dict[str, Any]] = [{"url": None}, {"url": None}, {}, {}, {"url": ""}, {"url": ""}]
    build(tmp_path, [{"text": "a"} | key for key in keys], documents={"key": "url"})
    assert meta(tmp_path)["documents"] == 6


def test_a_number_is_a_key_by_its_text(tmp_path: Path) -> None:
    lines = b'{"text":"a","id":1}\n{"text":"b","id":"1"}\n{"text":"c","id":1.0}\n'
    build(tmp_path, lines, documents={"key": "id"}, tokens=100)
    assert sorted(texts(tmp_path / "out", "train")) == ["a", "c"]


def test_a_short_first_row_does_not_hide_a_good_one(tmp_path: Path) -> None:
    rows = [{"text": "", "url": "u"}, {"text": "good", "url": "u"}, {"text": "late", "url": "u"}]
    build(tmp_path, rows, documents={"key": "url", "min_chars": 5})
    assert texts(tmp_path / "out", "train") == ["good"]


def test_the_first_of_two_files_wins(tmp_path: Path) -> None:
    row = {"url": "u"}
    build(tmp_path, [{"text": "first"} | row], [{"text": "second"} | row], documents={"key": "url"})
    assert texts(tmp_path / "out", "train") == ["first"]


def test_min_chars_counts_characters_of_the_rendered_text(tmp_path: Path) -> None:
    """<日本> has four characters."""
    rows = [{"text": "日本"}, {"text": "é"}]
    build(tmp_path, rows, documents={"min_chars": 4})
    assert meta(tmp_path)["dropped"]["too_short"] == 1


def test_a_key_that_is_an_object_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SampleFieldTypeError) as caught:
        build(tmp_path, [{"text": "a"}, {"text": "b", "url": {}}], documents={"key": "url"})
    assert (caught.value.line, caught.value.field) == (2, "url")


def test_rows_of_other_languages_are_dropped_unread_and_counted(tmp_path: Path) -> None:
    rows = [{"text": "a", "lang": "en"}, {"lang": "xx"}, {"lang": None}, {}, {"lang": ["en"]}]
    documents = {"language": "lang", "languages": ["de", "en"]}
    result = build(tmp_path, rows, documents=documents)
    dropped = {"no_language": 2, "other_language": 2, "too_short": 0}
    assert result.dropped.items() >= dropped.items()
    assert index(tmp_path / "out")["shards"][0]["langs"] == {"en": 4}


def test_codes_follow_the_order_of_declaration(tmp_path: Path) -> None:
    rows = [
        {"text": text, "lang": lang, "published": f"2026-01-0{day}"}
        for day, (text, lang) in enumerate([("a", "en"), ("b", "ja"), ("c", "ja"), ("d", "en")], 1)
    ]
    documents = {**DATED, "language": "lang", "languages": ["ja", "en"]}
    build(tmp_path, rows, documents=documents, splits=by_time(1, 0), tokens=100)
    assert (tmp_path / "out/test_000.langs.u8").read_bytes() == bytes([0, 1])
    assert not (tmp_path / "out/train_000.langs.u8").exists()


# ------------------------------------------------------------------------------------- fractions


def test_a_document_keeps_its_split_when_others_are_added(tmp_path: Path) -> None:
    rows = [{"text": f"d{n}"} for n in range(60)]
    splits = ("fraction", {"val": 0.2, "test": 0.2, "seed": 5})
    build(tmp_path, rows, splits=splits, output="all", tokens=1000)
    build(tmp_path, rows[:40], splits=splits, output="some", tokens=1000)
    for split in ("val", "test"):
        all_of_them = texts(tmp_path / "all", split)
        assert texts(tmp_path / "some", split) == [t for t in all_of_them if int(t[1:]) < 40]


def test_documents_with_one_key_have_one_lot(tmp_path: Path) -> None:
    splits = ("fraction", {"val": 0, "test": 0.5, "seed": 1})
    for output, text in (("a", "one text"), ("b", "another")):
        rows = [{"text": text, "url": f"u{n}"} for n in range(20)]
        build(tmp_path, rows, splits=splits, documents={"key": "url"}, output=output, tokens=10**4)
    codes = [len((tmp_path / name / "test_000.langs.u8").read_bytes()) for name in "ab"]
    assert codes[0] == codes[1] > 0


# ----------------------------------------------------------------------------- bad rows, no rows


@pytest.mark.parametrize("rows", [[], [{"text": "a", "lang": "xx"}]])
def test_no_documents_are_an_error(rows: list[Any], tmp_path: Path) -> None:
    documents = {"language": "lang", "languages": ["en"]}
    with pytest.raises(SplitError, match="no document"):
        build(tmp_path, rows, documents=documents)


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        (b"{broken", SourceParseError),
        (b"[]", SourceParseError),
        (b'{"text": null}', SampleFieldTypeError),
        (b"{}", SampleSchemaError),
        (b'{"text": "a", "url": "\\ud800"}', SourceParseError),
    ],
)
def test_a_bad_row_ends_the_build_with_its_line(line: bytes, kind: type, tmp_path: Path) -> None:
    content = b'{"text": "a"}\n\n' + line + b"\n{also broken\n"
    with pytest.raises(kind) as caught:
        build(tmp_path, content, documents={"key": "url"})
    assert caught.value.line == 3
    assert sorted(path.name for path in tmp_path.iterdir()) == ["news0.jsonl", "sp.model"]


# ---------------------------------------------------------------------------------------- the set


def test_a_rerun_gives_the_same_bytes_index_included(tmp_path: Path) -> None:
    rows = [{"text": str(n)} for n in range(30)]
    build(tmp_path, rows, output="first")
    build(tmp_path, rows, output="second")
    assert read(tmp_path / "first") == read(tmp_path / "second")


def test_source_date_epoch_is_now(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    build(tmp_path, [{"text": "a"}], as_of=None)
    assert index(tmp_path / "out")["created"] == "1970-01-02T00:00:00"


def test_the_index_tells_no_folder_of_the_machine(tmp_path: Path) -> None:
    build(tmp_path, [{"text": "a"}])
    assert str(tmp_path).encode() not in b"".join(read(tmp_path / "out").values())


def test_every_metadata_file_is_its_entry_of_the_index(tmp_path: Path) -> None:
    build(tmp_path, [{"text": str(n)} for n in range(9)])
    for entry in index(tmp_path / "out")["shards"]:
        text = (tmp_path / "out" / f"{entry['name']}.json").read_text()
        assert text == json.dumps(entry, indent=2)


def test_a_second_build_refuses_the_output_of_the_first(tmp_path: Path) -> None:
    build(tmp_path, [{"text": "a"}])
    before = read(tmp_path / "out")
    with pytest.raises(OutputValidationError):
        build(tmp_path, [{"text": "b"}])
    assert read(tmp_path / "out") == before


def test_a_foreign_file_in_the_output_is_never_touched(tmp_path: Path) -> None:
    worlds.write_files(tmp_path, {"out/train_000.bin": b"mine", "out/notes.txt": b"mine"})
    (tmp_path / ".out.mintdim-unfinished").mkdir()
    with pytest.raises(OutputValidationError):
        build(tmp_path, [{"text": "a"}])
    assert (tmp_path / "out/train_000.bin").read_bytes() == b"mine"


def test_an_empty_directory_may_be_the_output(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    build(tmp_path, [{"text": "a"}])
    assert [path.name for path in tmp_path.glob(".*")] == []


def test_what_is_built_opens_and_verifies(tmp_path: Path) -> None:
    build(tmp_path, [{"text": str(n)} for n in range(9)])
    assert len(mintdim.open(tmp_path / "out").documents("train")) == 9
    assert not mintdim.verify(tmp_path / "out", full=True).findings


def test_the_result_is_a_table_for_people(tmp_path: Path) -> None:
    rows = dated(("a", "2026-01-01"), ("b", "2026-01-02"), ("c", None), ("d", AS_OF[:-1] + "9"))
    result = build(tmp_path, rows, documents=DATED, splits=by_time(1, 0), tokens=100)
    assert str(result).splitlines()[1:] == [
        "  split  language  documents  tokens  shards",
        "  train  all               2       8       1",
        "  test   all               2       8       1",
        "  total                    4      16       2",
        "",
        "  dropped   0 of 4 rows",
        "  dates     1 missing or bad, 1 future",
    ]
