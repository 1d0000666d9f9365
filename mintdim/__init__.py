"""MintDim turns raw text data into training-ready token shards.

Importing this package imports nothing heavy: neither numpy nor a tokenizer library.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from mintdim.pipeline import pipeline
from mintdim.shared.errors import (
    MintDimConfigError,
    MintDimDataError,
    MintDimDatasetError,
    MintDimEnvironmentError,
    MintDimError,
)
from mintdim.shared.language import set_language
from mintdim.shared.version import __version__

if TYPE_CHECKING:
    from mintdim.datasets.opening import open_dataset as open  # noqa: A004
    from mintdim.datasets.perplexity import perplexity_by_language
    from mintdim.encoders.prepare import prepare_tokenizer
    from mintdim.fetching.fetch import fetch
    from mintdim.verification.verify import verify


__all__ = [
    "MintDimConfigError",
    "MintDimDataError",
    "MintDimDatasetError",
    "MintDimEnvironmentError",
    "MintDimError",
    "__version__",
    "fetch",
    "open",
    "perplexity_by_language",
    "pipeline",
    "prepare_tokenizer",
    "set_language",
    "verify",
]

# Imported when they are first used: they need numpy or a tokenizer library.
_LAZY = {
    "fetch": ("mintdim.fetching.fetch", "fetch"),
    "open": ("mintdim.datasets.opening", "open_dataset"),
    "perplexity_by_language": ("mintdim.datasets.perplexity", "perplexity_by_language"),
    "prepare_tokenizer": ("mintdim.encoders.prepare", "prepare_tokenizer"),
    "verify": ("mintdim.verification.verify", "verify"),
}


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, attribute = _LAZY[name]
    return getattr(import_module(module), attribute)
