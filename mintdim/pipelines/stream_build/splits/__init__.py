"""Splits: which documents are for training, which for validation, which for the test."""
