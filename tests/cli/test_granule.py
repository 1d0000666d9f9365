"""The ``granule`` command, as a shell sees it."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from mintdim.bpe import Tokenizer
from mintdim.cli import granule
from tests.bpe.worlds import SMALL_CORPUS, quietly


def run(*arguments: object, data: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    program = "import sys; from mintdim.cli.granule import main; sys.exit(main())"
    command = [sys.executable, "-c", program, *map(str, arguments)]
    return subprocess.run(command, input=data, capture_output=True, check=False)


@pytest.fixture
def model(tmp_path):
    quietly(SMALL_CORPUS, 300, special_tokens=["<|end|>"]).save(tmp_path / "m.granule")
    return tmp_path / "m.granule"


def test_train_writes_the_model_it_names(tmp_path, capsys):
    corpus = tmp_path / "corpus.txt"
    corpus.write_bytes(SMALL_CORPUS.encode())
    output = tmp_path / "m"
    sizes = ["--vocab-size", "300", "--pattern", "gpt2", "--special", "<a b>", "--vocab"]
    exported = ["--hf-json", str(tmp_path / "t.json")]
    assert granule.main(["train", str(corpus), "-o", str(output), *sizes, *exported]) == 0
    trained = Tokenizer.load(output)
    expected = quietly(SMALL_CORPUS, 300, pattern="gpt2", special_tokens=["<a b>"])
    assert trained.merges == expected.merges
    assert trained.special_tokens == {"<a b>": 299}
    assert (tmp_path / "m.vocab").is_file()
    assert json.loads((tmp_path / "t.json").read_text())["model"]["unk_token"] == "<unk>"
    assert capsys.readouterr().out == f"{output}: 300 tokens\n"


def test_train_takes_several_files_as_separate_texts(tmp_path):
    for name in "ab":
        (tmp_path / name).write_text("xy")
    files = [str(tmp_path / name) for name in "ab"]
    options = ["-o", str(tmp_path / "m"), "--vocab-size", "258", "--pattern", "none"]
    assert granule.main(["train", *files, *options]) == 0
    assert Tokenizer.load(tmp_path / "m").merges == ((120, 121),)


def test_train_reads_records_through_a_template(tmp_path, capsys):
    records = [{"q": "2+2?", "a": "4"}, {"q": "{a}", "a": "ü", "n": 5}]
    lines = tmp_path / "r.jsonl"
    lines.write_text("\n".join(map(json.dumps, records)) + "\n\n")
    options = ["--vocab-size", "260", "--jsonl", "--template", r"{q}\n{a}"]
    assert granule.main(["train", str(lines), "-o", str(tmp_path / "m"), *options]) == 0
    expected = quietly(["2+2?\n4", "{a}\nü"], 260)
    assert Tokenizer.load(tmp_path / "m").merges == expected.merges


def test_train_says_when_the_vocabulary_stays_smaller(tmp_path, capsys):
    (tmp_path / "c").write_text("ab")
    options = ["-o", str(tmp_path / "m"), "--vocab-size", "999"]
    assert granule.main(["train", str(tmp_path / "c"), *options]) == 0
    assert "257 tokens instead of 999" in capsys.readouterr().err


def test_what_encode_prints_decode_turns_back(model):
    for data in (b"The cat\r\nsat.\n", b"\xff\xfe\0", "naïve 👩‍👩‍👧".encode(), b""):
        ids = run("encode", model, data=data)
        assert ids.returncode == 0
        assert run("decode", model, data=ids.stdout).stdout == data


def test_encode_and_decode_take_arguments_too(model):
    tokenizer = Tokenizer.load(model)
    shown = run("encode", model, "the mat é").stdout.decode().split()
    assert list(map(int, shown)) == tokenizer.encode("the mat é")
    assert run("decode", model, *shown).stdout.decode() == "the mat é"
    assert run("decode", model, " ".join(shown)).stdout.decode() == "the mat é"


def test_special_tokens_are_recognised_if_asked(model):
    end = Tokenizer.load(model).special_tokens["<|end|>"]
    assert run("encode", model, "<|end|>", "--allow-special").stdout.split() == [b"%d" % end]
    assert len(run("encode", model, "<|end|>").stdout.split()) > 1


def test_info_describes_the_model(model, capsys):
    assert granule.main(["info", str(model)]) == 0
    shown = capsys.readouterr().out
    for fact in ("gpt4", "300 tokens", "299 '<|end|>'", "longest token"):
        assert fact in shown


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["info", "{tmp}/none"], "none: cannot be read"),
        (["info", "{tmp}/bad"], "bad, line 1: not a model file"),
        (["decode", "{model}", "12x"], "not '12x'"),
        (["decode", "{model}", "300"], "300 is not an id"),
        (["train", "{tmp}/none", "-o", "{tmp}/m", "--vocab-size", "300"], "cannot be read"),
        (["train", "{tmp}/none", "{tmp}/x", "-o", "{tmp}/m", "--vocab-size", "300"], "cannot be"),
        (["train", "{tmp}/bad", "-o", "{tmp}/m", "--vocab-size", "20"], "at least 256"),
        (["train", "{tmp}/bad", "-o", "{tmp}/m", "--vocab-size", "300", "--jsonl"], "line 1"),
        (
            ["train", "{tmp}/bad", "-o", "{tmp}/m", "--vocab-size", "300", "--pattern", "x"],
            "one of",
        ),
    ],
)
def test_an_error_is_one_line_and_exit_status_2(arguments, reason, model, tmp_path, capsys):
    (tmp_path / "bad").write_text('["no object"]\n')
    filled = [a.format(tmp=tmp_path, model=model) for a in arguments]
    assert granule.main(filled) == 2
    shown = capsys.readouterr().err
    assert shown.startswith("granule: ")
    assert reason in shown
    assert shown.count("\n") == 1


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{", "line 2: not JSON"),
        ('{"text": 5}', "line 2: field 'text' is missing or not a string"),
        ('{"other": "x"}', "line 2: field 'text'"),
    ],
)
def test_a_bad_record_is_named_by_file_and_line(line, reason, tmp_path, capsys):
    (tmp_path / "r").write_text('{"text": "good"}\n' + line + "\n")
    options = ["-o", str(tmp_path / "m"), "--vocab-size", "300", "--jsonl"]
    assert granule.main(["train", str(tmp_path / "r"), *options]) == 2
    assert reason in capsys.readouterr().err


def test_a_template_without_fields_is_refused(tmp_path, capsys):
    options = ["-o", str(tmp_path / "m"), "--vocab-size", "300", "--jsonl", "--template", "x"]
    assert granule.main(["train", str(tmp_path / "r"), *options]) == 2
    assert "names no {field}" in capsys.readouterr().err


def test_bench_outside_a_checkout_says_what_it_needs(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(granule, "CHECKOUT", tmp_path)
    assert granule.main(["bench"]) == 2
    assert "needs the benchmarks and corpora of a checkout" in capsys.readouterr().err


def test_special_tokens_need_text(model):
    broken = run("encode", model, "--allow-special", data=b"ab\xff")
    assert broken.returncode == 2
    assert b"byte 2" in broken.stderr
