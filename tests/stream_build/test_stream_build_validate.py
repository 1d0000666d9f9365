"""A job is checked before anything is written: every mistake in the block where it stands."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import worlds
from streams import declare, plan, write_world

from mintdim import pipeline
from mintdim.pipelines.stream_build.config import Fraction, NoSplits, PerLanguageCount
from mintdim.shared.errors import (
    DocumentsValidationError,
    EngineValidationError,
    FieldMappingError,
    MintDimFileNotFoundError,
    OutputConfigError,
    OutputNotADirectoryError,
    PipelineValidationError,
    ShardsValidationError,
    SplitsValidationError,
    TemplateFieldMismatchError,
    TokenizerEosError,
    TokenizerValidationError,
)
from mintdim.shared.times import written

if TYPE_CHECKING:
    from pathlib import Path

    from mintdim.pipelines.stream_build.api import StreamBuild


@pytest.fixture
def job(tmp_path: Path) -> StreamBuild:
    return declare(tmp_path, write_world(tmp_path, [{"text": "a"}]), "out", plan())


def test_every_block_that_is_missing_is_named() -> None:
    with pytest.raises(PipelineValidationError) as caught:
        pipeline("stream-build").validate()
    assert caught.value.missing == (
        "source.files",
        "source.fields",
        "source.templates",
        "tokenizer",
        "splits",
        "shards.tokens",
        "shards.seed",
        "output.dir",
    )


def test_what_is_left_out_has_a_value(job: StreamBuild) -> None:
    config = job.validate()
    assert config.documents.languages == ("und",)
    assert (config.documents.time_zone, config.documents.min_chars) == ("UTC", 0)
    assert config.shards.build_batch == 512
    assert config.splits == NoSplits()
    assert config.dtype == "uint16"


def test_splits_are_declared_by_position_or_by_name(job: StreamBuild) -> None:
    job.documents(time="published")
    counts = PerLanguageCount(3, 2, "test", "all")
    assert job.splits.per_language_count(3, 2).validate().splits == counts
    assert job.splits.per_language_count(val_docs=2, test_docs=3).validate().splits == counts
    assert job.splits.fraction(0.25, 0, seed=4).validate().splits == Fraction(0.25, 0.0, 4)


@pytest.mark.parametrize(
    ("documents", "words"),
    [
        ({"language": "lang"}, "language needs languages"),
        ({"languages": ["en"]}, "languages needs language"),
        ({"language": "lang", "languages": []}, "languages"),
        ({"language": "lang", "languages": "en"}, "a list"),
        ({"language": "lang", "languages": ["en", "en"]}, "twice"),
        ({"language": "lang", "languages": ["en", 1]}, r"languages\[1\]"),
        ({"language": "lang", "languages": [str(n) for n in range(257)]}, "at most 256"),
        ({"language": "lang", "languages": ["en", "all"]}, "names other than 'all'"),
        ({"language": ["lang"], "languages": ["en"]}, "language must be a string"),
        ({"time": 3}, "time must be a string"),
        ({"time_zone": "Mars/Olympus"}, "Mars/Olympus"),
        ({"time_zone": "../etc/passwd"}, "not known"),
        ({"time_zone": ""}, "not known"),
        ({"time_zone": 9}, "time_zone must be a string"),
        ({"key": "\ud800"}, "key"),
        ({"min_chars": -1}, "min_chars must be an integer from 0"),
        ({"min_chars": True}, "min_chars"),
        ({"min_chars": 2.0}, "min_chars"),
    ],
)
def test_documents_that_make_no_sense_are_refused(
    documents: dict[str, Any], words: str, job: StreamBuild
) -> None:
    with pytest.raises(DocumentsValidationError, match=words):
        job.documents(**documents).validate()


def test_256_languages_are_allowed(job: StreamBuild) -> None:
    names = [f"l{number}" for number in range(256)]
    assert job.documents(language="lang", languages=names).validate().documents.languages[255]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"test_docs": -1, "val_docs": 0}, "test_docs"),
        ({"test_docs": 1, "val_docs": 1.5}, "val_docs"),
        ({"test_docs": None, "val_docs": 1}, "test_docs"),
        ({"test_docs": 1, "val_docs": 1, "future": "later"}, "future must be one of"),
        ({"test_docs": 1, "val_docs": 1, "borders": ["all"]}, "borders must be one of"),
        ({"test_docs": 1, "val_docs": 1, "as_of": "now"}, "as_of is not an ISO 8601 time"),
        ({"test_docs": 1, "val_docs": 1, "as_of": 2026}, "as_of"),
    ],
)
def test_counts_that_make_no_sense_are_refused(
    arguments: dict[str, Any], words: str, job: StreamBuild
) -> None:
    job.documents(time="published")
    with pytest.raises(SplitsValidationError, match=words):
        job.splits.per_language_count(**arguments).validate()


def test_a_split_by_time_needs_times(job: StreamBuild) -> None:
    with pytest.raises(SplitsValidationError, match="time"):
        job.splits.per_language_count(1, 1).validate()


@pytest.mark.parametrize("share", [-0.1, 1, 1.5, float("nan"), float("inf"), "0.1", True, None])
def test_a_share_is_a_number_below_one(share: Any, job: StreamBuild) -> None:
    with pytest.raises(SplitsValidationError, match="val"):
        job.splits.fraction(val=share, test=0.1).validate()


def test_shares_leave_something_for_train(job: StreamBuild) -> None:
    with pytest.raises(SplitsValidationError, match="below 1"):
        job.splits.fraction(val=0.5, test=0.5).validate()


@pytest.mark.parametrize(
    "shards",
    [
        {"tokens": 0, "seed": 1},
        {"tokens": 2**32, "seed": 1},
        {"tokens": "5", "seed": 1},
        {"tokens": 5, "seed": -1},
        {"tokens": 5, "seed": 1.0},
        {"tokens": 5, "seed": 2**64},
        {"tokens": 5, "seed": 1, "build_batch": 0},
    ],
)
def test_shards_that_make_no_sense_are_refused(shards: dict[str, Any], job: StreamBuild) -> None:
    with pytest.raises(ShardsValidationError):
        job.shards(**shards).validate()


def test_numpy_integers_are_integers(job: StreamBuild) -> None:
    config = job.shards(tokens=np.int64(7), seed=np.uint8(0)).validate()  # type: ignore[arg-type]
    assert (type(config.shards.tokens), type(config.shards.seed)) == (int, int)


@pytest.mark.parametrize("config", [["sp.model"], [{"path": "a"}, {"path": "b"}], {}, {"eos": 1}])
def test_there_is_one_tokenizer(config: Any, job: StreamBuild) -> None:
    with pytest.raises(TokenizerValidationError):
        job.tokenizer.sentencepiece(config).validate()


def test_eos_of_a_tokenizer_json_is_named_and_exists(tmp_path: Path, job: StreamBuild) -> None:
    worlds.write_files(tmp_path, {"tok.json": worlds.hf_char()})
    config = {"path": tmp_path / "tok.json"}
    with pytest.raises(TokenizerEosError, match="does not say"):
        job.tokenizer.hf_json(config).validate()
    with pytest.raises(TokenizerEosError, match="no token"):
        job.tokenizer.hf_json(config, eos="<|endoftext|>").validate()
    with pytest.raises(TokenizerValidationError, match="eos"):
        job.tokenizer.hf_json(config, eos=1).validate()  # type: ignore[arg-type]
    assert job.tokenizer.hf_json(config, eos="[PAD]").validate().tokenizer.eos_id == 1


def test_unk_and_pad_are_not_needed(tmp_path: Path, job: StreamBuild) -> None:
    worlds.write_files(tmp_path, {"no_pad.model": worlds.spm(pad=False, eos=True)})
    config = job.tokenizer.sentencepiece({"path": tmp_path / "no_pad.model"}).validate()
    assert config.tokenizer.eos_id == 3


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        (lambda job: job.source.jsonl(["a"], [["t"], ["t"]], ["{t}"]), FieldMappingError),
        (lambda job: job.source.jsonl(["a"], [["t"]], ["{t}"]), MintDimFileNotFoundError),
        (lambda job: job.output.dir(5), OutputConfigError),
        (lambda job: job.engine.processes(workers=0), EngineValidationError),
        (lambda job: job.tokenizer.sentencepiece({"path": "none"}), MintDimFileNotFoundError),
    ],
)
def test_common_blocks_are_checked_as_everywhere(
    change: Any, kind: type[Exception], job: StreamBuild
) -> None:
    with pytest.raises(kind):
        change(job).validate()


def test_a_template_and_its_fields_agree(tmp_path: Path, job: StreamBuild) -> None:
    job.source.jsonl([tmp_path / "news0.jsonl"], [["text"]], ["{title}"])
    with pytest.raises(TemplateFieldMismatchError):
        job.validate()


def test_an_output_is_no_file(tmp_path: Path, job: StreamBuild) -> None:
    with pytest.raises(OutputNotADirectoryError):
        job.output.dir(tmp_path / "sp.model").validate()


def test_bin_in_the_path_of_the_output_is_warned_of(
    tmp_path: Path, job: StreamBuild, caplog: pytest.LogCaptureFixture
) -> None:
    job.output.dir(tmp_path / "my.bin.dir").validate()
    assert "my.bin.dir" in caplog.text


# ------------------------------------------------------------------------------------------ now


def test_as_of_without_a_zone_is_in_the_zone_of_the_documents(job: StreamBuild) -> None:
    job.documents(time_zone="Asia/Tokyo").splits.none(as_of="2026-10-10T09:00:00")
    assert written(job.validate().as_of) == "2026-10-10T00:00:00"


def test_as_of_may_be_a_datetime(job: StreamBuild) -> None:
    moment = datetime(2026, 10, 10, 3, tzinfo=timezone(timedelta(hours=2)))
    assert written(job.splits.none(as_of=moment).validate().as_of) == "2026-10-10T01:00:00"


def test_as_of_stands_above_the_environment(
    job: StreamBuild, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1")
    assert written(job.validate().as_of) == "2026-10-10T00:00:00"


@pytest.mark.parametrize("seconds", ["", "-1", "1.5", "now", "9" * 19, "253402300800", "٣"])
def test_an_odd_source_date_epoch_is_refused(
    seconds: str, job: StreamBuild, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", seconds)
    with pytest.raises(SplitsValidationError, match="SOURCE_DATE_EPOCH"):
        job.splits.none().validate()


def test_text_of_a_template_that_the_tokenizer_changes_is_warned_of(
    tmp_path: Path, job: StreamBuild, caplog: pytest.LogCaptureFixture
) -> None:
    model = worlds.spm(eos=True, remove_extra_whitespaces=True)
    worlds.write_files(tmp_path, {"trim.model": model})
    job.source.jsonl([tmp_path / "news0.jsonl"], [["text"]], ["a   b{text}"])
    job.tokenizer.sentencepiece({"path": tmp_path / "trim.model"}).validate()
    assert '[stream-build:warning] template "a   b{text}"' in caplog.text
