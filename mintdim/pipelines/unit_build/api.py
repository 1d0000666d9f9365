"""The fluent API: it records what is declared, and does nothing before ``run()``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mintdim.engines.block import EngineBlock
from mintdim.engines.validate import check_exactness
from mintdim.pipelines.unit_build.validate import Declaration, validate
from mintdim.shared.log import shown_by_default
from mintdim.sources.block import SourceBlock

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mintdim.pipelines.unit_build.config import UnitBuildConfig
    from mintdim.pipelines.unit_build.result import BuildResult
    from mintdim.shared.types import Exactness, StrPath, TokenizerKind

    TokenizerDict = dict[str, Any]


class UnitBuild:
    """A unit-build job in the making.

    Four blocks describe it: ``source``, ``tokenizer``, ``units``, ``output``; a fifth, ``engine``,
    may say where it runs. They may come in any order, and again (the last one stands). Every list
    in a block has one entry for all files, or one entry per file. ``validate()`` checks the job,
    ``run()`` checks and builds it; each makes a frozen config of its own, so later edits of the
    job do not reach it.
    """

    def __init__(self) -> None:
        self._declared = Declaration()
        self.source = SourceBlock(self, self._declared)
        self.tokenizer = TokenizerBlock(self)
        self.output = OutputBlock(self)
        self.engine = EngineBlock(self, self._declared)

    def units(
        self,
        sizes: Sequence[Sequence[int]] | None = None,
        build_batch: Sequence[int] | None = None,
    ) -> UnitBuild:
        """Declare the unit sizes.

        ``sizes``: lists of unit sizes in tokens, ascending; a sample goes to the smallest unit
        that holds it. ``build_batch``: samples handed to the tokenizer at once; it has no effect
        on what is written.
        """
        self._declared.units = {"sizes": sizes, "build_batch": build_batch}
        return self

    def validate(self) -> UnitBuildConfig:
        """Check the whole job without building it; nothing is written.

        Returns the frozen config. Raises the first ``MintDimConfigError`` in the documented
        order of checks.
        """
        with shown_by_default():
            return validate(self._declared)

    def run(self, exactness: Exactness = "checked") -> BuildResult:
        """Check the whole job, then build every output.

        ``exactness``: ``"checked"`` lets a faster library encode where it gives the same ids, and
        checks that it does; ``"official"`` uses nothing but the tokenizer's own library. The
        bytes are the same. ``build_log.json`` says what was used.

        Returns the counts of each output; ``print(result)`` shows them as a table. Raises a
        ``MintDimError``: a ``MintDimConfigError`` before anything is written, a
        ``MintDimDataError`` for the first bad sample in source order, a
        ``MintDimEnvironmentError`` for disk and signals. An output without ``manifest.json`` is
        not a dataset.
        """
        with shown_by_default():
            config = validate(self._declared)
            check_exactness(exactness)
            from mintdim.pipelines.unit_build.runtime import run_unit_build

            return run_unit_build(config, exactness)


class TokenizerBlock:
    """What turns text into token ids."""

    def __init__(self, job: UnitBuild) -> None:
        self._job = job

    def sentencepiece(
        self, config: TokenizerDict | Sequence[TokenizerDict] | None = None
    ) -> UnitBuild:
        """Declare a SentencePiece model: ``{"path": "tokenizer.model"}``, or a list of them."""
        return self._record("sentencepiece", config)

    def hf_json(self, config: TokenizerDict | Sequence[TokenizerDict] | None = None) -> UnitBuild:
        """Declare a Hugging Face tokenizer: ``{"path": "tokenizer.json"}``, or a list of them."""
        return self._record("hf_json", config)

    def _record(self, kind: TokenizerKind, config: Any) -> UnitBuild:
        self._job._declared.tokenizer_kind = kind
        self._job._declared.tokenizer = config
        return self._job


class OutputBlock:
    """Where the dataset goes."""

    def __init__(self, job: UnitBuild) -> None:
        self._job = job

    def dir(
        self,
        path: StrPath | Sequence[StrPath] | None = None,
        samples_per_shard: Sequence[int] | None = None,
        *,
        paths: StrPath | Sequence[StrPath] | None = None,
    ) -> UnitBuild:
        """Declare the output directories.

        ``path`` (or ``paths``): one directory for all files, or a list with one per file; each
        must be new or empty. ``samples_per_shard``: samples in a full shard, per file.
        """
        self._job._declared.output = {
            "path": path,
            "paths": paths,
            "samples_per_shard": samples_per_shard,
        }
        return self._job
