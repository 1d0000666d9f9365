"""MintDim turns raw text data into training-ready token shards."""

__version__ = "0.1.0"
