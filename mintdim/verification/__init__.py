"""Verification: is a dataset on the disk what it says it is? Believes only the disk."""
