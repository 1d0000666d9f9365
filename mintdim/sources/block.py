"""The source block of the fluent API."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mintdim.shared.types import StrPath

Builder = TypeVar("Builder")


class Declared(Protocol):
    """The part of a declaration that this block fills."""

    source: dict[str, Any]


class SourceBlock(Generic[Builder]):
    """Where the samples come from."""

    def __init__(self, job: Builder, declared: Declared) -> None:
        self._job, self._declared = job, declared

    def jsonl(
        self,
        files: Sequence[StrPath] | None = None,
        fields: Sequence[Sequence[str]] | None = None,
        templates: Sequence[str] | None = None,
    ) -> Builder:
        """Declare JSONL sources.

        ``files``: paths of ``.jsonl``, ``.jsonl.gz`` or ``.jsonl.zst`` files, read in this order;
        relative ones start at the working directory. ``fields``: per file the JSON keys to read;
        every sample must have them, other keys are ignored. ``templates``: the text of a sample,
        with ``{key}`` where a value goes; all other characters, braces included, stay.
        """
        self._declared.source = {"files": files, "fields": fields, "templates": templates}
        return self._job
