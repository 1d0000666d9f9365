"""A row gives declared fields as every pipeline reads them, and others if they are there."""

from __future__ import annotations

import json
import os
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mintdim.shared.errors import MintDimDataError, SampleFieldTypeError, SourceParseError
from mintdim.sources.jsonl import Row, strict_values

LAW = settings(max_examples=int(os.environ.get("MINTDIM_EXAMPLES", "200")), deadline=None)
VALUES = st.one_of(
    st.text(max_size=4),
    st.sampled_from(["\ud800", None, True, False, [], {}, {"a": 1}]),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
)
LINES = st.dictionaries(st.sampled_from("abc"), VALUES).map(lambda row: json.dumps(row).encode())
ODD = st.sampled_from([b"", b"[]", b"{", b"1", b'{"a": NaN}', b'{"a": 1.50, "a": "x"}', b"\xff"])


def outcome(work: Any) -> Any:
    try:
        return work()
    except MintDimDataError as error:
        return str(error)


@LAW
@given(LINES | ODD, st.sampled_from([("a",), ("a", "b"), ("c", "a")]))
@example(b'{"a": "x", "b": "\\ud800"}', ("a",))
def test_declared_fields_are_read_as_the_definition_says(
    line: bytes, fields: tuple[str, ...]
) -> None:
    expected = outcome(lambda: strict_values(line, fields, "f", 7))
    assert outcome(lambda: Row(line, "f", 7).values(fields)) == expected


@LAW
@given(LINES, st.sampled_from("abc"))
def test_an_optional_field_is_none_or_what_a_declared_one_would_be(line: bytes, name: str) -> None:
    if json.loads(line).get(name) is None:
        assert Row(line, "f", 7).optional(name) is None
        return
    expected = outcome(lambda: strict_values(line, (name,), "f", 7)[0])
    assert outcome(lambda: Row(line, "f", 7).optional(name)) == expected


@pytest.mark.parametrize(
    ("value", "text"), [("1.50", "1.50"), ("1e5", "1e5"), ("true", "true"), ('"x"', "x")]
)
def test_a_number_keeps_its_digits(value: str, text: str) -> None:
    assert Row(f'{{"a": {value}}}'.encode(), "f", 1).optional("a") == text


def test_an_object_is_no_text() -> None:
    with pytest.raises(SampleFieldTypeError) as caught:
        Row(b'{"a": {}}', "f", 3).optional("a")
    assert (caught.value.field, caught.value.found, caught.value.line) == ("a", "object", 3)


def test_a_line_that_is_no_object_is_refused_at_once() -> None:
    with pytest.raises(SourceParseError):
        Row(b"[1]", "f", 1)
