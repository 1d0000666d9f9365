"""Fetching a dataset of either kind from a server or another folder, checked file by file."""
