"""The build: one output after the other, batch by batch, in source order.

chunks of the sources → encode (read, render, hash, tokenize, assign units) → number the samples
→ write shards, indexes and counts → commit
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from mintdim.engines.opening import open_engine
from mintdim.pipelines.unit_build.contracts import (
    Batch,
    Chunk,
    Difference,
    DisagreementError,
    Failure,
)
from mintdim.pipelines.unit_build.dataset_writer import DatasetWriter
from mintdim.pipelines.unit_build.encode import encode_chunk
from mintdim.pipelines.unit_build.output.build_log import Circumstances, build_log
from mintdim.pipelines.unit_build.output.dir import OutputDirectory, clear
from mintdim.pipelines.unit_build.output.manifest import manifest_document
from mintdim.pipelines.unit_build.result import BuildResult, OutputResult
from mintdim.pipelines.unit_build.source.validate import check_unchanged
from mintdim.pipelines.unit_build.tokenizer.accelerator import accelerated, is_accelerated, official
from mintdim.shared.errors import BuildInterruptedError, MintDimDataError
from mintdim.shared.log import logger
from mintdim.shared.progress import Progress
from mintdim.shared.stopping import StopSignals
from mintdim.sources.chunks import plan_chunks

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mintdim.engines.contract import Engine
    from mintdim.pipelines.unit_build.config import Session, UnitBuildConfig
    from mintdim.shared.types import Exactness


# With an accelerator the driver, who writes everything, serves three or four (benchmarks: merge).
_MOST_ACCELERATED_WORKERS = 4


@dataclass(frozen=True, slots=True)
class _Run:
    """What all outputs of a run share."""

    config: UnitBuildConfig
    engine: Engine
    progress: Progress
    stop: StopSignals
    rebuilt: str | None

    def circumstances(self, started: datetime) -> Circumstances:
        """Return what the log says of an output that is about to be complete."""
        return Circumstances(
            engine=self.engine.kind,
            workers=self.engine.workers,
            started=started.isoformat(timespec="seconds"),
            wall_seconds=(datetime.now(UTC) - started).total_seconds(),
            rebuilt=self.rebuilt,
        )


def run_unit_build(config: UnitBuildConfig, exactness: Exactness = "checked") -> BuildResult:
    """Build every output of a checked job.

    Raises the first error of the data in source order, or a ``MintDimEnvironmentError``.
    """
    if exactness == "official":
        return _build(config)
    config = accelerated(config)
    try:
        return _build(config)
    except DisagreementError as error:
        logger.warning("[unit-build:warning] %s Building again with that library alone.", error)
        for session in config.sessions:
            clear(session)
        return _build(official(config), rebuilt=str(error))


def _build(config: UnitBuildConfig, rebuilt: str | None = None) -> BuildResult:
    engine = open_engine(
        config.engine.kind,
        config.engine.workers,
        config.source_bytes,
        most=_MOST_ACCELERATED_WORKERS if is_accelerated(config) else None,
    )
    with StopSignals() as stop, Progress(config.source_bytes, "unit-build") as progress:
        run = _Run(config, engine, progress, stop, rebuilt)
        outputs = [_build_output(run, session) for session in config.sessions]
    return BuildResult(tuple(outputs))


def _build_output(run: _Run, session: Session) -> OutputResult:
    started = datetime.now(UTC)
    with OutputDirectory(session) as output:
        writer = DatasetWriter(output, session)
        for batch in _encoded_batches(session, run.engine):
            writer.write(batch)
            chunk = batch.encoded.chunk
            run.progress.advance(chunk.consumed, len(batch), len(batch.encoded.tokens))
            _check_stop(run.stop, session)
        shards_index_sha256 = writer.finish()
        _check_stop(run.stop, session)
        output.write_log(build_log(session, run.circumstances(started)))
        output.commit(manifest_document(run.config, session, shards_index_sha256))
    return writer.result()


def _encoded_batches(session: Session, engine: Engine) -> Iterator[Batch]:
    """Yield the encoded chunks of all files in order, numbered; raise the first failure."""
    first_id = 0
    lines = dict.fromkeys((job.index for job in session.jobs), 0)
    for encoded in engine.map(encode_chunk, _chunks(session)):
        file = encoded.chunk.job.index
        if isinstance(encoded, Failure):
            raise _at_line(encoded, lines[file])
        if isinstance(encoded, Difference):
            raise _disagreement(encoded, lines[file])
        yield Batch(encoded, first_id, encoded.lines + lines[file])
        first_id += len(encoded.lines)
        lines[file] += encoded.line_count
    if not first_id:
        logger.warning(
            "[unit-build:warning] %s holds no samples: its sources are empty.", session.directory
        )


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


def _disagreement(difference: Difference, lines_before: int) -> DisagreementError:
    job, line = difference.chunk.job, difference.line
    name, library = job.tokenizer.accelerator, f"the library of {job.tokenizer.path}"
    if difference.unfit:
        return DisagreementError(f"{name} cannot stand in for {library}: {difference.unfit}.")
    place = f"{job.source.path}:{line + lines_before}" if line else job.source.path
    return DisagreementError(f"{name} gives other ids than {library} ({place}).")


def _check_stop(stop: StopSignals, session: Session) -> None:
    if stop.received is not None:
        raise BuildInterruptedError(signal_name=stop.received.name, directory=session.directory)
