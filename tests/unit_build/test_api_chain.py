"""The fluent chain: it records; `validate()` and `run()` make a frozen config of their own."""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import os
import threading
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

import pytest
import worlds
from worlds import jsonl, make_job, write_files

from mintdim import MintDimConfigError, pipeline
from mintdim.shared.errors import (
    OutputConfigError,
    OutputValidationError,
    PipelineValidationError,
    SourceParseError,
    TokenizerValidationError,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mintdim.pipelines.unit_build.api import UnitBuild

ROWS = [{"text": "abc"}, {"text": "a" * 10}, {"text": "abc"}]


@pytest.fixture(autouse=True)
def root(tmp_path: Path) -> Iterator[Path]:
    """Three samples and a tokenizer of each kind; relative paths start here."""
    tokenizers = {"tok.model": worlds.spm(), "tok.json": worlds.hf_char()}
    write_files(tmp_path, {"in.jsonl": jsonl(*ROWS), **tokenizers})
    with contextlib.chdir(tmp_path):
        yield tmp_path


def source(job: UnitBuild) -> UnitBuild:
    return job.source.jsonl(files=["in.jsonl"], fields=[["text"]], templates=["{text}"])


def tokenizer(job: UnitBuild) -> UnitBuild:
    return job.tokenizer.sentencepiece({"path": "tok.model"})


def units(job: UnitBuild) -> UnitBuild:
    return job.units(sizes=[[8, 16]], build_batch=[2])


def output(job: UnitBuild) -> UnitBuild:
    return job.output.dir("out", samples_per_shard=[2])


BLOCKS = (source, tokenizer, units, output)


def complete() -> UnitBuild:
    job = pipeline("unit-build")
    for block in BLOCKS:
        block(job)
    return job


def tree(root: Path) -> dict[str, bytes]:
    return worlds.read_output(root)


# ---------------------------------------------------------------------------- blocks and orders


@pytest.mark.parametrize(
    "order",
    list(itertools.permutations(BLOCKS)),
    ids=lambda order: " ".join(block.__name__ for block in order),
)
def test_blocks_may_come_in_any_order(order: tuple[Callable[[UnitBuild], UnitBuild], ...]) -> None:
    job = pipeline("unit-build")
    for block in order:
        assert block(job) is job
    assert job.validate() == complete().validate()


def test_every_order_writes_the_same_bytes(root: Path) -> None:
    complete().run()
    job = pipeline("unit-build")
    for block in reversed(BLOCKS):
        block(job)
    job.output.dir("again", samples_per_shard=[2]).run()
    assert tree(root / "out") == tree(root / "again")


def test_a_block_given_again_replaces_the_earlier_one_whole() -> None:
    job = complete()
    job.source.jsonl(files=["gone.jsonl"], fields=[["x"]], templates=["{x}"])
    job.tokenizer.hf_json({"path": "tok.json"})
    job.units(sizes=[[32]], build_batch=[7])
    job.output.dir("elsewhere", samples_per_shard=[5])
    source(job)
    config = job.validate()
    assert config.source.files == ("in.jsonl",)
    assert (config.tokenizer.kind, config.tokenizer.paths) == ("hf_json", ("tok.json",))
    assert (config.units.sizes, config.units.build_batch) == (((32,),), (7,))
    assert config.output.directories == ("elsewhere",)


def test_an_argument_left_out_the_second_time_is_missing() -> None:
    with pytest.raises(PipelineValidationError) as caught:
        complete().units(sizes=[[8]]).validate()
    assert caught.value.missing == ("units.build_batch",)


EVERY_ARGUMENT = (
    "source.files",
    "source.fields",
    "source.templates",
    "tokenizer",
    "units.sizes",
    "units.build_batch",
    "output.dir",
    "output.samples_per_shard",
)


def test_what_was_never_declared_is_listed_in_one_order() -> None:
    with pytest.raises(PipelineValidationError) as caught:
        pipeline("unit-build").run()
    assert caught.value.missing == EVERY_ARGUMENT


def test_blocks_without_arguments_are_as_missing_as_blocks_never_called() -> None:
    job = pipeline("unit-build")
    job.source.jsonl().tokenizer.sentencepiece().units().output.dir()
    with pytest.raises(PipelineValidationError) as caught:
        job.validate()
    assert caught.value.missing == EVERY_ARGUMENT


def test_an_empty_list_counts_as_missing() -> None:
    job = pipeline("unit-build").source.jsonl(files=[], fields=[], templates=[])
    job.tokenizer.hf_json([]).units(sizes=[], build_batch=[]).output.dir([], samples_per_shard=[])
    with pytest.raises(PipelineValidationError) as caught:
        job.validate()
    assert caught.value.missing == EVERY_ARGUMENT


# -------------------------------------------------------------------------- the builder, reused


def test_a_job_may_be_edited_after_run_and_run_again_into_another_directory(root: Path) -> None:
    job = complete()
    first = job.run()
    job.units(sizes=[[16]], build_batch=[1]).output.dir("second", samples_per_shard=[3])
    second = job.run()
    assert [unit.unit_size for unit in first.outputs[0].units] == [8, 16]
    assert [unit.unit_size for unit in second.outputs[0].units] == [16]
    assert (root / "out" / "manifest.json").exists()
    assert (root / "second" / "manifest.json").exists()


def test_edits_of_the_job_and_of_its_lists_never_reach_a_config_that_exists() -> None:
    files, fields, templates = ["in.jsonl"], [["text"]], ["{text}"]
    entry, sizes, batch, directories, shard = {"path": "tok.model"}, [[8, 16]], [2], ["out"], [2]
    job = pipeline("unit-build").source.jsonl(files=files, fields=fields, templates=templates)
    job.tokenizer.sentencepiece(entry).units(sizes=sizes, build_batch=batch)
    job.output.dir(directories, samples_per_shard=shard)
    config = job.validate()
    for values in (files, fields[0], fields, templates, sizes[0], sizes, batch, directories, shard):
        values.clear()
    entry.clear()
    job.units(sizes=[[64]], build_batch=[1])
    assert config == complete().validate()


def leaves(value: Any) -> Iterator[Any]:
    """What a value is made of, through frozen dataclasses and tuples."""
    if dataclasses.is_dataclass(value):
        parameters = type(value).__dataclass_params__  # type: ignore[attr-defined]
        assert parameters.frozen, type(value)
        for field in dataclasses.fields(value):
            yield from leaves(getattr(value, field.name))
    elif type(value) is tuple:
        for entry in value:
            yield from leaves(entry)
    else:
        yield value


def test_a_config_is_made_of_tuples_strings_and_integers_all_the_way_down() -> None:
    config = complete().validate()
    assert {type(leaf) for leaf in leaves(config)} == {str, int}
    hash(config)


def test_a_config_cannot_be_assigned_to() -> None:
    config = complete().validate()
    for part in (
        config,
        config.source,
        config.units,
        config.sessions[0],
        config.sessions[0].jobs[0],
    ):
        name = dataclasses.fields(part)[0].name
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(part, name, None)


# ------------------------------------------------------------------------------ validate and run


def test_declaring_a_job_looks_at_no_file(root: Path) -> None:
    (root / "empty").mkdir()
    with contextlib.chdir(root / "empty"):
        job = complete()
    assert job.run().outputs[0].total_samples == 3


def test_validate_builds_nothing(root: Path) -> None:
    before = sorted(root.rglob("*"))
    complete().validate()
    assert sorted(root.rglob("*")) == before


def test_validate_may_be_called_again_and_before_run() -> None:
    job = complete()
    assert job.validate() == job.validate()
    assert job.run().outputs[0].total_samples == 3


def test_a_second_run_into_the_same_directory_is_refused_and_leaves_the_first(root: Path) -> None:
    job = complete()
    job.run()
    before = tree(root / "out")
    with pytest.raises(OutputValidationError) as caught:
        job.run()
    assert caught.value.directory == "out"
    assert tree(root / "out") == before


def test_a_directory_with_a_failed_build_is_refused_as_well(root: Path) -> None:
    write_files(root, {"in.jsonl": b"{"})
    with pytest.raises(SourceParseError):
        complete().run()
    with pytest.raises(OutputValidationError):
        complete().run()


def test_an_empty_directory_is_as_good_as_a_new_one(root: Path) -> None:
    (root / "out").mkdir()
    complete().run()
    assert (root / "out" / "manifest.json").exists()


@pytest.mark.parametrize("name", [".hidden", "sub/.keep"])
def test_a_directory_that_holds_anything_is_refused(root: Path, name: str) -> None:
    write_files(root, {f"out/{name}": b""})
    with pytest.raises(OutputValidationError):
        complete().run()
    assert set(tree(root / "out")) == {name}


def test_a_job_builds_in_another_thread_as_in_this_one(root: Path) -> None:
    complete().run()
    job = complete().output.dir("thread", samples_per_shard=[2])
    results: list[Any] = []
    thread = threading.Thread(target=lambda: results.append(job.run()))
    thread.start()
    thread.join()
    assert results[0].outputs[0].total_samples == 3
    assert tree(root / "thread") == tree(root / "out")


# ------------------------------------------------------------------------------------ the result


def test_the_result_counts_what_was_built() -> None:
    (built,) = complete().run().outputs
    assert (built.output_dir, built.total_samples, built.total_tokens) == ("out", 3, 16)
    assert (built.samples_with_unk, built.unk_tokens) == (0, 0)
    assert (built.duplicate_groups, built.duplicate_samples) == (1, 2)
    assert built.unit_counts == {8: 2, 16: 1}
    facts = [(u.unit_size, u.samples, u.tokens, u.slots, u.shards) for u in built.units]
    assert facts == [(8, 2, 6, 16, 1), (16, 1, 10, 16, 1)]
    assert built.padding_share == 1 - 16 / 32


def test_a_unit_without_samples_counts_0(root: Path) -> None:
    write_files(root, {"in.jsonl": jsonl({"text": "ß"})})
    (built,) = complete().run().outputs
    assert built.unit_counts == {8: 1, 16: 0}
    assert (built.samples_with_unk, built.unk_tokens) == (1, 1)


def test_an_empty_data_set_has_no_padding_share_to_speak_of(root: Path) -> None:
    write_files(root, {"in.jsonl": b""})
    (built,) = complete().run().outputs
    assert (built.total_samples, built.padding_share) == (0, 0.0)
    assert "total" in str(built)


def test_the_result_is_frozen_all_the_way_down() -> None:
    result = complete().run()
    assert {type(leaf) for leaf in leaves(result)} == {str, int}
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.outputs = ()  # type: ignore[misc]


def test_outputs_stand_in_the_order_of_their_declaration() -> None:
    job = complete().source.jsonl(["in.jsonl"] * 3, fields=[["text"]], templates=["{text}"])
    result = job.output.dir(["c", "a", "b"], samples_per_shard=[2]).run()
    assert [built.output_dir for built in result.outputs] == ["c", "a", "b"]


def test_a_printed_result_is_a_table_of_its_units() -> None:
    assert str(complete().run()) == (
        "out\n"
        "   unit  samples  tokens  padding  shards\n"
        "      8        2       6    62.5%       1\n"
        "     16        1      10    37.5%       1\n"
        "  total        3      16    50.0%       2\n"
        "\n"
        "  duplicates  2 samples in 1 groups\n"
        "  UNK         0 tokens in 0 samples"
    )


# ----------------------------------------------------------------------------------------- paths


class Elsewhere(os.PathLike[str]):
    """A path of a kind of its own."""

    def __init__(self, path: str) -> None:
        self._path = path

    def __fspath__(self) -> str:
        return self._path


@pytest.mark.parametrize("kind", [str, Path, PurePath, Elsewhere])
def test_paths_may_be_strings_or_path_likes(kind: Any) -> None:
    job = complete()
    job.source.jsonl(files=[kind("in.jsonl")], fields=[["text"]], templates=["{text}"])
    job.tokenizer.sentencepiece({"path": kind("tok.model")})
    job.output.dir(kind("out"), samples_per_shard=[2])
    assert job.validate() == complete().validate()


@pytest.mark.parametrize("value", [b"in.jsonl", 3, None, ""])
def test_anything_else_is_no_path(value: Any) -> None:
    changes = [
        lambda job: job.source.jsonl([value], fields=[["text"]], templates=["{text}"]),
        lambda job: job.tokenizer.sentencepiece({"path": value}),
        lambda job: job.output.dir([value], samples_per_shard=[2]),
    ]
    for change in changes:
        with pytest.raises(MintDimConfigError):
            change(complete()).validate()


def test_paths_are_recorded_exactly_as_given(root: Path) -> None:
    write_files(root, {"data/in.jsonl": jsonl(*ROWS)})
    given = "./data/../data//in.jsonl"
    job = complete().source.jsonl(files=[given], fields=[["text"]], templates=["{text}"])
    job.tokenizer.sentencepiece({"path": ".//tok.model"})
    result = job.output.dir("./out/.", samples_per_shard=[2]).run()
    assert result.outputs[0].output_dir == "./out/."
    found = tree(root / "out")
    for name in ("manifest.json", "sample_index.jsonl", "duplicate_index.jsonl"):
        assert f'"{given}"'.encode() in found[name]
    assert b'".//tok.model"' in found["manifest.json"]
    assert not any(str(root).encode() in content for content in found.values())


def test_absolute_paths_are_recorded_as_given_too(root: Path) -> None:
    given = str(root / "in.jsonl")
    job = complete().source.jsonl(files=[given], fields=[["text"]], templates=["{text}"])
    job.output.dir(root / "out", samples_per_shard=[2]).run()
    assert f'"{given}"'.encode() in tree(root / "out")["sample_index.jsonl"]


def test_relative_paths_start_at_the_working_directory_of_the_run(root: Path) -> None:
    job = complete()  # declared in one directory, run in another
    there = write_files(root / "there", tree(root))
    write_files(there, {"in.jsonl": jsonl({"text": "x"})})
    with contextlib.chdir(there):
        assert job.run().outputs[0].total_samples == 1
    assert (there / "out" / "manifest.json").exists()
    assert not (root / "out").exists()


def test_a_config_keeps_the_working_directory_of_its_validation(root: Path) -> None:
    config = complete().validate()
    assert config.sessions[0].absolute == str(root / "out")
    assert config.sessions[0].jobs[0].source.absolute == str(root / "in.jsonl")


@pytest.mark.parametrize("name", ["path", "paths"])
@pytest.mark.parametrize("value", ["out", ["out"], ("out",)])
def test_path_and_paths_are_two_names_of_one_argument(name: str, value: Any) -> None:
    job = complete().output.dir(**{name: value}, samples_per_shard=[2])
    assert job.validate() == complete().validate()


def test_path_and_paths_together_are_refused() -> None:
    with pytest.raises(OutputConfigError):
        complete().output.dir("a", samples_per_shard=[2], paths=["b"]).validate()


def test_a_tokenizer_entry_is_a_dict_with_a_path_and_nothing_else() -> None:
    for entry in ("tok.model", {"file": "tok.model"}, {"path": "tok.model", "pad_id": 1}, {}):
        with pytest.raises(TokenizerValidationError):
            complete().tokenizer.sentencepiece(entry).validate()  # type: ignore[arg-type]


def test_both_kinds_of_tokenizer_build(root: Path) -> None:
    for kind in ("sentencepiece", "hf_json"):
        worlds.run_job(root, **make_job(tokenizer_type=kind, output=kind))
        assert (root / kind / "manifest.json").exists()
