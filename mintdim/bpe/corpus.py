"""What may be trained on: a text, a file, or any iterable of texts."""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator
from pathlib import Path

from mintdim.bpe.patterns import blocks

Corpus = str | Path | Iterable[str]

_READ = 1 << 20  # bytes; bounds what is held of a file


def texts(corpus: Corpus, pattern: str) -> Iterator[str]:
    """Yield the texts of ``corpus``; nothing is joined across two of them.

    A ``str`` is one text and never a file name. A ``Path`` is one UTF-8 file, with its
    line ends and any byte order mark kept; it may come in several parts, cut only where
    ``pattern`` cuts anyway. Anything else is iterated once, and may be a generator.
    Raises ``ValueError`` for an unreadable file and for an item that is not a ``str``.
    """
    if isinstance(corpus, str):
        return iter((corpus,))
    if isinstance(corpus, Path):
        return _file_parts(corpus, pattern)
    return _checked(corpus)


def _checked(corpus: Iterable[str]) -> Iterator[str]:
    try:
        items = enumerate(corpus)
    except TypeError:
        raise ValueError(
            f"corpus must be a str, a pathlib.Path or an iterable of str, "
            f"not {type(corpus).__name__}"
        ) from None
    for position, text in items:
        if not isinstance(text, str):
            raise ValueError(
                f"corpus item {position} is {type(text).__name__}, not str; "
                f"read files first, or pass one pathlib.Path as the whole corpus"
            )
        yield text


def _file_parts(path: Path, pattern: str) -> Iterator[str]:
    if pattern == "none":
        yield "".join(_decoded(path))
        return
    pending, enough = "", _READ
    for part in _decoded(path):
        pending += part
        if len(pending) > enough:
            *whole, pending = blocks(pending, _READ)
            yield from whole
            # Where there is no place to cut, look again only when twice as much is there.
            enough = max(_READ, 2 * len(pending))
    yield pending


def _decoded(path: Path) -> Iterator[str]:
    decoder = codecs.getincrementaldecoder("utf-8")()
    position = 0
    try:
        with path.open("rb") as file:
            while part := file.read(_READ):
                yield decoder.decode(part)
                # Less what waits for its continuation: where the next call begins.
                position = file.tell() - len(decoder.getstate()[0])
        yield decoder.decode(b"", final=True)
    except OSError as error:
        raise ValueError(f"corpus file {path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise ValueError(
            f"corpus file {path} is not UTF-8 at byte {position + error.start}: "
            f"{error.reason}; convert the file, or decode it yourself and pass the text"
        ) from None
