"""The pipelines. None of them imports another."""
