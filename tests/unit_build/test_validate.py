"""Shared or mapped: one entry of a block for all files, or one per file, block by block."""

from __future__ import annotations

import contextlib
import json
import struct
from typing import TYPE_CHECKING, Any

import pytest
import worlds
from worlds import jsonl, make_job, write_files

from mintdim.shared.errors import (
    FieldMappingError,
    MintDimConfigError,
    MintDimFileNotFoundError,
    OutputMappingError,
    OutputOverlapError,
    OutputTokenizerError,
    OutputValidationError,
    PipelineValidationError,
    SamplesPerShardError,
    SourceValidationError,
    TemplateFieldMismatchError,
    TemplateMappingError,
    TemplateTokenizerError,
    TokenizerMappingError,
    TokenizerSpecialTokenError,
    TokenizerValidationError,
    UnitMappingError,
    UnitValidationError,
)

if TYPE_CHECKING:
    from pathlib import Path

THREE = ["a.jsonl", "b.jsonl", "c.jsonl"]


def three_files(root: Path) -> Path:
    rows = {name: jsonl({"text": name[0]}, {"text": name[0] * 10}) for name in THREE}
    return write_files(root, {**rows, "tok.model": worlds.spm(), "tok.json": worlds.hf_char()})


def validated(root: Path, **job: Any) -> Any:
    with contextlib.chdir(root):
        return worlds.declare(job).validate()


# --------------------------------------------------------------------------------------- arity

# One entry of each block; N of them are N entries.
ENTRIES: dict[str, Any] = {
    "fields": ["text"],
    "templates": "{text}",
    "tokenizer": {"path": "tok.model"},
    "sizes": [8, 16],
    "build_batch": 4,
    "output": "out",
    "samples_per_shard": 10,
}
REFUSALS = {
    "fields": FieldMappingError,
    "templates": TemplateMappingError,
    "tokenizer": TokenizerMappingError,
    "sizes": UnitMappingError,
    "build_batch": UnitMappingError,
    "output": OutputMappingError,
    "samples_per_shard": SamplesPerShardError,
}


def entries(block: str, count: int) -> list[Any]:
    """`count` entries; output directories have to differ."""
    if block == "output":
        return [f"out {i}" for i in range(count)]
    return [ENTRIES[block]] * count


@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize("block", REFUSALS)
def test_three_files_take_one_entry_or_three(tmp_path: Path, block: str, count: int) -> None:
    job = make_job(files=THREE) | {block: entries(block, count)}
    config = validated(three_files(tmp_path), **job)
    assert sum(len(session.jobs) for session in config.sessions) == 3


@pytest.mark.parametrize("count", [2, 4])
@pytest.mark.parametrize("block", REFUSALS)
def test_three_files_take_neither_two_entries_nor_four(
    tmp_path: Path, block: str, count: int
) -> None:
    job = make_job(files=THREE) | {block: entries(block, count)}
    with pytest.raises(REFUSALS[block]) as caught:
        validated(three_files(tmp_path), **job)
    assert type(caught.value) is REFUSALS[block]
    if block != "samples_per_shard":
        assert (caught.value.file_count, caught.value.count) == (3, count)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("block", REFUSALS)
def test_one_file_takes_no_second_entry(tmp_path: Path, block: str) -> None:
    job = make_job(files=THREE[:1]) | {block: entries(block, 2)}
    with pytest.raises(REFUSALS[block]):
        validated(three_files(tmp_path), **job)


def test_each_block_is_shared_or_mapped_on_its_own(tmp_path: Path) -> None:
    """All 128 combinations give every file its own values or the shared ones."""
    three_files(tmp_path)
    for chosen in range(2 ** len(ENTRIES)):
        mapped = [block for i, block in enumerate(ENTRIES) if chosen >> i & 1]
        job = make_job(files=THREE) | {block: entries(block, 3) for block in mapped}
        sessions = validated(tmp_path, **job).sessions
        assert len(sessions) == (3 if "output" in mapped else 1)
        jobs = [job for session in sessions for job in session.jobs]
        assert [(job.index, job.source.path) for job in jobs] == list(enumerate(THREE))


# ---------------------------------------------------------------- the examples of the document


def samples(directory: Path) -> list[tuple[str, int, str]]:
    """File, line and shard of every sample of an output."""
    lines = (directory / "sample_index.jsonl").read_bytes().splitlines()
    rows = [json.loads(line) for line in lines]
    assert [row["sample_id"] for row in rows] == list(range(len(rows)))
    return [(row["source_file"], row["source_line"], row["shard_path"]) for row in rows]


def manifest(directory: Path) -> dict[str, Any]:
    return dict(json.loads((directory / "manifest.json").read_text("utf-8")))


def test_fully_shared_files_are_written_into_one_data_set(tmp_path: Path) -> None:
    write_files(
        tmp_path,
        {
            "data/alpaca.jsonl": jsonl({"instruction": "i", "output": "o", "input": "ignored"}),
            "data/sharegpt.jsonl": jsonl({"instruction": "j", "output": "p"}),
            "tokenizer/tokenizer.model": worlds.spm(),
        },
    )
    job = make_job(
        files=["./data/alpaca.jsonl", "./data/sharegpt.jsonl"],
        fields=[["instruction", "output"]],
        templates=["{instruction}\n\n{output}"],
        tokenizer={"path": "./tokenizer/tokenizer.model"},
        sizes=[[128, 192, 256, 320]],
        build_batch=[4096],
        output="./artifacts/instruction_units",
        samples_per_shard=[10000],
    )
    worlds.run_job(tmp_path, **job)
    out = tmp_path / "artifacts" / "instruction_units"
    shard = "unit_128/shard_000000.bin"
    assert samples(out) == [
        ("./data/alpaca.jsonl", 1, shard),
        ("./data/sharegpt.jsonl", 1, shard),
    ]
    found = manifest(out)
    assert found["units"] == {"sizes": [128, 192, 256, 320], "build_batch": 4096}
    assert found["source"]["templates"] == ["{instruction}\n\n{output}"]
    assert found["output"] == {"samples_per_shard": 10000}
    assert found["tokenizer"]["path"] == "./tokenizer/tokenizer.model"


def test_fully_mapped_files_are_written_into_data_sets_of_their_own(tmp_path: Path) -> None:
    write_files(
        tmp_path,
        {
            "data/alpaca.jsonl": jsonl({"instruction": "i", "input": "n", "output": "o"}),
            "data/sharegpt.jsonl": jsonl({"prompt": "p", "response": "r"}),
            "tokenizer/alpaca.model": worlds.spm(),
            "tokenizer/sharegpt.model": worlds.spm(words=("p\nr",)),
        },
    )
    job = make_job(
        files=["./data/alpaca.jsonl", "./data/sharegpt.jsonl"],
        fields=[["instruction", "input", "output"], ["prompt", "response"]],
        templates=["{instruction}\n\n{input}\n\n{output}", "{prompt}\n{response}"],
        tokenizer=[{"path": "./tokenizer/alpaca.model"}, {"path": "./tokenizer/sharegpt.model"}],
        sizes=[[128, 192, 256, 320], [96, 128, 160, 192, 224, 320]],
        build_batch=[4096, 2048],
        output=["./artifacts/alpaca_units", "./artifacts/sharegpt_units"],
        samples_per_shard=[10000, 5000],
    )
    result = worlds.run_job(tmp_path, **job)
    assert [built.total_tokens for built in result.outputs] == [7, 1]
    alpaca, sharegpt = (tmp_path / "artifacts" / f"{name}_units" for name in ("alpaca", "sharegpt"))
    assert samples(alpaca) == [("./data/alpaca.jsonl", 1, "unit_128/shard_000000.bin")]
    assert samples(sharegpt) == [("./data/sharegpt.jsonl", 1, "unit_96/shard_000000.bin")]
    assert {path.name for path in sharegpt.glob("unit_*")} == {
        f"unit_{size}" for size in (96, 128, 160, 192, 224, 320)
    }
    found = manifest(sharegpt)
    assert found["source"]["files"] == ["./data/sharegpt.jsonl"]
    assert found["source"]["fields"] == [["prompt", "response"]]
    assert found["units"]["build_batch"] == [2048]


def test_mixed_blocks_give_each_file_what_is_shared_and_what_is_its_own(tmp_path: Path) -> None:
    row = {"prompt": "p", "answer": "a", "separator": "\n"}
    write_files(
        tmp_path,
        {
            "data/train_a.jsonl": jsonl(row, row),
            "data/train_b.jsonl": jsonl(row),
            "tokenizer/fineweb_edu_32k.model": worlds.spm(),
        },
    )
    tokenizer_cfg = {"path": "./tokenizer/fineweb_edu_32k.model"}
    job = make_job(
        files=["./data/train_a.jsonl", "./data/train_b.jsonl"],
        fields=[["prompt", "answer", "separator"]],
        templates=["{prompt}{separator}{answer}"],
        tokenizer=[tokenizer_cfg, tokenizer_cfg],
        sizes=[[32, 64, 128, 256]],
        build_batch=[64],
        output=["./output1", "./output2"],
        samples_per_shard=[256],
    )
    result = worlds.run_job(tmp_path, **job)
    assert [(b.output_dir, b.total_samples) for b in result.outputs] == [
        ("./output1", 2),
        ("./output2", 1),
    ]
    found = manifest(tmp_path / "output2")
    assert [entry["path"] for entry in found["tokenizer"]] == [tokenizer_cfg["path"]]
    assert found["units"] == {"sizes": [32, 64, 128, 256], "build_batch": 64}


# --------------------------------------------------------------- mapped blocks into one output


def test_mapped_blocks_may_meet_in_one_output(tmp_path: Path) -> None:
    """Ids run on, each file has its own sizes, the union makes the folders, open shards close."""
    three_files(tmp_path)
    job = make_job(files=THREE, sizes=[[4, 10], [8, 12], [10]], samples_per_shard=[2, 1, 2])
    worlds.run_job(tmp_path, **job)
    out = tmp_path / "out"
    assert samples(out) == [
        ("a.jsonl", 1, "unit_4/shard_000000.bin"),
        ("a.jsonl", 2, "unit_10/shard_000000.bin"),
        ("b.jsonl", 1, "unit_8/shard_000000.bin"),
        ("b.jsonl", 2, "unit_12/shard_000000.bin"),
        # a change of samples_per_shard closed unit_10's first shard, which had room for one more
        ("c.jsonl", 1, "unit_10/shard_000001.bin"),
        ("c.jsonl", 2, "unit_10/shard_000001.bin"),
    ]
    assert {path.name for path in out.glob("unit_*")} == {f"unit_{u}" for u in (4, 8, 10, 12)}
    rows = struct.iter_unpack("<4I", (out / "sample_index.bin").read_bytes())
    assert [(unit, shard, row) for _, unit, shard, row in rows] == [
        *[(4, 0, 0), (10, 0, 0), (8, 0, 0), (12, 0, 0), (10, 1, 0), (10, 1, 1)]
    ]
    found = manifest(out)
    assert found["units"]["sizes"] == [[4, 10], [8, 12], [10]]
    assert found["output"]["samples_per_shard"] == [2, 1, 2]
    assert found["units"]["build_batch"] == 4


def test_equal_neighbours_of_samples_per_shard_keep_their_shards_open(tmp_path: Path) -> None:
    three_files(tmp_path)
    job = make_job(files=THREE, sizes=[[10]], samples_per_shard=[6, 6, 6])
    worlds.run_job(tmp_path, **job)
    assert {shard for _, _, shard in samples(tmp_path / "out")} == {"unit_10/shard_000000.bin"}


def test_mapped_entries_that_are_equal_stand_in_the_manifest_as_a_list(tmp_path: Path) -> None:
    three_files(tmp_path)
    worlds.run_job(tmp_path, **make_job(files=THREE, build_batch=[4, 4, 4]))
    assert manifest(tmp_path / "out")["units"]["build_batch"] == [4, 4, 4]


@pytest.mark.parametrize("kind", ["sentencepiece", "hf_json"])
def test_tokenizers_of_the_same_content_may_share_an_output_under_two_names(
    tmp_path: Path, kind: str
) -> None:
    three_files(tmp_path)
    first = worlds.EXTENSIONS[kind]
    write_files(tmp_path, {"copy": (tmp_path / first).read_bytes()})
    pair = [{"path": first}, {"path": "copy"}]
    job = make_job(files=THREE[:2], tokenizer_type=kind, tokenizer=pair)
    worlds.run_job(tmp_path, **job)
    paths = [entry["path"] for entry in manifest(tmp_path / "out")["tokenizer"]]
    assert paths == [first, "copy"]


def test_other_tokenizers_may_not_share_an_output_but_may_have_one_each(tmp_path: Path) -> None:
    three_files(tmp_path)
    write_files(tmp_path, {"other.model": worlds.spm(words=("ab",))})
    pair = [{"path": "tok.model"}, {"path": "other.model"}]
    job = make_job(files=THREE[:2], tokenizer=pair)
    with pytest.raises(OutputTokenizerError) as caught:
        worlds.run_job(tmp_path, **job)
    assert isinstance(caught.value, OutputMappingError)
    assert caught.value.tokenizers == ("tok.model", "other.model")
    assert not (tmp_path / "out").exists()
    worlds.run_job(tmp_path, **job | {"output": ["one", "two"]})


def test_storage_types_are_chosen_per_output(tmp_path: Path) -> None:
    three_files(tmp_path)
    write_files(tmp_path, {"wide.json": worlds.hf_wide()})
    pair = [{"path": "tok.json"}, {"path": "wide.json"}]
    job = make_job(files=THREE[:2], tokenizer_type="hf_json", tokenizer=pair, output=["n", "w"])
    worlds.run_job(tmp_path, **job)
    dtypes = [manifest(tmp_path / name)["token_storage"]["dtype"] for name in ("n", "w")]
    assert dtypes == ["uint16", "uint32"]


# --------------------------------------------------------------------------- places that overlap


@pytest.mark.parametrize(
    "places",
    [
        ["out", "out"],
        ["out", "./out"],
        ["out", "out/inside"],
        ["deep/er", "deep"],
        ["x/../out", "out/"],
        ["link/out", "real/out"],
    ],
)
def test_two_outputs_may_not_be_one_place_or_one_inside_the_other(
    tmp_path: Path, places: list[str]
) -> None:
    three_files(tmp_path)
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with pytest.raises(OutputOverlapError) as caught:
        validated(tmp_path, **make_job(files=THREE[:2], output=places))
    assert caught.value.directories == tuple(places)


def test_neighbours_with_a_common_beginning_do_not_overlap(tmp_path: Path) -> None:
    three_files(tmp_path)
    validated(tmp_path, **make_job(files=THREE, output=["out", "out 2", "outside/out"]))


# --------------------------------------------------------------------------- types of the blocks

ANY_ERROR_OF = {
    "files": SourceValidationError,
    "fields": SourceValidationError,
    "templates": SourceValidationError,
    "tokenizer": TokenizerValidationError,
    "sizes": UnitValidationError,
    "build_batch": UnitValidationError,
    "output": OutputValidationError,
    "samples_per_shard": SamplesPerShardError,
}
WRONG: list[tuple[str, Any]] = [
    *[("files", value) for value in ("in.jsonl", {"in.jsonl"}, [3], [[]], ["a\0b"], 1)],
    *[("fields", value) for value in ("text", ["text"], [[1]], [[]], [["\ud800"]], {"text": 1})],
    *[("templates", value) for value in ("{text}", [1], [None], [["{text}"]], ["\udfff"])],
    *[("tokenizer", value) for value in ("t", 3, [[]], [None], {"path": 1}, {"path": "a\0"})],
    *[("sizes", value) for value in ([8], 8, [[]], [[0]], [[-1]], [[True]], [["8"]], [[8.0]])],
    *[("sizes", value) for value in ([[8, 4]], [[4, 4]], [[2**32]], "88", [[None]])],
    *[("build_batch", value) for value in (4, [0], [-1], [True], [1.0], ["4"], [None])],
    *[("output", value) for value in (3, [3], "", ["a\0"], {"a"}, b"out")],
    *[("samples_per_shard", value) for value in (10, [0], [-1], [True], ["1"], [2.0], [None])],
]


@pytest.mark.parametrize(("block", "value"), WRONG, ids=[f"{b}={v!r}" for b, v in WRONG])
def test_a_value_of_the_wrong_type_is_the_error_of_its_block(
    tmp_path: Path, block: str, value: Any
) -> None:
    three_files(tmp_path)
    with pytest.raises(ANY_ERROR_OF[block]) as caught:
        validated(tmp_path, **make_job(files=THREE) | {block: value})
    assert str(caught.value)


def test_tuples_are_as_good_as_lists(tmp_path: Path) -> None:
    three_files(tmp_path)
    lists = make_job(files=THREE, output=["x", "y", "z"])
    tuples = {key: tuple(v) if isinstance(v, list) else v for key, v in lists.items()}
    tuples["sizes"], tuples["fields"] = ((8, 16, 32),), (("text",),)
    assert validated(tmp_path, **tuples) == validated(tmp_path, **lists)


def test_integers_of_numpy_are_integers(tmp_path: Path) -> None:
    import numpy as np

    three_files(tmp_path)
    job = make_job(files=THREE, sizes=[[8, 16]], build_batch=[4], samples_per_shard=[10])
    same = {"sizes": [[np.int64(8), np.uint16(16)]], "build_batch": [np.int32(4)]}
    assert validated(tmp_path, **job | same) == validated(tmp_path, **job)


@pytest.mark.parametrize("number", [2**63 - 1, 2**63, 10**30])
def test_numbers_of_samples_may_be_as_large_as_one_likes(tmp_path: Path, number: int) -> None:
    """ "All in one shard", said with a big number."""
    three_files(tmp_path)
    job = make_job(files=THREE, build_batch=[number], samples_per_shard=[number])
    assert worlds.run_job(tmp_path, **job).outputs[0].total_samples == 6


def test_a_unit_size_beyond_all_measure_is_refused_in_words(tmp_path: Path) -> None:
    three_files(tmp_path)
    with pytest.raises(UnitValidationError) as caught:
        validated(tmp_path, **make_job(files=THREE, sizes=[[10**5000]]))
    assert str(caught.value)


# ------------------------------------------------------------------------------ order of checks

# Every step with a job that fails at it; each is put on top of all later ones.
STEPS: list[tuple[type[MintDimConfigError], dict[str, Any]]] = [
    (PipelineValidationError, {"files": []}),
    (SourceValidationError, {"fields": ["text"]}),
    (TokenizerValidationError, {"tokenizer": {"path": 3}}),
    (UnitValidationError, {"sizes": [[0]]}),
    (SamplesPerShardError, {"samples_per_shard": [0]}),
    (FieldMappingError, {"fields": [["text"]] * 2}),
    (TokenizerMappingError, {"tokenizer": [{"path": "bad"}] * 2}),
    (UnitMappingError, {"build_batch": [1] * 2}),
    (OutputMappingError, {"output": ["full", "x"]}),
    (MintDimFileNotFoundError, {"files": ["a.jsonl", "gone.jsonl", "c.jsonl"]}),
    (MintDimFileNotFoundError, {"tokenizer": {"path": "gone.model"}}),
    (TemplateFieldMismatchError, {"templates": ["ß{text}{more}"]}),
    (OutputValidationError, {"output": "full"}),
    (TokenizerSpecialTokenError, {"tokenizer": {"path": "nopad.model"}}),
    (TemplateTokenizerError, {"templates": ["ß{text}"]}),
]


@pytest.mark.parametrize("step", range(len(STEPS)), ids=[error.__name__ for error, _ in STEPS])
def test_checks_come_in_the_documented_order_and_create_nothing(tmp_path: Path, step: int) -> None:
    three_files(tmp_path)
    write_files(tmp_path, {"full/file": b"", "nopad.model": worlds.spm(pad=False)})
    before = sorted(tmp_path.rglob("*"))
    job = make_job(files=THREE)
    for _, changes in reversed(STEPS[step:]):
        job |= changes
    with pytest.raises(MintDimConfigError) as caught:
        worlds.run_job(tmp_path, **job)
    assert isinstance(caught.value, STEPS[step][0])
    assert sorted(tmp_path.rglob("*")) == before


def test_every_output_is_checked_before_the_first_is_built(tmp_path: Path) -> None:
    write_files(three_files(tmp_path), {"third/file": b""})
    with pytest.raises(OutputValidationError):
        worlds.run_job(tmp_path, **make_job(files=THREE, output=["first", "second", "third"]))
    assert not (tmp_path / "first").exists()


def test_a_source_that_is_a_directory_is_no_file(tmp_path: Path) -> None:
    three_files(tmp_path).joinpath("folder").mkdir()
    for change in ({"files": ["folder"]}, {"tokenizer": {"path": "folder"}}):
        with pytest.raises(MintDimFileNotFoundError):
            validated(tmp_path, **make_job(files=THREE) | change)


@pytest.mark.parametrize("place", ["a.jsonl", "a.jsonl/below", "dangling"])
def test_an_output_in_the_place_of_a_file_is_refused(tmp_path: Path, place: str) -> None:
    three_files(tmp_path).joinpath("dangling").symlink_to("nowhere")
    with pytest.raises(OutputValidationError):
        validated(tmp_path, **make_job(files=THREE, output=place))
