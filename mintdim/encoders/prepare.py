"""A ready copy of a tokenizer that exposes no PAD or no UNK; no id of the original moves.

The way: read → edit (``prepare_hf``, ``prepare_sentencepiece``) → prove that every text still
has its ids (``prepare_proof``) → write. The original is never changed.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from mintdim.encoders.adversarial_texts import corpus
from mintdim.encoders.opening import read_tokenizer
from mintdim.encoders.prepare_hf import HfDraft
from mintdim.encoders.prepare_proof import ids_of, prove_same_ids
from mintdim.encoders.prepare_result import PreparedTokenizer
from mintdim.encoders.prepare_sentencepiece import SentencePieceDraft
from mintdim.shared.errors import (
    OutputFileExistsError,
    TokenizerPrepareError,
    TokenizerValidationError,
)
from mintdim.shared.files import flush, make_directory, write_whole
from mintdim.shared.messages import phrase
from mintdim.shared.paths import absolute, as_given, is_path, is_usable_path, require_file

if TYPE_CHECKING:
    from mintdim.encoders.prepare_draft import Draft
    from mintdim.shared.types import StrPath

_WORK = ".mintdim-prepare-{pid}.part"


def prepare_tokenizer(
    path: StrPath, out: StrPath, *, pad: str | None = None, unk: str | None = None
) -> PreparedTokenizer:
    """Write a copy of the tokenizer ``path`` to ``out`` that exposes both PAD and UNK.

    ``pad`` and ``unk`` are the text of an existing entry, whose id is then used, or of a new one,
    which is appended at the end. Left out, what the tokenizer exposes stays as it is. Whether the
    file is a ``tokenizer.json`` or a SentencePiece model is seen from its content::

        print(mintdim.prepare_tokenizer("tokenizer.json", "ready.json", pad="<pad>", unk="<unk>"))

    Before the copy appears, texts of all scripts are encoded with both and compared id by id.

    Raises ``TokenizerPrepareError`` and its subclasses for arguments that do not fit this
    tokenizer, ``OutputFileExistsError`` where something stands at ``out``,
    ``TokenizerValidationError`` for a file that is no tokenizer, ``MintDimFileNotFoundError``,
    and ``MissingLibraryError``, ``SourceReadError`` or ``OutputWriteError``.
    """
    source, target = _checked_paths(path, out)
    _check_text("pad", pad)
    _check_text("unk", unk)
    draft = _drafted(read_tokenizer(source, as_given(path)), as_given(path), pad, unk)
    compared = prove_same_ids(draft, corpus(draft.new_texts, draft.added_texts))
    _publish(draft.ready, target)
    return PreparedTokenizer(
        path=as_given(out),
        kind=draft.kind,
        pad_token=draft.pad.text,
        pad_id=draft.pad.token_id,
        unk_token=draft.unk.text,
        unk_id=draft.unk.token_id,
        appended=draft.new_texts,
        found_in_text=_found_in_text(draft),
        texts_compared=compared,
    )


def _checked_paths(path: StrPath, out: StrPath) -> tuple[str, Path]:
    for name, value in (("path", path), ("out", out)):
        if not is_path(value) or not is_usable_path(as_given(value)):
            expected = phrase("a_path")
            found = type(value).__name__
            problem = phrase("wrong_type", name=name, expected=expected, found=found)
            raise TokenizerPrepareError(problem=problem)
    source = require_file(as_given(path), "tokenizer")
    _require_nothing_at(as_given(out))
    return source, Path(absolute(as_given(out)))


def _require_nothing_at(out: str) -> None:
    if os.path.lexists(out):
        raise OutputFileExistsError(directory=out)


def _check_text(name: str, text: object) -> None:
    if text is None:
        return
    if not isinstance(text, str):
        found, expected = type(text).__name__, phrase("a_string")
        problem = phrase("wrong_type", name=name, expected=expected, found=found)
    elif not text:
        problem = phrase("empty", name=name)
    elif "\0" in text or not _is_unicode(text):
        problem = phrase("not_text", name=name)
    else:
        return
    raise TokenizerPrepareError(problem=problem)


def _is_unicode(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _drafted(data: bytes, file: str, pad: str | None, unk: str | None) -> Draft:
    is_json = data.lstrip(b" \t\r\n").startswith(b"{")
    try:
        return (HfDraft if is_json else SentencePieceDraft)(data, file, pad, unk)
    except ValueError as error:
        library = "tokenizers" if is_json else "sentencepiece"
        problem = phrase("tokenizer_unreadable", kind=library, detail=str(error))
        raise TokenizerValidationError(component="format", file=file, problem=problem) from error


def _found_in_text(draft: Draft) -> tuple[str, ...]:
    """Return those of PAD and UNK whose text, written in data, becomes just that entry."""
    entries = dict.fromkeys((draft.pad, draft.unk))
    found = [text for text, token_id in entries if ids_of(draft.original, text) == (token_id,)]
    return tuple(text for text in found if text not in draft.new_texts)


def _publish(data: bytes, target: Path) -> None:
    make_directory(target.parent)
    work = target.parent / _WORK.format(pid=os.getpid())
    try:
        _require_nothing_at(str(target))
        write_whole(work, target, data)
    finally:
        work.unlink(missing_ok=True)
    flush(target.parent)
