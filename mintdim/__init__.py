"""MintDim turns raw text data into training-ready token shards.

Importing this package imports nothing heavy: neither numpy nor a tokenizer library.
"""

from mintdim.pipeline import pipeline
from mintdim.shared.errors import (
    MintDimConfigError,
    MintDimDataError,
    MintDimEnvironmentError,
    MintDimError,
)
from mintdim.shared.language import set_language

__version__ = "0.1.0"

__all__ = [
    "MintDimConfigError",
    "MintDimDataError",
    "MintDimEnvironmentError",
    "MintDimError",
    "__version__",
    "pipeline",
    "set_language",
]
