"""``mintdim build JOB.toml``: run a job that a file declares."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from mintdim.cli.options import common_options

if TYPE_CHECKING:
    from mintdim.pipelines.stream_build.api import StreamBuild
    from mintdim.pipelines.unit_build.api import UnitBuild
    from mintdim.shared.types import Exactness

_DESCRIPTION = """\
Build token shards from a job file. Every block of the fluent API is a table of the file;
relative paths start at the working directory.
"""

_EPILOG = """\
a job file:
  [source]
  files = ["train.jsonl", "more.jsonl.gz"]
  fields = [["question", "answer"]]            # one for all files, or one per file
  templates = ["{question}\\n\\n{answer}"]

  [tokenizer]
  type = "hf_json"                             # or "sentencepiece"
  path = "tokenizer.json"                      # or paths = [...], one per file

  [units]
  sizes = [[128, 256, 512]]
  build_batch = [4096]

  [output]
  dir = "artifacts/train_units"                # new or empty; or a list, one per file
  samples_per_shard = [10000]

a job file of stream-build:
  pipeline = "stream-build"

  [source]
  files = ["news.jsonl"]
  fields = [["title", "text"]]
  templates = ["{title}\\n{text}"]

  [documents]                                  # all of it may be left out
  language = "lang"
  languages = ["en", "de"]
  time = "published"
  key = "url"

  [tokenizer]
  type = "hf_json"                             # or "sentencepiece", whose model has an EOS
  path = "tokenizer.json"
  eos = "<|endoftext|>"

  [splits]
  mode = "per_language_count"                  # or "fraction" (val, test), or "none"
  test_docs = 8000
  val_docs = 3000
  as_of = "2026-10-10T00:00:00"

  [shards]
  tokens = 50_000_000
  seed = 1

  [output]
  dir = "artifacts/news_shards"

examples:
  mintdim build job.toml
  mintdim build job.toml --dry-run             check everything, write nothing
  mintdim build job.toml --workers 8           eight worker processes; the bytes are the same
"""


def add_parser(subparsers: argparse._SubParsersAction[Any]) -> None:
    """Add this command to the table of commands."""
    parser = subparsers.add_parser(
        "build",
        help="build token shards as a job file says",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        parents=[common_options()],
    )
    parser.add_argument("job", metavar="JOB.toml", help="the job file")
    parser.add_argument(
        "--dry-run",
        action="store_true",
        help="check the job, its files and tokenizers; write nothing",
    )
    parser.add_argument(
        "--workers",
        type=int,
        metavar="N",
        help="worker processes; 1 runs in this process (default: one per core where it pays)",
    )
    parser.add_argument(
        "--exactness",
        choices=("checked", "official"),
        default="checked",
        help="official: no faster library stands in for the tokenizer's own (the bytes are the "
        "same; default: checked; stream-build: always official)",
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Build, or only check; print the result and return the exit code."""
    from mintdim.cli.job_file import place_of, read_job
    from mintdim.shared.errors import MintDimError

    try:
        job = read_job(args.job)
    except MintDimError as error:
        print(error, file=sys.stderr)
        return 2
    try:
        if args.workers is not None:
            job = job.engine.inline() if args.workers == 1 else job.engine.processes(args.workers)
        print(_checked(args.job, job) if args.dry_run else _run(job, args.exactness))
    except MintDimError as error:
        place = place_of(error)
        print(f"{error}\n\nJob file:\n{args.job}: {place}" if place else error, file=sys.stderr)
        return 3
    return 0


def _run(job: UnitBuild | StreamBuild, exactness: Exactness) -> object:
    from mintdim.pipelines.unit_build.api import UnitBuild

    # stream-build knows no faster library: it always runs the tokenizer's own.
    return job.run(exactness) if isinstance(job, UnitBuild) else job.run()


def _checked(path: str, job: UnitBuild | StreamBuild) -> str:
    config = job.validate()
    files, outputs = len(config.source.files), len(getattr(config, "sessions", [config]))
    counts = f"{files} source file(s), {config.source_bytes:,} bytes, {outputs} output(s)"
    return f"{path} is fine: {counts}. Nothing was written."
