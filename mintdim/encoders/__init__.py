"""Encoders: text → exact token ids. One protocol, one adapter per library."""
