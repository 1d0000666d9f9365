"""Templates at the door of this pipeline: placeholders and declared fields must agree."""

from mintdim.sources.validate import check_template, literals_of

__all__ = ["check_template", "literals_of"]
