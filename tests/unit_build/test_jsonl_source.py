"""From a line to the values of its fields; and sources that change under the reader's hands."""

from __future__ import annotations

import json
import logging
import os
import sys
from typing import TYPE_CHECKING, Any

import oracle
import pytest
import worlds
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from worlds import jsonl, make_job, write_files

from mintdim.shared.errors import (
    MintDimDataError,
    SampleFieldTypeError,
    SampleSchemaError,
    SourceChangedError,
    SourceParseError,
    SourceReadError,
)
from mintdim.sources import chunks
from mintdim.sources.jsonl import (
    NESTING_LIMIT,
    is_blank,
    read_values,
    strict_values,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

LAW = settings(max_examples=int(os.environ.get("MINTDIM_EXAMPLES", "150")), deadline=None)
FIELDS = ("text", "é")


# --------------------------------------------------------------------------------- random lines

REAL = [
    '{"text": "Give three tips.\\n\\n1. Eat", "é": "", "id": 12, "tags": ["a", null, 2.50e+3]}',
    '{"é":"caf\\u00e9 \\ud83d\\ude00","text":"say \\"hi\\" \\/ \\\\","meta":{"x":{"y":[[],{}]}}}',
    '\t{ "a" : [true , false , null] , "text" : -0.0 , "é" : 1E5 } \r',
    '{"text":"日本","text":"twice","é":true,"\\u00e9":"escaped key"}',
]
NUMBERS = [
    *["0", "-0", "1", "-12", "2.50", "1e5", "1E+05", "-0.0e-0", "1e999", "9007199254740993"],
    *["18446744073709551616", "1" * 5000, "-" + "9" * 400, "0." + "3" * 900],
    *["01", "+1", ".5", "1.", "1e", "-", "0x1", "1_0", "--1", "٣", "NaN", "-NaN", "nan"],
    *["Infinity", "-Infinity", "+Infinity", "inf", "1 2", "tru", "None", "undefined", ""],
]
INSIDE = [
    *["a", "é", "😀", " ", "\\n", "\\/", '\\"', "\\\\", "\\u0000", "\\u00e9", "\\uD83D\\uDE00"],
    *["\\ud83d", "\\ude00", "\\uDBFF", "\\ud83d\\\\ude00", "[", "]", "{", "}", ",", ":", "\u2028"],
    *["\x7f", "\x00", "\x1f", "\t", "\\x", "\\u12", "\\u12_3", "\\", "'", "\ufeff", "\\U0041"],
]
SPACE = st.sampled_from(["", "", "", " ", "\t", "\r", " \r ", "\x0b", "\x0c", "\u00a0", "\ufeff"])


def strings() -> st.SearchStrategy[str]:
    inside = st.lists(st.sampled_from(INSIDE), max_size=4).map("".join)
    return st.one_of(inside, st.just("text"), st.just("é")).map(lambda text: f'"{text}"')


def bracketed(values: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    arrays = st.lists(values, max_size=3).map(lambda v: f"[{','.join(v)}]")
    pairs = st.tuples(strings(), SPACE, values).map(lambda p: f"{p[0]}{p[1]}:{p[2]}")
    objects = st.lists(pairs, max_size=3).map(lambda v: f"{{{','.join(v)}}}")
    return arrays | objects


def values() -> st.SearchStrategy[str]:
    plain = strings() | st.sampled_from([*NUMBERS, "true", "false", "null"])
    return st.recursive(plain, bracketed, max_leaves=5)


@st.composite
def rows(draw: st.DrawFn) -> bytes:
    """An object with the declared fields, others, repetitions, odd values and odd space."""
    names = draw(st.permutations(['"text"', '"é"', *draw(st.lists(strings(), max_size=2))]))
    pairs = [
        f"{draw(SPACE)}{name}{draw(SPACE)}:{draw(SPACE)}{draw(strings() | values())}"
        for name in names
    ]
    before, after = draw(SPACE), draw(SPACE | st.sampled_from(["x", ",", "}", "{}", "\n"]))
    return f"{before}{{{','.join(pairs)}}}{after}".encode()


@st.composite
def mutated(draw: st.DrawFn) -> bytes:
    """A real row with a few bytes cut out, doubled or replaced."""
    line = bytearray(draw(st.sampled_from(REAL)).encode())
    for _ in range(draw(st.integers(0, 3))):
        start = draw(st.integers(0, len(line)))
        stop = draw(st.integers(start, min(len(line), start + 6)))
        new = draw(st.sampled_from([b"", b"", line[start:stop] * 2]) | st.binary(max_size=2))
        line[start:stop] = new
    return bytes(line)


def lines() -> st.SearchStrategy[bytes]:
    return rows() | rows() | mutated() | st.binary(max_size=20) | values().map(str.encode)


# ---------------------------------------------------------------------------------------- laws

Outcome = tuple[Any, ...]


def outcome(read: Callable[..., list[str]], line: bytes, fields: tuple[str, ...]) -> Outcome:
    """The values, or everything that is to be known of the error."""
    try:
        return ("values", read(line, fields, "in.jsonl", 7))
    except MintDimDataError as error:
        return (type(error), str(error), dict(vars(error)))


def same_outcome(line: bytes, fields: tuple[str, ...] = FIELDS) -> Outcome:
    fast, strict = (outcome(read, line, fields) for read in (read_values, strict_values))
    assert fast == strict
    return fast


@LAW
@given(lines(), st.sampled_from([FIELDS, ("text",), ("é", "text", "é"), ("",)]))
def test_the_fast_path_gives_what_the_definition_gives(
    line: bytes, fields: tuple[str, ...]
) -> None:
    same_outcome(line, fields)


@LAW
@given(lines())
@example(b"")
def test_the_definition_agrees_with_the_oracle(line: bytes) -> None:
    assume(b"\n" not in line)  # line ends are the reader's business
    kind, *rest = outcome(strict_values, line, FIELDS)
    assert (getattr(kind, "__name__", kind), rest[:1]) == by_oracle(line, rest)


def by_oracle(line: bytes, rest: list[Any]) -> tuple[str, list[Any]]:
    """What the oracle says, in the same form; of an error it knows no more than the class."""
    try:
        found = oracle.texts_of(oracle.parse_row(line), list(FIELDS))
    except oracle.BadLineError as bad:
        return bad.name, rest[:1]
    return "values", [[found[name] for name in FIELDS]]


@LAW
@given(st.text(max_size=20), st.sampled_from([True, False]))
def test_a_string_written_by_json_dumps_is_read_back_to_the_letter(
    text: str, escaped: bool
) -> None:
    line = json.dumps({"text": text}, ensure_ascii=escaped).encode("utf-8")
    assert same_outcome(line, ("text",)) == ("values", [text])


@LAW
@given(st.from_regex(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?", fullmatch=True))
def test_a_number_is_the_text_that_stands_in_the_line(number: str) -> None:
    assert same_outcome(b'{"text":%s}' % number.encode(), ("text",)) == ("values", [number])


@LAW
@given(st.binary(max_size=6) | st.text("\t\r \n\x0b\x00", max_size=5).map(str.encode))
def test_a_line_is_blank_if_it_holds_nothing_but_json_space(line: bytes) -> None:
    assume(b"\n" not in line)
    assert is_blank(line) == all(byte in b" \t\r" for byte in line)


# --------------------------------------------------------------------------------------- errors


def refused(line: bytes | str, *fields: str) -> Any:
    """The error of a line; its facts as `vars` gives them."""
    raw = line if isinstance(line, bytes) else line.encode()
    same_outcome(raw, fields or ("text",))
    with pytest.raises(MintDimDataError) as caught:
        read_values(raw, fields or ("text",), "in.jsonl", 7)
    assert (caught.value.file, caught.value.line) == ("in.jsonl", 7)
    return caught.value


def test_missing_fields_are_named_together_with_what_is_there() -> None:
    error = refused('{"a":1,"b":"x","a":2}', "c", "a", "d")
    assert type(error) is SampleSchemaError
    assert error.declared_fields == ("c", "a", "d")
    assert error.missing_fields == ("c", "d")
    assert error.available_keys == ("a", "b")


def test_a_missing_field_comes_before_one_of_the_wrong_type() -> None:
    assert type(refused('{"a":null}', "a", "b")) is SampleSchemaError


@pytest.mark.parametrize(
    ("value", "found"), [("null", "null"), ("[1]", "array"), ('{"a":1}', "object")]
)
def test_the_first_field_of_the_wrong_type_is_named(value: str, found: str) -> None:
    error = refused(f'{{"x":{value},"b":[],"a":1}}', "a", "x", "b")
    assert type(error) is SampleFieldTypeError
    assert (error.field, error.found) == ("x", found)


def test_a_key_that_differs_in_case_or_space_is_missing() -> None:
    error = refused('{"Text":"a","text ":"b"}')
    assert error.missing_fields == ("text",)


@pytest.mark.parametrize(
    "line",
    [
        *["", "[]", '["text"]', '"text"', "7", "null", "true"],  # no object
        *['{"text":"a"} x', '{"text":"a"}{}', '{"text":"a"},', '{"text":"a"}]'],  # trailing data
        *['{"text":"a"', '{"text":"a', '{"text"}', '{"text":}', "{'text':'a'}", '{"text":"a",}'],
        *['{"text":"a\tb"}', '{"text":"\x01"}', '{"text":"a\rb"}', '\ufeff{"text":"a"}', "\x00"],
        *['{"text":NaN}', '{"text":"a","x":[{"y":-Infinity}]}', '{"text":Infinity}'],
        *['{"text":"\\ud83d"}', '{"text":"\\ude00\\ud83d"}', '{"text":"a\\ud83d b"}'],
    ],
)
def test_what_is_no_json_object_of_sound_text_is_a_parse_error(line: str) -> None:
    assert type(refused(line)) is SourceParseError


@pytest.mark.parametrize(
    "raw", [b"\xff", b"\xc0\xaf", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xe2\x80", b"\x80"]
)
def test_bytes_that_are_not_utf_8_are_a_parse_error_wherever_they_stand(raw: bytes) -> None:
    for line in (raw, b'{"text":"%s"}' % raw, b'{"text":"a","x":"%s"}' % raw, b"{}" + raw):
        assert type(refused(line)) is SourceParseError


@pytest.mark.parametrize(
    "magic", [b"\xff\xfe{\x00", b"\xfe\xff\x00{", b"\x1f\x8b\x08", b"(\xb5/\xfd"]
)
def test_a_line_that_begins_like_another_kind_of_file_gets_that_hint(magic: bytes) -> None:
    assert refused(magic).reason.code == "looks_like"


# -------------------------------------------------------------------------------------- nesting


def nested(depth: int, kind: str) -> bytes:
    """A good row with `depth` objects and arrays open at its deepest point."""
    opening = {"arrays": ["["], "objects": ['{"a":'], "both": ["[", '{"a":']}[kind]
    closing = {"[": "]", '{"a":': "}"}
    openings = [opening[i % len(opening)] for i in range(depth - 1)]
    inner = "".join(openings) + "1" + "".join(closing[o] for o in reversed(openings))
    return f'{{"text":"a","x":{inner}}}'.encode()


def at_depth(frames: int, call: Callable[[], Outcome]) -> Outcome:
    return call() if frames == 0 else at_depth(frames - 1, call)


@pytest.mark.parametrize("kind", ["arrays", "objects", "both"])
@pytest.mark.parametrize("frames", [0, 800])
def test_512_levels_are_read_and_513_are_not_however_deep_the_caller_stands(
    kind: str, frames: int
) -> None:
    assert NESTING_LIMIT == 512
    assert sys.getrecursionlimit() == 1000
    for depth, expected in ((511, "values"), (512, "values"), (513, SourceParseError)):
        line = nested(depth, kind)
        for fields in (("text",), ("text", "x")):  # the second needs the definition
            result = at_depth(frames, lambda: same_outcome(line, fields))  # noqa: B023
            if fields == ("text",) or depth > NESTING_LIMIT:
                assert result[0] == expected
            else:
                assert result[0] is SampleFieldTypeError


@pytest.mark.parametrize("depth", [1_000, 2_000, 200_000])
def test_deeper_nesting_is_an_error_and_never_the_end_of_the_process(depth: int) -> None:
    for line in (nested(depth, "both"), b"[" * depth, b'{"a":' * depth, b"[" * depth + b"x"):
        assert type(refused(line)) is SourceParseError


def test_brackets_inside_strings_are_no_nesting() -> None:
    for text in ("[" * 600, '\\"' + "[" * 600, "\\\\[" * 600, "{[" * 600 + '\\"'):
        line = f'{{"text":"{text}","x":"]{{"}}'.encode()
        assert same_outcome(line)[0] is SampleSchemaError
        assert same_outcome(line, ("text",)) == ("values", [json.loads(f'"{text}"')])


def test_many_brackets_side_by_side_are_no_nesting() -> None:
    line = b'{"text":"a","x":[' + b",".join([b"[[]]"] * 2000) + b"]}"
    assert same_outcome(line, ("text",)) == ("values", ["a"])


def test_a_string_of_megabytes_full_of_escapes_and_brackets_is_read() -> None:
    """Guards the search for strings against piling up states."""
    text = '\\"[' * 700_000
    assert same_outcome(f'{{"text":"{text}"}}'.encode(), ("text",))[0] == "values"
    assert same_outcome(f'{{"text":"{text}'.encode(), ("text",))[0] is SourceParseError


# --------------------------------------------------------------- sources that change or disappear


@pytest.fixture
def chunk_by_chunk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every line is a chunk of its own."""
    monkeypatch.setattr(chunks.plan_chunks, "__defaults__", (1,))


class AfterFirstShard(logging.Handler):
    """Does something to the disk when the log says that the first shard is closed."""

    def __init__(self, action: Callable[[], object]) -> None:
        super().__init__(logging.INFO)
        self._actions = [action]

    def emit(self, record: logging.LogRecord) -> None:
        if self._actions:
            self._actions.pop()()


@pytest.fixture
def built_while() -> Iterator[Callable[..., Exception]]:
    """Build, and do something to the disk after the first sample; the error of the build."""
    logger = logging.getLogger("mintdim")
    level = logger.level
    logger.setLevel(logging.INFO)
    handlers: list[logging.Handler] = []

    def build(root: Path, action: Callable[[], object], **job: Any) -> Exception:
        handlers.append(AfterFirstShard(action))
        logger.addHandler(handlers[-1])
        with pytest.raises(Exception) as caught:  # noqa: PT011 - the class is what is judged
            worlds.run_job(root, **make_job(samples_per_shard=[1]) | job)
        assert not (root / "out" / "manifest.json").exists()
        return caught.value

    yield build
    for handler in handlers:
        logger.removeHandler(handler)
    logger.setLevel(level)


ABC = [{"text": letter} for letter in "abc"]
SUFFIXES = {"": bytes, ".gz": worlds.gz, ".zst": worlds.zst}


def sources(root: Path, suffix: str) -> dict[str, Any]:
    """Two files: the second one is read only after the first sample was written."""
    second = f"b.jsonl{suffix}"
    contents = {"in.jsonl": jsonl(*ABC), second: SUFFIXES[suffix](jsonl(*ABC))}
    write_files(root, {**contents, "tok.model": worlds.spm()})
    return {"files": ["in.jsonl", second]}


@pytest.mark.usefixtures("chunk_by_chunk")
def test_a_source_that_grows_while_it_is_read_is_an_error_that_says_so(
    tmp_path: Path, built_while: Callable[..., Exception]
) -> None:
    job = sources(tmp_path, "")

    def grow() -> None:
        with open(tmp_path / "in.jsonl", "ab") as file:
            file.write(jsonl(*ABC))

    error = built_while(tmp_path, grow, **job)
    assert isinstance(error, SourceChangedError)
    assert error.file == "in.jsonl"


@pytest.mark.usefixtures("chunk_by_chunk")
@pytest.mark.parametrize("size", [0, 20])
def test_a_source_that_is_cut_while_it_is_read_is_an_error_that_says_so(
    tmp_path: Path, built_while: Callable[..., Exception], size: int
) -> None:
    """Not a parse error in the line where it happens to end now: that line was sound."""
    job = sources(tmp_path, "")
    error = built_while(tmp_path, lambda: os.truncate(tmp_path / "in.jsonl", size), **job)
    assert isinstance(error, SourceChangedError)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_source_that_is_touched_before_it_is_read_is_an_error_that_says_so(
    tmp_path: Path, built_while: Callable[..., Exception], suffix: str
) -> None:
    job = sources(tmp_path, suffix)
    second = tmp_path / job["files"][1]
    error = built_while(tmp_path, lambda: os.utime(second, (1, 1)), **job)
    assert isinstance(error, SourceChangedError)
    assert error.file == job["files"][1]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_source_that_disappears_is_an_error_that_names_it(
    tmp_path: Path, built_while: Callable[..., Exception], suffix: str
) -> None:
    job = sources(tmp_path, suffix)
    error = built_while(tmp_path, (tmp_path / job["files"][1]).unlink, **job)
    assert isinstance(error, SourceReadError)
    assert error.file == job["files"][1]


def test_a_source_that_is_replaced_by_a_directory_is_an_error_that_names_it(
    tmp_path: Path, built_while: Callable[..., Exception]
) -> None:
    job = sources(tmp_path, "")

    def replace() -> None:
        (tmp_path / "b.jsonl").unlink()
        (tmp_path / "b.jsonl").mkdir()

    error = built_while(tmp_path, replace, **job)
    assert isinstance(error, SourceReadError)
