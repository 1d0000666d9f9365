"""Spill: what is too large for memory goes through the disk, in sequential reads and writes."""
