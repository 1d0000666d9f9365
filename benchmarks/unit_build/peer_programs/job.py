"""What every peer does alike: read its job, render the texts, encode a list of them.

Standard library only, for it is imported in every environment. Each peer gets texts in lists of
1,000 where its own interface does not say how many, special tokens, padding and truncation off.
"""

from __future__ import annotations

import itertools
import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LIST = 1000


def read(path: str = "") -> SimpleNamespace:
    """Return the job of the command line: the options of the benchmark, and folders."""
    job = SimpleNamespace(**json.loads(Path(path or sys.argv[1]).read_text()))
    for name in ("corpus", "tokenizer", "unpadded", "parts", "texts", "work", "out", "scratch"):
        setattr(job, name, Path(getattr(job, name)))
    return job


def render(job: SimpleNamespace, row: dict[str, str]) -> str:
    return str(job.template).format(**{field: row[field] for field in job.fields})


def parts(job: SimpleNamespace) -> list[str]:
    """Return the corpus as files, as many as there are workers."""
    return sorted(map(str, job.parts.iterdir()))


def texts(job: SimpleNamespace, path: str) -> Iterator[list[str]]:
    with open(path, "rb") as lines:
        rendered = (render(job, json.loads(line)) for line in lines)
        while some := list(itertools.islice(rendered, LIST)):
            yield some


def encoder(job: SimpleNamespace) -> Callable[[list[str]], list[list[int]]]:
    """Return the library's own call for a list of texts, one thread."""
    if job.tokenizer.suffix == ".json":
        return _hugging_face(str(job.tokenizer))
    from sentencepiece import SentencePieceProcessor

    model = SentencePieceProcessor(model_file=str(job.tokenizer))
    return lambda some: model.encode(some, out_type=int, num_threads=1)


def _hugging_face(path: str) -> Callable[[list[str]], list[list[int]]]:
    from tokenizers import Tokenizer

    library = Tokenizer.from_file(path)
    library.no_padding()
    library.no_truncation()

    def encode(some: list[str]) -> list[list[int]]:
        return [e.ids for e in library.encode_batch_fast(some, add_special_tokens=False)]

    return encode
