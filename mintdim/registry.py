"""The pipelines by name; a builder is imported when it is asked for."""

from importlib import import_module
from typing import Any

from mintdim.shared.errors import UnknownPipelineError

_BUILDERS = {
    "unit-build": "mintdim.pipelines.unit_build.api:UnitBuild",
    "stream-build": "mintdim.pipelines.stream_build.api:StreamBuild",
}


def known_pipelines() -> tuple[str, ...]:
    """Return the names that ``pipeline`` accepts."""
    return tuple(_BUILDERS)


def new_builder(name: str) -> Any:
    """Return a fresh builder of the pipeline ``name``.

    Raises ``UnknownPipelineError``, which lists the known names.
    """
    if not isinstance(name, str) or name not in known_pipelines():
        raise UnknownPipelineError(name=str(name), known=known_pipelines())
    module, _, builder = _BUILDERS[name].partition(":")
    return getattr(import_module(module), builder)()
