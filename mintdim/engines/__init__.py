"""Where tasks run. Nothing outside this room knows where that is."""
