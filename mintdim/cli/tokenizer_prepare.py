"""``mintdim tokenizer prepare IN OUT``: a ready copy of a tokenizer without PAD or UNK."""

from __future__ import annotations

import argparse
from typing import Any

from mintdim.cli.options import common_options

_DESCRIPTION = """\
Write a copy of a published tokenizer that exposes a padding and an unknown token.
No id of the original moves; that is proved on texts of all scripts before the copy appears.
"""

_EPILOG = """\
examples:
  append both (byte-level BPE such as GPT-2 and Llama 3):
    mintdim tokenizer prepare tokenizer.json ready.json --pad "<pad>" --unk "<unk>"
  name an entry that is there, append the other (Qwen 3):
    mintdim tokenizer prepare tokenizer.json ready.json --pad "<|endoftext|>" --unk "<|unk|>"
  a SentencePiece model always has its unknown token (Mistral):
    mintdim tokenizer prepare tokenizer.model ready.model --pad "<pad>"
  see which entries might serve: leave both out
    mintdim tokenizer prepare tokenizer.json ready.json
"""


def add_parser(subparsers: argparse._SubParsersAction[Any]) -> None:
    """Add this command to the table of commands."""
    parser = subparsers.add_parser(
        "prepare",
        help="write a ready copy of a tokenizer that has no PAD or no UNK",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        parents=[common_options()],
    )
    parser.add_argument("source", metavar="IN", help="tokenizer.json or SentencePiece model")
    parser.add_argument("out", metavar="OUT", help="the copy; nothing may stand there yet")
    wanted = "text of an existing entry, or of a new one, which is appended"
    parser.add_argument("--pad", metavar="TEXT", help=f"padding token: {wanted}")
    parser.add_argument("--unk", metavar="TEXT", help=f"unknown token: {wanted}")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Prepare the copy and print what was done; return the exit code."""
    from mintdim.encoders.prepare import prepare_tokenizer

    print(prepare_tokenizer(args.source, args.out, pad=args.pad, unk=args.unk))
    return 0
