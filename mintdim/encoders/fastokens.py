"""The accelerator ``fastokens``: a ``tokenizer.json`` run many times faster, where it is exact.

It defines nothing: ``accelerators`` says for which tokenizers it may stand in, and
``cross_check`` compares it with the library that defines the ids.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from mintdim.encoders.contract import Encoded

if TYPE_CHECKING:
    from collections.abc import Sequence

NAME = "fastokens"


class Fastokens:
    """Encodes by the ``fastokens`` library; ``document`` is a parsed ``tokenizer.json``.

    Raises ``ImportError`` without the library, ``ValueError`` if it does not take the document.
    """

    def __init__(self, document: dict[str, Any]) -> None:
        from fastokens import Tokenizer

        try:
            self._library = Tokenizer.from_json_str(json.dumps(document))
        except (KeyboardInterrupt, SystemExit, MemoryError):
            raise
        except BaseException as error:  # a panic of the library is not an Exception
            raise ValueError(str(error)) from error

    def encode_batch(self, texts: Sequence[str]) -> Encoded:
        """Return the ids of every text, flat; raises ``ValueError`` if one is refused."""
        try:
            ids, offsets = self._library.encode_batch_flat(list(texts))
        except (KeyboardInterrupt, SystemExit, MemoryError):
            raise
        except BaseException as error:
            raise ValueError(str(error)) from error
        ends = np.frombuffer(offsets, dtype="<u8").astype(np.int64)
        return Encoded(np.frombuffer(ids, dtype="<u4"), ends[1:] - ends[:-1])
