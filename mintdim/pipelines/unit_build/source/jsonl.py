"""JSONL at the door of this pipeline: a line → the values that the template of its file takes."""

from mintdim.sources.samples import SampleReader

__all__ = ["SampleReader"]
