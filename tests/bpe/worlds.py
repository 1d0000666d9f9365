"""Small shared worlds: texts, tokenizers and hypothesis strategies."""

from __future__ import annotations

import json
import warnings
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from hypothesis import strategies as st

from mintdim.bpe import Tokenizer

if TYPE_CHECKING:
    from mintdim.bpe.patterns import PatternName

HERE = Path(__file__).parent
CORPORA = HERE.parents[1] / "benchmarks" / "data"
PATTERNS = ("gpt2", "gpt4", "none")

# One JSON string per line, so that any character can be written safely.

ADVERSARIAL: list[str] = [
    json.loads(line) for line in (HERE / "adversarial.jsonl").read_text("utf-8").splitlines()
]

SMALL_CORPUS = (
    "The cat didn't sit on the mat; the cats' mats sat there in 2024.\n\n"
    "  def cat(mat):\n      return mat[0:128]\n\n"
    "பூனை பாயில் அமர்ந்தது. बिल्ली चटाई पर बैठी। 猫がマットに座った。 القطة على الحصيرة\r\n"
    "naïve café 👩‍👩‍👧 👍🏽 <|endoftext|>\t\x00\x1f\u200b\u3000\n"
) * 3


def quietly(corpus: object, vocab_size: int, **options: object) -> Tokenizer:
    """Train without the warning about too little text, which tiny worlds always earn."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return Tokenizer.train(corpus, vocab_size, **options)  # type: ignore[arg-type]


@cache
def small(pattern: PatternName = "gpt4") -> Tokenizer:
    return quietly(
        SMALL_CORPUS, 420, pattern=pattern, special_tokens=["<|endoftext|>", "<|end|>", "<|"]
    )


# Characters that lie on the edges of some class, list or encoding length.
_EDGES = "'sStTlLvVeErRdDmM\u017f aZé1²৴٣\t\n\r\v\x0b\x1c\x1f\x85\xa0\u1680\u2028\u3000\u200b_-"
_EDGES += "க்ி猫ｱ\u0301\ud800\udfff\ufeff\U0001f600\U00010400\U0001d7d8\U000e0001"
texts = st.text(alphabet=st.characters()) | st.text(alphabet=st.sampled_from(_EDGES), max_size=40)
few_letters = st.text(alphabet="ab", max_size=30) | st.text(alphabet="aab c\n", max_size=30)
