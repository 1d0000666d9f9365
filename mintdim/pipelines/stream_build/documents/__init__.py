"""Documents: what a row says beside its text: language, time, key."""
