"""When an accelerator stands in for the official library: it may, it can, it pays, it is exact."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from mintdim.encoders import fastokens
from mintdim.encoders.accelerators import eligible
from mintdim.encoders.cross_check import self_check
from mintdim.encoders.opening import open_encoder, read_unchanged
from mintdim.shared.log import logger

if TYPE_CHECKING:
    from mintdim.encoders.contract import TextEncoder
    from mintdim.shared.types import TokenizerKind

_WORTH_BYTES = 8 * 1024 * 1024


def pays(source_bytes: int, tokenizer_bytes: int) -> bool:
    """Say whether an accelerator has its own tables made long before the work is done."""
    return source_bytes >= max(_WORTH_BYTES, tokenizer_bytes)


def choose_accelerator(kind: TokenizerKind, path: str, sha256: str, source_bytes: int) -> str:
    """Return the name of the accelerator that is to encode ``source_bytes``, or ``""``.

    ``path`` is absolute, ``sha256`` that of its content. An accelerator that is there but proves
    to be wrong for this tokenizer is named in one warning.
    """
    if not pays(source_bytes, len(read_unchanged(path, sha256))):
        return ""
    try:
        accelerator = open_accelerator(kind, path, sha256)
    except ImportError:
        return ""
    except ValueError as error:
        _warn(path, f"cannot load it ({error})")
        return ""
    if accelerator is None:
        return ""
    different = self_check(open_encoder(kind, path, sha256), accelerator)
    if different is not None:
        _warn(path, f"gives other ids for {different[:60]!a}")
        return ""
    return fastokens.NAME


@lru_cache(maxsize=4)
def open_accelerator(kind: TokenizerKind, path: str, sha256: str) -> TextEncoder | None:
    """Return the accelerator of a tokenizer file, None if none may stand in; once per process.

    Raises ``ImportError`` where the accelerator is not installed, ``ValueError`` if it does not
    take the tokenizer, and what ``open_encoder`` raises.
    """
    official = open_encoder(kind, path, sha256)
    document = eligible(official, read_unchanged(path, sha256))
    return None if document is None else fastokens.Fastokens(document, official)


def _warn(path: str, problem: str) -> None:
    logger.warning(
        "[encode:warning] fastokens is not used for %s: it %s. The tokenizer's own library "
        "encodes instead: the same tokens, more slowly.",
        path,
        problem,
    )
