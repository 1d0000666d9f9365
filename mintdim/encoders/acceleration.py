"""When an accelerator stands in for the official library: it may, it can, it pays, it is exact."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from mintdim.encoders import fastokens
from mintdim.encoders.accelerators import eligible
from mintdim.encoders.cross_check import self_check
from mintdim.encoders.opening import open_encoder, read_unchanged

if TYPE_CHECKING:
    from mintdim.encoders.contract import TextEncoder
    from mintdim.shared.types import TokenizerKind

_WORTH_BYTES = 8 * 1024 * 1024


class UnfitAcceleratorError(Exception):
    """An accelerator that should stand in cannot, or must not; the text says what it does."""


def pays(source_bytes: int, tokenizer_bytes: int) -> bool:
    """Say whether an accelerator has its own tables made long before the work is done."""
    return source_bytes >= max(_WORTH_BYTES, tokenizer_bytes)


def choose_accelerator(kind: TokenizerKind, path: str, sha256: str, source_bytes: int) -> str:
    """Return the name of the accelerator that is to encode ``source_bytes``, or ``""``.

    ``path`` is absolute, ``sha256`` that of its content. Nothing is loaded here: that, and the
    self-check, is left to the processes that encode.
    """
    data = read_unchanged(path, sha256)
    chosen = (
        pays(source_bytes, len(data))
        and fastokens.is_installed()
        and eligible(open_encoder(kind, path, sha256), data)
    )
    return fastokens.NAME if chosen else ""


@lru_cache(maxsize=4)
def open_accelerator(kind: TokenizerKind, path: str, sha256: str) -> TextEncoder:
    """Return the accelerator that was chosen for a tokenizer file; once per process.

    Raises ``UnfitAcceleratorError`` if it does not take the tokenizer or fails the self-check,
    and what ``open_encoder`` raises.
    """
    official = open_encoder(kind, path, sha256)
    plan = eligible(official, read_unchanged(path, sha256))
    assert plan is not None, "the driver chose it"
    try:
        accelerator = fastokens.Fastokens(plan(), official)
    except (ImportError, ValueError) as error:
        raise UnfitAcceleratorError(f"it does not load ({error})") from error
    different = self_check(official, accelerator)
    if different is not None:
        raise UnfitAcceleratorError(f"it gives other ids for {different[:60]!a}")
    return accelerator
