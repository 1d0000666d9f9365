"""What passes through this room: a source file, what is read of it, and a chunk of it.

All of them are plain values that pickle, so that a chunk may be read anywhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

if TYPE_CHECKING:
    from mintdim.shared.errors import MintDimDataError, SourceReadError


@dataclass(frozen=True, slots=True)
class SourceConfig:
    """``.source.jsonl(...)``: paths as given, JSON keys, templates."""

    files: tuple[str, ...]
    fields: tuple[tuple[str, ...], ...]
    templates: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A source file as it was found: spelling as given, absolute path, size, time of change."""

    path: str
    absolute: str
    bytes: int
    modified_ns: int


class SourceJob(Protocol):
    """What this room asks of the job of one file; pipelines add what is theirs."""

    @property
    def source(self) -> SourceFile:
        """The file."""
        ...

    @property
    def fields(self) -> tuple[str, ...]:
        """The JSON keys that the template takes."""
        ...

    @property
    def template(self) -> str:
        """The template as it was declared."""
        ...


Job = TypeVar("Job", bound=SourceJob)


@dataclass(frozen=True, slots=True)
class Chunk(Generic[Job]):
    """Consecutive lines of one file: the input of the encode stage.

    Either the lines whose first byte lies in ``[start, stop)`` of the file, or (compressed
    sources) ``block``, whole lines of the decompressed stream. ``failure`` is what ended that
    stream after ``block``, if it ended badly. ``consumed`` counts source bytes, for progress.
    """

    job: Job
    start: int
    stop: int
    consumed: int
    block: bytes | None = None
    failure: MintDimDataError | SourceReadError | None = None
