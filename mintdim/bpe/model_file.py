"""The model file: one text file a person can read and a loader can disbelieve.

::

    granule-model 1
    pattern gpt4
    vocab_size 259
    merges 2
    32 116 " t"
    256 104 " th"
    special_tokens 1
    258 "<|endoftext|>"
    sha256 3b0e…

UTF-8, one newline after every line. A merge is its two ids and the token they make, as
``printable`` shows it; the k-th merge, counted from 0, makes id 256 + k. A special token
is its id and its text as an ASCII JSON string, so any text is safe. The last line is the
SHA-256 of all bytes before it.

The shown tokens and the sum are checked, because encoding relies on merges being exactly
as they were learned: reordered or edited merges could change ids without any other sign.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from mintdim.bpe.errors import ModelFileError
from mintdim.bpe.patterns import PATTERN_NAMES
from mintdim.bpe.printable import printable
from mintdim.bpe.words import BYTE_COUNT, ID_LIMIT

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

MAGIC = "granule-model"
VERSION = 1

T = TypeVar("T")


class Model(NamedTuple):
    """What a tokenizer is: everything else follows from these three."""

    pattern: str
    merges: tuple[tuple[int, int], ...]  # in training order; the k-th makes id 256 + k
    special_tokens: tuple[str, ...]  # their ids follow the merges'

    @property
    def vocab_size(self) -> int:
        """Bytes, merges and special tokens together."""
        return BYTE_COUNT + len(self.merges) + len(self.special_tokens)


def token_table(merges: Sequence[tuple[int, int]]) -> list[bytes]:
    """Return the bytes of every token that is not special, by id."""
    tokens = [bytes((value,)) for value in range(BYTE_COUNT)]
    for left, right in merges:
        tokens.append(tokens[left] + tokens[right])
    return tokens


def write_model(path: Path, model: Model) -> None:
    """Write the file whole or not at all; an existing one is replaced."""
    body = "".join(line + "\n" for line in _lines(model)).encode()
    sum_line = f"sha256 {hashlib.sha256(body).hexdigest()}\n"
    write_whole(path, body + sum_line.encode())


def write_whole(path: Path, data: bytes) -> None:
    """Write under a temporary name beside ``path``, then rename."""
    try:
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=path.name, delete=False) as file:
            file.write(data)
        _rename(Path(file.name), path)
    except OSError as error:
        raise ModelFileError(path, None, f"cannot be written: {error.strerror}") from None


def _rename(temporary: Path, path: Path) -> None:
    try:
        # Temporary files are private; this one becomes an ordinary file.
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(path)
    except OSError:
        temporary.unlink()
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _lines(model: Model) -> list[str]:
    tokens = token_table(model.merges)
    first_special = len(tokens)
    merges = zip(model.merges, tokens[BYTE_COUNT:], strict=True)
    specials = enumerate(model.special_tokens, first_special)
    return [
        f"{MAGIC} {VERSION}",
        f"pattern {model.pattern}",
        f"vocab_size {model.vocab_size}",
        f"merges {len(model.merges)}",
        *(f"{left} {right} {printable(token)}" for (left, right), token in merges),
        f"special_tokens {len(model.special_tokens)}",
        *(f"{number} {json.dumps(text)}" for number, text in specials),
    ]


def read_model(path: Path) -> Model:
    """Read and check a model file; raise ``ModelFileError`` at the first wrong line."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ModelFileError(path, None, f"cannot be read: {error.strerror}") from None
    return _Reader(path, data).model()


class _Reader:
    """Takes the file line by line, knowing where it is."""

    def __init__(self, path: Path, data: bytes) -> None:
        self._path = path
        self._data = data
        self._lines = data.split(b"\n")
        self._number = 0  # lines taken so far, so the number of the current one

    def model(self) -> Model:
        self._magic()
        pattern = self._field("pattern", str)
        if pattern not in PATTERN_NAMES:
            raise self._wrong(f"unknown pattern {pattern!r}; known: {', '.join(PATTERN_NAMES)}")
        vocab_size = self._field("vocab_size", self._count)
        merges = self._merges(self._field("merges", self._count))
        specials = self._specials(len(merges), self._field("special_tokens", self._count))
        self._sum()
        model = Model(pattern, merges, specials)
        if model.vocab_size != vocab_size:
            self._number = 3
            raise self._wrong(f"vocab_size {vocab_size}, but there are {model.vocab_size} tokens")
        return model

    def _magic(self) -> None:
        first = self._lines[0][:80]
        if not first.startswith(MAGIC.encode() + b" "):
            self._number = 1
            raise self._wrong(f"not a model file: it does not begin with {MAGIC!r}")
        if (version := self._field(MAGIC, str)) != str(VERSION):
            raise self._wrong(f"format version {version!r}; this release reads {VERSION}")

    def _merges(self, count: int) -> tuple[tuple[int, int], ...]:
        tokens = token_table(())
        known = set(tokens)
        merges = []
        for _ in range(count):
            left, right, shown = self._merge_line(len(tokens))
            token = tokens[left] + tokens[right]
            if printable(token) != shown:
                raise self._wrong(f"ids {left} {right} make {printable(token)}, not {shown}")
            if token in known:
                raise self._wrong(f"token {shown} is made a second time")
            tokens.append(token)
            known.add(token)
            merges.append((left, right))
        return tuple(merges)

    def _merge_line(self, limit: int) -> tuple[int, int, str]:
        parts = self._line().split(" ", 2)
        if len(parts) < 3:
            raise self._wrong("expected a merge: left id, right id, token in quotes")
        left, right = self._count(parts[0]), self._count(parts[1])
        if max(left, right) >= limit:
            raise self._wrong(f"a merge can only join ids below {limit}, the one it makes")
        return left, right, parts[2]

    def _specials(self, merges: int, count: int) -> tuple[str, ...]:
        specials: list[str] = []
        for expected in range(BYTE_COUNT + merges, BYTE_COUNT + merges + count):
            number, _, quoted = self._line().partition(" ")
            if self._count(number) != expected:
                raise self._wrong(f"expected special token id {expected}, found {number}")
            specials.append(self._special(quoted, specials))
        return tuple(specials)

    def _special(self, quoted: str, earlier: list[str]) -> str:
        try:
            text = json.loads(quoted)
        except ValueError:
            text = None
        if not isinstance(text, str) or not text:
            raise self._wrong(f"expected a special token as a JSON string, found {quoted[:80]}")
        if text in earlier:
            raise self._wrong(f"special token {text!r} appears a second time")
        return text

    def _sum(self) -> None:
        stated = self._field("sha256", str)
        # Whatever follows the sum counts as a change, a missing last newline too.
        body, _, _ = self._data.rpartition(b"sha256 ")
        if self._lines[self._number :] != [b""]:
            raise self._wrong("the file must end after this line, with a newline")
        if stated != hashlib.sha256(body).hexdigest():
            raise self._wrong("the sum does not fit: the file was changed after it was written")

    def _field(self, name: str, convert: Callable[[str], T]) -> T:
        key, _, value = self._line().partition(" ")
        if key != name:
            raise self._wrong(f"expected {name!r}, found {key[:80]!r}")
        return convert(value)

    def _count(self, digits: str) -> int:
        # int() alone would take "+1", " 1" and other scripts' digits.
        if not (digits.isascii() and digits.isdigit() and len(digits) <= 7):
            raise self._wrong(f"expected a number, found {digits[:80]!r}")
        if int(digits) > ID_LIMIT:
            raise self._wrong(f"{digits} is above the largest vocabulary, {ID_LIMIT}")
        return int(digits)

    def _line(self) -> str:
        self._number += 1
        if self._number >= len(self._lines):
            raise self._wrong("the file ends too early")
        try:
            return self._lines[self._number - 1].decode()
        except UnicodeDecodeError:
            raise self._wrong("not UTF-8") from None

    def _wrong(self, reason: str) -> ModelFileError:
        return ModelFileError(self._path, self._number, reason)
