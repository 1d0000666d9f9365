"""Packing: the order of documents, their way to it, and the token that ends each."""
