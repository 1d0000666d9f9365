"""Templates: literal text, placeholders, and one pure substitution."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING, Any

import oracle
import pytest
import worlds
from hypothesis import given, settings
from hypothesis import strategies as st
from worlds import jsonl, make_job, write_files

from mintdim.shared.errors import TemplateFieldMismatchError, TemplateTokenizerError
from mintdim.sources.template import parse_template

if TYPE_CHECKING:
    from pathlib import Path

LAW = settings(max_examples=int(os.environ.get("MINTDIM_EXAMPLES", "150")), deadline=None)

NAMES = ["a", "b", "a b", "", "x.y", "поле", "%s", "1", "class", "{", "a}"]
PIECES = ["{", "}", "{{", "}}", "{a}", "{b}", "{a b}", "{}", "{x.y}", "{поле}", "{%s}", "{1}"]
PIECES += ["{class}", "{other}", "{ a }", "a", "%", "%s", "%%", "%(a)s", "\n", "$a", "\\", "語"]


def texts() -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from(PIECES), max_size=8).map("".join) | st.text(
        "{}ab %", max_size=9
    )


def fields() -> st.SearchStrategy[tuple[str, ...]]:
    return st.lists(st.sampled_from(NAMES), max_size=4, unique=True).map(tuple)


# ---------------------------------------------------------------------------------------- laws


@LAW
@given(texts(), fields())
def test_literals_and_placeholders_in_turn_are_the_template(
    text: str, fields: tuple[str, ...]
) -> None:
    template = parse_template(text, fields)
    assert len(template.literals) == len(template.placeholders) + 1
    shown = [f"{{{name}}}" for name in template.placeholders]
    turns = zip(template.literals, [*shown, ""], strict=True)
    assert "".join(literal + name for literal, name in turns) == text


@LAW
@given(texts(), fields())
def test_placeholders_are_those_that_the_oracle_finds(text: str, fields: tuple[str, ...]) -> None:
    parts = oracle.template_parts(text, list(fields))
    found = [content for kind, content in parts if kind != "literal"]
    assert list(parse_template(text, fields).placeholders) == found


@LAW
@given(texts(), fields(), st.data())
def test_rendering_puts_every_value_in_its_place_and_touches_nothing_else(
    text: str, fields: tuple[str, ...], data: st.DataObject
) -> None:
    template = parse_template(text, fields)
    count = len(template.placeholders)
    entries = st.lists(st.sampled_from(PIECES), min_size=count, max_size=count)
    values = tuple(data.draw(entries))
    turns = zip(template.literals, [*values, ""], strict=True)
    assert template.render(values) == "".join(literal + value for literal, value in turns)


@LAW
@given(st.lists(st.sampled_from(PIECES), min_size=2, max_size=2))
def test_values_are_never_substituted_again(values: list[str]) -> None:
    template = parse_template("{a}{b}{a}", ("a", "b"))
    first, second = values
    assert template.render((first, second, first)) == first + second + first


# --------------------------------------------------------------------------------------- cases


@pytest.mark.parametrize(
    ("text", "fields", "literals", "placeholders"),
    [
        ("{a}", ("a",), ("", ""), ("a",)),
        ("", ("a",), ("",), ()),
        ("{a}{a}", ("a",), ("", "", ""), ("a", "a")),
        ('{"q": "{a}"}', ("a",), ('{"q": "', '"}'), ("a",)),
        ('{"q": {"r": [{a}]}}', ("a",), ('{"q": {"r": [', "]}}"), ("a",)),
        ("{{a}}", ("a",), ("{", "}"), ("a",)),
        ("{a} {} {0} { a } {a-b}", ("a",), ("", " {} {0} { a } {a-b}"), ("a",)),
        (
            "{} {0} { a } {a-b}",
            ("", "0", " a ", "a-b"),
            ("", " ", " ", " ", ""),
            ("", "0", " a ", "a-b"),
        ),
        ("{other}", ("a",), ("", ""), ("other",)),
        ("{поле}{_x}{class}", (), ("", "", "", ""), ("поле", "_x", "class")),
        ("{a", ("a",), ("{a",), ()),
        ("a}", ("a",), ("a}",), ()),
        ("{a\n}{a}", ("a",), ("{a\n}", ""), ("a",)),
    ],
)
def test_a_template_is_cut_at_innermost_braces_around_a_name(
    text: str, fields: tuple[str, ...], literals: tuple[str, ...], placeholders: tuple[str, ...]
) -> None:
    template = parse_template(text, fields)
    assert (template.literals, template.placeholders) == (literals, placeholders)


# ------------------------------------------------------------------- fields and templates agree


def validated(root: Path, **job: Any) -> Any:
    rows = {name: jsonl({"a": "x"}) for name in ("in.jsonl", "two.jsonl")}
    write_files(root, {**rows, "tok.model": worlds.spm()})
    with contextlib.chdir(root):
        return worlds.declare(make_job(**job)).validate()


def mismatch(root: Path, **job: Any) -> TemplateFieldMismatchError:
    with pytest.raises(TemplateFieldMismatchError) as caught:
        validated(root, **job)
    return caught.value


def test_a_placeholder_that_is_not_declared_is_refused_and_named(tmp_path: Path) -> None:
    error = mismatch(tmp_path, fields=[["a", "b"]], templates=["{a}{c}{b}{d}"])
    assert (error.file, error.fields, error.field) == ("in.jsonl", ("a", "b"), "c")
    assert error.template == "{a}{c}{b}{d}"
    assert error.reason.code == "template_uses_undeclared"


def test_a_field_that_the_template_does_not_use_is_refused_and_named(tmp_path: Path) -> None:
    fields, template = ["prompt", "answer", "separator", "source"], "{prompt}{separator}{answer}"
    error = mismatch(tmp_path, fields=[fields], templates=[template])
    assert error.field == "source"
    assert error.reason.code == "fields_unused"


def test_an_undeclared_placeholder_is_named_before_an_unused_field(tmp_path: Path) -> None:
    assert mismatch(tmp_path, fields=[["a", "b"]], templates=["{b}{z}"]).field == "z"


@pytest.mark.parametrize("name", ["{", "a}", "a{b"])
def test_a_field_whose_name_holds_a_brace_cannot_be_used(tmp_path: Path, name: str) -> None:
    mismatch(tmp_path, fields=[[name]], templates=[f"{{{name}}}"])


@pytest.mark.parametrize("name", ["", " ", "a b", "x.y", "q-1", "1", "поле", "😀", "a\nb", "%s"])
def test_any_other_key_can_be_a_placeholder(tmp_path: Path, name: str) -> None:
    validated(tmp_path, fields=[[name]], templates=[f"{{{name}}}"])


def test_names_differ_by_every_character(tmp_path: Path) -> None:
    assert mismatch(tmp_path, fields=[["Text"]], templates=["{text}"]).field == "text"


def test_a_field_declared_twice_and_a_placeholder_used_twice_are_one(tmp_path: Path) -> None:
    validated(tmp_path, fields=[["a", "a"]], templates=["{a}-{a}"])


@pytest.mark.parametrize(
    ("fields", "templates"), [([["a"]], ["{b}"]), ([["a"], ["a"]], ["{b}"]), ([["a"]], ["{b}"] * 2)]
)
def test_of_files_with_one_fault_the_first_is_named(
    tmp_path: Path, fields: Any, templates: Any
) -> None:
    job = {"files": ["two.jsonl", "in.jsonl"], "fields": fields, "templates": templates}
    assert mismatch(tmp_path, **job).file == "two.jsonl"


def test_the_file_with_the_fault_is_named_where_blocks_are_mapped(tmp_path: Path) -> None:
    job = {"files": ["in.jsonl", "two.jsonl"], "fields": [["a"], ["b"]], "templates": ["{a}"]}
    error = mismatch(tmp_path, **job)
    assert (error.file, error.field) == ("two.jsonl", "a")


def test_a_template_without_any_placeholder_leaves_its_fields_unused(tmp_path: Path) -> None:
    assert mismatch(tmp_path, fields=[["a"]], templates=["only text"]).field == "a"


# ------------------------------------------------------------------------------ literals and UNK


def test_a_literal_with_unk_is_refused_with_its_template_and_the_index_of_its_file(
    tmp_path: Path,
) -> None:
    job = {"files": ["in.jsonl", "two.jsonl"], "fields": [["a"]], "templates": ["x{a}", "x{a}ß"]}
    with pytest.raises(TemplateTokenizerError) as caught:
        validated(tmp_path, **job)
    assert (caught.value.file_index, caught.value.template) == (1, "x{a}ß")
    assert caught.value.literal == "ß"


def test_each_literal_is_judged_with_the_tokenizer_of_its_file(tmp_path: Path) -> None:
    write_files(tmp_path, {"more.model": worlds.spm(alphabet=worlds.ALPHABET + "ß")})
    pair = [{"path": "more.model"}, {"path": "tok.model"}]
    job = {"files": ["in.jsonl", "two.jsonl"], "fields": [["a"]], "tokenizer": pair}
    job |= {"output": ["one", "two"]}
    validated(tmp_path, **job, templates=["ß{a}", "{a}"])
    with pytest.raises(TemplateTokenizerError) as caught:
        validated(tmp_path, **job, templates=["ß{a}"])
    assert caught.value.file_index == 1


@pytest.mark.parametrize("kind", ["sentencepiece", "hf_json"])
@pytest.mark.parametrize("template", ["ß{a}", "{a}ß", "{a}\n語\n{a}", '{"ß": "{a}"}'])
def test_unk_anywhere_in_the_static_text_is_refused(
    tmp_path: Path, kind: str, template: str
) -> None:
    write_files(tmp_path, {"tok.json": worlds.hf_char()})
    with pytest.raises(TemplateTokenizerError):
        validated(tmp_path, fields=[["a"]], templates=[template], tokenizer_type=kind)


def test_an_unknown_character_in_a_field_name_is_no_literal(tmp_path: Path) -> None:
    validated(tmp_path, fields=[["ß"]], templates=["{ß}"])


@pytest.mark.parametrize("fields", [["a", "a"], ["a", "b", "a"], ["b", "a", "b"]])
def test_a_field_that_is_declared_twice_is_used_as_if_declared_once(
    tmp_path: Path, fields: list[str]
) -> None:
    template = "".join(f"{{{name}}}" for name in dict.fromkeys(fields))
    files = {"in.jsonl": worlds.jsonl({"a": "xy", "b": "z"}), "tok.model": worlds.spm()}
    worlds.write_files(tmp_path, files)
    seen = []
    for output, names in (("twice", fields), ("once", list(dict.fromkeys(fields)))):
        job = worlds.make_job(fields=[names], templates=[template], output=output)
        worlds.run_job(tmp_path, **job)
        found = worlds.read_output(tmp_path / output)
        seen.append({name: data for name, data in found.items() if name != "manifest.json"})
    assert seen[0] == seen[1]
