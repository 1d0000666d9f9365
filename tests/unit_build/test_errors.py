"""Every error of MintDim: raised by what really causes it, in the words that were specified.

`EXAMPLES` holds one situation per kind of error. The specification's own texts
(tests/data/spec_errors.txt) are compared to the letter; docs/errors.md shows the same situations
and is compared with them too.
"""

from __future__ import annotations

import contextlib
import copy
import errno
import logging
import os
import pickle
import re
import signal
import subprocess
import sys
from dataclasses import dataclass, fields
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import numpy as np
import pytest
import worlds
from worlds import jsonl, make_job, write_files

import mintdim
from mintdim.cli.job_file import read_job
from mintdim.engines.processes import ProcessEngine
from mintdim.formats.shards import token_dtype
from mintdim.shared import errors as E  # noqa: N812
from mintdim.shared.errors import MintDimConfigError, MintDimError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

TESTS = Path(__file__).parents[1]
LANGUAGES = ("en", "vi")
IN_THE_DOCS = "/home/you/project"  # stands for the working directory in docs/errors.md

# ------------------------------------------------------------------------------------ the texts


@pytest.fixture(autouse=True)
def _language_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.delenv("MINTDIM_LANG", raising=False)
    yield
    mintdim.set_language(None)


def text_of(error: MintDimError, language: str) -> str:
    mintdim.set_language(language)  # type: ignore[arg-type]
    try:
        return str(error)
    finally:
        mintdim.set_language(None)


@dataclass(frozen=True)
class Specified:
    """One text of the specification: `number` is that of its section."""

    number: int
    language: str
    name: str
    text: str


def specified_texts() -> list[Specified]:
    """Blocks begin at [english] or [vietnam]; a heading or the next number ends them."""
    found, number, block, language = [], 0, [], ""

    def close() -> None:
        text = "\n".join(block).strip("\n")
        if text:
            found.append(Specified(number, language, text.partition(":\n")[0], text))
        block.clear()

    for line in (TESTS / "data" / "spec_errors.txt").read_text("utf-8").splitlines():
        if re.fullmatch(r"\d+\.", line) or line.startswith(("[", "Example — ")):
            close()
            language = {"[english]": "en", "[vietnam]": "vi"}.get(line, "")
            number = int(line[:-1]) if line.endswith(".") else number
        elif language:
            block.append(line)
    close()
    return found


# ----------------------------------------------------------------------------------- situations


@dataclass(frozen=True)
class Example:
    """A situation that raises `kind`; `number` is that of the specification, if it has one."""

    kind: type[MintDimError]
    cause: Callable[[Path], MintDimError]
    number: int | None

    @property
    def name(self) -> str:
        return f"{self.kind.__name__}-{self.cause.__name__}"


EXAMPLES: list[Example] = []


def raises(kind: type[MintDimError], number: int | None = None) -> Callable[[Any], Any]:
    """Register a situation: a function that provokes the error in an empty working folder."""

    def register(cause: Callable[[Path], MintDimError]) -> Callable[[Path], MintDimError]:
        EXAMPLES.append(Example(kind, cause, number))
        return cause

    return register


def tree(root: Path) -> dict[str, int]:
    return {str(path.relative_to(root)): path.lstat().st_mtime_ns for path in root.rglob("*")}


def failure(job: Any) -> MintDimError:
    """The error of `job.run()`; a mistake in the declaration leaves the disk as it was."""
    before = tree(Path.cwd())
    with pytest.raises(MintDimError) as caught:
        job.run()
    if isinstance(caught.value, MintDimConfigError):
        assert tree(Path.cwd()) == before
    return caught.value


def fails(files: dict[str, bytes | str] | None = None, /, **changes: Any) -> MintDimError:
    """The error of `make_job(**changes)` in the working folder, with `files` beside the usual."""
    usual = {"in.jsonl": jsonl({"text": "ab"}), "tok.model": worlds.spm()}
    write_files(Path.cwd(), {**usual, "tok.json": worlds.hf_char(), **(files or {})})
    return failure(worlds.declare(make_job(**changes)))


@contextlib.contextmanager
def at_the_first_shard(action: Callable[[], object]) -> Iterator[None]:
    """Do `action` in the middle of a build: when its first shard is closed."""
    done = []

    class Handler(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if "] shard=" in record.getMessage() and not done:
                done.append(action())

    logger, handler = logging.getLogger("mintdim"), Handler()
    level = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)


def at_line(number: int, line: str) -> str:
    """A JSONL file whose only line that is not blank is `number`."""
    return "\n" * (number - 1) + line + "\n"


ALPACA = {
    "files": ["./data/alpaca.jsonl"],
    "fields": [["instruction", "input", "output"]],
    "templates": ["{instruction}\n\n{input}\n\n{output}"],
}
THREE = {"files": ["./data/a.jsonl", "./data/b.jsonl", "./data/c.jsonl"]}
ONE_SHARD_EACH = {"samples_per_shard": [1]}
# A regular expression on which the library of the tokenizer gives up, and a text that does it.
ENDLESS = {"type": "Split", "pattern": {"Regex": "(a+)+b"}, "behavior": "Isolated", "invert": False}
HOPELESS = "a" * 60


def hopeless_tokenizer() -> bytes:
    model = worlds.word_level(worlds.numbered(*worlds.ALPHABET))
    return worlds.tokenizer_json(model, pre_tokenizer=ENDLESS)


@raises(E.LanguageError)
def a_language_that_is_not_spoken(root: Path) -> MintDimError:
    with pytest.raises(E.LanguageError) as caught:
        mintdim.set_language("de")  # type: ignore[arg-type]
    return caught.value


@raises(E.PipelineValidationError, 1)
def nothing_declared(root: Path) -> MintDimError:
    return failure(mintdim.pipeline("unit-build"))


@raises(E.UnknownPipelineError)
def a_pipeline_that_does_not_exist(root: Path) -> MintDimError:
    with pytest.raises(E.UnknownPipelineError) as caught:
        mintdim.pipeline("unit-bild")
    return caught.value


@raises(E.MintDimFileNotFoundError, 2)
def no_source_file(root: Path) -> MintDimError:
    return fails(files=["./data/train.jsonl"])


@raises(E.NotAFileError)
def a_directory_as_source(root: Path) -> MintDimError:
    return fails({"data/train.jsonl": ""}, files=["./data"])


@raises(E.SourceParseError, 3)
def a_line_that_is_not_json(root: Path) -> MintDimError:
    return fails({"data/alpaca.jsonl": at_line(18291, '{"instruction": "Add",')}, **ALPACA)


@raises(E.SampleSchemaError, 4)
def a_sample_without_a_declared_field(root: Path) -> MintDimError:
    row = '{"instruction": "Add 1 and 2", "output": "3", "metadata": {}}'
    return fails({"data/alpaca.jsonl": at_line(18291, row)}, **ALPACA)


@raises(E.SampleFieldTypeError)
def a_field_that_holds_null(root: Path) -> MintDimError:
    row = '{"instruction": "Add 1 and 2", "input": null, "output": "3"}'
    return fails({"data/alpaca.jsonl": at_line(18291, row)}, **ALPACA)


@raises(E.SourceValidationError)
def fields_that_are_not_a_list_of_lists(root: Path) -> MintDimError:
    return fails(fields=["text"])


@raises(E.SourceReadError)
def a_source_that_is_gone_when_its_turn_comes(root: Path) -> MintDimError:
    two = {"data/a.jsonl": jsonl({"text": "a"}), "data/b.jsonl": jsonl({"text": "b"})}
    with at_the_first_shard((root / "data/b.jsonl").unlink):
        return fails(two, files=["./data/a.jsonl", "./data/b.jsonl"], **ONE_SHARD_EACH)


@raises(E.SourceChangedError)
def a_source_that_grows_during_the_build(root: Path) -> MintDimError:
    path = root / "data/train.jsonl"
    with at_the_first_shard(lambda: path.write_bytes(path.read_bytes() + b'{"text": "late"}\n')):
        rows = {"data/train.jsonl": jsonl({"text": "early"})}
        return fails(rows, files=["./data/train.jsonl"], **ONE_SHARD_EACH)


@raises(E.TokenizerValidationError, 5)
def a_pad_id_declared_by_hand(root: Path) -> MintDimError:
    return fails(tokenizer={"path": "./tokenizer/tokenizer.model", "pad_id": 1})


@raises(E.TokenizerSpecialTokenError, 5)
def a_model_without_a_padding_token(root: Path) -> MintDimError:
    path = "./tokenizer/tokenizer.model"
    return fails({path: worlds.spm(pad=False)}, tokenizer={"path": path})


@raises(E.TokenizerValidationError, 6)
def an_empty_tokenizer_file(root: Path) -> MintDimError:
    path = "./tokenizer/tokenizer.model"
    return fails({path: b""}, tokenizer={"path": path})


def prepared(file: str, content: bytes, **wanted: Any) -> MintDimError:
    """The error of `prepare_tokenizer`, which leaves nothing behind."""
    write_files(Path.cwd(), {file: content})
    before = tree(Path.cwd())
    with pytest.raises(MintDimError) as caught:
        mintdim.prepare_tokenizer(file, f"ready{Path(file).suffix}", **wanted)
    assert tree(Path.cwd()) == before
    return caught.value


@raises(E.TokenizerPrepareError)
def another_unknown_piece_for_a_model(root: Path) -> MintDimError:
    return prepared("./tokenizer/tokenizer.model", worlds.spm(pad=False), unk="<s>")


@raises(E.TokenizerPrepareMissingError)
def a_copy_with_neither_pad_nor_unk(root: Path) -> MintDimError:
    end = worlds.added_token(2, "<|endoftext|>")
    model = worlds.bpe({"a": 0, "b": 1}, [], unk_token=None)
    document = worlds.tokenizer_json(model, padding=None, added_tokens=[end])
    return prepared("./tokenizer/tokenizer.json", document)


@raises(E.TokenizerPrepareProofError)
def a_new_entry_that_is_a_word_of_the_data(root: Path) -> MintDimError:
    words = worlds.word_level(worlds.numbered("a", "b"))
    document = worlds.tokenizer_json(words, padding=None, pre_tokenizer={"type": "WhitespaceSplit"})
    return prepared("./tokenizer/tokenizer.json", document, pad="<pad>")


@raises(E.MissingLibraryError)
def a_model_without_protobuf(root: Path) -> MintDimError:
    with patch.dict(sys.modules, {"google.protobuf": None}):
        sys.modules.pop("sentencepiece.sentencepiece_model_pb2", None)
        return prepared("./tokenizer/tokenizer.model", worlds.spm(pad=False), pad="<pad>")


@raises(E.OutputFileExistsError)
def a_copy_onto_its_original(root: Path) -> MintDimError:
    path = "./tokenizer/tokenizer.model"
    write_files(root, {path: worlds.spm()})
    with pytest.raises(MintDimError) as caught:
        mintdim.prepare_tokenizer(path, path)
    return caught.value


@raises(E.TokenizerMappingError, 7)
def three_files_and_two_tokenizers(root: Path) -> MintDimError:
    return fails(**THREE, tokenizer=[{"path": "tok.model"}] * 2)


@raises(E.FieldMappingError, 8)
def three_files_and_two_lists_of_fields(root: Path) -> MintDimError:
    return fails(**THREE, fields=[["text"]] * 2)


@raises(E.TemplateMappingError, 9)
def three_files_and_two_templates(root: Path) -> MintDimError:
    return fails(**THREE, templates=["{text}"] * 2)


@raises(E.TemplateFieldMismatchError, 10)
def a_template_that_uses_an_undeclared_field(root: Path) -> MintDimError:
    return fails(
        {"data/train.jsonl": ""},
        files=["./data/train.jsonl"],
        fields=[["instruction", "input", "output"]],
        templates=["{instruction}\n\n{prompt}\n\n{output}"],
    )


@raises(E.TemplateTokenizerError, 11)
def a_template_with_line_ends_that_the_tokenizer_lacks(root: Path) -> MintDimError:
    letters = {"letters.model": worlds.spm(alphabet="abc")}
    return fails(
        letters,
        fields=[["a", "b"]],
        templates=["{a}\n\n{b}"],
        tokenizer={"path": "letters.model"},
    )


@raises(E.TokenizerEncodeError)
def a_text_on_which_the_tokenizer_library_gives_up(root: Path) -> MintDimError:
    files = {"data/train.jsonl": at_line(7, f'{{"text": "{HOPELESS}"}}')}
    return fails(
        {**files, "tokenizer/tokenizer.json": hopeless_tokenizer()},
        files=["./data/train.jsonl"],
        tokenizer_type="hf_json",
        tokenizer={"path": "./tokenizer/tokenizer.json"},
    )


@raises(E.TokenizerChangedError)
def a_tokenizer_that_is_replaced_during_the_build(root: Path) -> MintDimError:
    """More tokenizers than a process keeps open: the second is read again when it is needed."""
    names = [f"tokenizer/{i}.model" for i in range(6)]
    models = {name: worlds.spm(alphabet="ab" + "cdefgh"[:i]) for i, name in enumerate(names)}
    with at_the_first_shard(lambda: (root / names[1]).write_bytes(worlds.spm())):
        return fails(
            models,
            files=["in.jsonl"] * 6,
            tokenizer=[{"path": name} for name in names],
            output=[f"out{i}" for i in range(6)],
        )


@raises(E.UnitMappingError, 12)
def three_files_and_two_lists_of_sizes(root: Path) -> MintDimError:
    return fails(**THREE, sizes=[[8, 16]] * 2)


@raises(E.OutputMappingError, 13)
def three_files_and_two_outputs(root: Path) -> MintDimError:
    return fails(**THREE, output=["out1", "out2"])


@raises(E.OutputOverlapError)
def an_output_inside_another(root: Path) -> MintDimError:
    directories = ["./artifacts/units", "./artifacts/units/chat"]
    return fails(files=["in.jsonl", "in.jsonl"], output=directories)


@raises(E.OutputTokenizerError)
def two_tokenizers_in_one_output(root: Path) -> MintDimError:
    paths = ["./tokenizer/a.model", "./tokenizer/b.model"]
    return fails(
        {paths[0]: worlds.spm(), paths[1]: worlds.spm(alphabet="ab")},
        files=["in.jsonl", "in.jsonl"],
        tokenizer=[{"path": path} for path in paths],
        output="./artifacts/units",
    )


@raises(E.UnitValidationError, 14)
def sizes_that_do_not_ascend(root: Path) -> MintDimError:
    return fails(sizes=[[128, 320, 256]])


@raises(E.UnitOverflowError, 15)
def a_sample_of_417_tokens_and_units_up_to_320(root: Path) -> MintDimError:
    row = '{"instruction": "", "input": "", "output": "' + "x" * 417 + '"}'
    return fails(
        {"data/alpaca.jsonl": at_line(18291, row)},
        **ALPACA | {"templates": ["{instruction}{input}{output}"]},
        sizes=[[128, 192, 256, 320]],
    )


@raises(E.OutputValidationError, 16)
def an_output_directory_that_is_not_empty(root: Path) -> MintDimError:
    return fails({"artifacts/token_shards/notes.txt": "mine"}, output="./artifacts/token_shards")


@raises(E.OutputNotADirectoryError)
def an_output_path_that_is_a_file(root: Path) -> MintDimError:
    return fails({"artifacts/units": "mine"}, output="./artifacts/units")


@raises(E.OutputConfigError)
def an_output_that_is_no_path(root: Path) -> MintDimError:
    return fails(output=["./artifacts/units", 2])


@raises(E.TokenDTypeValidationError, 17)
def a_vocabulary_beyond_uint32(root: Path) -> MintDimError:
    with pytest.raises(E.TokenDTypeValidationError) as caught:
        token_dtype(2**32 + 1)
    return caught.value


@raises(E.SamplesPerShardError, 18)
def a_shard_of_no_samples(root: Path) -> MintDimError:
    return fails(samples_per_shard=[0])


@raises(E.SamplesPerShardError, 18)
def three_files_and_two_shard_lengths(root: Path) -> MintDimError:
    return fails(**THREE, samples_per_shard=[10, 10])


@raises(E.OutputWriteError)
def a_full_disk(root: Path) -> MintDimError:
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    with patch("os.write", side_effect=full):
        return fails(output="./artifacts/units")


def opened(change: Callable[[Path], object] = lambda path: None) -> Any:
    """A dataset of two samples in `./artifacts/units`, opened after `change` of its directory."""
    write_files(Path.cwd(), {"in.jsonl": jsonl({"text": "ab"}, {"text": "abc"})})
    write_files(Path.cwd(), {"tok.model": worlds.spm()})
    worlds.declare(make_job(output="./artifacts/units")).run()
    change(Path("artifacts/units"))
    return mintdim.open("./artifacts/units")


@raises(E.NotADatasetError)
def a_directory_of_a_build_that_has_not_ended(root: Path) -> MintDimError:
    with pytest.raises(E.NotADatasetError) as caught:
        opened(lambda path: (path / "manifest.json").unlink())
    return caught.value


@raises(E.DatasetDamagedError)
def a_shard_that_was_copied_in_part(root: Path) -> MintDimError:
    with pytest.raises(E.DatasetDamagedError) as caught:
        opened(lambda path: os.truncate(path / "unit_8" / "shard_000000.bin", 20))
    return caught.value


@raises(E.DatasetArgumentError)
def batches_of_two_sizes_at_once(root: Path) -> MintDimError:
    with pytest.raises(E.DatasetArgumentError) as caught:
        opened().batches(batch_size=64, tokens_per_batch=8192)
    return caught.value


@raises(E.DatasetStateError)
def a_state_of_other_batches(root: Path) -> MintDimError:
    dataset = opened()
    state = dataset.batches(batch_size=64).state_dict()
    with pytest.raises(E.DatasetStateError) as caught:
        dataset.batches(batch_size=32).load_state_dict(state)
    return caught.value


@raises(E.EngineValidationError)
def no_worker_at_all(root: Path) -> MintDimError:
    write_files(root, {"in.jsonl": jsonl({"text": "ab"}), "tok.model": worlds.spm()})
    return failure(worlds.declare(make_job()).engine.processes(workers=0))


@raises(E.EngineError)
def a_worker_that_dies_every_time(root: Path) -> MintDimError:
    with pytest.raises(E.EngineError) as caught:
        list(ProcessEngine(1).map(os._exit, [7]))
    return caught.value


def streamed(*rows: dict[str, Any], eos: bool = True) -> Any:
    """A job of stream-build over a file with five empty lines before `rows`, split by time."""
    texts = rows or ({"text": "ab"},)
    files = {"data/news.jsonl": b"\n" * 5 + jsonl(*texts), "sp.model": worlds.spm(eos=eos)}
    write_files(Path.cwd(), files)
    job = mintdim.pipeline("stream-build").source.jsonl(
        files=["./data/news.jsonl"], fields=[["text"]], templates=["{text}"]
    )
    job.documents(time="published").tokenizer.sentencepiece({"path": "./sp.model"})
    job.splits.per_language_count(0, 0, as_of="2026-10-10T00:00:00", future="error")
    return job.shards(tokens=100, seed=1).output.dir("./artifacts/news_shards")


@raises(E.DocumentsValidationError)
def languages_without_the_key_they_stand_under(root: Path) -> MintDimError:
    return failure(streamed().documents(languages=["en", "de"]))


@raises(E.SplitsValidationError)
def documents_split_by_a_time_that_no_field_holds(root: Path) -> MintDimError:
    return failure(streamed().documents())


@raises(E.ShardsValidationError)
def shards_of_no_tokens(root: Path) -> MintDimError:
    return failure(streamed().shards(tokens=0, seed=1))


@raises(E.SplitError)
def fewer_dated_documents_than_were_asked_for(root: Path) -> MintDimError:
    rows = [{"text": "ab", "published": f"2026-10-0{day}"} for day in (1, 2)]
    return failure(streamed(*rows).splits.per_language_count(test_docs=3, val_docs=2))


@raises(E.TokenizerEosError)
def a_model_without_an_end(root: Path) -> MintDimError:
    return failure(streamed(eos=False))


@raises(E.DocumentError)
def a_document_from_the_future(root: Path) -> MintDimError:
    return failure(streamed({"text": "ab"}, {"text": "cd", "published": "2027-01-01"}))


@raises(E.DocumentError)
def a_text_that_holds_the_token_of_its_end(root: Path) -> MintDimError:
    job = streamed({"text": "ab"}, {"text": "ab</s>"})
    write_files(root, {"tok.json": worlds.hf_with_post_processor()})
    return failure(job.tokenizer.hf_json({"path": "./tok.json"}, eos="</s>"))


@raises(E.JobFileError)
def a_key_that_no_block_knows(root: Path) -> MintDimError:
    write_files(root, {"job.toml": "[units]\nsize = [[128]]\n"})
    with pytest.raises(E.JobFileError) as caught:
        read_job("job.toml")
    return caught.value


@raises(E.FetchArgumentError)
def an_origin_that_is_no_web_address(root: Path) -> MintDimError:
    with pytest.raises(E.FetchArgumentError) as caught:
        mintdim.fetch("ftp://example.org/news_shards", "news_shards")
    return caught.value


@raises(E.FetchError)
def an_origin_that_is_empty(root: Path) -> MintDimError:
    (root / "origin").mkdir()
    with patch("time.monotonic", return_value=0.0), pytest.raises(E.FetchError) as caught:
        mintdim.fetch((root / "origin").as_uri(), "news_shards")
    return caught.value


@raises(E.BuildInterruptedError)
def a_signal_to_a_program_that_handles_it(root: Path) -> MintDimError:
    """The handler of the program runs and returns; then the error tells what happened."""
    seen: list[int] = []
    earlier = signal.signal(signal.SIGTERM, lambda number, frame: seen.append(number))
    try:
        with at_the_first_shard(lambda: signal.raise_signal(signal.SIGTERM)):
            error = fails(output="./artifacts/units", **ONE_SHARD_EACH)
    finally:
        signal.signal(signal.SIGTERM, earlier)
    assert seen == [signal.SIGTERM]
    return error


@pytest.fixture(scope="module")
def provoke(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The error of an example and the folder in which it happened; each is provoked once."""
    known: dict[str, tuple[MintDimError, Path]] = {}

    def get(example: Example) -> tuple[MintDimError, Path]:
        if example.name not in known:
            root = tmp_path_factory.mktemp("world")
            with contextlib.chdir(root):
                known[example.name] = example.cause(root), root
        return known[example.name]

    return get


each_example = pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


# ---------------------------------------------------------------------- the specification's words


def test_the_specification_has_eighteen_errors_in_two_languages() -> None:
    texts = specified_texts()
    assert {text.number for text in texts} == set(range(1, 19))
    english, vietnamese = (
        [(text.number, text.name) for text in texts if text.language == language]
        for language in LANGUAGES
    )
    assert english == vietnamese
    ours = [(e.number, e.kind.__name__) for e in EXAMPLES if e.number is not None]
    assert sorted(english) == sorted(ours)


SPECIFIED = sorted((e for e in EXAMPLES if e.number), key=lambda e: e.number or 0)


@pytest.mark.parametrize("by", ["set_language", "MINTDIM_LANG"])
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("place", range(len(SPECIFIED)), ids=lambda i: SPECIFIED[i].name)
def test_an_error_says_what_is_specified_to_the_letter(
    place: int, language: str, by: str, provoke: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = [text for text in specified_texts() if text.language == language][place].text
    error, _ = provoke(SPECIFIED[place])
    if by == "MINTDIM_LANG":
        monkeypatch.setenv("MINTDIM_LANG", language)
        said = str(error)
    else:
        said = text_of(error, language)
    assert said.startswith(expected)
    assert is_help(said.removeprefix(expected), after_a_reason=SPECIFIED[place].number == 3)


def is_help(rest: str, after_a_reason: bool) -> bool:
    """Nothing, or `Title:` blocks behind blank lines; a reason may go on in its own line."""
    line, *blocks = rest.split("\n\n")
    titled = [re.fullmatch(r"[^\n:]+:\n[^\n].*", block, re.DOTALL) for block in blocks]
    return (line == "" or (after_a_reason and "\n" not in line)) and all(titled)


def test_only_the_blocks_that_are_missing_are_listed(here: Path) -> None:
    job = mintdim.pipeline("unit-build").source.jsonl(files=["a.jsonl"]).units(sizes=[[4]])
    missing = failure(job)
    assert isinstance(missing, E.PipelineValidationError)
    assert missing.missing == (
        "source.fields",
        "source.templates",
        "tokenizer",
        "units.build_batch",
        "output.dir",
        "output.samples_per_shard",
    )
    assert str(missing).endswith("Missing:\n" + "\n".join(f"- {name}" for name in missing.missing))


def test_empty_lists_count_as_missing(here: Path) -> None:
    empty = ("files", "fields", "templates", "tokenizer", "sizes", "build_batch", "output")
    for name in (*empty, "samples_per_shard"):
        assert type(fails(**{name: []})) is E.PipelineValidationError


def test_the_context_of_a_missing_tokenizer_is_tokenizer(here: Path) -> None:
    error = fails(tokenizer={"path": "./tokenizer/none.model"})
    assert isinstance(error, E.MintDimFileNotFoundError)
    assert (error.context, error.file) == ("tokenizer", "./tokenizer/none.model")


def test_a_declared_field_that_the_template_does_not_use_is_named(here: Path) -> None:
    error = fails(
        files=["in.jsonl", "in.jsonl"],
        fields=[["prompt", "answer", "separator", "source"]],
        templates=["{prompt}{separator}{answer}"],
    )
    assert type(error) is E.TemplateFieldMismatchError
    assert (error.field, error.file) == ("source", "in.jsonl")
    assert text_of(error, "en").endswith(
        "Field causing template mismatch:\nsource\nReason:\n"
        "fields declares this field, but template does not use {source}"
    )
    assert text_of(error, "vi").endswith(
        "Field gây lệch template:\nsource\nLý do:\n"
        "fields khai báo field này, nhưng template không dùng {source}"
    )


def test_templates_are_shown_with_json_escapes_and_their_own_letters(here: Path) -> None:
    error = fails(templates=['{text}\t"đây"\n{other}'])
    assert 'template = "{text}\\t\\"đây\\"\\n{other}"' in str(error)


def test_build_batch_of_the_wrong_length_is_a_unit_mapping_error(here: Path) -> None:
    error = fails(**THREE, build_batch=[4, 4])
    assert type(error) is E.UnitMappingError
    assert (error.file_count, error.count) == (3, 2)


# --------------------------------------------------------------------------------- all situations


@each_example
def test_the_cause_raises_exactly_its_class(example: Example, provoke: Any) -> None:
    assert type(provoke(example)[0]) is example.kind


def test_every_class_that_is_not_a_base_has_an_example() -> None:
    bases = {
        MintDimError,
        E.MintDimConfigError,
        E.MintDimDataError,
        E.MintDimDatasetError,
        E.MintDimEnvironmentError,
    }
    assert {example.kind for example in EXAMPLES} == set(public_classes()) - bases


@each_example
def test_both_languages_begin_with_the_class_and_differ_after_it(
    example: Example, provoke: Any
) -> None:
    english, vietnamese = (text_of(provoke(example)[0], language) for language in LANGUAGES)
    first_line = f"{example.kind.__name__}:\n"
    assert english.startswith(first_line)
    assert vietnamese.startswith(first_line)
    assert english.isascii()
    assert not vietnamese.isascii()
    assert english.count("\n") == vietnamese.count("\n")


@each_example
def test_a_pickled_error_keeps_class_facts_and_text(example: Example, provoke: Any) -> None:
    error, _ = provoke(example)
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        assert_same(pickle.loads(pickle.dumps(error, protocol)), error)


@each_example
def test_a_copied_error_keeps_class_facts_and_text(example: Example, provoke: Any) -> None:
    error, _ = provoke(example)
    assert_same(copy.copy(error), error)
    assert_same(copy.deepcopy(error), error)


def assert_same(other: MintDimError, error: MintDimError) -> None:
    assert other is not error
    assert type(other) is type(error)
    assert vars(other) == vars(error)
    assert other.args == error.args
    for language in LANGUAGES:
        assert text_of(other, language) == text_of(error, language)


@each_example
def test_an_error_of_the_data_names_file_and_line(example: Example, provoke: Any) -> None:
    error, _ = provoke(example)
    if isinstance(error, E.MintDimDataError):
        assert error.file.startswith("./data/")
        assert error.line in (7, 18291)


@pytest.mark.parametrize("kind", [E.TokenizerEncodeError, E.SourceReadError, E.OutputWriteError])
def test_an_error_of_library_or_system_stands_behind_ours(
    kind: type[MintDimError], provoke: Any
) -> None:
    error, _ = provoke(next(example for example in EXAMPLES if example.kind is kind))
    expected = ValueError if kind is E.TokenizerEncodeError else OSError
    assert isinstance(error.__cause__, expected)


def test_the_loading_error_of_a_library_stands_behind_ours(here: Path) -> None:
    for kind, name in worlds.EXTENSIONS.items():
        error = fails({name: b"no tokenizer"}, tokenizer_type=kind)
        assert type(error) is E.TokenizerValidationError
        assert error.component == "format"
        assert isinstance(error.__cause__, ValueError)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("in.jsonl", b'{"text": "a"'),
        ("in.jsonl", b'{"text": "\xff"}'),
        ("in.jsonl.gz", b"\x1f\x8b no archive"),
        ("in.jsonl.zst", worlds.zst(jsonl({"text": "a"}))[:-4]),
    ],
    ids=["json", "utf-8", "gzip", "zstd"],
)
def test_what_the_decoder_said_stands_behind_a_parse_error(
    name: str, content: bytes, here: Path
) -> None:
    error = fails({name: content}, files=[name])
    assert type(error) is E.SourceParseError
    assert error.__cause__ is not None


# -------------------------------------------------------------------- variations of a situation


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("null", "null"),
        ("[]", "array"),
        ('["a"]', "array"),
        ("{}", "object"),
        ('{"a": 1}', "object"),
    ],
)
def test_null_arrays_and_objects_are_no_text(value: str, found: str, here: Path) -> None:
    error = fails({"in.jsonl": f'{{"text": {value}}}\n'})
    assert type(error) is E.SampleFieldTypeError
    assert isinstance(error, E.SampleSchemaError)
    assert (error.file, error.line, error.field, error.found) == ("in.jsonl", 1, "text", found)


OVERLAPS = {
    "the same": ("out", "out"),
    "the same, spelled otherwise": ("out", "./x/../out/"),
    "the second inside the first": ("out", "out/a/b"),
    "the first inside the second": ("out/a", "out"),
    "the working folder": (".", "out"),
    "a link to the other": ("out", "link"),
    "inside a link to the other": ("link/a", "out"),
}


@pytest.mark.parametrize("pair", OVERLAPS.values(), ids=OVERLAPS)
def test_outputs_that_overlap_are_refused(pair: tuple[str, str], here: Path) -> None:
    (here / "link").symlink_to(here / "out", target_is_directory=True)
    error = fails(files=["in.jsonl", "in.jsonl"], output=list(pair))
    assert type(error) is E.OutputOverlapError
    assert isinstance(error, E.OutputMappingError)
    assert error.directories == pair


def test_directories_that_only_begin_alike_do_not_overlap(here: Path) -> None:
    write_files(here, {"in.jsonl": jsonl({"text": "a"}), "tok.model": worlds.spm()})
    job = make_job(files=["in.jsonl", "in.jsonl"], output=["out", "out2"])
    assert [output.output_dir for output in worlds.declare(job).run().outputs] == ["out", "out2"]


def test_equal_tokenizers_at_two_paths_may_share_an_output(here: Path) -> None:
    files = {"in.jsonl": jsonl({"text": "a"}), "a.model": worlds.spm(), "b.model": worlds.spm()}
    write_files(here, files)
    two = [{"path": "a.model"}, {"path": "b.model"}]
    result = worlds.declare(make_job(files=["in.jsonl", "in.jsonl"], tokenizer=two)).run()
    assert result.outputs[0].total_samples == 2


@pytest.mark.parametrize("output", ["mine.txt", "mine.txt/out", "dangling"])
def test_an_output_that_is_or_lies_under_something_else_is_refused(output: str, here: Path) -> None:
    (here / "dangling").symlink_to("nowhere")
    error = fails({"mine.txt": "mine"}, output=output)
    assert type(error) is E.OutputNotADirectoryError
    assert isinstance(error, E.OutputValidationError)
    assert error.directory == output


def test_an_output_with_two_names_is_refused_when_the_job_is_checked(here: Path) -> None:
    write_files(here, {"in.jsonl": jsonl({"text": "a"}), "tok.model": worlds.spm()})
    job = worlds.declare(make_job()).output.dir("out", paths=["out"], samples_per_shard=[1])
    with pytest.raises(E.OutputConfigError, match="path and paths"):
        job.validate()


def test_a_parse_error_says_what_to_do_about_a_compressed_file(here: Path) -> None:
    error = fails({"in.jsonl": worlds.gz(jsonl({"text": "a"}))})
    assert type(error) is E.SourceParseError
    assert "gzip" in text_of(error, "en")
    assert "gzip" in text_of(error, "vi")


def test_the_way_out_of_a_missing_special_token_is_a_command(here: Path) -> None:
    for kind, name in worlds.EXTENSIONS.items():
        files = {"tok.model": worlds.spm(pad=False), "tok.json": no_padding()}
        error = fails(files, tokenizer_type=kind)
        assert type(error) is E.TokenizerSpecialTokenError
        assert (error.special_token, error.file) == ("pad_id", name)
        ready = f"ready{Path(name).suffix}"
        call = f'\nmintdim.prepare_tokenizer({name!r}, "{ready}", pad="<pad>")\n'
        command = f'\npython -m mintdim tokenizer prepare {name} {ready} --pad "<pad>"'
        for language in LANGUAGES:
            assert call in text_of(error, language)
            assert text_of(error, language).endswith(command)


def test_the_way_out_of_a_missing_unk_also_tells_about_pad(here: Path) -> None:
    document = worlds.tokenizer_json(worlds.bpe({"a": 0, worlds.PAD: 1}, [], unk_token=None))
    text = str(
        fails(
            {"my tok.json": document}, tokenizer_type="hf_json", tokenizer={"path": "my tok.json"}
        )
    )
    assert 'mintdim.prepare_tokenizer(\'my tok.json\', "ready.json", unk="<unk>")\n' in text
    assert "python -m mintdim tokenizer prepare 'my tok.json' ready.json --unk \"<unk>\"\n" in text
    assert text.endswith("if it has no padding token either)")


@pytest.mark.parametrize("name", ["a.model.v3", "tokenizer.model", "TOKENIZER.MODEL"])
def test_the_ready_copy_of_a_model_is_called_a_model(name: str, here: Path) -> None:
    error = fails({name: worlds.spm(pad=False)}, tokenizer={"path": name})
    assert '"ready.model", ' in str(error)


def no_padding() -> bytes:
    return worlds.tokenizer_json(worlds.word_level(worlds.numbered("a", "b")), padding=None)


SPECIAL_TOKENS = {
    "no padding settings": (no_padding(), "pad_id"),
    "padding settings that disagree": (
        worlds.tokenizer_json(
            worlds.word_level(worlds.numbered("a", "b")), padding=worlds.padding(pad_id=2)
        ),
        "pad_id",
    ),
    "an unknown token that the vocabulary lacks": (
        worlds.tokenizer_json(worlds.word_level({"a": 0, worlds.PAD: 1})),
        "unk_id",
    ),
    "no unknown token": (
        worlds.tokenizer_json(worlds.bpe({"a": 0, worlds.PAD: 1}, [], unk_token=None)),
        "unk_id",
    ),
}


@pytest.mark.parametrize(("document", "token"), SPECIAL_TOKENS.values(), ids=SPECIAL_TOKENS)
def test_a_tokenizer_must_expose_unk_and_pad(document: bytes, token: str, here: Path) -> None:
    error = fails({"tok.json": document}, tokenizer_type="hf_json")
    assert type(error) is E.TokenizerSpecialTokenError
    assert isinstance(error, E.TokenizerValidationError)
    assert error.special_token == token


def test_a_source_that_only_gets_a_new_time_during_the_build_has_changed(here: Path) -> None:
    with at_the_first_shard(lambda: os.utime(here / "in.jsonl", ns=(1, 1))):
        error = fails(**ONE_SHARD_EACH)
    assert type(error) is E.SourceChangedError
    assert not (here / "out/manifest.json").exists()
    assert (here / "out/unit_8/UNIT_BUILD_FAILED.md").exists()


def test_an_output_removed_during_the_build_is_a_write_error(here: Path) -> None:
    def remove() -> None:
        for path in sorted((here / "out").rglob("*"), reverse=True):
            path.rmdir() if path.is_dir() else path.unlink()
        (here / "out").rmdir()

    with at_the_first_shard(remove):
        error = fails(**ONE_SHARD_EACH)
    assert type(error) is E.OutputWriteError
    assert str(here / "out") in error.path


def test_a_name_that_the_system_refuses_is_a_write_error(here: Path) -> None:
    error = fails(output="x" * 300)
    assert type(error) is E.OutputWriteError
    assert isinstance(error.__cause__, OSError)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write all")
def test_a_directory_without_permission_is_a_write_error(here: Path) -> None:
    (here / "locked").mkdir(mode=0o500)
    assert type(fails(output="locked/out")) is E.OutputWriteError


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="needs a file that cannot be read")
def test_a_tokenizer_that_cannot_be_read_is_a_read_error(here: Path) -> None:
    error = fails(tokenizer={"path": "/proc/self/mem"})
    assert type(error) is E.SourceReadError
    assert error.file == "/proc/self/mem"
    assert isinstance(error.__cause__, OSError)


SIGNALLED = """
import logging, os, sys
from pathlib import Path
import worlds

class Stop(logging.Handler):
    def emit(self, record):
        if "shard=000000" in record.getMessage():
            os.kill(os.getpid(), int(sys.argv[1]))

logging.getLogger("mintdim").addHandler(Stop())
logging.getLogger("mintdim").setLevel(logging.INFO)
worlds.run_job(Path.cwd(), **worlds.make_job(samples_per_shard=[1]))
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_process_as_usual_and_leaves_notices(
    number: signal.Signals, here: Path
) -> None:
    write_files(here, {"in.jsonl": jsonl({"text": "a"}, {"text": "b"}), "tok.model": worlds.spm()})
    process = subprocess.run(
        [sys.executable, "-c", SIGNALLED, str(int(number))],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(TESTS), *filter(None, sys.path)])},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert process.returncode == -number, process.stderr
    left = {path.relative_to(here / "out").as_posix() for path in (here / "out").rglob("*")}
    assert {f"unit_{size}/UNIT_BUILD_FAILED.md" for size in (8, 16, 32)} <= left
    assert not {"manifest.json", ".mintdim-work"} & left
    assert number.name in (here / "out/unit_8/UNIT_BUILD_FAILED.md").read_text("utf-8")


# ------------------------------------------------------------------------------- order of checks

# One mistake per check, in the documented order. A mistake is a change of a job of two files.
MISTAKES: list[tuple[str, dict[str, Any], type[MintDimError]]] = [
    ("completeness", {"build_batch": None}, E.PipelineValidationError),
    ("structure: files", {"files": "in.jsonl"}, E.SourceValidationError),
    ("structure: fields", {"fields": ["text"]}, E.SourceValidationError),
    ("structure: templates", {"templates": "{text}"}, E.SourceValidationError),
    ("structure: tokenizer", {"tokenizer": "tok.model"}, E.TokenizerValidationError),
    ("structure: sizes", {"sizes": [[4, 4]]}, E.UnitValidationError),
    ("structure: build_batch", {"build_batch": [0]}, E.UnitValidationError),
    ("structure: output", {"output": 7}, E.OutputConfigError),
    ("structure: samples_per_shard", {"samples_per_shard": [0]}, E.SamplesPerShardError),
    ("arity: fields", {"fields": [["text"]] * 3}, E.FieldMappingError),
    ("arity: templates", {"templates": ["{text}"] * 3}, E.TemplateMappingError),
    ("arity: tokenizer", {"tokenizer": [{"path": "tok.model"}] * 3}, E.TokenizerMappingError),
    ("arity: sizes", {"sizes": [[4]] * 3}, E.UnitMappingError),
    ("arity: build_batch", {"build_batch": [4] * 3}, E.UnitMappingError),
    ("arity: output", {"output": ["a", "b", "c"]}, E.OutputMappingError),
    ("arity: samples_per_shard", {"samples_per_shard": [4] * 3}, E.SamplesPerShardError),
    ("overlap", {"output": ["new", "new/er"]}, E.OutputOverlapError),
    ("source exists", {"files": ["in.jsonl", "none.jsonl"]}, E.MintDimFileNotFoundError),
    ("tokenizer exists", {"tokenizer": {"path": "none.model"}}, E.MintDimFileNotFoundError),
    ("templates match", {"templates": ["{text}{other}"]}, E.TemplateFieldMismatchError),
    ("outputs are new", {"output": "full"}, E.OutputValidationError),
    ("tokenizer loads", {"tokenizer": {"path": "broken.model"}}, E.TokenizerValidationError),
    ("tokenizer has PAD", {"tokenizer": {"path": "no_pad.model"}}, E.TokenizerSpecialTokenError),
    (
        "one tokenizer per output",
        {"tokenizer": [{"path": "tok.model"}, {"path": "other.model"}]},
        E.OutputTokenizerError,
    ),
    ("literals encode", {"templates": ["{text}ß"]}, E.TemplateTokenizerError),
]
PLACES = {
    "full/notes.txt": "mine",
    "broken.model": b"no model",
    "no_pad.model": worlds.spm(pad=False),
    "other.model": worlds.spm(alphabet="ab"),
}


def context_of(error: MintDimError) -> str:
    return getattr(error, "context", "")


@pytest.mark.parametrize("place", range(len(MISTAKES)), ids=lambda i: MISTAKES[i][0])
def test_the_earlier_check_wins(place: int, here: Path) -> None:
    _, first, expected = MISTAKES[place]
    assert type(fails(PLACES, **{"files": ["in.jsonl"] * 2, **first})) is expected
    for _, later, _ in MISTAKES[place + 1 :]:
        if not first.keys() & later.keys():
            both = {"files": ["in.jsonl"] * 2, **later, **first}
            assert type(fails(PLACES, **both)) is expected, later


def test_a_missing_source_is_reported_before_a_missing_tokenizer(here: Path) -> None:
    error = fails(files=["none.jsonl"], tokenizer={"path": "none.model"})
    assert context_of(error) == "source"


def test_a_job_with_every_mistake_is_led_through_the_checks_in_order(here: Path) -> None:
    """Mend what is reported, run again: the errors come in the documented order."""
    met, mended = [], 0
    while True:
        job: dict[str, Any] = {"files": ["in.jsonl"] * 2}
        for _, change, _ in reversed(MISTAKES[mended:]):
            job |= change
        error = fails(PLACES, **job)
        mended = next(
            i + 1
            for i, (_, change, kind) in enumerate(MISTAKES)
            if i >= mended and kind is type(error) and all(job[k] == change[k] for k in change)
        )
        met.append(mended)
        if mended == len(MISTAKES):
            break
    assert met == sorted(met)
    assert len(met) > len(MISTAKES) / 2


# ------------------------------------------------------------------------------ odd Python values


class BytesPath:
    def __fspath__(self) -> bytes:
        return b"in.jsonl"


ODD: dict[str, Callable[[], Any]] = {
    "a string": lambda: "7",
    "an empty string": lambda: "",
    "a NUL": lambda: "\0",
    "a lone surrogate": lambda: "\ud800",
    "bytes": lambda: b"7",
    "bytearray": lambda: bytearray(b"7"),
    "an int": lambda: 7,
    "zero": lambda: 0,
    "a negative int": lambda: -1,
    "a huge int": lambda: 10**30,
    "True": lambda: True,
    "False": lambda: False,
    "a float": lambda: 8.0,
    "nan": lambda: float("nan"),
    "infinity": lambda: float("inf"),
    "a complex number": lambda: 1j,
    "a decimal": lambda: Decimal(8),
    "None": lambda: None,
    "an empty list": lambda: [],
    "an empty tuple": lambda: (),
    "a dict": lambda: {"a": 1},
    "an empty dict": lambda: {},
    "a set": lambda: {"a"},
    "a frozenset": lambda: frozenset({8}),
    "a range": lambda: range(8, 9),
    "a generator": lambda: (value for value in ["a"]),
    "an iterator": lambda: iter(["a"]),
    "a view of keys": lambda: {"a": 1}.keys(),
    "an object": object,
    "a function": lambda: len,
    "a class": lambda: int,
    "an ellipsis": lambda: ...,
    "an array": lambda: np.array([8]),
    "an array of no dimension": lambda: np.array(8),
    "a numpy float": lambda: np.float64(8),
    "a numpy bool": lambda: np.bool_(True),
    "a path of bytes": BytesPath,
}
EMPTY = {"None", "an empty list", "an empty tuple"}  # as a whole argument: missing
TEXTS = {"a string", "an empty string", "a NUL"}
PATHS = {"a string", "a lone surrogate"}
INTS = {"an int", "a huge int"}

# argument, how the odd value is put into it, the error of its block, the values that are right
PLACES_OF_VALUES: dict[str, tuple[str, Callable[[Any], Any], type[MintDimError], set[str]]] = {
    "files": ("files", lambda odd: odd, E.SourceValidationError, set()),
    "files[0]": ("files", lambda odd: [odd], E.SourceValidationError, PATHS),
    "fields": ("fields", lambda odd: odd, E.SourceValidationError, set()),
    "fields[0]": ("fields", lambda odd: [odd], E.SourceValidationError, set()),
    "fields[0][0]": ("fields", lambda odd: [[odd]], E.SourceValidationError, TEXTS),
    "templates": ("templates", lambda odd: odd, E.SourceValidationError, set()),
    "templates[0]": ("templates", lambda odd: [odd], E.SourceValidationError, TEXTS),
    "tokenizer": ("tokenizer", lambda odd: odd, E.TokenizerValidationError, set()),
    "tokenizer[0]": ("tokenizer", lambda odd: [odd], E.TokenizerValidationError, set()),
    "tokenizer path": (
        "tokenizer",
        lambda odd: {"path": odd},
        E.TokenizerValidationError,
        PATHS,
    ),
    "sizes": ("sizes", lambda odd: odd, E.UnitValidationError, set()),
    "sizes[0]": ("sizes", lambda odd: [odd], E.UnitValidationError, set()),
    "sizes[0][0]": ("sizes", lambda odd: [[odd]], E.UnitValidationError, {"an int"}),
    "build_batch": ("build_batch", lambda odd: odd, E.UnitValidationError, set()),
    "build_batch[0]": ("build_batch", lambda odd: [odd], E.UnitValidationError, INTS),
    "output": ("output", lambda odd: odd, E.OutputConfigError, PATHS),
    "output[0]": ("output", lambda odd: [odd], E.OutputConfigError, PATHS),
    "samples_per_shard": ("samples_per_shard", lambda odd: odd, E.SamplesPerShardError, set()),
    "samples_per_shard[0]": (
        "samples_per_shard",
        lambda odd: [odd],
        E.SamplesPerShardError,
        INTS,
    ),
}


def refusal(job: dict[str, Any]) -> BaseException | None:
    """Whatever `validate()` raises, raw exceptions included; None if the job is right."""
    try:
        worlds.declare(job).validate()
    except BaseException as error:
        return error
    return None


@pytest.mark.parametrize("place", PLACES_OF_VALUES)
def test_a_value_of_the_wrong_type_is_the_error_of_its_block(place: str, here: Path) -> None:
    argument, put, expected, right = PLACES_OF_VALUES[place]
    write_files(here, {"in.jsonl": jsonl({"text": "a"}), "tok.model": worlds.spm()})
    before, wrong = tree(here), {}
    for name, make in ODD.items():
        error = refusal(make_job(**{argument: put(make())}))
        if name in right:
            fine = error is None or isinstance(error, MintDimError)
        elif place == argument and name in EMPTY:
            fine = type(error) is E.PipelineValidationError
        else:
            fine = type(error) is expected and prints_in_both_languages(error)
        if not fine:
            wrong[name] = error
    assert wrong == {}
    assert tree(here) == before


def prints_in_both_languages(error: MintDimError) -> bool:
    first_line = f"{type(error).__name__}:\n"
    return all(text_of(error, language).startswith(first_line) for language in LANGUAGES)


@pytest.mark.parametrize("kind", [np.int8, np.int32, np.int64, np.uint16, np.uint64])
def test_numpy_integers_are_integers(kind: type[np.integer[Any]], here: Path) -> None:
    write_files(here, {"in.jsonl": jsonl({"text": "a"}), "tok.model": worlds.spm()})
    sizes, number = [[kind(4), kind(8)]], [kind(2)]
    job = make_job(sizes=sizes, build_batch=number, samples_per_shard=number)
    config = worlds.declare(job).validate()
    assert config.units.sizes == ((4, 8),)
    values = (*config.units.sizes[0], *config.units.build_batch, *config.output.samples_per_shard)
    assert {type(value) for value in values} == {int}
    assert worlds.declare(job).run().outputs[0].total_samples == 1


def test_tuples_and_path_objects_are_as_good_as_lists_and_strings(here: Path) -> None:
    write_files(here, {"in.jsonl": jsonl({"text": "a"}), "tok.model": worlds.spm()})
    job = make_job(
        files=(Path("in.jsonl"),),
        fields=(("text",),),
        templates=("{text}",),
        tokenizer=({"path": Path("tok.model")},),
        sizes=((4, 8),),
        build_batch=(2,),
        output=(Path("out"),),
        samples_per_shard=(2,),
    )
    assert worlds.declare(job).run().outputs[0].output_dir == "out"


def test_an_odd_name_of_a_pipeline_is_an_unknown_pipeline() -> None:
    for name in (None, 7, b"unit-build", ["unit-build"], {}, "UNIT-BUILD", ""):
        with pytest.raises(E.UnknownPipelineError):
            mintdim.pipeline(name)  # type: ignore[call-overload]


class RaisingPath:
    def __fspath__(self) -> str:
        raise RuntimeError("no path")


UNPICKLABLE = {"a lambda": lambda: lambda: 1, "a generator": lambda: (i for i in [1])}
OUT_OF_RANGE = {
    "sizes of 5,000 digits": {"sizes": [[10**5000]]},
    "a negative number of 5,000 digits": {"samples_per_shard": [-(10**5000)]},
}
RAW = {
    "an output name that no file can have": {"output": "\ud800"},
    "two such outputs": {"files": ["in.jsonl"] * 2, "output": ["\ud800", "b"]},
    "a path object that raises": {"output": RaisingPath()},
    "a template literal that the library refuses": {
        "templates": [HOPELESS + "{text}"],
        "tokenizer_type": "hf_json",
        "tokenizer": {"path": "hopeless.json"},
    },
}


@pytest.mark.parametrize("make", UNPICKLABLE.values(), ids=UNPICKLABLE)
def test_an_error_about_a_value_that_cannot_be_pickled_can_be(make: Any, here: Path) -> None:
    for argument in ("build_batch", "samples_per_shard"):
        error = fails(**{argument: [make()]})
        assert str(pickle.loads(pickle.dumps(error))) == str(error)


@pytest.mark.parametrize("change", OUT_OF_RANGE.values(), ids=OUT_OF_RANGE)
def test_an_error_about_a_huge_number_can_be_printed(change: Any, here: Path) -> None:
    assert str(fails(**change)).startswith(("UnitValidationError:", "SamplesPerShardError:"))


@pytest.mark.parametrize("argument", ["build_batch", "samples_per_shard"])
def test_a_string_is_shown_in_quotes_where_a_number_is_expected(argument: str, here: Path) -> None:
    assert "got '4'\n" in str(fails(**{argument: ["4"]})) + "\n"


@pytest.mark.parametrize("change", RAW.values(), ids=RAW)
def test_no_raw_exception_leaves_run(change: dict[str, Any], here: Path) -> None:
    fails({"hopeless.json": hopeless_tokenizer()}, **change)


def test_a_working_directory_that_is_gone_is_an_error_of_ours(here: Path) -> None:
    write_files(here, {"in.jsonl": jsonl({"text": "a"}), "tok.model": worlds.spm()})
    gone = here / "gone"
    gone.mkdir()
    os.chdir(gone)
    gone.rmdir()
    job = make_job(files=[here / "in.jsonl"], tokenizer={"path": here / "tok.model"})
    with pytest.raises(MintDimError):
        worlds.declare(job).run()


def test_a_shard_may_be_longer_than_any_dataset(here: Path) -> None:
    write_files(here, {"in.jsonl": jsonl({"text": "a"}), "tok.model": worlds.spm()})
    job = make_job(samples_per_shard=[2**63], build_batch=[2**63])
    try:
        worlds.declare(job).run()
    except E.SamplesPerShardError:
        assert not (here / "out").exists()


def test_a_working_folder_that_cannot_be_removed_is_a_write_error(here: Path) -> None:
    """Network file systems leave placeholders of open files behind."""
    busy = OSError(errno.ENOTEMPTY, os.strerror(errno.ENOTEMPTY))
    with patch("shutil.rmtree", side_effect=busy):
        assert type(fails()) is E.OutputWriteError


# ------------------------------------------------------------------------------------- the classes


def public_classes() -> list[type[MintDimError]]:
    classes = [value for value in vars(E).values() if isinstance(value, type)]
    return [
        kind
        for kind in classes
        if issubclass(kind, MintDimError) and not kind.__name__.startswith("_")
    ]


def public_parent(kind: type[MintDimError]) -> str:
    """The nearest base class with a public name; helpers in between do not count."""
    return next(base.__name__ for base in kind.__mro__[1:] if not base.__name__.startswith("_"))


def drawn_tree(text: str) -> list[tuple[str, str]]:
    """(class, parent) for every line of a drawn tree; a level is three columns wide."""
    edges, path = [], ["Exception"]
    for prefix, name in re.findall(r"^ {4}([│├└─ ]*)(MintDim\w*|\w+Error)\b", text, re.MULTILINE):
        level = len(prefix) // 3
        path[level + 1 :] = [name]
        edges.append((name, path[level]))
    return edges


def test_the_tree_drawn_in_the_module_is_the_tree_of_the_classes() -> None:
    drawn = drawn_tree(E.__doc__ or "")
    assert len(drawn) == len(set(drawn))
    assert set(drawn) == {(kind.__name__, public_parent(kind)) for kind in public_classes()}


def test_a_class_has_one_of_four_bases() -> None:
    bases = (
        E.MintDimConfigError,
        E.MintDimDataError,
        E.MintDimDatasetError,
        E.MintDimEnvironmentError,
    )
    for kind in set(public_classes()) - {MintDimError}:
        assert sum(issubclass(kind, base) for base in bases) == 1


# ---------------------------------------------------------------------------------- docs/errors.md

DOCS = TESTS.parent / "docs" / "errors.md"


@dataclass(frozen=True)
class Section:
    """What docs/errors.md says about a class."""

    attributes: list[str]
    texts: list[str]
    prose: str


def documented() -> dict[str, Section]:
    """Sections `### Class`, with `- name: meaning` lines in backticks and fenced texts."""
    sections = {}
    for part in re.split(r"^### ", DOCS.read_text("utf-8"), flags=re.MULTILINE)[1:]:
        name, _, body = part.partition("\n")
        body = re.split(r"^## ", body, flags=re.MULTILINE)[0]
        texts = re.findall(r"^```text\n(.*?)\n```$", body, re.MULTILINE | re.DOTALL)
        prose = re.sub(r"^```text\n.*?\n```$", "", body, flags=re.MULTILINE | re.DOTALL)
        attributes = re.findall(r"^- `(\w+)`: \S", prose, re.MULTILINE)
        sections[name.strip("` ")] = Section(attributes, texts, prose)
    return sections


def test_every_error_has_a_section_in_the_docs() -> None:
    names = ("MintDim", "MintDimConfig", "MintDimData", "MintDimDataset", "MintDimEnvironment")
    bases = {f"{name}Error" for name in names}
    assert set(documented()) == {kind.__name__ for kind in public_classes()} - bases


@pytest.mark.parametrize("kind", sorted({e.kind for e in EXAMPLES}, key=lambda k: k.__name__))
def test_the_docs_list_the_attributes_of_an_error(kind: type[MintDimError]) -> None:
    section = documented()[kind.__name__]
    assert sorted(section.attributes) == sorted(field.name for field in fields(kind))
    assert "**Way out.**" in section.prose


@pytest.mark.parametrize("kind", sorted({e.kind for e in EXAMPLES}, key=lambda k: k.__name__))
def test_the_docs_show_what_an_error_says(kind: type[MintDimError], provoke: Any) -> None:
    said = []
    for example in (example for example in EXAMPLES if example.kind is kind):
        error, root = provoke(example)
        said += [as_in_the_docs(text_of(error, spoken), error, root) for spoken in LANGUAGES]
    assert documented()[kind.__name__].texts == said


def as_in_the_docs(text: str, error: MintDimError, root: Path) -> str:
    """The text with the parts that differ from machine to machine replaced."""
    if isinstance(error, E.TokenizerEncodeError):
        text = text.replace(str(error.problem), "(what the library said)")
    return text.replace(str(root), IN_THE_DOCS)


def test_the_docs_draw_the_tree_of_the_module() -> None:
    part = DOCS.read_text("utf-8").partition("## The classes\n\n```text\n")[2].partition("```")[0]
    drawn = drawn_tree(re.sub(r"^", "    ", part, flags=re.MULTILINE))
    assert drawn == drawn_tree(E.__doc__ or "")
