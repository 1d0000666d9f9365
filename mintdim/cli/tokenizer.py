"""``mintdim tokenizer …``: what can be done with tokenizer files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mintdim.cli import tokenizer_prepare
from mintdim.cli.options import common_options

if TYPE_CHECKING:
    import argparse

COMMANDS = (tokenizer_prepare,)


def add_parser(subparsers: argparse._SubParsersAction[Any]) -> None:
    """Add this group to the table of commands."""
    summary = "work on tokenizer files"
    parser = subparsers.add_parser(
        "tokenizer", help=summary, description=summary, parents=[common_options()]
    )
    parser.set_defaults(help_of=parser)
    inner = parser.add_subparsers(title="commands", metavar="COMMAND")
    for command in COMMANDS:
        command.add_parser(inner)
