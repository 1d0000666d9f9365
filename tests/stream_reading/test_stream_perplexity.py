"""`mintdim.perplexity_by_language`: against sums written out, and what does not fit together."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mintdim
from mintdim.datasets import perplexity
from mintdim.shared.errors import DatasetArgumentError

CODES = ("en", "de", "fr")
rows = st.lists(
    st.tuples(st.floats(0, 30), st.integers(0, 4), st.integers(0, 9)), min_size=1, max_size=40
)


def naive(targets: list[tuple[float, int, int]]) -> dict[str, dict[str, Any]]:
    """Every language on its own, with exact sums."""
    groups = {"all": targets}
    for code, language in enumerate(CODES):
        groups[language] = [target for target in targets if target[1] == code]
    result = {}
    for name, group in groups.items():
        if group:
            loss, size = math.fsum(nll for nll, _, _ in group), sum(size for _, _, size in group)
            result[name] = {"ppl": math.exp(loss / len(group)), "tokens": len(group)}
            if size:
                result[name]["bits_per_byte"] = loss / math.log(2) / size
    return result


@settings(max_examples=100, deadline=None)
@given(targets=rows, block=st.sampled_from([1, 3, 2**20]))
def test_it_is_the_naive_sum_for_any_size_of_blocks(targets: Any, block: int) -> None:
    losses, codes, sizes = (np.array(column) for column in zip(*targets, strict=True))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(perplexity, "_BLOCK", block)
        found = mintdim.perplexity_by_language(losses, codes, CODES, byte_counts=sizes)
    expected = naive(targets)
    assert list(found) == list(expected)
    for name, row in expected.items():
        assert found[name] == pytest.approx(row)


def test_perplexity_of_equal_chances_is_their_number() -> None:
    nll = np.full((2, 3), math.log(50), dtype=np.float32)
    languages = np.array([[0, 0, 2], [2, 2, 9]], dtype=np.uint8)
    found = mintdim.perplexity_by_language(nll, languages, CODES)
    assert {name: (round(row["ppl"], 4), row["tokens"]) for name, row in found.items()} == {
        "all": (50.0, 6),
        "en": (50.0, 2),
        "fr": (50.0, 3),
    }


def test_without_languages_there_is_only_all() -> None:
    assert mintdim.perplexity_by_language([0.0], None, CODES) == {"all": {"ppl": 1.0, "tokens": 1}}


def test_sums_of_small_floats_are_sums_of_doubles() -> None:
    nll = np.full(3_000_000, 0.1, dtype=np.float32)
    found = mintdim.perplexity_by_language(nll, np.zeros(3_000_000, dtype=np.uint8), CODES)
    assert found["all"]["ppl"] == pytest.approx(math.exp(float(np.float32(0.1))), rel=1e-9)


def test_a_model_that_knows_nothing_is_infinitely_perplexed() -> None:
    assert mintdim.perplexity_by_language([1e6], None, CODES)["all"]["ppl"] == math.inf
    assert math.isnan(mintdim.perplexity_by_language([math.nan], [0], CODES)["en"]["ppl"])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (([], None, CODES), "nll must not be empty"),
        (([1.0, 2.0], [0], CODES), r"languages.shape is \(1,\), must be \(2,\)"),
        (([[1.0, 2.0]], [0, 0], CODES), "languages.shape"),
        (([1.0], [0], CODES, [1, 2]), "byte_counts.shape"),
        (([1], [0], CODES), "nll must be array of float"),
        (([1.0], [0.5], CODES), "languages must be array of int"),
        (([1.0], [0], ("en", "all")), "lang_codes must be"),
    ],
)
def test_arrays_that_do_not_fit_together_are_refused(arguments: Any, words: str) -> None:
    with pytest.raises(DatasetArgumentError, match=words):
        mintdim.perplexity_by_language(*arguments)
