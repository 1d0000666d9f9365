"""What stream-build costs: memory by the number of documents, time beyond the tokenizer.

    python benchmarks/stream_build/scale.py memory            # 100,000 and 1 million documents
    python benchmarks/stream_build/scale.py time corpus.jsonl tokenizer.model

Every run is a process of its own. ``memory`` makes short documents with language, time and key, of
which one in ten is a duplicate. ``time`` pairs the build with the bare library on the same texts,
rendered before, in lists of the same length, one thread, loading counted in both.
"""

from __future__ import annotations

import argparse
import json
import logging
import random
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parents[2]
SMALL_MODEL = ROOT / "examples/data/stream/stream_sp.model"
AS_OF = "2026-10-10T00:00:00"
LANGUAGES = ["en", "hi", "ja", "ta"]


def main() -> None:
    arguments = parsed()
    if arguments.child:
        print(json.dumps(CHILDREN[arguments.child](arguments)))
        return
    with tempfile.TemporaryDirectory(dir=arguments.work) as folder:
        arguments.work = Path(folder)
        {"memory": memory, "time": throughput}[arguments.what](arguments)


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["memory", "time"])
    parser.add_argument("corpus", type=Path, nargs="?", help="a .jsonl file, for time")
    parser.add_argument("tokenizer", type=Path, nargs="?", default=SMALL_MODEL)
    parser.add_argument("--eos", help="for a tokenizer.json")
    parser.add_argument("--fields", nargs="+", default=["prompt", "answer"])
    parser.add_argument("--template", default="{prompt}\n\n{answer}")
    parser.add_argument("--documents", nargs="+", type=int, default=[100_000, 1_000_000])
    parser.add_argument("--tokens", type=int, default=50_000_000, help="of a shard")
    parser.add_argument("--batch", type=int, default=512, help="texts in a list")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--work", type=Path, help="where the output goes; removed again")
    parser.add_argument("--child", choices=CHILDREN, help=argparse.SUPPRESS)
    return parser.parse_args()


# --------------------------------------------------------------------------------------- memory


def memory(arguments: argparse.Namespace) -> None:
    """Build short documents of every number that was asked for."""
    print(f"{'documents':>12}{'peak MB':>10}{'CPU s':>9}{'wall s':>9}{'us/document':>13}")
    for count in arguments.documents:
        arguments.corpus = arguments.work / "short.jsonl"
        write_short(arguments.corpus, count)
        facts = child("dated", arguments)
        each = facts["cpu"] / count * 1e6
        row = f"{facts['mb']:>10.1f}{facts['cpu']:>9.1f}{facts['wall']:>9.1f}{each:>13.1f}"
        print(f"{count:>12,}{row}", flush=True)


def write_short(path: Path, count: int) -> None:
    choose, start = random.Random(1), datetime(2020, 1, 1)
    with open(path, "w", encoding="utf-8") as file:
        for number in range(count):
            row = {
                "text": f"short document {choose.randrange(10**6)}",
                "lang": choose.choice(LANGUAGES),
                "published": (start + timedelta(seconds=choose.randrange(2 * 10**8))).isoformat(),
                "url": f"https://example.org/{number - number % 10 % 9}",
            }
            file.write(json.dumps(row) + "\n")


def dated(arguments: argparse.Namespace) -> dict[str, float]:
    """Build documents with language, time and key."""
    job = declared(arguments, ["text"], "{text}")
    job.documents(language="lang", languages=LANGUAGES, time="published", key="url")
    job.splits.per_language_count(test_docs=1000, val_docs=1000, as_of=AS_OF)
    return measured(job.run)


# ----------------------------------------------------------------------------------------- time


def throughput(arguments: argparse.Namespace) -> None:
    """Run the build and the bare library in turn, so that what else the machine does meets both."""
    megabytes = write_texts(arguments) / 1e6
    runs: dict[str, list[dict[str, float]]] = {"build": [], "bare": []}
    for number in range(1, arguments.rounds + 1):
        for name, results in runs.items():
            results.append(child(name, arguments))
            shown = "  ".join(f"{key} {value:.2f}" for key, value in results[-1].items())
            print(f"round {number}  {name:<6}{shown}", flush=True)
    ratios = [a["cpu"] / b["cpu"] for a, b in zip(runs["bare"], runs["build"], strict=True)]
    share = statistics.median(ratios)
    print(f"\ntext {megabytes:.1f} MB; build at {share:.1%} of the bare library (CPU, median)")


def write_texts(arguments: argparse.Namespace) -> int:
    """Write the rendered texts, lists of them by line; return their bytes in UTF-8."""
    done, texts = 0, []
    with open(arguments.corpus, "rb") as source, open(_texts(arguments), "wb") as target:
        for line in source:
            row = json.loads(line)
            texts.append(arguments.template.format(**{key: row[key] for key in arguments.fields}))
            done += len(texts[-1].encode())
            if len(texts) == arguments.batch:
                target.write(json.dumps(texts).encode() + b"\n")
                texts = []
        target.write(json.dumps(texts).encode() + b"\n")
    return done


def build(arguments: argparse.Namespace) -> dict[str, float]:
    """Build the corpus; everything counts, imports and loading included."""
    job = declared(arguments, arguments.fields, arguments.template)
    job.splits.fraction(val=0.01, test=0.01, as_of=AS_OF)
    return measured(job.run)


def bare(arguments: argparse.Namespace) -> dict[str, float]:
    """Load the tokenizer and encode all lists; reading them back does not count."""
    started = time.monotonic()
    library = loaded(arguments.tokenizer)
    wall, cpu = time.monotonic() - started, time.process_time()
    with open(_texts(arguments), "rb") as lines:
        for line in lines:
            texts = json.loads(line)
            before, before_cpu = time.monotonic(), time.process_time()
            library(texts)
            cpu += time.process_time() - before_cpu
            wall += time.monotonic() - before
    return {"cpu": cpu, "wall": wall, "mb": peak_mb()}


def loaded(tokenizer: Path) -> Callable[[list[str]], Any]:
    if tokenizer.suffix == ".json":
        from tokenizers import Tokenizer

        hugging_face = Tokenizer.from_file(str(tokenizer))
        hugging_face.no_padding()
        hugging_face.no_truncation()
        return lambda texts: hugging_face.encode_batch_fast(texts, add_special_tokens=False)
    from sentencepiece import SentencePieceProcessor

    sentencepiece = SentencePieceProcessor(model_file=str(tokenizer))
    return lambda texts: sentencepiece.encode_as_numpy(
        texts, add_bos=False, add_eos=False, enable_sampling=False, num_threads=1
    )


# --------------------------------------------------------------------------------------- common


def declared(arguments: argparse.Namespace, fields: list[str], template: str) -> Any:
    import mintdim

    logging.getLogger("mintdim").setLevel(logging.ERROR)
    job = mintdim.pipeline("stream-build").source.jsonl(
        files=[arguments.corpus], fields=[fields], templates=[template]
    )
    if arguments.tokenizer.suffix == ".json":
        job.tokenizer.hf_json({"path": arguments.tokenizer}, eos=arguments.eos)
    else:
        job.tokenizer.sentencepiece({"path": arguments.tokenizer})
    job.shards(tokens=arguments.tokens, seed=20260813, build_batch=arguments.batch)
    return job.output.dir(arguments.work / "out").engine.inline()


def measured(run: Callable[[], Any]) -> dict[str, float]:
    started = time.monotonic()
    run()
    return {"cpu": time.process_time(), "wall": time.monotonic() - started, "mb": peak_mb()}


def child(name: str, arguments: argparse.Namespace) -> dict[str, float]:
    """Run one of ``CHILDREN`` in a process of its own and return what it took."""
    shutil.rmtree(arguments.work / "out", ignore_errors=True)
    options: list[object] = [arguments.what, arguments.corpus, arguments.tokenizer]
    options += ["--child", name, "--work", arguments.work, "--template", arguments.template]
    options += ["--tokens", arguments.tokens, "--batch", arguments.batch]
    options += ["--eos", arguments.eos] if arguments.eos else []
    options += ["--fields", *arguments.fields]
    command = [sys.executable, __file__, *map(str, options)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return dict(json.loads(done.stdout))


def _texts(arguments: argparse.Namespace) -> Path:
    return Path(arguments.work / "texts.json")


def peak_mb() -> float:
    """Return the peak of this process alone; ``ru_maxrss`` would include that of its parent."""
    try:
        status = Path("/proc/self/status").read_text()
        return int(status.partition("VmHWM:")[2].split()[0]) / 1024
    except OSError:
        unit = 1024 * 1024 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


CHILDREN = {"dated": dated, "build": build, "bare": bare}

if __name__ == "__main__":
    main()
