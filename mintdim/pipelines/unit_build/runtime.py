"""The build: one output after the other, batch by batch, in source order.

chunks of the sources → encode (read, render, hash, tokenize, assign units; tokens to a piece)
→ number and place the samples → write index rows, and shards as they become complete → commit

Tasks run wherever the engine runs them (``tasks``); here, in the driver, are counts and hashes.
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import count
from typing import TYPE_CHECKING

from mintdim.engines.opening import open_engine
from mintdim.pipelines.unit_build.contracts import (
    Batch,
    Difference,
    DisagreementError,
    EncodedChunk,
    EncodeTask,
    Failure,
)
from mintdim.pipelines.unit_build.dataset_writer import DatasetWriter
from mintdim.pipelines.unit_build.output.build_log import Circumstances, build_log
from mintdim.pipelines.unit_build.output.dir import OutputDirectory, clear
from mintdim.pipelines.unit_build.output.index_rows import WrittenRows
from mintdim.pipelines.unit_build.output.manifest import manifest_document
from mintdim.pipelines.unit_build.result import BuildResult, OutputResult
from mintdim.pipelines.unit_build.source.validate import check_unchanged
from mintdim.pipelines.unit_build.tasks import Agenda, perform
from mintdim.pipelines.unit_build.tokenizer.accelerator import accelerated, official
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
    engine = open_engine(config.engine.kind, config.engine.workers, config.source_bytes)
    with StopSignals() as stop, Progress(config.source_bytes, "unit-build") as progress:
        run = _Run(config, engine, progress, stop, rebuilt)
        outputs = [_build_output(run, session) for session in config.sessions]
    return BuildResult(tuple(outputs))


def _build_output(run: _Run, session: Session) -> OutputResult:
    started = datetime.now(UTC)
    with OutputDirectory(session) as output:
        writer = DatasetWriter(output, session)
        _perform_all(run, session, output, writer)
        shards_index_sha256 = writer.finish()
        _check_stop(run.stop, session)
        output.write_log(build_log(session, run.circumstances(started)))
        output.commit(manifest_document(run.config, session, shards_index_sha256))
    return writer.result()


def _perform_all(
    run: _Run, session: Session, output: OutputDirectory, writer: DatasetWriter
) -> None:
    """Have all tasks of an output performed; raise the first failure."""
    numbering = _Numbering(session)
    agenda = Agenda(_chunks(session, output), writer.last_shards)
    # Closed before the output is cleaned: workers write into it.
    with closing(run.engine.map(perform, agenda.tasks())) as outcomes:
        for outcome in outcomes:
            if isinstance(outcome, (EncodedChunk, Failure, Difference)):
                agenda.done(writer.place(numbering.batch(outcome)))
            elif outcome is not None:
                writer.take(outcome)
                agenda.done([])
            if isinstance(outcome, WrittenRows):
                run.progress.advance(outcome.source_bytes, outcome.samples, outcome.tokens)
            _check_stop(run.stop, session)
    for job in session.jobs:
        check_unchanged(job)
    if not numbering.samples:
        logger.warning(
            "[unit-build:warning] %s holds no samples: its sources are empty.", session.directory
        )


class _Numbering:
    """Counts samples over the output, and lines over each file; chunks come in order."""

    def __init__(self, session: Session) -> None:
        self.samples = 0
        self._lines = dict.fromkeys((job.index for job in session.jobs), 0)

    def batch(self, outcome: EncodedChunk | Failure | Difference) -> Batch:
        """Return a chunk with its numbers; raise what came in its place."""
        file = outcome.chunk.job.index
        if isinstance(outcome, Failure):
            raise _at_line(outcome, self._lines[file])
        if isinstance(outcome, Difference):
            raise _disagreement(outcome, self._lines[file])
        batch = Batch(outcome, self.samples, outcome.lines + self._lines[file])
        self.samples += len(batch)
        self._lines[file] += outcome.line_count
        return batch


def _chunks(session: Session, output: OutputDirectory) -> Iterator[EncodeTask]:
    work, number = str(output.work), count()
    for job in session.jobs:
        for chunk in plan_chunks(job):
            yield EncodeTask(chunk, work, next(number))
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
