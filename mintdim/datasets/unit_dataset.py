"""A unit dataset: its samples by number, its units as rows."""

from __future__ import annotations

import json
import mmap
import operator
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np

from mintdim.datasets.shards import MappedShards
from mintdim.datasets.unit_view import UnitView
from mintdim.encoders.opening import open_encoder
from mintdim.formats import names
from mintdim.formats.sample_index import BINARY_ROW, find_row
from mintdim.formats.shards import numpy_dtype
from mintdim.shared.errors import DatasetArgumentError
from mintdim.shared.messages import phrase
from mintdim.shared.paths import absolute, as_given, require_file
from mintdim.shared.structure import shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from mintdim.datasets.batches import BatchLoader
    from mintdim.encoders.contract import Encoder
    from mintdim.formats.shards import TokenArray
    from mintdim.shared.types import StrPath


@dataclass(frozen=True, slots=True)
class Sample:
    """One sample: its tokens without padding (``ids`` [token_count]) and where it came from."""

    sample_id: int
    ids: TokenArray
    unit_size: int
    source_file: str
    source_line: int
    hash: str

    @property
    def token_count(self) -> int:
        """Number of tokens, without padding."""
        return len(self.ids)


class UnitDataset:
    """A finished output of ``pipeline("unit-build")``; open it with ``mintdim.open(path)``.

    ``len(ds)`` counts samples; ``ds[i]`` is the ``Sample`` with ``sample_id`` i; iterating yields
    all samples in order. Nothing is loaded before it is asked for.
    """

    def __init__(self, root: Path, manifest: dict[str, Any], index: dict[str, Any]) -> None:
        self.path = root
        self.manifest = manifest
        self.fingerprint: str = manifest["shards_index_sha256"]
        self.dtype = numpy_dtype(manifest["token_storage"]["dtype"])
        self.shards: tuple[dict[str, Any], ...] = tuple(index["shards"])
        tokenizer = manifest["tokenizer"]
        self.tokenizer: dict[str, Any] = tokenizer[0] if isinstance(tokenizer, list) else tokenizer
        self.pad_id: int = self.tokenizer["pad_id"]
        self.unk_id: int = self.tokenizer["unk_id"]
        self.vocab_size: int = self.tokenizer["vocab_size"]
        self._units: dict[int, UnitView] = {}
        self._mapped = MappedShards(root, self.dtype)

    def __reduce__(self) -> Any:
        """Let a copy in another process map the files again."""
        return UnitDataset, (self.path, self.manifest, {"shards": list(self.shards)})

    def __repr__(self) -> str:
        units = ", ".join(map(str, self.units))
        return f"UnitDataset({str(self.path)!r}, samples={len(self):,}, units=[{units}])"

    def __len__(self) -> int:
        return len(self.index)

    def __getitem__(self, sample_id: int) -> Sample:
        number = range(len(self))[operator.index(sample_id)]
        return self._sample(number, find_row(self._sample_rows, number))

    def __iter__(self) -> Iterator[Sample]:
        for number, row in enumerate(self.index_rows()):
            yield self._sample(number, row)

    @cached_property
    def index(self) -> Any:
        """``sample_index.bin`` [samples]: token_count, unit_size, shard, row (uint32 each)."""
        path = self.path / names.SAMPLE_INDEX_BINARY
        if not path.stat().st_size:
            return np.empty(0, dtype=BINARY_ROW)
        return np.memmap(path, dtype=BINARY_ROW, mode="r").view(np.ndarray)

    @property
    def lengths(self) -> Any:
        """Tokens of every sample, without padding [samples]."""
        return self.index["token_count"]

    @cached_property
    def units(self) -> tuple[int, ...]:
        """The unit sizes that hold samples, ascending (tokens)."""
        return tuple(sorted({_unit_of(entry["name"]) for entry in self.shards}))

    def unit(self, size: int) -> UnitView:
        """Return the samples of one unit size.

        Raises ``DatasetArgumentError`` for a size that holds no samples.
        """
        if not isinstance(size, Integral) or isinstance(size, bool) or size not in self.units:
            known = ", ".join(map(str, self.units)) or "-"
            raise DatasetArgumentError(
                problem=phrase("no_such_unit", size=shown(size), known=known)
            )
        size = int(size)
        if size not in self._units:
            self._units[size] = UnitView(size, self.index, self._mapped)
        return self._units[size]

    def index_rows(self) -> Iterator[dict[str, Any]]:
        """Yield the rows of ``sample_index.jsonl`` in order of ``sample_id``."""
        return self._read_rows(names.SAMPLE_INDEX)

    def duplicates(self) -> Iterator[dict[str, Any]]:
        """Yield the groups of equal samples: hash, count, samples."""
        return self._read_rows(names.DUPLICATE_INDEX)

    def unk(self) -> Iterator[dict[str, Any]]:
        """Yield the samples that hold UNK tokens, with their positions."""
        return self._read_rows(names.UNK_INDEX)

    def special(self) -> Iterator[dict[str, Any]]:
        """Yield the samples whose data holds special tokens, with their positions."""
        return self._read_rows(names.SPECIAL_INDEX)

    def encoder(self, tokenizer: StrPath | None = None) -> Encoder:
        """Open the tokenizer that the dataset was built with.

        ``tokenizer``: where its file lies now, if not at the recorded path. Raises
        ``MintDimFileNotFoundError``, or ``TokenizerChangedError`` if it is another file.
        """
        path = as_given(tokenizer or self.tokenizer["path"])
        require_file(path, "tokenizer")
        return open_encoder(self.tokenizer["type"], absolute(path), self.tokenizer["sha256"])

    def decode(self, ids: Sequence[int] | TokenArray, tokenizer: StrPath | None = None) -> str:
        """Return the text of token ids by the recorded tokenizer (see ``encoder``)."""
        return self.encoder(tokenizer).decode([int(token_id) for token_id in ids])

    def batches(
        self,
        *,
        batch_size: int | None = None,
        tokens_per_batch: int | None = None,
        shuffle: bool = True,
        seed: int = 0,
        epoch: int = 0,
        rank: int = 0,
        world_size: int = 1,
        group: int | None = None,
        drop_last: bool = False,
        duplicates: str = "keep",
        drop_padding: bool = False,
    ) -> BatchLoader:
        """Return a loader of training batches; see ``BatchLoader`` for what a batch holds.

        Give ``batch_size`` (samples), or ``tokens_per_batch`` (slots; a batch then has as many
        rows of its unit as fit). A batch holds one unit size. ``group`` batches of one size follow
        each other (default: ``world_size``), so that all ranks share a size in a step; with the
        same ``group`` the order is the same for every world size that divides it. Rank ``r`` gets
        the batches ``r``, ``r + world_size``, … of each group.

        Without ``drop_last`` every sample comes once per epoch. The last group of a unit is smaller
        then and shares its samples out evenly; with fewer samples than ``group`` some ranks go
        without a batch, and such groups come last in the epoch. With ``drop_last`` all batches
        are full and all ranks make the same steps. ``duplicates="first"`` leaves out all but the
        first sample of a group of equal ones. ``drop_padding`` lays the tokens of a batch flat,
        with ``cu_seqlens`` and ``position_ids``.

        Raises ``DatasetArgumentError``.
        """
        from mintdim.datasets.batches import BatchLoader
        from mintdim.datasets.options import checked_options, positive

        world_size = positive("world_size", world_size)
        options = checked_options(
            batch_size=batch_size,
            tokens_per_batch=tokens_per_batch,
            shuffle=shuffle,
            seed=seed,
            group=world_size if group is None else group,
            drop_last=drop_last,
            duplicates=duplicates,
            drop_padding=drop_padding,
        )
        return BatchLoader(self, options, epoch=epoch, rank=rank, world_size=world_size)

    def _sample(self, number: int, row: dict[str, Any]) -> Sample:
        count, size, shard, place = self.index[number].tolist()
        return Sample(
            sample_id=number,
            # A copy: samples that are kept must not keep their shards open.
            ids=self._mapped.shard(size, shard)[place, :count].copy(),
            unit_size=size,
            source_file=row["source_file"],
            source_line=row["source_line"],
            hash=row["hash"],
        )

    @cached_property
    def _sample_rows(self) -> mmap.mmap:
        with open(self.path / names.SAMPLE_INDEX, "rb") as file:
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)

    def _read_rows(self, name: str) -> Iterator[dict[str, Any]]:
        path = self.path / name
        if not path.exists():
            return
        with open(path, encoding="utf-8", newline="\n") as lines:
            for line in lines:
                yield json.loads(line)


def _unit_of(shard_name: str) -> int:
    return int(shard_name.split("/", 1)[0].removeprefix("unit_"))
