"""``mintdim show PATH``: look into a dataset."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from mintdim.cli.options import common_options
from mintdim.shared.errors import DatasetArgumentError
from mintdim.shared.messages import phrase

if TYPE_CHECKING:
    from mintdim.datasets.stream_dataset import StreamDataset

_DESCRIPTION = """\
Show a dataset: an overview, or samples with their text, their origin and the boundaries of
their tokens. Of a stream dataset: an overview, or one document (its ids; with --tokenizer
its text).
"""

_EPILOG = """\
examples:
  mintdim show artifacts/train_units
  mintdim show artifacts/train_units --sample 42
  mintdim show artifacts/train_units --hash 8f2c1b7d
  mintdim show artifacts/train_units --source ./data/train.jsonl:18291
  mintdim show artifacts/train_units --duplicates --limit 5
  mintdim show artifacts/train_units --unk
  mintdim show artifacts/news_shards
  mintdim show artifacts/news_shards --document val:12 --tokenizer ./sp_bpe_48k.model
"""


def add_parser(subparsers: argparse._SubParsersAction[Any]) -> None:
    """Add this command to the table of commands."""
    parser = subparsers.add_parser(
        "show",
        help="look into a dataset: overview, samples, duplicates, UNK",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        parents=[common_options()],
    )
    parser.add_argument("path", metavar="PATH", help="the directory of the dataset")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--sample", metavar="N", type=int, help="the sample with this sample_id")
    what.add_argument("--hash", metavar="H", help="samples whose hash begins with H (hex)")
    what.add_argument("--source", metavar="FILE:LINE", help="the sample from this line of a source")
    what.add_argument("--duplicates", action="store_true", help="groups of equal samples")
    what.add_argument("--unk", action="store_true", help="samples with UNK tokens")
    what.add_argument(
        "--document", metavar="SPLIT:N", help="document N of a split (stream datasets)"
    )
    parser.add_argument(
        "--limit", metavar="N", type=int, default=10, help="show at most N (default: 10)"
    )
    parser.add_argument(
        "--tokenizer", metavar="FILE", help="where the tokenizer lies now, if it was moved"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print what was asked for and return the exit code: 1 if there is no such sample."""
    from mintdim.cli import views
    from mintdim.datasets.opening import open_dataset
    from mintdim.datasets.stream_dataset import StreamDataset

    dataset = open_dataset(args.path)
    if isinstance(dataset, StreamDataset):
        return _run_stream(dataset, args)
    if args.document is not None:
        raise DatasetArgumentError(problem=phrase("not_of_this_kind", name="--document"))
    view = views.View(dataset, args.tokenizer)
    if args.duplicates:
        shown = view.duplicates(args.limit)
    elif args.unk:
        shown = view.unk(args.limit)
    elif args.sample is None and args.hash is None and args.source is None:
        shown = iter([view.overview()])
    else:
        shown = view.samples(args.sample, args.hash, args.source, args.limit)
    found = 0
    for found, text in enumerate(shown, 1):
        print(text if found == 1 else f"\n{text}")
    if not found:
        print("nothing to show")
    return 0 if found or args.duplicates or args.unk else 1


def _run_stream(dataset: StreamDataset, args: argparse.Namespace) -> int:
    from mintdim.cli.stream_views import StreamView

    asked = {
        name: getattr(args, name) for name in ("sample", "hash", "source", "duplicates", "unk")
    }
    for name, value in asked.items():
        if value is not None and value is not False:
            raise DatasetArgumentError(problem=phrase("not_of_this_kind", name=f"--{name}"))
    view = StreamView(dataset, args.tokenizer)
    print(view.overview() if args.document is None else view.document(args.document))
    return 0
