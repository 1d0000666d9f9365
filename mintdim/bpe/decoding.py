"""Bytes of tokens back to text, whole or as a stream."""

from __future__ import annotations

import codecs
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

ErrorMode = Literal["replace", "strict", "ignore"]
_MODES = ("replace", "strict", "ignore")


def _tolerate_surrogates(mode: str) -> str:
    """Register, and name, error handling ``mode`` that accepts encoded lone surrogates.

    ``encode`` writes a lone surrogate as its three bytes, which plain UTF-8 refuses.
    """
    surrogate, otherwise = codecs.lookup_error("surrogatepass"), codecs.lookup_error(mode)

    def handle(error: UnicodeError) -> tuple[str | bytes, int]:
        try:
            return surrogate(error)
        except UnicodeDecodeError:
            return otherwise(error)

    codecs.register_error(f"mintdim.bpe.{mode}", handle)
    return f"mintdim.bpe.{mode}"


_HANDLERS = {mode: _tolerate_surrogates(mode) for mode in _MODES}


def text_of(data: bytes, errors: str = "replace") -> str:
    """Decode UTF-8 bytes, lone surrogates included.

    Invalid bytes become U+FFFD (``replace``), vanish (``ignore``), or raise
    ``ValueError`` (``strict``).
    """
    try:
        return data.decode("utf-8", _handler(errors))
    except UnicodeDecodeError as error:
        raise ValueError(_invalid(error)) from None


def _handler(errors: str) -> str:
    if errors not in _HANDLERS:
        raise ValueError(f"errors must be one of {', '.join(_MODES)}, not {errors!r}")
    return _HANDLERS[errors]


def _invalid(error: UnicodeDecodeError) -> str:
    return (
        f"the ids are not valid UTF-8 at byte {error.start} "
        f"(0x{error.object[error.start]:02x}): use errors='replace', or decode_bytes"
    )


class StreamDecoder:
    """Turns ids into text as they arrive, holding back unfinished characters.

    The results joined equal ``Tokenizer.decode`` of all ids joined. Made by
    ``Tokenizer.stream_decoder``; not to be shared between threads.
    """

    def __init__(self, to_bytes: Callable[[Iterable[int]], bytes], errors: str) -> None:
        self._to_bytes = to_bytes
        self._decoder = codecs.getincrementaldecoder("utf-8")(_handler(errors))

    def decode(self, ids: Iterable[int], final: bool = False) -> str:
        """Return the text that ``ids`` complete; ``final`` flushes what is held back.

        After ``final=True`` the decoder is as new. ``errors`` decides about bytes that
        cannot become a character, as in ``Tokenizer.decode``.
        """
        try:
            text = self._decoder.decode(self._to_bytes(ids), final)
        except UnicodeDecodeError as error:
            self._decoder.reset()
            raise ValueError(_invalid(error)) from None
        if final:
            self._decoder.reset()
        return text
