"""Which tokenizers of a job are run by an accelerator: decided once, in the driver."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from mintdim.encoders.acceleration import choose_accelerator

if TYPE_CHECKING:
    from collections.abc import Callable

    from mintdim.pipelines.unit_build.config import TokenizerInfo, UnitBuildConfig


def accelerated(config: UnitBuildConfig) -> UnitBuildConfig:
    """Return the job with the accelerator of each tokenizer, where one may stand in and pays."""

    @lru_cache
    def chosen(info: TokenizerInfo) -> str:
        return choose_accelerator(info.kind, info.absolute, info.sha256, config.source_bytes)

    return _with(config, chosen)


def official(config: UnitBuildConfig) -> UnitBuildConfig:
    """Return the job without accelerators: the libraries that define the ids encode."""
    return _with(config, lambda info: "")


def _with(config: UnitBuildConfig, choose: Callable[[TokenizerInfo], str]) -> UnitBuildConfig:
    sessions = [
        replace(
            session,
            jobs=tuple(
                replace(job, tokenizer=replace(job.tokenizer, accelerator=choose(job.tokenizer)))
                for job in session.jobs
            ),
        )
        for session in config.sessions
    ]
    return replace(config, sessions=tuple(sessions))
