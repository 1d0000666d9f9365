"""The share of the fuzz of the accelerator that every test run does, and whether it is any good."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from encoders import trained
from fuzz import ids

from mintdim.encoders.contract import Encoded

if TYPE_CHECKING:
    from collections.abc import Sequence

SEED, ROUNDS = 20_260, 3


def test_mutated_texts_have_the_official_ids_by_every_kind_of_tokenizer() -> None:
    pytest.importorskip("fastokens")
    assert ids.check_in_child(list(trained.KINDS), SEED, range(ROUNDS)) == ""


def test_the_same_seed_and_number_give_the_same_texts() -> None:
    assert ids.make_texts(1, 2, ["<a>"]) == ids.make_texts(1, 2, ["<a>"])
    assert ids.make_texts(1, 2, ["<a>"]) != ids.make_texts(1, 3, ["<a>"])


class Bytes:
    """The bytes of a text; ``wrong`` is read as something else."""

    def __init__(self, wrong: str = "") -> None:
        self.wrong = wrong

    def encode_batch(self, texts: Sequence[str]) -> Encoded:
        rows = [(text.replace(self.wrong, "!") if self.wrong else text).encode() for text in texts]
        lengths = np.array([len(row) for row in rows], dtype=np.int64)
        return Encoded(np.frombuffer(b"".join(rows), dtype=np.uint8), lengths)


def test_a_difference_is_found_and_made_small() -> None:
    texts = ids.make_texts(SEED, 0, [])
    found = ids.finding(Bytes(), Bytes(wrong="the"), texts)
    assert found is not None
    assert found.startswith("'the': ")
    assert ids.finding(Bytes(), Bytes(), texts) is None


def test_a_child_that_cannot_work_says_so() -> None:
    assert "No such file" in ids.check_in_child(["/no/such/file"], SEED, range(1))
