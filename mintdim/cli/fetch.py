"""``mintdim fetch URL DEST``: a dataset from elsewhere, checked file by file."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from mintdim.cli.options import common_options
from mintdim.fetching import limits

_DESCRIPTION = """\
Fetch a dataset of either kind (stream-build, unit-build) from a server or another folder. Every
file is checked against the index before it gets its name; the index gets its name last. Run the
same command again after a failure: whole files are kept, unfinished ones are continued.

limits:
  tries         {TRIES} per file; between them {BACK_OFF:g} s, then twice as long each time
  time          {SILENCE:g} s to connect and for every read; {ANSWER:g} s for the head of an answer
  speed         at least {PACE_BYTES:,} bytes in every {PACE_SECONDS:g} s
  redirects     {REDIRECTS} per file
  lost servers  after {UNREACHABLE} files in a row that found none, the others are not tried
""".format_map(vars(limits))

_EPILOG = """\
examples:
  mintdim fetch https://example.org/data/news_shards news_shards
  mintdim fetch https://example.org/data/news_shards small --only train,val --train-limit 2
  mintdim fetch file:///mnt/share/train_units train_units
  MINTDIM_API_KEY=... mintdim fetch https://example.org/api/shards news_shards

The key in MINTDIM_API_KEY is sent as X-API-Key to the origin of URL and to no other.

exit codes: 0 fetched whole, 2 wrong usage, 3 failed (the error is on stderr)
"""


def add_parser(subparsers: argparse._SubParsersAction[Any]) -> None:
    """Add this command to the table of commands."""
    parser = subparsers.add_parser(
        "fetch",
        help="fetch a dataset from a server or another folder",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        parents=[common_options()],
    )
    parser.add_argument("url", metavar="URL", help="the folder of the dataset: http(s) or file")
    parser.add_argument(
        "dest", metavar="DEST", help="new or empty directory, or one with files of this dataset"
    )
    parser.add_argument(
        "--only", metavar="SPLITS", help="only these splits of a stream dataset: train,val,test"
    )
    parser.add_argument(
        "--train-limit", metavar="N", type=int, help="only the first N training shards"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Fetch, print what was done and return the exit code."""
    from mintdim.fetching.fetch import fetch
    from mintdim.shared.errors import FetchArgumentError

    try:
        print(fetch(args.url, args.dest, args.only, args.train_limit))
    except FetchArgumentError as error:
        print(error, file=sys.stderr)
        return 2
    return 0
