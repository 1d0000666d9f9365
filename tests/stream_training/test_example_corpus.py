"""The bundled documents in four languages: made again they are the same, and are as described."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import sentencepiece

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "examples" / "data" / "stream"
# Another version may train another, equally usable model.
MADE_WITH = "0.2.3"


def rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (FOLDER / name).read_bytes().splitlines()]


def test_the_maker_writes_the_bundled_files_again_byte_for_byte(tmp_path: Path) -> None:
    command = [sys.executable, str(FOLDER / "make.py"), "--target", str(tmp_path)]
    subprocess.run(command, check=True, capture_output=True)
    names = ["articles.jsonl", "pages.jsonl"]
    if sentencepiece.__version__ == MADE_WITH:
        names.append("stream_sp.model")
    for name in names:
        assert (tmp_path / name).read_bytes() == (FOLDER / name).read_bytes(), name


@pytest.mark.parametrize("name", ["articles.jsonl", "pages.jsonl", "stream_sp.model"])
def test_the_readme_has_size_and_hash_of_every_file(name: str) -> None:
    data = (FOLDER / name).read_bytes()
    row = re.search(rf"^\| `{re.escape(name)}` \|.*$", (FOLDER / "README.md").read_text(), re.M)
    assert row is not None
    assert f" {len(data)} " in row[0]
    assert hashlib.sha256(data).hexdigest() in row[0]


def test_every_text_comes_from_its_source_but_those_that_the_readme_names() -> None:
    sources = ("en_web.txt", "ja.txt", "hi_human_ccby.txt", "ta_human_ccby.txt")
    known = {
        line
        for name in sources
        for line in lines((ROOT / "benchmarks" / "data" / name).read_text(encoding="utf-8"))
    }
    every = [*rows("articles.jsonl"), *rows("pages.jsonl")]
    assert [row["url"] for row in every if not lines(row["text"]) <= known] == [
        f"https://example.org/{number}" for number in ("en/9001", "en/9002", "en/9004", "hi/9101")
    ]


def lines(text: str) -> set[str]:
    """All lines but blank ones, without the marks of headings."""
    return {line.strip("# ") for line in text.split("\n")} - {""}


def test_the_languages_are_four_and_the_awkward_rows_few() -> None:
    counts = Counter(
        row.get("lang") for name in ("articles", "pages") for row in rows(f"{name}.jsonl")
    )
    assert counts == {"hi": 569, "ja": 465, "ta": 369, "en": 298, None: 2, "fr": 1}


def test_the_tokenizer_ends_documents_with_id_two_and_knows_every_text() -> None:
    model = sentencepiece.SentencePieceProcessor(model_file=str(FOLDER / "stream_sp.model"))
    assert (model.unk_id(), model.bos_id(), model.eos_id(), model.pad_id()) == (0, 1, 2, -1)
    assert model.vocab_size() == 6_000
    for name in ("articles.jsonl", "pages.jsonl"):
        for ids in model.encode([row["text"] for row in rows(name)]):
            assert not {0, 1, 2} & set(ids)
    assert model.encode("\u200b" * 30) == []
    assert model.decode(model.encode("</s> 𝄞\n\nこれ")) == "</s> 𝄞\n\nこれ"
