"""The benchmark's pure parts: corpora, metrics, tables and the README block."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from benchmarks.granule import demo, metrics, report, tables
from benchmarks.granule.corpora import CORPORA, DATA, mixture, parts

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "benchmarks" / "results" / "granule"


@pytest.mark.parametrize("corpus", CORPORA, ids=lambda corpus: corpus.name)
def test_every_corpus_is_unchanged_small_and_described(corpus):
    assert len(corpus.text().encode()) <= 5_000_000
    described = (DATA / "README.md").read_text("utf-8")
    line = next(row for row in described.splitlines() if f"`{corpus.file}`" in row)
    assert corpus.sha256 in line
    assert corpus.licence.replace("-", " ") in line.replace("-", " ")


def test_a_changed_corpus_is_refused():
    with pytest.raises(ValueError, match="is not the file that was measured"):
        CORPORA[0]._replace(sha256="0" * 64).text()


def test_what_is_measured_was_not_trained_on():
    text = CORPORA[0].text()
    learned, unseen = parts(text)
    assert learned + unseen == text
    assert learned.endswith("\n")
    assert 0.2 < len(unseen) / len(text) < 0.3


def test_a_mixture_has_the_size_it_should_and_every_corpus():
    texts = mixture(400_000)
    assert 400_000 <= sum(len(text.encode()) for text in texts) < 420_000
    assert {text[:20] for text in texts[:8]} == {corpus.text()[:20] for corpus in CORPORA[:8]}


def test_metrics_are_what_they_say():
    text = "ab é\nx"
    assert metrics.chars_per_token(text, 3) == 2.0
    assert metrics.bytes_per_token(text, 2) == 3.5
    assert metrics.fertility(text, 6) == 2.0
    assert metrics.overlap([b"a", b"b", b"c", b"d"], {b"a", b"x"}) == 0.25


def test_the_committed_report_is_that_of_the_committed_results():
    results = json.loads((RESULTS / "results.json").read_text("utf-8"))
    assert (RESULTS / "README.md").read_text("utf-8") == report.page(results)


def test_the_block_replaces_what_stands_between_the_markers(tmp_path):
    readme = tmp_path / "README.md"
    readme.write_text(f"before\n{report.START}\nold\n{report.END}\nafter\n")
    assert report.splice(readme, f"{report.START}\nnew\n{report.END}")
    assert readme.read_text() == f"before\n{report.START}\nnew\n{report.END}\nafter\n"


def test_a_readme_without_markers_is_left_alone(tmp_path):
    readme = tmp_path / "README.md"
    readme.write_text("text\n")
    assert not report.splice(readme, "new")
    assert readme.read_text() == "text\n"


def test_tables_are_markdown():
    assert tables.table(["a", "b"], [["x", 1]]) == "| a | b |\n| --- | ---: |\n| x | 1 |"


@pytest.mark.skipif(os.name != "posix", reason="the session is one of a POSIX shell")
def test_the_committed_demo_is_what_the_commands_print():
    assert demo.TARGET.read_text("utf-8") == demo.svg(demo.record())
