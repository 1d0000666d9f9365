"""The tokenizer: learned once, then text to ids and back."""

from __future__ import annotations

import sys
import warnings
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mintdim.bpe import special_tokens as specials
from mintdim.bpe.corpus import Corpus, texts
from mintdim.bpe.decoding import ErrorMode, StreamDecoder, text_of
from mintdim.bpe.hf_json import write_hf_json
from mintdim.bpe.merge_word import merge_word, pair_ids
from mintdim.bpe.model_file import Model, read_model, token_table, write_model
from mintdim.bpe.offsets import Span, spans
from mintdim.bpe.patterns import PATTERN_NAMES, PatternName, split
from mintdim.bpe.piece_cache import PieceCache
from mintdim.bpe.progress import reporter
from mintdim.bpe.tiktoken_bridge import tiktoken_encoding
from mintdim.bpe.train_fast import train_fast
from mintdim.bpe.train_naive import train_naive
from mintdim.bpe.vocab_file import write_vocab
from mintdim.bpe.words import BYTE_COUNT, ID_LIMIT, count_words, each_word, ids_of, word_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from collections.abc import Set as AbstractSet


class Tokenizer:
    """A byte-level BPE tokenizer. Make one with ``train`` or ``load``.

    Ids: 0 to 255 are the bytes, then one id per merge in training order, then the special
    tokens in the order given. Every text has an encoding, and ``decode`` returns it
    unchanged. A tokenizer does not change; it may be pickled. Encoding fills a cache of
    pieces, bounded: near 30 MB when full, 100 MB for the most unusual text.
    """

    def __init__(self, model: Model) -> None:
        self._model = model
        self._tokens = token_table(model.merges)
        first = len(self._tokens)
        self._special_ids = {text: first + n for n, text in enumerate(model.special_tokens)}
        as_bytes = (text.encode("utf-8", "surrogatepass") for text in model.special_tokens)
        # A dict, and not a list, so that a negative id is refused.
        self._bytes_of = dict(enumerate(chain(self._tokens, as_bytes)))
        self._pair_ids = pair_ids(model.merges)
        self._cache: PieceCache | None = None  # filled from the vocabulary at first use

    @classmethod
    def train(
        cls,
        corpus: Corpus,
        vocab_size: int,
        pattern: PatternName = "gpt4",
        special_tokens: list[str] | None = None,
        fast: bool = True,
        verbose: bool = False,
    ) -> Tokenizer:
        """Learn merges from ``corpus`` until there are ``vocab_size`` tokens in all.

        ``corpus`` is a text (a ``str``, never a file name), a UTF-8 file (a ``Path``), or
        an iterable of texts, which is read once and not held. ``vocab_size`` counts the
        256 bytes and the special tokens too. ``special_tokens`` take no part in training:
        where their text occurs in the corpus it is ordinary text.

        The most frequent pair is merged; of several, the one with the lowest (left id,
        right id), so the order of the corpus does not matter. When no pair is left the
        vocabulary stays smaller, ``vocab_size`` says so, and a ``UserWarning`` is given.
        ``fast=False`` takes the defining, slow trainer, with the same result.
        ``verbose`` writes progress to standard error.

        Raises ``ValueError`` for an argument that cannot be met.
        """
        marks = specials.checked(special_tokens)
        _check_pattern(pattern)
        wanted = _merges_wanted(vocab_size, len(marks))
        parts = texts(corpus, pattern)
        report = reporter(wanted, sys.stderr if verbose else None)
        if fast:
            merges = train_fast(count_words(parts, pattern), wanted, report)
        else:
            merges = train_naive(each_word(parts, pattern), wanted, report)
        tokenizer = cls(Model(pattern, tuple(merges), marks))
        if len(merges) < wanted:
            warnings.warn(_ran_out(tokenizer.vocab_size, vocab_size), stacklevel=2)
        return tokenizer

    @property
    def vocab_size(self) -> int:
        """The number of ids: bytes, merges really learned, and special tokens."""
        return self._model.vocab_size

    @property
    def pattern(self) -> str:
        """The name of the pattern that cuts text into pieces."""
        return self._model.pattern

    @property
    def merges(self) -> tuple[tuple[int, int], ...]:
        """The (left id, right id) pairs in training order; the k-th makes id 256 + k."""
        return self._model.merges

    @property
    def special_tokens(self) -> dict[str, int]:
        """Special token texts and their ids; a copy."""
        return dict(self._special_ids)

    def encode(self, text: str, allowed_special: AbstractSet[str] | None = None) -> list[int]:
        """Return the ids of ``text``.

        Special tokens are recognised only if named in ``allowed_special``; otherwise
        their text is ordinary. Of several that start at one place, the longest is taken.
        Lone surrogates are encoded as the three bytes they would have in UTF-8.
        Raises ``ValueError`` if ``text`` is not a ``str`` or a name is unknown.
        """
        _check_text(text)
        parts = specials.cut(text, self._special_ids, allowed_special)
        return ids_of("".join([self._merged(t) if s is None else chr(s) for t, s in parts]))

    def encode_bytes(self, data: bytes) -> list[int]:
        """Return the ids of any bytes; ``decode_bytes`` returns them unchanged.

        Bytes that are UTF-8 give the ids of their text. Otherwise each byte that is not
        part of a character counts, for the pattern, as a character that is neither
        letter, number nor white space. Special tokens are never recognised.
        """
        try:
            data = bytes(memoryview(data))
        except TypeError:
            raise ValueError(f"encode_bytes takes bytes, not {type(data).__name__}") from None
        try:
            return self.encode(data.decode("utf-8", "surrogatepass"))
        except UnicodeDecodeError:
            return self._encode_broken(data)

    def encode_with_offsets(
        self, text: str, allowed_special: AbstractSet[str] | None = None
    ) -> tuple[list[int], list[Span]]:
        """Return the ids, and for each the characters of ``text`` it touches.

        A span is (first character, one past the last). Where a character is spread over
        several tokens, each of them has the whole character in its span.
        """
        ids = self.encode(text, allowed_special)
        return ids, spans(text, (len(self._bytes_of[number]) for number in ids))

    def decode(self, ids: Iterable[int], errors: ErrorMode = "replace") -> str:
        """Return the text of ``ids``; special tokens give their text.

        Bytes that are not UTF-8, as in a list cut within a character, become U+FFFD
        (``replace``), vanish (``ignore``) or raise ``ValueError`` (``strict``). Raises
        ``ValueError`` for an id outside the vocabulary.
        """
        return text_of(self.decode_bytes(ids), errors)

    def decode_bytes(self, ids: Iterable[int]) -> bytes:
        """Return the bytes of ``ids`` joined; ``ValueError`` for an unknown id."""
        try:
            return b"".join(map(self._bytes_of.__getitem__, ids))
        except KeyError as error:
            raise ValueError(self._unknown(error.args[0])) from None
        except TypeError:
            raise ValueError(f"ids must be an iterable of int, not {ids!r:.80}") from None

    def token_bytes(self, number: int) -> bytes:
        """Return the bytes that one id stands for; ``ValueError`` for an unknown id."""
        return self.decode_bytes((number,))

    def stream_decoder(self, errors: ErrorMode = "replace") -> StreamDecoder:
        """Return a decoder for ids that arrive in portions, as from a language model."""
        return StreamDecoder(self.decode_bytes, errors)

    def save(self, path: str | Path) -> None:
        """Write the model file, whole or not at all; raise ``ModelFileError`` if it fails."""
        write_model(Path(path), self._model)

    @classmethod
    def load(cls, path: str | Path) -> Tokenizer:
        """Read a model file written by ``save``.

        Raises ``ModelFileError``, naming file and line, if it is anything else.
        """
        return cls(read_model(Path(path)))

    def save_vocab(self, path: str | Path) -> None:
        """Write the ``.vocab`` list of tokens for people to read; ``load`` never does."""
        write_vocab(Path(path), self._model)

    def to_hf_json(self, path: str | Path) -> None:
        """Write a ``tokenizer.json`` for Hugging Face ``tokenizers``, with the same ids.

        ``model.unk_token`` and the padding are set to ``<unk>`` and ``<pad>``, appended
        after the vocabulary unless they are among the special tokens. That library
        recognises special tokens in every text: see ``mintdim.bpe.hf_json``. Raises
        ``ValueError`` for a special token whose text the format confuses with another.
        """
        write_hf_json(Path(path), self._model)

    def to_tiktoken(self, name: str = "granule") -> Any:
        """Return a ``tiktoken.Encoding`` with the same ids.

        Raises ``ImportError`` where tiktoken is not installed.
        """
        return tiktoken_encoding(self._model, name)

    def __repr__(self) -> str:
        special_tokens = list(self._model.special_tokens)
        return f"Tokenizer({self.pattern!r}, vocab_size={self.vocab_size}, {special_tokens=})"

    def __reduce__(self) -> tuple[type[Tokenizer], tuple[Model]]:
        return type(self), (self._model,)

    def _merged(self, text: str) -> str:
        look_up = self._pieces().__getitem__
        return "".join(["".join(map(look_up, some)) for some in split(text, self.pattern)])

    def _pieces(self) -> PieceCache:
        if self._cache is None:
            self._cache = PieceCache(self._encode_piece, _whole_tokens(self._tokens))
        return self._cache

    def _encode_piece(self, piece: str) -> str:
        return merge_word(word_of(piece), self._pair_ids)

    def _encode_broken(self, data: bytes) -> list[int]:
        text = data.decode("utf-8", "surrogateescape")
        pieces = chain.from_iterable(split(text, self.pattern))
        words = (p.encode("utf-8", "surrogateescape").decode("latin-1") for p in pieces)
        return ids_of("".join([merge_word(word, self._pair_ids) for word in words]))

    def _unknown(self, number: object) -> str:
        return f"{number!r} is not an id of this tokenizer; ids are 0 to {self.vocab_size - 1}"


def _whole_tokens(tokens: Sequence[bytes]) -> Iterator[tuple[str, str]]:
    """Yield the tokens that are text, each with its own id as its merged word."""
    for number, token in enumerate(tokens):
        try:
            yield token.decode(), chr(number)
        except UnicodeDecodeError:
            continue


def _merges_wanted(vocab_size: int, special_count: int) -> int:
    if not isinstance(vocab_size, int):
        raise ValueError(f"vocab_size must be an int, not {vocab_size!r}")
    least = BYTE_COUNT + special_count
    if not least <= vocab_size <= ID_LIMIT:
        raise ValueError(
            f"vocab_size is {vocab_size}, but must be at least {least} "
            f"({BYTE_COUNT} bytes and {special_count} special tokens) and at most {ID_LIMIT}"
        )
    return vocab_size - least


def _check_pattern(pattern: str) -> None:
    if pattern not in PATTERN_NAMES:
        raise ValueError(f"pattern must be one of {', '.join(PATTERN_NAMES)}, not {pattern!r}")


def _check_text(text: str) -> None:
    if not isinstance(text, str):
        raise ValueError(
            f"encode takes a str, not {type(text).__name__}; for bytes use encode_bytes"
        )


def _ran_out(reached: int, asked: int) -> str:
    return (
        f"no pair is left to merge: the vocabulary has {reached} tokens instead of {asked}; "
        f"train on more text or ask for fewer"
    )
