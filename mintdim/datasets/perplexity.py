"""Perplexity per language from what any framework computes: the loss of every predicted token."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from mintdim.formats.stream_index import RESERVED_LANGUAGE
from mintdim.shared.errors import DatasetArgumentError
from mintdim.shared.messages import phrase

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    _Flat = npt.NDArray[Any]

_BLOCK = 2**20  # tokens that are widened to float64 at once
_LOSS, _TOKENS, _BYTES = range(3)


def perplexity_by_language(
    nll: npt.ArrayLike,
    languages: npt.ArrayLike | None,
    lang_codes: Sequence[str],
    byte_counts: npt.ArrayLike | None = None,
) -> dict[str, dict[str, Any]]:
    """Return perplexity and tokens, of all targets and of those of each language that has any.

    ``nll``: negative log-likelihood of every target (natural logarithm), of any shape.
    ``languages``: the language code of every target, same shape, as ``evaluation_windows`` gives
    them; None where there are none. ``lang_codes[k]`` names code k; targets of other codes count
    in ``all`` only. ``byte_counts``: the bytes of text that every target stands for, same shape.

    The result is ``{"all": {"ppl": 12.5, "tokens": 1000}, "en": …}``; ``ppl`` is exp of the mean,
    sums are float64. With ``byte_counts`` also ``bits_per_byte``: the sum of ``nll`` in bits per
    byte, which does not depend on the tokenizer; left out where there are no bytes.

    Raises ``DatasetArgumentError`` for arrays that do not fit together, or none at all.
    """
    losses = _flat("nll", nll, "f")
    if not len(losses):
        raise DatasetArgumentError(problem=phrase("empty", name="nll"))
    if RESERVED_LANGUAGE in lang_codes:
        raise _wrong("lang_codes", phrase("language_named_all"), RESERVED_LANGUAGE)
    codes = None if languages is None else _alike("languages", languages, nll)
    sizes = None if byte_counts is None else _alike("byte_counts", byte_counts, nll)
    sums = _sums(losses, codes, sizes, len(lang_codes))  # (3, languages + 1): the others come last
    result = {RESERVED_LANGUAGE: _row(sums.sum(axis=1), sizes is not None)}
    for language, column in zip(lang_codes, sums.T, strict=False):
        if column[_TOKENS]:
            result[language] = _row(column, sizes is not None)
    return result


def _sums(
    losses: _Flat, codes: _Flat | None, sizes: _Flat | None, languages: int
) -> npt.NDArray[np.float64]:
    """Return losses, tokens and bytes [3, languages + 1] by language; the others stand last."""
    sums = np.zeros((3, languages + 1), dtype=np.float64)
    for start in range(0, len(losses), _BLOCK):
        block = slice(start, start + _BLOCK)
        here = np.full(len(losses[block]), languages) if codes is None else codes[block]
        here = np.where((here >= 0) & (here < languages), here, languages).astype(np.intp)
        sums[_LOSS] += np.bincount(here, losses[block].astype(np.float64), languages + 1)
        sums[_TOKENS] += np.bincount(here, minlength=languages + 1)
        if sizes is not None:
            sums[_BYTES] += np.bincount(here, sizes[block].astype(np.float64), languages + 1)
    return sums


def _row(sums: npt.NDArray[np.float64], with_bytes: bool) -> dict[str, Any]:
    loss, tokens, size = sums.tolist()
    with np.errstate(over="ignore"):  # what is too large is infinite
        row = {"ppl": float(np.exp(np.float64(loss / tokens))), "tokens": int(tokens)}
    if with_bytes and size:
        row["bits_per_byte"] = loss / (math.log(2) * size)
    return row


def _alike(name: str, value: npt.ArrayLike, nll: npt.ArrayLike) -> _Flat:
    """Return integers of the shape of ``nll``, flat."""
    if np.shape(value) != np.shape(nll):
        facts = {"name": f"{name}.shape", "found": np.shape(value), "expected": np.shape(nll)}
        raise DatasetArgumentError(problem=phrase("value_differs", **facts))
    return _flat(name, value, "iu")


def _flat(name: str, value: npt.ArrayLike, kinds: str) -> _Flat:
    array = np.asarray(value)
    if array.size and array.dtype.kind not in kinds:
        expected = "float" if kinds == "f" else "int"
        raise _wrong(name, f"array of {expected}", array.dtype)
    return array.reshape(-1)


def _wrong(name: str, expected: object, found: object) -> DatasetArgumentError:
    problem = phrase("wrong_type", name=name, expected=expected, found=found)
    return DatasetArgumentError(problem=problem)
