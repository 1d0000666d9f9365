"""The front door: ``pipeline(name)``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, overload

from mintdim.registry import new_builder

if TYPE_CHECKING:
    from mintdim.pipelines.stream_build.api import StreamBuild
    from mintdim.pipelines.unit_build.api import UnitBuild


@overload
def pipeline(name: Literal["unit-build"]) -> UnitBuild: ...
@overload
def pipeline(name: Literal["stream-build"]) -> StreamBuild: ...
@overload
def pipeline(name: str) -> Any: ...
def pipeline(name: str) -> Any:
    """Begin to declare a build job.

    ``name`` is the kind of pipeline: ``"unit-build"`` (samples in shards of fixed width) or
    ``"stream-build"`` (documents one after the other, each ended by EOS). The result collects the
    blocks of the job; nothing is read or written before ``run()`` (or ``validate()``)::

        from mintdim import pipeline

        result = (
            pipeline("unit-build")
            .source.jsonl(
                files=["train.jsonl"],
                fields=[["question", "answer"]],
                templates=["{question}\\n\\n{answer}"],
            )
            .tokenizer.hf_json({"path": "tokenizer.json"})
            .units(sizes=[[128, 256, 512]], build_batch=[4096])
            .output.dir("artifacts/train_units", samples_per_shard=[10_000])
            .run()
        )

    Raises ``UnknownPipelineError`` (a ``PipelineValidationError``), which lists the names.
    """
    return new_builder(name)
