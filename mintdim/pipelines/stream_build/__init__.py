"""stream-build: JSONL sources → token shards in which every document ends with one EOS."""
