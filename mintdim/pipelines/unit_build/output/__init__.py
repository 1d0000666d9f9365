"""Output: the directory of a dataset and what stands in it beside the shards."""
