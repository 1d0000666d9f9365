"""The proof that a ready copy gives every text the ids of the original."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, NoReturn

import numpy as np

from mintdim.shared.errors import TokenizerPrepareError, TokenizerPrepareProofError
from mintdim.shared.messages import phrase

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mintdim.encoders.prepare_draft import Draft, Subject

_BATCH = 1024  # texts
Ids = tuple[int, ...] | None  # None: the library refused the text


def prove_same_ids(draft: Draft, texts: Iterable[str]) -> int:
    """Compare copy and original, entry by entry and text by text; return the number of texts.

    Only what UNK stands for may differ: another unknown token in the place of the earlier one,
    or an unknown token where the original, which had none, dropped characters or gave up.

    Raises ``TokenizerPrepareProofError`` for the first difference, ``TokenizerPrepareError`` if
    the library does not take the copy or does not expose both of its tokens.
    """
    copy = _reopened(draft)
    _prove_entries(draft, copy)
    comparison = _Comparison(draft, copy)
    return sum(comparison.prove(batch) for batch in _batches(texts))


def _reopened(draft: Draft) -> Subject:
    try:
        copy = draft.reopened()
    except ValueError as error:
        problem = phrase("prepare_unreadable", detail=str(error))
        raise TokenizerPrepareError(problem=problem) from error
    if not draft.exposes_both(copy):
        raise TokenizerPrepareError(problem=phrase("prepare_not_exposed"))
    return copy


def _prove_entries(draft: Draft, copy: Subject) -> None:
    new = {e.text: e.token_id for e in (draft.pad, draft.unk) if e.text in draft.new_texts}
    expected, found = {**draft.original.vocabulary, **new}, copy.vocabulary
    if found == expected:
        return
    text = next(t for t in {**expected, **found} if expected.get(t) != found.get(t))
    before, after = ((m[text],) if text in m else () for m in (expected, found))
    _refuse(text, before, after)


def _batches(texts: Iterable[str]) -> Iterator[list[str]]:
    rest = iter(texts)
    while batch := list(islice(rest, _BATCH)):
        yield batch


def _refuse(text: str, before: Ids, after: Ids) -> NoReturn:
    problem = phrase("prepare_ids_differ")
    raise TokenizerPrepareProofError(problem=problem, text=text, before=before, after=after)


class _Comparison:
    """Original and copy side by side."""

    def __init__(self, draft: Draft, copy: Subject) -> None:
        self._original, self._copy = draft.original, copy
        self._old_unk, self._new_unk = draft.original.unk_id, draft.unk.token_id
        self._texts = {token_id: text for text, token_id in draft.original.vocabulary.items()}

    def prove(self, batch: list[str]) -> int:
        """Return the number of texts; raises ``TokenizerPrepareProofError``."""
        if not self._all_equal(batch):
            for text in batch:
                self._prove_one(text)
        return len(batch)

    def _all_equal(self, batch: list[str]) -> bool:
        try:
            before, after = (side.encode_batch(batch) for side in (self._original, self._copy))
        except ValueError:
            return False
        return bool(np.array_equal(before.lengths, after.lengths)) and bool(
            np.array_equal(before.ids, after.ids)
        )

    def _prove_one(self, text: str) -> None:
        if self._agree(text):
            return
        # A single character or word tells more than a row of them.
        culprit = next((part for part in (*text, *text.split()) if not self._agree(part)), text)
        _refuse(culprit, ids_of(self._original, culprit), ids_of(self._copy, culprit))

    def _agree(self, text: str) -> bool:
        before, after = ids_of(self._original, text), ids_of(self._copy, text)
        if before == after:
            return True
        if after is None:
            return False
        if self._old_unk < 0 and self._new_unk in after:
            return before is None or self._spelled(before) == self._spelled(after)
        return before is not None and self._merged(before) == self._merged(after)

    def _merged(self, ids: tuple[int, ...]) -> list[int]:
        """Return ``ids`` with the new unknown token for the earlier one, and one for a run.

        Some models join neighbouring unknown tokens, and with them the text of the token itself.
        """
        new = self._new_unk
        replaced = [new if i == self._old_unk else i for i in ids]
        return [
            i
            for i, before in zip(replaced, [None, *replaced], strict=False)
            if i != new or before != new
        ]

    def _spelled(self, ids: tuple[int, ...]) -> str:
        """Return the entries of ``ids`` joined, the new unknown token left out."""
        return "".join(self._texts.get(i, "\0") for i in ids if i != self._new_unk)


def ids_of(subject: Subject, text: str) -> Ids:
    """Return the ids of one text, ``None`` if the library refuses it."""
    try:
        return tuple(subject.encode_batch([text]).ids.tolist())
    except ValueError:
        return None
