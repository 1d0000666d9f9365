"""Rules of the source block: those of every pipeline."""

from mintdim.sources.validate import (
    check_mapping,
    check_structure,
    check_templates,
    check_unchanged,
    literals_of,
    locate,
)

__all__ = [
    "check_mapping",
    "check_structure",
    "check_templates",
    "check_unchanged",
    "literals_of",
    "locate",
]
