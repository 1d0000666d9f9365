"""The build: one output after the other, batch by batch, in source order.

read → render → hash → encode → assign → write shards → write indexes → count → commit
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mintdim.engines.inline import InlineEngine
from mintdim.formats import names
from mintdim.pipelines.unit_build.contracts import Batch, Chunk, Failure
from mintdim.pipelines.unit_build.encode import encode_chunk
from mintdim.pipelines.unit_build.output.dir import OutputDirectory
from mintdim.pipelines.unit_build.output.duplicate_index import DuplicateIndexWriter
from mintdim.pipelines.unit_build.output.histogram import Histogram
from mintdim.pipelines.unit_build.output.manifest import manifest_document
from mintdim.pipelines.unit_build.output.sample_index import SampleIndexWriter
from mintdim.pipelines.unit_build.output.shards_index import write_shards_index
from mintdim.pipelines.unit_build.output.space import warn_if_short_of_space
from mintdim.pipelines.unit_build.output.special_index import SpecialIndexWriter
from mintdim.pipelines.unit_build.output.stats import Totals, stats_document
from mintdim.pipelines.unit_build.output.unk_index import UnkIndexWriter
from mintdim.pipelines.unit_build.result import BuildResult, OutputResult, UnitCounts
from mintdim.pipelines.unit_build.source.chunks import plan_chunks
from mintdim.pipelines.unit_build.source.validate import check_unchanged
from mintdim.pipelines.unit_build.tokenizer.special_tokens import special_tokens
from mintdim.pipelines.unit_build.units.shard_writer import ShardWriter
from mintdim.shared.errors import BuildInterruptedError, MintDimDataError
from mintdim.shared.log import logger
from mintdim.shared.progress import Progress
from mintdim.shared.stopping import StopSignals

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mintdim.engines.contract import Engine
    from mintdim.pipelines.unit_build.config import Session, UnitBuildConfig


def run_unit_build(config: UnitBuildConfig, engine: Engine | None = None) -> BuildResult:
    """Build every output of a checked job.

    Raises the first error of the data in source order, or a ``MintDimEnvironmentError``.
    """
    engine = engine or InlineEngine()
    with StopSignals() as stop, Progress(config.source_bytes) as progress:
        outputs = [
            _build_output(config, session, engine, progress, stop) for session in config.sessions
        ]
    return BuildResult(tuple(outputs))


def _build_output(
    config: UnitBuildConfig,
    session: Session,
    engine: Engine,
    progress: Progress,
    stop: StopSignals,
) -> OutputResult:
    with OutputDirectory(session) as output:
        shards = ShardWriter(output.root, output.work, session.unit_sizes, session.tokenizer.pad_id)
        sample_index = SampleIndexWriter(output)
        unk_index = UnkIndexWriter(output, session.tokenizer.unk_id)
        special_index = SpecialIndexWriter(output, special_tokens(session.tokenizer))
        duplicates = DuplicateIndexWriter(output)
        histogram = Histogram()

        for batch in _encoded_batches(session, engine):
            if not output.samples_written:
                warn_if_short_of_space(output.root, session, batch)
            places = shards.write(batch.encoded)
            sample_index.write(batch, places)
            unk_index.write(batch)
            special_index.write(batch)
            duplicates.add(batch)
            histogram.add(batch.encoded)
            output.samples_written += len(batch)
            progress.advance(batch.encoded.chunk.consumed, len(batch), len(batch.encoded.tokens))
            _check_stop(stop, session)

        shards.close_open()
        sample_index.finish()
        unk_index.finish()
        special_index.finish()
        duplicates.finish()
        output.note_empty_units(filled=set(histogram.samples))
        totals = Totals(
            samples=output.samples_written,
            tokens=sum(histogram.tokens.values()),
            duplicate_groups=duplicates.groups,
            duplicate_samples=duplicates.samples,
            samples_with_unk=unk_index.samples,
            unk_tokens=unk_index.tokens,
            samples_with_special=special_index.samples,
            special_tokens=special_index.counts,
        )
        output.write_document(names.HISTOGRAM, histogram.document())
        output.write_document(
            names.STATS, stats_document(totals, session.dtype, histogram.document())
        )
        index = write_shards_index(output, shards.closed)
        _check_stop(stop, session)
        output.commit(manifest_document(config, session, index.sha256))
    if not totals.samples:
        logger.warning(
            "[unit-build:warning] %s holds no samples: its sources are empty.", session.directory
        )
    return _result(session, totals, histogram, shards)


def _encoded_batches(session: Session, engine: Engine) -> Iterator[Batch]:
    """Yield the encoded chunks of all files in order, numbered; raise the first failure."""
    first_id = line = file_index = 0
    for encoded in engine.map(encode_chunk, _chunks(session)):
        if encoded.chunk.job.index != file_index:
            file_index, line = encoded.chunk.job.index, 0
        if isinstance(encoded, Failure):
            raise _at_line(encoded, line)
        yield Batch(encoded, first_id, encoded.lines + line)
        first_id += len(encoded.lines)
        line += encoded.line_count


def _chunks(session: Session) -> Iterator[Chunk]:
    for job in session.jobs:
        yield from plan_chunks(job)
        check_unchanged(job)


def _at_line(failure: Failure, lines_before: int) -> Exception:
    """Return the error with its line counted from the beginning of the file."""
    if isinstance(failure.error, MintDimDataError):
        check_unchanged(failure.chunk.job)  # a file cut in the middle reads as bad JSON
        failure.error.line += lines_before
    return failure.error


def _check_stop(stop: StopSignals, session: Session) -> None:
    if stop.received is not None:
        raise BuildInterruptedError(signal_name=stop.received.name, directory=session.directory)


def _result(
    session: Session, totals: Totals, histogram: Histogram, shards: ShardWriter
) -> OutputResult:
    units = tuple(
        UnitCounts(
            unit_size=size,
            samples=histogram.samples.get(size, 0),
            tokens=histogram.tokens.get(size, 0),
            shards=shards.count(size),
        )
        for size in session.unit_sizes
    )
    return OutputResult(
        output_dir=session.directory,
        total_samples=totals.samples,
        total_tokens=totals.tokens,
        samples_with_unk=totals.samples_with_unk,
        unk_tokens=totals.unk_tokens,
        duplicate_groups=totals.duplicate_groups,
        duplicate_samples=totals.duplicate_samples,
        units=units,
    )
