"""The command ``mintdim``: a table of subcommands.

Each subcommand is a module with ``add_parser(subparsers)`` and, set as the default ``run`` of its
parser, ``run(args)`` that returns the exit code. Such a module imports nothing heavy at its head.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import sys
from typing import TYPE_CHECKING

from mintdim import __version__
from mintdim.cli import build, fetch, show, tokenizer, verify
from mintdim.cli.options import common_options
from mintdim.shared.errors import MintDimError
from mintdim.shared.language import set_language

if TYPE_CHECKING:
    from collections.abc import Sequence

COMMANDS = (build, verify, show, fetch, tokenizer)

FINE, FINDINGS, USAGE, FAILED, INTERRUPTED = 0, 1, 2, 3, 130

_EPILOG = """\
examples:
  mintdim build job.toml
  mintdim verify artifacts/train_units --full
  mintdim show artifacts/train_units --sample 42
  mintdim fetch https://example.org/data/news_shards news_shards
  mintdim tokenizer prepare tokenizer.json ready.json --pad "<pad>" --unk "<unk>"
  mintdim COMMAND --help

exit codes: 0 fine, 1 findings, 2 wrong usage, 3 failed (the error is on stderr)
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; ``arguments`` are those of the process."""
    _print_anything()
    parser = new_parser()
    args = parser.parse_args(arguments)
    if "lang" in args:
        set_language(args.lang)
    if "run" not in args:
        args.help_of.print_help(sys.stderr)
        return USAGE
    return _run(args)


def new_parser() -> argparse.ArgumentParser:
    """Return the parser of all commands."""
    parser = argparse.ArgumentParser(
        prog="mintdim",
        description="Turn JSONL text into fixed-width, low-padding token shards.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        parents=[common_options()],
    )
    parser.add_argument("--version", action="version", version=f"mintdim {__version__}")
    parser.set_defaults(help_of=parser)
    subparsers = parser.add_subparsers(title="commands", metavar="COMMAND")
    for command in COMMANDS:
        command.add_parser(subparsers)
    return parser


def _run(args: argparse.Namespace) -> int:
    silenced = io.StringIO() if "quiet" in args else sys.stdout
    try:
        with contextlib.redirect_stdout(silenced):
            code = int(args.run(args))
        sys.stdout.flush()
    except MintDimError as error:
        print(error, file=sys.stderr)
        return FAILED
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:  # the reader of our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FINE
    return code


def _print_anything() -> None:
    """Let a terminal that lacks a character show its escape instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
