"""Output: the folder of unfinished files; shards, where they end, and their index."""
