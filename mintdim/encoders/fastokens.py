"""The accelerator ``fastokens``: byte-level BPE run many times faster, where it is exact.

It defines nothing: ``accelerators`` says for which tokenizers it may stand in, and
``cross_check`` compares it with the library that defines the ids.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING

import numpy as np

from mintdim.encoders.contract import Encoded
from mintdim.encoders.sentencepiece_bytes import SPACE_SYMBOL

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mintdim.encoders.accelerators import Plan
    from mintdim.encoders.contract import Encoder

NAME = "fastokens"

# To the official library this code point is white space in some patterns and not in others.
_ODD = "\u180e"


def is_installed() -> bool:
    """Say whether the library is there, without importing it."""
    try:
        return importlib.util.find_spec(NAME) is not None
    except (ImportError, ValueError):
        return False


class Fastokens:
    """Encodes by the ``fastokens`` library what ``plan`` says.

    Texts that it is known to get wrong go to ``official``. Raises ``ImportError`` without the
    library, ``ValueError`` if it does not take the document.
    """

    def __init__(self, plan: Plan, official: Encoder) -> None:
        from fastokens import Tokenizer

        self._official, self._form = official, plan.form
        self._odd = _ODD if plan.form is None else SPACE_SYMBOL
        with _all_errors_as_value_errors():
            self._library = Tokenizer.from_json_str(json.dumps(plan.document))

    def encode_batch(self, texts: Sequence[str]) -> Encoded:
        """Return the ids of every text, flat; raises ``ValueError`` if one is refused."""
        odd = [self._odd in text for text in texts]
        with _all_errors_as_value_errors():
            return self._encode_runs(texts, odd) if any(odd) else self._encode(list(texts))

    def _encode_runs(self, texts: Sequence[str], odd: list[bool]) -> Encoded:
        runs = groupby(zip(odd, texts, strict=True), key=itemgetter(0))
        done = [
            (self._official.encode_batch if is_odd else self._encode)([text for _, text in run])
            for is_odd, run in runs
        ]
        ids, lengths = ([part[column] for part in done] for column in (0, 1))
        return Encoded(np.concatenate(ids), np.concatenate(lengths))

    def _encode(self, texts: list[str]) -> Encoded:
        if self._form is None:
            found = self._answer(texts)
        else:
            found = self._form.restored(self._answer(self._form.prepared(texts)))
        if found.ids.max(initial=0) > self._official.largest_id:
            raise ValueError("its answer makes no sense")
        return found

    def _answer(self, texts: list[str]) -> Encoded:
        ids, ends = self._library.encode_batch_flat(texts)
        ids, ends = np.frombuffer(ids, "<u4"), np.frombuffer(ends, "<u8").astype(np.int64)
        lengths = np.diff(ends)
        sound = len(lengths) == len(texts) and ends[0] == 0 and ends[-1] == len(ids)
        if not sound or lengths.min(initial=0) < 0:
            raise ValueError("its answer makes no sense")
        return Encoded(ids, lengths)


@contextlib.contextmanager
def _all_errors_as_value_errors() -> Iterator[None]:
    try:
        yield
    except (KeyboardInterrupt, SystemExit, MemoryError):
        raise
    except BaseException as error:  # a panic of the library is not an Exception
        raise ValueError(str(error) or type(error).__name__) from error
