"""Everything that is written for one output: a batch goes in, files and counts come out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mintdim.formats import names
from mintdim.formats.shards import numpy_dtype
from mintdim.pipelines.unit_build.output.duplicate_index import DuplicateIndexWriter
from mintdim.pipelines.unit_build.output.histogram import Histogram
from mintdim.pipelines.unit_build.output.index_rows import RowsTask, WrittenRows
from mintdim.pipelines.unit_build.output.sample_index import SampleIndexWriter
from mintdim.pipelines.unit_build.output.shards_index import write_shards_index
from mintdim.pipelines.unit_build.output.space import warn_if_short_of_space
from mintdim.pipelines.unit_build.output.special_index import SpecialIndexWriter
from mintdim.pipelines.unit_build.output.stats import Totals, stats_document
from mintdim.pipelines.unit_build.output.unk_index import UnkIndexWriter
from mintdim.pipelines.unit_build.result import OutputResult, UnitCounts
from mintdim.pipelines.unit_build.tokenizer.special_tokens import special_tokens
from mintdim.pipelines.unit_build.units.pieces import piece_path
from mintdim.pipelines.unit_build.units.planner import ShardPlan
from mintdim.pipelines.unit_build.units.shard_list import ShardList
from mintdim.pipelines.unit_build.units.shard_writer import ShardTask, WrittenShard, report
from mintdim.shared.files import remove

if TYPE_CHECKING:
    from mintdim.pipelines.unit_build.config import Session
    from mintdim.pipelines.unit_build.contracts import Batch
    from mintdim.pipelines.unit_build.output.dir import OutputDirectory


class DatasetWriter:
    """Writes shards, indexes and counts of one output; the manifest is not its business.

    What takes time is left to tasks: ``place`` and ``last_shards`` return those that have become
    possible, ``take`` takes over what they have written.
    """

    def __init__(self, output: OutputDirectory, session: Session) -> None:
        self._output, self._session = output, session
        self._plan = ShardPlan(
            output.root,
            output.work,
            session.unit_sizes,
            session.tokenizer.pad_id,
            numpy_dtype(session.dtype),
        )
        self._shards = ShardList()
        self._pieces: dict[int, int] = {}  # shards that still wait for each
        self._sample_index = SampleIndexWriter(output)
        self._unk_index = UnkIndexWriter(output)
        self._special_index = SpecialIndexWriter(output, special_tokens(session.tokenizer))
        self._duplicates = DuplicateIndexWriter(output)
        self._histogram = Histogram()

    def place(self, batch: Batch) -> list[RowsTask | ShardTask]:
        """Count the samples of a batch and give them their places; batches come in order."""
        if not self._histogram.samples:
            warn_if_short_of_space(self._output.root, self._session, batch)
        self._duplicates.add(batch)
        self._histogram.add(batch.encoded)
        self._unk_index.count(batch)
        texts = self._special_index.count(batch)
        placement = self._plan.place(batch.encoded)
        if placement.parts:
            self._pieces[batch.encoded.piece] = placement.parts
        rows = RowsTask(str(self._output.work), batch, placement.places, texts)
        return [rows, *placement.complete]

    def last_shards(self) -> list[ShardTask]:
        """Return the shards that are complete because no sample is left."""
        return self._plan.close_open()

    def take(self, written: WrittenRows | WrittenShard) -> None:
        """Take over what a task has written; rows and the shards of a unit come in order."""
        if isinstance(written, WrittenShard):
            self._take_shard(written)
            return
        self._sample_index.write(written)
        self._unk_index.write(written)
        self._special_index.write(written)
        self._output.samples_written += written.samples

    def _take_shard(self, written: WrittenShard) -> None:
        task = written.task
        self._shards.add(task.unit_size, written.entry)
        report(task.number, task.unit_size, written.entry)
        for piece in task.pieces():
            self._pieces[piece] -= 1
            if not self._pieces[piece]:
                del self._pieces[piece]
                remove(piece_path(task.work, piece))

    def finish(self) -> str:
        """Finish all files; return the SHA-256 of ``shards_index.json``, which covers them."""
        output, counts = self._output, self._histogram.document()
        self._sample_index.finish()
        self._unk_index.finish()
        self._special_index.finish()
        self._duplicates.finish()
        output.note_empty_units(filled=set(self._histogram.samples))
        output.write_document(names.HISTOGRAM, counts)
        stats = stats_document(self._totals(), self._session.dtype, counts)
        output.write_document(names.STATS, stats)
        return write_shards_index(output, self._shards).sha256

    def result(self) -> OutputResult:
        """Return the counts of the finished output."""
        totals = self._totals()
        return OutputResult(
            output_dir=self._session.directory,
            total_samples=totals.samples,
            total_tokens=totals.tokens,
            samples_with_unk=totals.samples_with_unk,
            unk_tokens=totals.unk_tokens,
            duplicate_groups=totals.duplicate_groups,
            duplicate_samples=totals.duplicate_samples,
            units=tuple(map(self._unit_counts, self._session.unit_sizes)),
        )

    def _totals(self) -> Totals:
        return Totals(
            samples=self._output.samples_written,
            tokens=sum(self._histogram.tokens.values()),
            duplicate_groups=self._duplicates.groups,
            duplicate_samples=self._duplicates.samples,
            samples_with_unk=self._unk_index.samples,
            unk_tokens=self._unk_index.tokens,
            samples_with_special=self._special_index.samples,
            special_tokens=self._special_index.counts,
        )

    def _unit_counts(self, unit_size: int) -> UnitCounts:
        return UnitCounts(
            unit_size=unit_size,
            samples=self._histogram.samples.get(unit_size, 0),
            tokens=self._histogram.tokens.get(unit_size, 0),
            shards=self._plan.count(unit_size),
        )
