"""The build: two passes over the sources, then the shuffle, then the commit.

scan (read, render, facts of every row) → decide (duplicates, borders, splits) → encode (render,
tokenize, end with EOS) → place (val and test in source order, train by the shuffle) → shards →
sidecars → index, which is the commit
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mintdim.engines.opening import open_engine
from mintdim.formats.stream_index import document
from mintdim.formats.stream_names import INDEX, languages_name, metadata_name
from mintdim.pipelines.stream_build.decide import decide
from mintdim.pipelines.stream_build.output.index import entries, index_of
from mintdim.pipelines.stream_build.output.staging import Staging
from mintdim.pipelines.stream_build.pack import Packer, encoded_chunks
from mintdim.pipelines.stream_build.rows import scan_rows
from mintdim.pipelines.stream_build.summary import result_of
from mintdim.shared.errors import BuildInterruptedError
from mintdim.shared.files import HashedFile, check_written
from mintdim.shared.progress import Progress
from mintdim.shared.stopping import StopSignals

if TYPE_CHECKING:
    from pathlib import Path

    from mintdim.formats.stream_index import StreamShard
    from mintdim.formats.stream_names import Split
    from mintdim.pipelines.stream_build.config import StreamBuildConfig
    from mintdim.pipelines.stream_build.decide import Decided
    from mintdim.pipelines.stream_build.output.shard_writer import WrittenShard
    from mintdim.pipelines.stream_build.result import StreamBuildResult
    from mintdim.pipelines.stream_build.rows import ChunkFacts


def run_stream_build(config: StreamBuildConfig) -> StreamBuildResult:
    """Build the dataset of a checked job.

    Raises the first error of the data in source order, ``SplitError``, or a
    ``MintDimEnvironmentError``.
    """
    passes = 2 * config.source_bytes
    with StopSignals() as stop, Progress(passes, "stream-build") as progress:
        return _Build(config, stop, progress).run()


class _Build:
    def __init__(self, config: StreamBuildConfig, stop: StopSignals, progress: Progress) -> None:
        self._config, self._stop, self._progress = config, stop, progress
        engine = config.engine
        self._engine = open_engine(engine.kind, engine.workers, config.source_bytes)

    def run(self) -> StreamBuildResult:
        config = self._config
        with Staging(config.absolute) as staging:
            scanned = scan_rows(config, self._engine, staging.path("rows"), self._scanned)
            decided = decide(config, scanned, staging.path)
            packer = Packer(config, scanned, decided, staging.path)
            for encoded in encoded_chunks(config, scanned, decided, self._engine):
                packer.add(encoded)
                self._progress.advance(encoded.consumed, len(encoded.lengths), len(encoded.tokens))
                self._check_stop()
            shards = packer.finish()
            self._check_stop()
            return self._commit(staging, decided, shards)

    def _commit(
        self, staging: Staging, decided: Decided, shards: dict[Split, list[WrittenShard]]
    ) -> StreamBuildResult:
        config, files = self._config, []
        listed = entries(shards, config.documents.languages)
        for entry, written in listed:
            files += _files_of(entry, written, staging)
        index = index_of(config, decided.boundaries, [entry for entry, _ in listed])
        files.append((_whole(staging.path(INDEX), document(index)), INDEX))
        staging.commit(files)
        return result_of(config, decided, shards)

    def _scanned(self, facts: ChunkFacts) -> None:
        self._progress.advance(facts.consumed, 0, 0)
        self._check_stop()

    def _check_stop(self) -> None:
        if self._stop.received is not None:
            name = self._stop.received.name
            raise BuildInterruptedError(signal_name=name, directory=self._config.directory)


def _files_of(
    entry: StreamShard, written: WrittenShard, staging: Staging
) -> list[tuple[Path, str]]:
    """Return the files of a shard under their working names, each with its final one."""
    metadata = metadata_name(entry.name)
    files = [
        (written.file.path, entry.name),
        (_whole(staging.path(metadata), document(entry)), metadata),
    ]
    codes = written.codes
    return files if codes is None else [*files, (codes.path, languages_name(entry.name))]


def _whole(path: Path, data: bytes) -> Path:
    file = HashedFile(path)
    file.append(data)
    check_written(file)
    return path
