"""Units: token counts → unit sizes → rows of shards."""
