"""Tokenizer: one adapter per library, the same protocol, exact ids."""
