"""Single cases: arguments, limits, and what the specification names one by one."""

from __future__ import annotations

import subprocess
import sys
import tracemalloc

import pytest

from mintdim.bpe import ModelFileError, Tokenizer
from tests.bpe.worlds import PATTERNS, quietly, small


def test_ids_are_bytes_then_merges_then_special_tokens():
    tokenizer = Tokenizer.train("ababab", 259, special_tokens=["<a>"])
    assert tokenizer.merges == ((97, 98), (256, 256))
    assert tokenizer.special_tokens == {"<a>": 258}
    assert [tokenizer.token_bytes(n) for n in (0, 97, 128, 255, 256, 257, 258)] == [
        b"\0",
        b"a",
        b"\x80",
        b"\xff",
        b"ab",
        b"abab",
        b"<a>",
    ]
    assert tokenizer.encode("ababab<a>", {"<a>"}) == [257, 256, 258]


# training


@pytest.mark.parametrize("corpus", ["", "   \n", [], [""], ["a", "b"]])
@pytest.mark.parametrize("fast", [True, False])
def test_training_on_nothing_gives_the_bytes_and_a_warning(corpus, fast):
    with pytest.warns(UserWarning, match=r"no pair is left .* 2\d\d tokens instead of 2600"):
        tokenizer = Tokenizer.train(corpus, 2600, fast=fast)
    assert 256 <= tokenizer.vocab_size <= 259
    assert tokenizer.encode("hi") == [104, 105]


def test_vocab_size_tells_what_was_reached():
    with pytest.warns(UserWarning, match="ask for fewer"):
        tokenizer = Tokenizer.train("abc", 300, special_tokens=["<x>"])
    assert tokenizer.vocab_size == 256 + 2 + 1


def test_the_vocabulary_may_be_bytes_and_special_tokens_alone():
    assert Tokenizer.train("abc", 257, special_tokens=["<x>"]).vocab_size == 257


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"vocab_size": 255}, "must be at least 256"),
        ({"vocab_size": 257, "special_tokens": ["a", "b"]}, "256 bytes and 2 special tokens"),
        ({"vocab_size": 1 << 21}, "at most 1114112"),
        ({"vocab_size": 300.0}, "must be an int, not 300.0"),
        ({"pattern": "gpt5"}, "one of gpt2, gpt4, none, not 'gpt5'"),
        ({"special_tokens": ["a", "a"]}, "'a' is listed more than once"),
        ({"special_tokens": [""]}, "non-empty str, not ''"),
        ({"special_tokens": [b"a"]}, "non-empty str, not b'a'"),
        ({"special_tokens": "<a>"}, r"write \['<a>'\]"),
        ({"corpus": 5}, "not int"),
        ({"corpus": [b"x"]}, "item 0 is bytes, not str"),
    ],
)
def test_an_argument_that_cannot_be_met_is_a_value_error(arguments, reason):
    given = {"corpus": "abc", "vocab_size": 300} | arguments
    with pytest.raises(ValueError, match=reason):
        Tokenizer.train(**given)


def test_special_text_in_the_corpus_is_ordinary_text():
    with_mark = quietly("<x><x><x>", 260, special_tokens=["<x>"], pattern="none")
    assert with_mark.merges == quietly("<x><x><x>", 259, pattern="none").merges


def test_verbose_writes_progress_to_standard_error_alone(capsys):
    quietly("the cat sat on the mat", 266, verbose=True)
    written = capsys.readouterr()
    assert written.out == ""
    assert "10 of 10 merges" in written.err


def test_silent_otherwise(capsys):
    quietly("the cat sat on the mat", 266)
    assert capsys.readouterr() == ("", "")


# special tokens


def test_an_unknown_allowed_special_token_is_named_with_the_known():
    with pytest.raises(ValueError, match=r"'<no>'.* are: '<\|endoftext\|>', '<\|end\|>', '<\|'"):
        small().encode("x", {"<no>"})


def test_a_single_str_as_allowed_special_is_refused():
    with pytest.raises(ValueError, match="must be a set of str"):
        small().encode("x", "<|end|>")


def test_of_overlapping_special_tokens_the_longest_is_taken():
    tokenizer = quietly("x", 259, special_tokens=["  ", "    ", " "])
    two, four, one = tokenizer.special_tokens.values()
    assert tokenizer.encode(" " * 7, {" ", "  ", "    "}) == [four, two, one]
    assert tokenizer.encode(" " * 7, {"  "})[:3] == [two] * 3


def test_a_special_token_needs_no_space_around_it():
    tokenizer = small()
    end = tokenizer.special_tokens["<|end|>"]
    assert tokenizer.encode("cat<|end|>cat", {"<|end|>"}).count(end) == 1


def test_special_characters_of_regular_expressions_are_plain_in_special_tokens():
    tokenizer = quietly("x", 258, special_tokens=["a.*", "\n"])
    assert tokenizer.encode("abba.*\n", {"a.*", "\n"})[-2:] == [256, 257]


def test_special_tokens_is_a_copy():
    small().special_tokens.clear()
    assert small().special_tokens


# encoding


@pytest.mark.parametrize("value", [b"bytes", 5, None, ["a"]])
def test_encode_takes_text_only(value):
    with pytest.raises(ValueError, match="for bytes use encode_bytes"):
        small().encode(value)


def test_encode_bytes_takes_what_holds_bytes():
    tokenizer = small()
    data = b"\xff\xfea"
    for value in (data, bytearray(data), memoryview(data)):
        assert tokenizer.decode_bytes(tokenizer.encode_bytes(value)) == data
    for wrong in ("text", 5):
        with pytest.raises(ValueError, match="encode_bytes takes bytes"):
            tokenizer.encode_bytes(wrong)


def test_offsets_count_characters_even_where_one_is_spread_over_tokens():
    tokenizer = quietly("", 256)
    ids, spans = tokenizer.encode_with_offsets("i ⭢ j")
    assert len(ids) == 7
    assert spans == [(0, 1), (1, 2), (2, 3), (2, 3), (2, 3), (3, 4), (4, 5)]


@pytest.mark.parametrize("text", ["a" * 100_000, "^" * 1_000_000, "ab" * 60_000, "xyz" * 30_000])
@pytest.mark.parametrize("pattern", PATTERNS)
def test_long_repetitions_are_encoded_without_trouble(text, pattern):
    tokenizer = small(pattern)
    ids = tokenizer.encode(text)
    assert tokenizer.decode_bytes(ids) == text.encode()


def test_the_cache_of_pieces_stays_bounded():
    tokenizer = small()
    tracemalloc.start()
    for start in range(0, 300_000, 50_000):
        tokenizer.encode(" ".join(f"w{number:x}q" for number in range(start, start + 50_000)))
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert held < 60_000_000  # unbounded, it would be 100 MB here, and grow


# decoding


@pytest.mark.parametrize("wrong", [-1, 420, 1 << 40, "a", None])
def test_an_id_outside_the_vocabulary_is_refused(wrong):
    with pytest.raises(ValueError, match="is not an id of this tokenizer; ids are 0 to 419"):
        small().decode([97, wrong])


def test_ids_must_be_iterable():
    with pytest.raises(ValueError, match="iterable of int"):
        small().decode(97)


def test_a_cut_id_list_decodes_as_asked():
    tokenizer = quietly("", 256)
    ids = tokenizer.encode("é")[:1]
    assert tokenizer.decode(ids) == "\ufffd"
    assert tokenizer.decode(ids, errors="ignore") == ""
    with pytest.raises(ValueError, match=r"not valid UTF-8 at byte 0 \(0xc3\).*decode_bytes"):
        tokenizer.decode(ids, errors="strict")
    with pytest.raises(ValueError, match="one of replace, strict, ignore"):
        tokenizer.decode(ids, errors="surprise")


def test_lone_surrogates_survive_beside_broken_bytes():
    tokenizer = quietly("", 256)
    ids = [*tokenizer.encode("\udbc0"), 0xFF, *tokenizer.encode("\ud83d\ude4d")]
    assert tokenizer.decode(ids) == "\udbc0\ufffd\ud83d\ude4d"


def test_a_stream_holds_back_unfinished_characters():
    tokenizer = quietly("", 256)
    stream = tokenizer.stream_decoder()
    shown = [stream.decode([number]) for number in tokenizer.encode("naïve 👩‍👩‍👧")]
    assert "".join(shown) == "naïve 👩‍👩‍👧"
    assert "\ufffd" not in "".join(shown)
    assert stream.decode([0xF0, 0x9F]) == ""
    assert stream.decode([], final=True) == "\ufffd"
    assert stream.decode([97]) == "a"


def test_a_strict_stream_tells_of_broken_bytes_and_recovers():
    stream = small().stream_decoder("strict")
    with pytest.raises(ValueError, match="not valid UTF-8"):
        stream.decode([0xFF])
    assert stream.decode([97], final=True) == "a"


# surface


def test_importing_the_tokenizer_loads_nothing_outside_the_standard_library():
    program = (
        "import sys; before = set(sys.modules); import mintdim.bpe\n"
        "roots = {name.partition('.')[0] for name in set(sys.modules) - before}\n"
        "foreign = roots - sys.stdlib_module_names - {'mintdim'}\n"
        "assert not foreign, foreign\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_the_public_names_are_these():
    import mintdim.bpe

    assert sorted(mintdim.bpe.__all__) == ["ModelFileError", "StreamDecoder", "Tokenizer"]
    assert issubclass(ModelFileError, ValueError)


def test_every_public_function_says_what_it_does():
    members = vars(Tokenizer).items()
    assert not [name for name, m in members if not name.startswith("_") and not m.__doc__]


def test_repr_names_the_essentials():
    text = repr(small())
    assert "gpt4" in text
    assert "vocab_size=420" in text


# ids are kept as characters, and some code points are peculiar


def test_ids_that_are_surrogate_code_points_are_ordinary_ids():
    words = [f"{number:04x}" for number in range(1 << 16)]
    tokenizer = Tokenizer.train(words, 57_400, pattern="none", special_tokens=["<|end|>"])
    peculiar = [*range(0xD7F0, 0xD810), *range(0xDBF0, 0xDC10), *range(0xDFF0, 0xE010)]
    for number in peculiar:
        token = tokenizer.token_bytes(number)
        assert tokenizer.encode_bytes(token) == [number]
        assert tokenizer.decode([number]).encode() == token
    text = "".join(map(tokenizer.decode, ([number] for number in peculiar)))
    assert tokenizer.decode(tokenizer.encode(text)) == text
