"""Tokenizer: what this pipeline asks of a tokenizer; the adapters are in ``mintdim.encoders``."""
