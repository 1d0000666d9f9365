"""Laws of unit-build over random jobs, judged by the slow oracle.

A draft is a job, its source lines and the way they are framed into files; hypothesis draws it.
MINTDIM_EXAMPLES sets how many jobs each law sees.
"""

from __future__ import annotations

import json
import os
import pickle
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import oracle
import pytest
import worlds
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

LAW = settings(
    max_examples=int(os.environ.get("MINTDIM_EXAMPLES", "60")),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)

# ---------------------------------------------------------------------------------- tokenizers

TOKENIZERS = {
    "sentencepiece": [
        worlds.spm(),
        worlds.spm(dummy_prefix=True, remove_extra_whitespaces=True),
        worlds.spm(words=("the", "ab", "aba", "▁the", '{"', "\n\n")),
    ],
    "hf_json": [
        worlds.hf_char(),
        worlds.hf_bpe_with_stored_settings(),
        worlds.hf_with_post_processor(),
    ],
}

# --------------------------------------------------------------------------- names and templates

NAMES = [
    *["text", "a", "b1", "class", "1", " ", "long name", "a.b", "q-1", "x:y", "поле", "日本", "😀"],
    *['say "hi"', "back\\slash", "line\nbreak", "\u2028", "%s", "$1"],
]
LITERALS = [
    *["\n\n", " ", "\t", "é", "😀", "\u2028", "\x01", "\\n", "%s", "$1", "the", "ab", "a b"],
    *["{", "}", "{}", "{ }", "{{", "}}", "{0}", "{not one}", '{"q": "', '"}', '{"a": [{"b": 2}]}'],
]


@st.composite
def templates(draw: st.DrawFn, fields: list[str]) -> str:
    """Every field at least once, literals between; no undeclared identifier in braces."""
    repeated = draw(st.lists(st.sampled_from(fields), max_size=2))
    names = draw(st.permutations(fields + repeated))
    literals = st.just("") | st.lists(st.sampled_from(LITERALS), max_size=2).map("".join)
    template = draw(literals) + "".join(f"{{{name}}}" + draw(literals) for name in names)
    assume(all(kind != "unknown" for kind, _ in oracle.template_parts(template, fields)))
    return template


# ---------------------------------------------------------------------------------- JSON, spelled

TEXTS = ["", "x", "the cat", "ababab", " the  end ", "{text}", "{a}", "</s><s>", "[PAD]", "[UNK]"]
CHARACTERS = 'ab the{}"\\/\n\r\t\x00\x01\x1f\x7f\u0085\u2028\u2029\ufeffß語é😀𝄞▁'
BARE = [
    *["0", "3", "-7", "-0", "2.50", "1e5", "1E+05", "-0.0e-0", "1e999", "0.1000000000000000055511"],
    *["true", "false", "9007199254740993", "147573952589676412927", "-" + "98765" * 12],
]
EXTRAS = [
    *['"zz": null', '"zz": [1, {"a": [[]]}]', '"n": 1' + "0" * 5000, '"e": [-1e999, 1e-999]'],
    *['"\\ud800": 1', '"s": "\\udfff\\ud83d"', '"": {"": ""}', '"A\\u0000": false'],
    '"deep": ' + "[" * 60 + "]" * 60,
]
SHADOWED = ["null", "{}", '"\\ud83d"', '"earlier"', "[1, 2]"]


def _every_unit_escaped(text: str) -> str:
    raw = text.encode("utf-16-be")
    units = [int.from_bytes(raw[i : i + 2], "big") for i in range(0, len(raw), 2)]
    return '"' + "".join(rf"\u{unit:04x}" for unit in units) + '"'


SPELLINGS = [
    lambda text: json.dumps(text, ensure_ascii=False),
    json.dumps,
    lambda text: json.dumps(text).replace("/", "\\/"),
    _every_unit_escaped,
    lambda text: _every_unit_escaped(text).upper().replace("\\U", "\\u"),
]


@st.composite
def spelled(draw: st.DrawFn, text: str) -> str:
    return str(draw(st.sampled_from(SPELLINGS))(text))


def values() -> st.SearchStrategy[str]:
    texts = (
        st.sampled_from(["", "x"])
        | st.sampled_from(TEXTS)
        | st.text(alphabet=CHARACTERS, max_size=6)
    )
    return texts.flatmap(spelled) | st.sampled_from(BARE)


def object_line(pairs: list[str], space: str) -> str:
    inside = f"{space},{space}".join(pairs)
    return f"{space}{{{space}{inside}{space}}}{space}"


@st.composite
def rows(
    draw: st.DrawFn,
    fields: list[str],
    changed: dict[str, str] | None = None,
    dropped: str | None = None,
    extra: str | None = None,
) -> str:
    """A good row; `changed`, `dropped` and `extra` are the places where a test makes it bad."""
    space = draw(st.sampled_from(["", "", " ", "\t", " \r "]))
    names = [name for name in draw(st.permutations(fields)) if name != dropped]
    pairs = []
    for name in names:
        value = (changed or {}).get(name) or draw(values())
        pairs.append(f"{draw(spelled(name))}{space}:{space}{value}")
    extras = draw(st.lists(st.sampled_from(EXTRAS), max_size=1)) + ([extra] if extra else [])
    for pair in extras:
        pairs.insert(draw(st.integers(0, len(pairs))), pair)
    if names and draw(st.integers(0, 4)) == 0:  # a duplicate key: the later one counts
        shadow = f"{json.dumps(names[-1])}: {draw(st.sampled_from(SHADOWED))}"
        pairs.insert(0, shadow)
    return object_line(pairs, space)


# -------------------------------------------------------------------------------------- drafts

FRAMES = {"": bytes, ".gz": worlds.gz, ".zst": worlds.zst}


@dataclass(frozen=True)
class Source:
    lines: tuple[bytes, ...]
    ends: tuple[bytes, ...]  # one per line; cycled, so that lines can be planted
    marked: bool  # a byte order mark
    ended: bool  # the last line has its end
    suffix: str

    @property
    def content(self) -> bytes:
        ends = [self.ends[i % len(self.ends)] for i in range(len(self.lines))]
        if ends and not self.ended:
            ends[-1] = b""
        body = b"".join(line + end for line, end in zip(self.lines, ends, strict=True))
        return FRAMES[self.suffix](b"\xef\xbb\xbf" * self.marked + body)


@dataclass(frozen=True)
class Draft:
    job: dict[str, Any]
    sources: tuple[Source, ...]
    tokenizers: dict[str, bytes]

    def write(self, root: Path) -> Path:
        contents = [source.content for source in self.sources]
        files = dict(zip(self.job["files"], contents, strict=True))
        return worlds.write_files(root, files | self.tokenizers)

    def with_batches(self, *batches: int) -> Draft:
        """The same draft, its build_batch values in the same shape, taken from `batches`."""
        count = len(self.job["build_batch"])
        return replace(self, job=self.job | {"build_batch": list(batches[:1]) * count})


@st.composite
def sources(draw: st.DrawFn, fields: list[str]) -> Source:
    blank = st.sampled_from(["", "  ", "\t"])
    lines = draw(st.lists(rows(fields) | rows(fields) | blank, max_size=5))
    if lines:  # duplicates
        lines += draw(st.lists(st.sampled_from(lines), max_size=3))
    return Source(
        lines=tuple(line.encode("utf-8") for line in lines),
        ends=tuple(draw(st.lists(st.sampled_from([b"\n", b"\r\n"]), min_size=1, max_size=2))),
        marked=draw(st.booleans()),
        ended=draw(st.booleans()),
        suffix=draw(st.sampled_from(["", "", ".gz", ".zst"])),
    )


@st.composite
def blocks(draw: st.DrawFn, count: int, entry: st.SearchStrategy[Any]) -> list[Any]:
    """One entry shared by all files, or one per file."""
    length = draw(st.sampled_from([1, count]))
    return draw(st.lists(entry, min_size=length, max_size=length))


def field_lists() -> st.SearchStrategy[list[str]]:
    return st.lists(st.sampled_from(NAMES), min_size=1, max_size=3, unique=True)


@st.composite
def field_and_template_blocks(draw: st.DrawFn, count: int) -> tuple[list[list[str]], list[str]]:
    """Mapped fields go with any mapped templates; if either is shared, all have one field set."""
    fields = draw(blocks(count, field_lists()))
    mapped = draw(st.booleans())
    if len(fields) == count and mapped:
        return fields, [draw(templates(names)) for names in fields]
    fields = [draw(st.permutations(fields[0])) for _ in fields]
    return fields, draw(blocks(count, templates(fields[0])))


def unit_sizes() -> st.SearchStrategy[list[int]]:
    """A few small units and one that takes nearly everything."""
    small = st.lists(st.sampled_from([1, 2, 3, 5, 8, 13]), max_size=3, unique=True)
    return st.tuples(small, st.sampled_from([300, 400])).map(lambda t: [*sorted(t[0]), t[1]])


@st.composite
def tokenizer_blocks(draw: st.DrawFn, count: int, outputs: int) -> dict[str, Any]:
    """Mapped tokenizers are files of their own; in one output they have the same content."""
    kind = draw(st.sampled_from(sorted(TOKENIZERS)))
    choices = draw(blocks(count, st.sampled_from(TOKENIZERS[kind])))
    if outputs == 1:
        choices = choices[:1] * len(choices)
    extension = {"sentencepiece": "model", "hf_json": "json"}[kind]
    names = [f"tokenizers/{i}.{extension}" for i in range(len(choices))]
    configs: Any = [{"path": name} for name in names]
    if len(configs) == 1 and draw(st.booleans()):
        configs = configs[0]
    contents = dict(zip(names, choices, strict=True))
    return {"tokenizer_type": kind, "tokenizer": configs, "contents": contents}


def output_block(outputs: int) -> st.SearchStrategy[Any]:
    names = [f"built/out {i}" for i in range(outputs)]
    return st.sampled_from([names, names[0]] if outputs == 1 else [names])


@st.composite
def drafts(draw: st.DrawFn) -> Draft:
    count = draw(st.integers(1, 3))
    outputs = draw(st.sampled_from([1, count]))
    fields, texts = draw(field_and_template_blocks(count))
    found = [draw(sources(oracle.for_file(fields, index))) for index in range(count)]
    tokenizer = draw(tokenizer_blocks(count, outputs))
    contents = tokenizer.pop("contents")
    job = {
        "files": [f"data/{i}.jsonl{source.suffix}" for i, source in enumerate(found)],
        "fields": fields,
        "templates": texts,
        **tokenizer,
        "sizes": draw(blocks(count, unit_sizes())),
        "build_batch": draw(blocks(count, st.integers(1, 7))),
        "output": draw(output_block(outputs)),
        "samples_per_shard": draw(blocks(count, st.integers(1, 5))),
    }
    return Draft(job, tuple(found), contents)


# ------------------------------------------------------------------------------------ bad lines

NOT_ROWS = ["[]", '"x"', "1", "null", "true", "{", "{]", "{'a': 1}", "{,}", '{"a" 1}', "\x00", "#"]
BAD_EXTRAS = [
    *["NaN", "-Infinity", "[Infinity]", "01", "+1", ".5", "1.", "0x1", "1e", "-", "1 2", "tru"],
    *["'x'", '"\t"', '"\x00"', r'"\x"', r'"\u12"', '"open', "[1,]", '{"a":1,}', "[[]", ""],
]
BAD_VALUES = ["null", "[]", '["x"]', "{}", '{"a": 1}', '"\\ud83d"', '"\\ude00\\ud83d"', "NaN"]
AROUND = [("", "x"), ("", "{}"), (",", ""), ("\x0b", ""), ("\u00a0", ""), ("x\r", "")]
NOT_UTF8 = [b"\xff", b"\xed\xa0\x80", b"\xc0\xaf", b"\xf4\x90\x80\x80", b"\xe9", b"\xe2\x80"]


@st.composite
def bad_lines(draw: st.DrawFn, fields: list[str]) -> bytes:
    """One line that no build may accept; what is wrong with it, the oracle says."""
    kind = draw(st.integers(0, 6))
    victim = draw(st.sampled_from(fields))
    if kind == 0:
        return draw(st.sampled_from(NOT_ROWS)).encode("utf-8")
    if kind == 1:
        return draw(rows(fields, extra='"bad": ' + draw(st.sampled_from(BAD_EXTRAS)))).encode()
    if kind == 2:
        return draw(rows(fields, changed={victim: draw(st.sampled_from(BAD_VALUES))})).encode()
    if kind == 3:
        too_long = json.dumps("xq" * 300)
        return draw(rows(fields, changed={victim: too_long})).encode()
    if kind == 4:
        return draw(rows(fields, dropped=victim)).encode()
    good = draw(rows(fields, extra='"here": "?"')).encode()
    if kind == 5:
        return good.replace(b'"?"', b'"' + draw(st.sampled_from(NOT_UTF8)) + b'"')
    before, after = draw(st.sampled_from(AROUND))
    return before.encode() + good + after.encode()


@st.composite
def planted_drafts(draw: st.DrawFn) -> Draft:
    """A draft with one bad line, sometimes two."""
    draft = draw(drafts())
    for _ in range(draw(st.sampled_from([1, 1, 2]))):
        index = draw(st.integers(0, len(draft.sources) - 1))
        source = draft.sources[index]
        bad = draw(bad_lines(oracle.for_file(draft.job["fields"], index)))
        at = draw(st.integers(0, len(source.lines)))
        planted = replace(source, lines=(*source.lines[:at], bad, *source.lines[at:]))
        found = (*draft.sources[:index], planted, *draft.sources[index + 1 :])
        draft = replace(draft, sources=found)
    return draft


# ----------------------------------------------------------------------------------------- laws


def outputs_of(root: Path, job: dict[str, Any]) -> dict[str, dict[str, bytes]]:
    return {name: worlds.read_output(root / name) for name in worlds.output_names(job)}


@LAW
@given(drafts())
def test_a_build_writes_exactly_what_the_oracle_says(draft: Draft) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = draft.write(Path(folder))
        expected = oracle.expect(root, draft.job)
        assume(expected.error is None)
        worlds.run_job(root, **draft.job)
        found = outputs_of(root, draft.job)
    assert [output.directory for output in expected.outputs] == list(found)
    for output in expected.outputs:
        assert oracle.differences(output, found[output.directory]) == []


def manifest_without_batch(files: dict[str, bytes]) -> dict[str, Any]:
    manifest: dict[str, Any] = json.loads(files.pop("manifest.json"))
    del manifest["units"]["build_batch"]
    return manifest


@LAW
@given(drafts(), st.integers(1, 7))
def test_build_batch_changes_no_byte_but_its_own_entry(draft: Draft, batch: int) -> None:
    found = []
    for variant in (draft, draft.with_batches(batch)):
        with tempfile.TemporaryDirectory() as folder:
            root = variant.write(Path(folder))
            assume(oracle.expect(root, variant.job).error is None)
            worlds.run_job(root, **variant.job)
            found.append(outputs_of(root, variant.job))
    for name, files in found[0].items():
        assert manifest_without_batch(files) == manifest_without_batch(found[1][name])
        assert files == found[1][name]


def check_error(error: Exception, expected: oracle.ExpectedError) -> None:
    from mintdim.shared.errors import MintDimError

    assert isinstance(error, MintDimError)
    assert type(error).__name__ == expected.name
    assert (error.file, error.line) == (expected.file, expected.line)
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again)) == (type(error), str(error))
    assert (again.file, again.line) == (expected.file, expected.line)


@LAW
@given(planted_drafts(), st.sampled_from([1, 2, 100]))
def test_the_first_bad_line_is_named_whatever_the_batch(draft: Draft, batch: int) -> None:
    for variant in (draft, draft.with_batches(batch)):
        with tempfile.TemporaryDirectory() as folder:
            root = variant.write(Path(folder))
            expected = oracle.expect(root, variant.job)
            assume(expected.error is not None)
            with pytest.raises(Exception) as caught:  # noqa: PT011 - the class is what is judged
                worlds.run_job(root, **variant.job)
            found = outputs_of(root, variant.job)
        check_error(caught.value, expected.error)
        finished = {output.directory: output for output in expected.outputs}
        for name, files in found.items():
            if name in finished:
                assert oracle.differences(finished[name], files) == []
            else:
                assert "manifest.json" not in files
