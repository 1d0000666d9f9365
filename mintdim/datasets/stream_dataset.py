"""A stream dataset: documents by number, languages of tokens, windows to train and evaluate on."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from mintdim.datasets.stream_documents import Documents
from mintdim.datasets.stream_shards import StreamShards
from mintdim.encoders.opening import open_encoder, read_tokenizer
from mintdim.formats.stream_arrays import codes_of_tokens
from mintdim.shared.errors import DatasetArgumentError
from mintdim.shared.files import sha256_of
from mintdim.shared.messages import phrase
from mintdim.shared.paths import as_given, require_file
from mintdim.shared.structure import shown

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from mintdim.datasets.evaluation_windows import EvaluationWindows
    from mintdim.datasets.window_epochs import WindowEpochs
    from mintdim.datasets.window_sampler import WindowSampler
    from mintdim.encoders.contract import Encoder
    from mintdim.formats.shards import TokenArray
    from mintdim.formats.stream_arrays import CodeArray
    from mintdim.formats.stream_index import StreamIndex, StreamShard
    from mintdim.shared.types import StrPath, TokenizerKind


class StreamDataset:
    """A finished output of ``pipeline("stream-build")``; open it with ``mintdim.open(path)``.

    Its shards are those of its index: other files in the folder are never read. Sets of the
    producer that the layout comes from are read as well.
    """

    def __init__(self, root: Path, index: StreamIndex) -> None:
        self.path, self.index = root, index
        self.splits: tuple[str, ...] = index.splits
        self.lang_codes = index.lang_codes
        self.eos_id, self.vocab_size = index.eos_id, index.vocab_size
        self.tokenizer = index.tokenizer
        self._opened = StreamShards(root, index)
        self.dtype = self._opened.dtype

    def __reduce__(self) -> Any:
        """Let a copy in another process map the files again."""
        return StreamDataset, (self.path, self.index)

    def __repr__(self) -> str:
        docs = ", ".join(f"{split}: {len(self.documents(split)):,}" for split in self.splits)
        return f"StreamDataset({str(self.path)!r}, documents={{{docs}}})"

    @property
    def fingerprint(self) -> str:
        """SHA-256 over the names and contents of all shards."""
        return _fingerprint(self.index.shards)

    def documents(self, split: str) -> Documents:
        """Return the documents of a split: ``documents("val")[i]`` are the ids of one.

        Raises ``DatasetArgumentError`` for a split without documents, as all methods here do.
        """
        return Documents(split, self.shards(split), self._opened)

    def shards(self, split: str) -> tuple[StreamShard, ...]:
        """Return the index entries of the shards of a split."""
        found = self.index.of_split(split) if isinstance(split, str) else ()
        if not found:
            known = ", ".join(self.splits) or "-"
            facts = {"split": shown(split), "known": known}
            raise DatasetArgumentError(problem=phrase("no_such_split", **facts))
        return found

    def tokens(self, split: str, shard: int) -> TokenArray:
        """Return the tokens of one shard of a split [tokens], a read-only view of its file."""
        return self._opened.tokens(self._shard(split, shard))

    def token_languages(self, split: str, shard: int | None = None) -> CodeArray:
        """Return the language code of every token of a split, or of one shard of it [tokens].

        A document has the code of its line of ``.langs.u8``; its EOS belongs to it. The array
        takes a byte per token; shard by shard, no more than one shard of it is in memory.

        Raises ``DatasetArgumentError`` where there are no codes, as for train.
        """
        shards = self.shards(split) if shard is None else [self._shard(split, shard)]
        return np.concatenate([self._languages(entry) for entry in shards])

    def sampler(
        self, ctx: int, seed: int, *, split: str = "train", skip_short: bool = False
    ) -> WindowSampler:
        """Return endless windows at random places: ``sampler(1024, seed=0).draw(n)`` [n, ctx + 1].

        Every draw picks a shard in proportion to its tokens, then a position; the sequence is bit
        for bit that of the original producer. A shard of fewer than ``ctx + 2`` tokens is an
        error, or left out with ``skip_short``.
        """
        from mintdim.datasets.window_sampler import WindowSampler

        shards = self.shards(split)
        return WindowSampler(
            self._opened, shards, _fingerprint(shards), ctx=ctx, seed=seed, skip_short=skip_short
        )

    def epochs(
        self,
        ctx: int,
        seed: int,
        rank: int = 0,
        world_size: int = 1,
        *,
        split: str = "train",
        drop_last: bool = False,
    ) -> WindowEpochs:
        """Return the windows of a split, each once per epoch; see ``WindowEpochs``.

        The order is a seeded one. Rank r of ``world_size`` gets every ``world_size``-th of them.
        With ``drop_last`` all ranks get as many, and up to ``world_size - 1`` windows are left
        out, other ones in every epoch.
        """
        from mintdim.datasets.window_epochs import WindowEpochs

        shards = self.shards(split)
        return WindowEpochs(
            self._opened,
            shards,
            _fingerprint(shards),
            ctx=ctx,
            seed=seed,
            rank=rank,
            world_size=world_size,
            drop_last=drop_last,
        )

    def evaluation_windows(self, split: str, ctx: int, max_tokens: int = 0) -> EvaluationWindows:
        """Return fixed windows that do not overlap, with the language of every target.

        They cover all shards of the split; ``max_tokens`` (0: no limit) chooses so many tokens of
        them at even distances. See ``EvaluationWindows``.
        """
        from mintdim.datasets.evaluation_windows import EvaluationWindows

        return EvaluationWindows(self._opened, self.shards(split), ctx=ctx, max_tokens=max_tokens)

    def encoder(self, tokenizer: StrPath) -> Encoder:
        """Open the tokenizer of the dataset, which lies at ``tokenizer``.

        Raises ``MintDimFileNotFoundError``, or ``DatasetArgumentError`` if it is another file or no
        tokenizer. An index of the original producer names no hash; then any tokenizer is taken.
        """
        path = require_file(as_given(tokenizer), "tokenizer")
        data = read_tokenizer(path, as_given(tokenizer))
        sha256 = sha256_of(data)
        if self.index.tokenizer_sha256 not in (None, sha256):
            facts = {"path": as_given(tokenizer), "name": self.tokenizer}
            raise DatasetArgumentError(problem=phrase("other_tokenizer", **facts))
        is_json = data.lstrip()[:1] == b"{" and data.rstrip()[-1:] == b"}"
        kind: TokenizerKind = "hf_json" if is_json else "sentencepiece"
        try:
            return open_encoder(kind, path, sha256)
        except ValueError as error:
            problem = phrase("tokenizer_unreadable", kind=kind, detail=str(error))
            raise DatasetArgumentError(problem=problem) from error

    def decode(self, ids: Sequence[int] | TokenArray, tokenizer: StrPath) -> str:
        """Return the text of token ids by the tokenizer of the dataset (see ``encoder``).

        Raises ``DatasetArgumentError`` for ids that it does not have.
        """
        encoder, numbers = self.encoder(tokenizer), [int(token_id) for token_id in ids]
        for number in numbers:
            if not 0 <= number <= encoder.largest_id:
                facts = {"found": number, "expected": f"0 … {encoder.largest_id}"}
                raise DatasetArgumentError(problem=phrase("value_differs", name="id", **facts))
        return encoder.decode(numbers)

    def _shard(self, split: str, number: int) -> StreamShard:
        shards = self.shards(split)
        return shards[range(len(shards))[operator.index(number)]]

    def _languages(self, shard: StreamShard) -> CodeArray:
        codes = self._opened.codes(shard)
        return codes_of_tokens(self._opened.ends(shard), codes)


def _fingerprint(shards: Sequence[StreamShard]) -> str:
    lines = [f"{shard.name} {shard.tokens} {shard.sha256}\n" for shard in shards]
    return sha256_of("".join(lines).encode())
