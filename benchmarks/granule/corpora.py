"""The corpora: what they are, whose they are, and that they are unchanged.

Commits, licence texts and what was cleaned away: ``benchmarks/data/README.md``.
"""

from __future__ import annotations

import hashlib
from itertools import chain
from pathlib import Path
from typing import NamedTuple

DATA = Path(__file__).parents[1] / "data"


class Corpus(NamedTuple):
    """A committed sample of text."""

    name: str
    file: str
    title: str
    source: str
    licence: str
    sha256: str

    def text(self) -> str:
        """Return the text; refuse a file that is not the one described."""
        data = (DATA / self.file).read_bytes()
        if hashlib.sha256(data).hexdigest() != self.sha256:
            raise ValueError(f"{DATA / self.file} is not the file that was measured")
        return data.decode()


CORPORA = (
    Corpus(
        "english",
        "en_web.txt",
        "English web posts",
        "18F/18f.gsa.gov, content/posts",
        "CC0-1.0",
        "9595f20d0324277f2fc98fad5f51240abe3cb2c64e49ce0a19f663bcb8bbc63b",
    ),
    Corpus(
        "tamil",
        "ta.txt",
        "Tamil",
        "microsoft/edgeai-for-beginners, translations/ta",
        "MIT",
        "4f0dc7337793845e3f78f45cc7cc63004f2b5e91a05ea30cc6cf56f58bebbbe0",
    ),
    Corpus(
        "hindi",
        "hi.txt",
        "Hindi",
        "microsoft/edgeai-for-beginners, translations/hi",
        "MIT",
        "9377794d1fc21a7bfaad761a935277ecbc4bc75a8174c497d8af588fbf748e98",
    ),
    Corpus(
        "japanese",
        "ja.txt",
        "Japanese",
        "microsoft/edgeai-for-beginners, translations/ja",
        "MIT",
        "75b8fee146e7571c3af9ff0268b1b9f63d558e8af4c827d120fe52b248d6573a",
    ),
    Corpus(
        "thai",
        "th.txt",
        "Thai",
        "microsoft/edgeai-for-beginners, translations/th",
        "MIT",
        "b2636faeeddbedea416319dedc4205c6d4ac8d15a7f532e4a518a805117f4592",
    ),
    Corpus(
        "arabic",
        "ar.txt",
        "Arabic",
        "microsoft/edgeai-for-beginners, translations/ar",
        "MIT",
        "6c6688a42645a4f25c31a4b2669878fc0887c10f4cb8a51e39712f8d8124a731",
    ),
    Corpus(
        "python",
        "python.txt",
        "Python source",
        "CPython 3.11.7, Lib",
        "PSF-2.0",
        "1d5e558bf1e70472a934090da45fbd06aae80dc615b12f69b0b619e8afa6d21b",
    ),
    Corpus(
        "json-logs",
        "json_logs.txt",
        "JSON and log lines",
        "@mdn/browser-compat-data 8.1.9, and generated lines",
        "CC0-1.0",
        "4039c5b8a71baf3900fa7f37c595fd20a62cbf210c9d1c1d1926d83145929323",
    ),
    Corpus(
        "tamil-human",
        "ta_human_ccby.txt",
        "Tamil, by people",
        "cambridgeltl/xcopa and tldr-pages/tldr",
        "CC-BY-4.0",
        "bc236cb3ede8350c28b7bea2a385b540becf8e0d3f23e4b231122887e07883f3",
    ),
    Corpus(
        "hindi-human",
        "hi_human_ccby.txt",
        "Hindi, by people",
        "tldr-pages/tldr",
        "CC-BY-4.0",
        "d5b15bd3404a7055d6e9be86cd90ceca3fe2fd6889b87bded410ffde1678f2bb",
    ),
)


def parts(text: str) -> tuple[str, str]:
    """Cut at the first line end after three quarters: to train on, and to measure on."""
    cut = text.index("\n", len(text) * 3 // 4) + 1
    return text[:cut], text[cut:]


def mixture(size: int) -> list[str]:
    """Return texts of all corpora, ``size`` bytes or a little more, in short portions.

    Taken round and round from every corpus, so that any size has the same mixture.
    """
    rounds = zip(*(_portions(corpus.text()) for corpus in CORPORA[:8]), strict=False)
    chosen: list[str] = []
    held = 0
    for portion in chain.from_iterable(rounds):
        if held >= size:
            break
        chosen.append(portion)
        held += len(portion.encode())
    return chosen


def _portions(text: str) -> list[str]:
    step = len(text) // 150
    edges = [text.index("\n", number * step) + 1 for number in range(1, 150)]
    return [text[a:b] for a, b in zip([0, *edges], [*edges, len(text)], strict=True)]
