"""The fluent API: it records what is declared, and does nothing before ``run()``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mintdim.engines.block import EngineBlock
from mintdim.pipelines.stream_build.validate import Declaration, validate
from mintdim.shared.log import shown_by_default
from mintdim.sources.block import SourceBlock

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from mintdim.pipelines.stream_build.config import BordersOver, Future, StreamBuildConfig
    from mintdim.pipelines.stream_build.result import StreamBuildResult
    from mintdim.shared.types import StrPath

    TokenizerDict = dict[str, Any]


class StreamBuild:
    """A stream-build job in the making.

    Five blocks describe it: ``source``, ``tokenizer``, ``splits``, ``shards``, ``output``;
    ``documents`` says what rows tell beside their text, ``engine`` where the job runs. They may
    come in any order, and again (the last one stands). ``validate()`` checks the job, ``run()``
    checks and builds it; each makes a frozen config of its own, so later edits of the job do not
    reach it.
    """

    def __init__(self) -> None:
        self._declared = Declaration()
        self.source = SourceBlock(self, self._declared)
        self.tokenizer = TokenizerBlock(self)
        self.splits = SplitsBlock(self)
        self.output = OutputBlock(self)
        self.engine = EngineBlock(self, self._declared)

    def documents(
        self,
        *,
        language: str | None = None,
        languages: Sequence[str] | None = None,
        time: str | None = None,
        time_zone: str | None = None,
        key: str | None = None,
        min_chars: int | None = None,
    ) -> StreamBuild:
        """Declare what a row says beside its text, by JSON keys of the same object.

        ``language``: the key of its language, which must be one of ``languages`` (at most 256;
        their order fixes the codes), or the row is dropped. ``time``: the key of an ISO 8601 time;
        those without a zone are in ``time_zone`` (default UTC). ``key``: what two documents must
        not share, such as a URL; the first one stays, null and "" are no keys. ``min_chars``: rows
        whose rendered text has fewer characters are dropped.
        """
        self._declared.documents = {
            "language": language,
            "languages": languages,
            "time": time,
            "time_zone": time_zone,
            "key": key,
            "min_chars": min_chars,
        }
        return self

    def shards(
        self, tokens: int | None = None, seed: int | None = None, build_batch: int | None = None
    ) -> StreamBuild:
        """Declare how documents are packed.

        ``tokens``: the most tokens of a shard; a longer document is a shard of its own. ``seed``:
        of the order of training documents. ``build_batch``: documents handed to the tokenizer at
        once (default 512); it has no effect on what is written.
        """
        self._declared.shards = {"tokens": tokens, "seed": seed, "build_batch": build_batch}
        return self

    def validate(self) -> StreamBuildConfig:
        """Check the whole job without building it; nothing is written.

        Returns the frozen config. Raises the first ``MintDimConfigError`` in the documented
        order of checks.
        """
        with shown_by_default():
            return validate(self._declared)

    def run(self) -> StreamBuildResult:
        """Check the whole job, then build the dataset.

        Returns its counts; ``print(result)`` shows them as a table. Raises a ``MintDimError``: a
        ``MintDimConfigError`` with nothing written, a ``MintDimDataError`` for the first bad row
        in source order, a ``MintDimEnvironmentError`` for disk and signals. An output without
        ``shards_index.json`` is not a dataset.
        """
        with shown_by_default():
            config = validate(self._declared)
            from mintdim.pipelines.stream_build.runtime import run_stream_build

            return run_stream_build(config)


class TokenizerBlock:
    """What turns text into token ids, and which of them ends a document."""

    def __init__(self, job: StreamBuild) -> None:
        self._job = job

    def sentencepiece(self, config: TokenizerDict | None = None) -> StreamBuild:
        """Declare a SentencePiece model, ``{"path": "tokenizer.model"}``; EOS is its own."""
        declared = self._job._declared
        declared.tokenizer_kind, declared.tokenizer, declared.eos = "sentencepiece", config, None
        return self._job

    def hf_json(
        self, config: TokenizerDict | None = None, *, eos: str | None = None
    ) -> StreamBuild:
        """Declare a Hugging Face tokenizer, ``{"path": "tokenizer.json"}``.

        ``eos``: the text of the token that ends a document, such as ``"<|endoftext|>"``.
        """
        declared = self._job._declared
        declared.tokenizer_kind, declared.tokenizer, declared.eos = "hf_json", config, eos
        return self._job


class SplitsBlock:
    """Which documents are for train, which for val, which for test.

    ``as_of`` is what counts as now, a text in ISO 8601 or a ``datetime``; it is written into the
    index, so that a rerun gives the same bytes. Left out, it is ``SOURCE_DATE_EPOCH`` of the
    environment, else the clock.
    """

    def __init__(self, job: StreamBuild) -> None:
        self._job = job

    def per_language_count(
        self,
        test_docs: int,
        val_docs: int,
        *,
        as_of: str | datetime | None = None,
        future: Future | None = None,
        borders: BordersOver | None = None,
    ) -> StreamBuild:
        """Split by time: of every language the newest documents for test, those before for val.

        All documents at the time of a border go to the later split; documents without a time go to
        train. 0 means no such split. ``future``: documents after ``as_of`` are as new as any
        (``"test"``, the default), go to ``"train"``, are dropped (``"drop"``), or end the build
        (``"error"``). ``borders``: taken over ``"all"`` dated rows of a declared language (the
        default), or over those ``"kept"`` as documents.
        """
        values = {
            "test_docs": test_docs,
            "val_docs": val_docs,
            "future": future,
            "borders": borders,
        }
        return self._record("per_language_count", values, as_of)

    def fraction(
        self,
        val: float,
        test: float,
        *,
        seed: int = 0,
        as_of: str | datetime | None = None,
    ) -> StreamBuild:
        """Split by a hash of the key of a document, or of its text where there is none.

        ``val`` and ``test`` are shares of all documents. A document keeps its split whatever others
        are added.
        """
        values = {"val": val, "test": test, "seed": seed}
        return self._record("fraction", values, as_of)

    def none(self, *, as_of: str | datetime | None = None) -> StreamBuild:
        """Use all documents for train."""
        return self._record("none", {}, as_of)

    def _record(
        self, kind: str, values: dict[str, Any], as_of: str | datetime | None
    ) -> StreamBuild:
        declared = self._job._declared
        declared.splits_kind, declared.splits, declared.as_of = kind, values, as_of
        return self._job


class OutputBlock:
    """Where the dataset goes."""

    def __init__(self, job: StreamBuild) -> None:
        self._job = job

    def dir(self, path: StrPath | None = None) -> StreamBuild:
        """Declare the output directory; it must be new or empty."""
        self._job._declared.directory = path
        return self._job
