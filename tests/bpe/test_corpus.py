"""What may be trained on, and what training holds of it."""

from __future__ import annotations

import tracemalloc

import pytest

from mintdim.bpe import corpus
from mintdim.bpe.corpus import texts
from tests.bpe.worlds import ADVERSARIAL, PATTERNS, SMALL_CORPUS, quietly

WHOLE = "\ufeff" + SMALL_CORPUS + "\r\n".join(a for a in ADVERSARIAL if a.isprintable())


def test_a_str_is_text_even_if_it_names_a_file(tmp_path):
    path = tmp_path / "corpus.txt"
    path.write_text("zzzz")
    assert list(texts(str(path), "gpt4")) == [str(path)]


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("read", [1, 7, 64, 1 << 20])
def test_a_file_is_trained_on_as_its_text(tmp_path, monkeypatch, pattern, read):
    monkeypatch.setattr(corpus, "_READ", read)
    path = tmp_path / "corpus.txt"
    path.write_bytes(WHOLE.encode())
    assert "".join(texts(path, pattern)) == WHOLE
    from_file = quietly(path, 500, pattern=pattern)
    assert from_file.merges == quietly(WHOLE, 500, pattern=pattern).merges


def test_nothing_is_merged_across_two_texts():
    assert quietly(["ab", "ab"], 300, pattern="none").merges == ((97, 98),)
    assert quietly("abab", 300, pattern="none").merges == ((97, 98), (256, 256))


def test_an_iterable_may_be_a_generator():
    lines = (line for line in SMALL_CORPUS.splitlines())
    assert quietly(lines, 300).merges == quietly(SMALL_CORPUS.splitlines(), 300).merges


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(ValueError, match=r"nowhere\.txt cannot be read: No such file"):
        quietly(tmp_path / "nowhere.txt", 300)


@pytest.mark.parametrize("read", [1, 2, 3, 1 << 20])
@pytest.mark.parametrize(("data", "byte"), [(b"abc\xffdef", 3), (b"\xc3\xa9\xe2\x82", 2)])
def test_a_file_that_is_not_utf8_is_named_with_the_place(tmp_path, monkeypatch, read, data, byte):
    monkeypatch.setattr(corpus, "_READ", read)
    path = tmp_path / "latin.txt"
    path.write_bytes(data)
    with pytest.raises(ValueError, match=rf"latin\.txt is not UTF-8 at byte {byte}:"):
        quietly(path, 300)


def test_training_from_an_iterator_holds_distinct_pieces_only():
    text = SMALL_CORPUS * 5
    repeated = (text + str(number % 5) for number in range(400))
    tracemalloc.start()
    quietly(repeated, 300)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(text) * 400 > 1_300_000
    assert peak < 700_000
