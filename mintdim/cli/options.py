"""Options that every command has."""

from __future__ import annotations

import argparse
from typing import get_args

from mintdim.shared.types import Language


def common_options() -> argparse.ArgumentParser:
    """Return a parent parser; its options are absent from the result unless they are given.

    So they may stand before or after the name of a subcommand.
    """
    options = argparse.ArgumentParser(add_help=False, argument_default=argparse.SUPPRESS)
    options.add_argument(
        "--lang", choices=get_args(Language), help="language of error texts (default: English)"
    )
    options.add_argument(
        "--quiet", action="store_true", help="print nothing but errors; the exit code tells"
    )
    return options
