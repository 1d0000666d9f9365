"""``mintdim verify PATH``: whether a dataset is what it says it is."""

from __future__ import annotations

import argparse
import json
from typing import Any

from mintdim.cli.options import common_options

_DESCRIPTION = """\
Check a dataset. Only what lies on the disk is believed. Without options: names, sizes and
counts of all files (quick, no content of shards is read).
"""

_EPILOG = """\
examples:
  mintdim verify artifacts/train_units
  mintdim verify artifacts/train_units --full           every byte, every row, every hash
  mintdim verify artifacts/train_units --full --source  tokenize the sources again and compare
  mintdim verify artifacts/train_units --json | jq .findings
  mintdim verify artifacts/news_shards --full           a stream dataset: every byte

exit codes: 0 no findings, 1 findings, 2 wrong usage, 3 not a dataset at all
"""


def add_parser(subparsers: argparse._SubParsersAction[Any]) -> None:
    """Add this command to the table of commands."""
    parser = subparsers.add_parser(
        "verify",
        help="check a dataset, and report what is wrong with it",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        parents=[common_options()],
    )
    parser.add_argument("path", metavar="PATH", help="the directory of the dataset")
    parser.add_argument("--full", action="store_true", help="recompute every hash, count and row")
    parser.add_argument(
        "--source",
        action="store_true",
        help="render and tokenize every sample again (sources at their recorded paths; unit "
        "datasets only)",
    )
    parser.add_argument("--json", action="store_true", help="print the report as JSON")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Verify, print the report and return the exit code."""
    from mintdim.verification.verify import verify

    report = verify(args.path, full=args.full, source=args.source)
    print(json.dumps(report.as_dict(), ensure_ascii=False, indent=2) if args.json else report)
    return 0 if report.ok else 1
