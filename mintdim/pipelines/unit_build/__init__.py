"""unit-build: JSONL → rendered text → exact tokens → smallest fitting unit → shards."""
