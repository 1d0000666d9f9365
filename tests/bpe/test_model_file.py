"""The model file: what it looks like, and that nothing else passes for one."""

from __future__ import annotations

import hashlib
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mintdim.bpe import ModelFileError, Tokenizer
from mintdim.bpe.printable import printable
from tests.bpe.worlds import quietly, small

EXAMPLE = """\
granule-model 1
pattern gpt4
vocab_size 262
merges 3
32 108 " l"
111 119 "ow"
256 257 " low"
special_tokens 3
259 "<|end of text|>"
260 "two\\nlines"
261 "\\ud800"
"""


def signed(body: str) -> bytes:
    data = body.encode()
    return data + f"sha256 {hashlib.sha256(data).hexdigest()}\n".encode()


def test_the_file_reads_as_documented(tmp_path):
    marks = ["<|end of text|>", "two\nlines", "\ud800"]
    tokenizer = Tokenizer.train(" low low low", 262, special_tokens=marks)
    tokenizer.save(tmp_path / "m")
    assert (tmp_path / "m").read_bytes() == signed(EXAMPLE)
    assert Tokenizer.load(tmp_path / "m").special_tokens == tokenizer.special_tokens


@given(st.lists(st.text(min_size=1), unique=True, max_size=5))
def test_any_special_text_is_safe(tmp_path_factory, marks):
    path = tmp_path_factory.mktemp("m") / "m"
    quietly("abab", 300, special_tokens=marks).save(path)
    assert list(Tokenizer.load(path).special_tokens) == marks


def test_paths_may_be_str_or_path(tmp_path):
    small().save(str(tmp_path / "m"))
    assert Tokenizer.load(str(tmp_path / "m")).merges == small().merges


def change(old: str, new: str) -> str:
    assert EXAMPLE.count(old) == 1
    return EXAMPLE.replace(old, new)


@pytest.mark.parametrize(
    ("body", "line", "reason"),
    [
        (change("granule-model 1", "granule-model 2"), 1, "format version '2'; .* reads 1"),
        (change("granule-model 1", "#version: 0.2"), 1, "not a model file"),
        (change("pattern gpt4", "pattern gpt9"), 2, "unknown pattern 'gpt9'"),
        (change("pattern gpt4\n", ""), 2, "expected 'pattern', found 'vocab_size'"),
        (change("vocab_size 262", "vocab_size 263"), 3, "263, but there are 262"),
        (change("vocab_size 262", "vocab_size many"), 3, "expected a number"),
        (change("merges 3", "merges 4"), 8, "expected a merge|expected a number"),
        (change("merges 3", "merges 2"), 7, "expected 'special_tokens'"),
        (change("merges 3", "merges 99999999"), 4, "expected a number"),
        (change("merges 3", "merges 9999999"), 4, "above the largest vocabulary"),
        (change("111 119", "257 119"), 6, "ids below 257"),
        (change("111 119", "٢ 119"), 6, "expected a number"),
        (change("111 119", "+111 119"), 6, "expected a number"),
        (change('"ow"', '"aw"'), 6, 'make "ow", not "aw"'),
        (change('256 257 " low"', '32 108 " l"'), 7, "a second time"),
        (change("special_tokens 3", "special_tokens 2"), 11, "expected 'sha256'"),
        (change("260 ", "265 "), 10, "id 260, found 265"),
        (change('"two\\nlines"', "two"), 10, "as a JSON string"),
        (change('"two\\nlines"', '""'), 10, "as a JSON string"),
        (change('"two\\nlines"', '"<|end of text|>"'), 10, "a second time"),
        (EXAMPLE + "more\n", 12, "expected 'sha256'"),
        ("", 1, "not a model file"),
    ],
)
def test_a_corrupt_file_is_an_error_that_names_the_line(tmp_path, body, line, reason):
    path = tmp_path / "broken.granule"
    path.write_bytes(signed(body))
    with pytest.raises(ModelFileError, match=reason) as caught:
        Tokenizer.load(path)
    assert caught.value.line == line
    assert caught.value.path == path
    assert str(caught.value).startswith(f"{path}, line {line}: ")


@pytest.mark.parametrize(
    ("data", "line", "reason"),
    [
        (signed(EXAMPLE) + b"\n", 12, "must end after this line"),
        (signed(EXAMPLE)[:-1], 12, "ends too early"),
        (signed(EXAMPLE).replace(b"sha256 ", b"sha256 0"), 12, "was changed after"),
        (signed(EXAMPLE)[:150], 11, "ends too early"),
        (signed(EXAMPLE).replace(b"\n", b"\r\n"), 1, "version '1.r'"),
        (signed(EXAMPLE).replace(b"two", b"t\xff"), 10, "not UTF-8"),
        (b"\x89PNG\r\n\x1a\n" + bytes(99), 1, "not a model file"),
        (b'{"version": "1.0"}', 1, "not a model file"),
    ],
)
def test_damaged_bytes_are_an_error_that_names_the_line(tmp_path, data, line, reason):
    path = tmp_path / "m"
    path.write_bytes(data)
    with pytest.raises(ModelFileError, match=reason) as caught:
        Tokenizer.load(path)
    assert caught.value.line == line


def test_reordered_merges_are_noticed_by_the_sum(tmp_path):
    tokenizer = quietly("ab ab cd cd", 258, pattern="none")
    tokenizer.save(tmp_path / "m")
    lines = (tmp_path / "m").read_text().splitlines(keepends=True)
    lines[4], lines[5] = lines[5], lines[4]
    (tmp_path / "m").write_text("".join(lines))
    with pytest.raises(ModelFileError):
        Tokenizer.load(tmp_path / "m")


@given(st.integers(0), st.integers(0, 255))
def test_no_single_changed_byte_goes_unnoticed(tmp_path_factory, place, value):
    data = bytearray(signed(EXAMPLE))
    place %= len(data)
    if data[place] != value:
        data[place] = value
        path = tmp_path_factory.mktemp("m") / "m"
        path.write_bytes(data)
        with pytest.raises(ModelFileError):
            Tokenizer.load(path)


def test_a_missing_file_and_a_directory_are_named(tmp_path):
    for path in (tmp_path / "none", tmp_path):
        with pytest.raises(ModelFileError, match="cannot be read") as caught:
            Tokenizer.load(path)
        assert caught.value.line is None


def test_a_failed_save_leaves_nothing_behind(tmp_path):
    (tmp_path / "taken").mkdir()
    with pytest.raises(ModelFileError, match="cannot be written"):
        small().save(tmp_path / "taken")
    with pytest.raises(ModelFileError, match="cannot be written"):
        small().save(tmp_path / "no" / "such" / "folder")
    assert [path.name for path in tmp_path.iterdir()] == ["taken"]


def test_the_error_survives_a_process_boundary():
    error = ModelFileError("m", 3, "wrong")
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.path, again.line) == (str(error), error.path, 3)


# the sidecar


def test_the_vocab_file_shows_every_token_and_its_origin(tmp_path):
    tokenizer = Tokenizer.train(" low low\n", 259, special_tokens=["a\nb"])
    tokenizer.save_vocab(tmp_path / "v")
    lines = (tmp_path / "v").read_text("utf-8").splitlines()
    assert len(lines) == tokenizer.vocab_size
    assert lines[10] == '10\t"\\n"\tbyte'
    assert lines[255] == '255\t"\\xff"\tbyte'
    assert lines[256:] == ['256\t" l"\t32 + 108', '257\t"ow"\t111 + 119', '258\t"a\\nb"\tspecial']


@pytest.mark.parametrize(
    ("token", "shown"),
    [
        (b" the", '" the"'),
        ("பூனை 猫 é".encode(), '"பூனை 猫 é"'),
        (b"\n\t\r\\\"'", r'''"\n\t\r\\\"'"'''),
        (b"\x00\x7f", r'"\u0000\u007f"'),
        (b"\xe2\x82", r'"\xe2\x82"'),
        ("\u200b\u202e\xa0".encode(), r'"\u200b\u202e\u00a0"'),
        ("\U000e0001😀".encode(), r'"\U000e0001😀"'),
        (b"\xed\xa0\x80", r'"\xed\xa0\x80"'),
    ],
)
def test_tokens_are_shown_as_text_with_the_invisible_escaped(token, shown):
    assert printable(token) == shown


@given(st.binary(max_size=8), st.binary(max_size=8))
def test_different_tokens_are_shown_differently_on_one_line(one, other):
    assert len(printable(one).splitlines()) == 1
    assert (printable(one) == printable(other)) == (one == other)
