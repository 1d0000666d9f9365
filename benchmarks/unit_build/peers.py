"""The build against its peers on one input, each run as its own process, in interleaved rounds.

    python benchmarks/unit_build/peers.py corpus.jsonl tokenizer.json tokenizer.model

Every tool renders the same template from the JSONL, encodes with the same tokenizer and writes
what it writes; start-up counts. Each peer runs in a virtual environment of its own, made on
demand under --environments from pinned versions. With two workers, tools that want a file for
each get the corpus cut into as many, before the clock starts.
"""

from __future__ import annotations

import argparse
import filecmp
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import bare
import peer_environments
import peer_tables
from peer_tables import BARE, OURS, Facts, Runs

HERE = Path(__file__).resolve().parent


class ToolFailedError(Exception):
    """A run of a tool that did not end well, with the end of what it printed."""


class Tool(NamedTuple):
    """A tool to run; ``lacks`` is what its output does not have, beside that of ours."""

    program: str
    environment: str  # "" for the interpreter that runs this
    lacks: str
    json_only: str = ""  # why it does not take a SentencePiece model
    most_workers: int = 1_000


_STREAM = "no source lines, UNK or duplicate index, checksums, units or padding"
TOOLS = {
    OURS: Tool(
        "run_mintdim.py", "", "writes shards, indexes, duplicates, UNK, checksums, manifest"
    ),
    BARE: Tool("run_bare.py", "", "reads no JSON, writes nothing: encoding alone", "", 1),
    "mintdim-0.1.3": Tool(
        "run_mintdim_013.py", "mintdim-0.1.3", "no processes, checksums or binary index"
    ),
    "datatrove": Tool(
        "run_datatrove.py",
        "datatrove",
        f"document ends only; {_STREAM}; order depends on the number of tasks",
        "its DocumentTokenizer loads nothing but a tokenizer.json",
    ),
    "datasets": Tool("run_datasets.py", "datasets", f"Arrow rows of int32; {_STREAM}"),
    "nanogpt": Tool("run_nanogpt.py", "datasets", f"no bounds of samples; {_STREAM}"),
    "mds": Tool("run_mds.py", "mds", f"{_STREAM} (hashes of shards are off by default)"),
    "litdata": Tool("run_litdata.py", "litdata", f"no bounds of samples; {_STREAM}"),
}


def main() -> None:
    arguments = parsed()
    print(f"environments: {arguments.environments}", flush=True)
    with tempfile.TemporaryDirectory(dir=arguments.work) as folder:
        arguments.work = Path(folder)
        cut(arguments)
        arguments.megabytes = bare.render(arguments, arguments.work) / 1e6
        for tokenizer in arguments.tokenizers:
            arguments.tokenizer = tokenizer.resolve()
            arguments.unpadded = without_padding(arguments.tokenizer, arguments.work)
            measure(arguments)


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpus", type=lambda path: Path(path).resolve(), help="a .jsonl file")
    parser.add_argument("tokenizers", type=Path, nargs="+", help="tokenizer.json or .model")
    parser.add_argument("--peers", nargs="+", choices=TOOLS, default=list(TOOLS), metavar="TOOL")
    parser.add_argument("--workers", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--compare", action="store_true", help="ours and 0.1.3, file by file")
    parser.add_argument("--fields", nargs="+", default=["prompt", "answer"])
    parser.add_argument("--template", default="{prompt}\n\n{answer}")
    sizes = [64, 128, 256, 512, 1024, 2048, 4096]
    parser.add_argument("--sizes", nargs="+", type=int, default=sizes)
    parser.add_argument("--batch", type=int, default=4096, help="texts in a list")
    cache = Path.home() / ".cache" / "mintdim-peers"
    parser.add_argument("--environments", type=lambda path: Path(path).resolve(), default=cache)
    parser.add_argument("--python312", default="python3.12", help="for mintdim 0.1.3")
    parser.add_argument("--work", type=Path, help="where the output goes; removed again")
    return parser.parse_args()


def cut(arguments: argparse.Namespace) -> None:
    """Write the corpus in parts by lines, for every number of workers above one."""
    with open(arguments.corpus, "rb") as source:
        lines = sum(1 for _ in source)
    for workers in arguments.workers:
        folder = parts(arguments, workers)
        folder.mkdir()
        if workers == 1:
            (folder / "0.jsonl").symlink_to(arguments.corpus)
            continue
        with open(arguments.corpus, "rb") as source:
            for number in range(workers):
                with open(folder / f"{number}.jsonl", "wb") as target:
                    count = lines * (number + 1) // workers - lines * number // workers
                    target.writelines(source.readline() for _ in range(count))


def parts(arguments: argparse.Namespace, workers: int) -> Path:
    return Path(arguments.work) / f"parts-{workers}"


def without_padding(tokenizer: Path, work: Path) -> Path:
    """Return a copy of a tokenizer.json with its padding and truncation switched off."""
    if tokenizer.suffix != ".json":
        return tokenizer
    copy = work / f"unpadded-{tokenizer.name}"
    document = json.loads(tokenizer.read_text("utf-8"))
    copy.write_text(json.dumps(document | {"padding": None, "truncation": None}), "utf-8")
    return copy


def measure(arguments: argparse.Namespace) -> None:
    """Run all rounds with one tokenizer; print every run, then the table."""
    print(f"\n## {arguments.tokenizer.name}, {arguments.megabytes:.1f} MB of text", flush=True)
    suffix = arguments.tokenizer.suffix
    for name in arguments.peers:
        if TOOLS[name].json_only and suffix != ".json":
            print(f"{name} is left out: {TOOLS[name].json_only}")
    if arguments.compare:
        compare(arguments)
    report(interleaved(arguments, chosen(arguments.peers, arguments.workers, suffix)))


def interleaved(arguments: argparse.Namespace, wanted: list[tuple[str, int]]) -> Runs:
    """Run all in turn, so that what else the machine does meets all; a failure ends one tool."""
    runs: Runs = {key: [] for key in wanted}
    for number in range(1, arguments.rounds + 1):
        for name, workers in list(runs):
            try:
                facts = run(arguments, name, workers)
            except ToolFailedError as error:
                print(f"{error}\n{name}, {workers} workers: out of the table", flush=True)
                del runs[name, workers]
                continue
            runs[name, workers].append(facts)
            shown = "  ".join(f"{key} {value:.2f}" for key, value in facts.items())
            print(f"round {number}  {name:<15}{workers}  {shown}", flush=True)
    return runs


def chosen(names: list[str], workers: list[int], suffix: str) -> list[tuple[str, int]]:
    """Return what runs in each round, (tool, workers), all with one worker first."""
    return [
        (name, count)
        for count in workers
        for name in names
        if count <= TOOLS[name].most_workers and (suffix == ".json" or not TOOLS[name].json_only)
    ]


def report(runs: Runs) -> None:
    print(f"\n{peer_tables.table(runs)}\n")
    print("\n".join(peer_tables.summary(runs)))
    print("\nbeside ours:")
    for name in dict.fromkeys(name for name, _ in runs):
        print(f"- {name}: {TOOLS[name].lacks}")


# ── one run ─────────────────────────────────────────────────────────────────────────────────


def run(arguments: argparse.Namespace, name: str, workers: int, keep: str = "") -> Facts:
    """Run a tool once; its output is removed again, or moved to the folder ``keep``."""
    python = interpreter(arguments, name)
    work = arguments.work / "run"
    shutil.rmtree(work, ignore_errors=True)
    (work / "scratch").mkdir(parents=True)
    (work / "job.json").write_text(json.dumps(job(arguments, workers, work)))
    program = HERE / "peer_programs" / TOOLS[name].program
    clock = [sys.executable, str(HERE / "peer_clock.py"), str(work / "log")]
    command = [*clock, python, str(program), str(work / "job.json")]
    environment = surroundings(TOOLS[name].environment, workers, work / "scratch")
    done = subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE)
    facts = finished(json.loads(done.stdout), name, work)
    if keep:
        shutil.move(work / "out", arguments.work / keep)
    shutil.rmtree(work)
    return facts


def interpreter(arguments: argparse.Namespace, name: str) -> str:
    environment = TOOLS[name].environment
    if not environment:
        return sys.executable
    return peer_environments.python_of(environment, arguments.environments, arguments.python312)


def job(arguments: argparse.Namespace, workers: int, work: Path) -> dict[str, object]:
    """Return what ``peer_programs/job.py`` reads."""
    names = ("template", "fields", "sizes", "batch")
    paths = {
        "corpus": arguments.corpus,
        "tokenizer": arguments.tokenizer,
        "unpadded": arguments.unpadded,
        "parts": parts(arguments, workers),
        "texts": arguments.work,
        "work": work,
        "out": work / "out",
        "scratch": work / "scratch",
    }
    settings = {name: getattr(arguments, name) for name in names} | {"workers": workers}
    return settings | {name: str(path) for name, path in paths.items()}


def surroundings(environment: str, workers: int, scratch: Path) -> dict[str, str]:
    """Return the variables of a run: threads only where they are its only parallelism."""
    variables = dict(os.environ)
    if environment:
        variables.pop("PYTHONPATH", None)  # or it would import this library
    threads = environment == "mintdim-0.1.3" and workers > 1
    variables["TOKENIZERS_PARALLELISM"] = "true" if threads else "false"
    if threads:
        variables["RAYON_NUM_THREADS"] = str(workers)
    variables |= {"HF_HOME": str(scratch), "HF_HUB_OFFLINE": "1"}
    caches = ("DATA_OPTIMIZER_CACHE_FOLDER", "DATA_OPTIMIZER_DATA_CACHE_FOLDER")
    return variables | dict.fromkeys(caches, str(scratch / "litdata"))


def finished(facts: Facts, name: str, work: Path) -> Facts:
    """Return the figures of a run that went well; raise with its output if it did not."""
    log = (work / "log").read_text("utf-8", "replace")
    if facts.pop("status"):
        raise ToolFailedError(f"{name} failed:\n{log[-4000:]}")
    if name == BARE:  # it tells its own time, without that for reading the texts back
        facts = json.loads(log.splitlines()[-1])
    files = (path for path in (work / "out").rglob("*") if path.is_file())
    return facts | {"out": sum(path.stat().st_size for path in files) / 1e6}


# ── ours and 0.1.3, file by file ────────────────────────────────────────────────────────────


def compare(arguments: argparse.Namespace) -> None:
    """Build once with each and compare every file that both wrote; stop if a shard differs."""
    folders = {OURS: "compare-ours", "mintdim-0.1.3": "compare-0.1.3"}
    for name, folder in folders.items():
        run(arguments, name, 1, keep=folder)
    ours, theirs = (arguments.work / folder for folder in folders.values())
    common = sorted(files_below(ours) & files_below(theirs))
    equal, different, _ = filecmp.cmpfiles(ours, theirs, common, shallow=False)
    shards = sum(name.endswith(".bin") for name in equal)  # 0.1.3 has no other .bin
    print(f"as 0.1.3, byte for byte: {len(equal)} of {len(common)} files, {shards} shards")
    print(f"different: {', '.join(different) or 'none'}")
    if any(name.endswith(".bin") for name in different):
        sys.exit("shards differ")
    for kind, own in (("ours", ours), ("0.1.3", theirs)):
        alone = sorted(files_below(own) - set(common))
        print(f"only {kind}: {', '.join(alone[:10]) or 'none'}{' ...' * (len(alone) > 10)}")
    for folder in (ours, theirs):
        shutil.rmtree(folder)


def files_below(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


if __name__ == "__main__":
    main()
