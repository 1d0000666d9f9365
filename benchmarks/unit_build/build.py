"""The build of this library, with the time inside the calls of the tokenizer library told apart."""

from __future__ import annotations

import logging
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memory import peak_mb

if TYPE_CHECKING:
    import argparse


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add what a benchmark of a corpus is told: the job, and where its output goes."""
    parser.add_argument("corpus", type=Path, help="a .jsonl file")
    parser.add_argument("tokenizer", type=Path, help="tokenizer.json or a SentencePiece .model")
    parser.add_argument("--fields", nargs="+", default=["prompt", "answer"])
    parser.add_argument("--template", default="{prompt}\n\n{answer}")
    sizes = [64, 128, 256, 512, 1024, 2048, 4096]
    parser.add_argument("--sizes", nargs="+", type=int, default=sizes)
    parser.add_argument("--batch", type=int, default=4096, help="texts in a list")
    parser.add_argument("--work", type=Path, help="where the output goes; removed again")


def measure(arguments: argparse.Namespace, work: Path) -> dict[str, float]:
    """Build the corpus by the official library; everything counts, imports and loading included."""
    started = time.monotonic()
    logging.getLogger("mintdim").setLevel(logging.ERROR)
    clock = EncodeClock()
    declared(arguments, work).run(exactness="official")
    wall, cpu = time.monotonic() - started, time.process_time()
    return {"cpu": cpu, "wall": wall, "mb": peak_mb(), "encode": clock.cpu}


def declared(arguments: argparse.Namespace, work: Path) -> Any:
    import mintdim

    chain = mintdim.pipeline("unit-build").source.jsonl(
        files=[arguments.corpus], fields=[arguments.fields], templates=[arguments.template]
    )
    kind = "hf_json" if arguments.tokenizer.suffix == ".json" else "sentencepiece"
    chain = getattr(chain.tokenizer, kind)({"path": arguments.tokenizer})
    chain = chain.units(sizes=[arguments.sizes], build_batch=[arguments.batch])
    return chain.output.dir(work / "out", samples_per_shard=[10_000]).engine.inline()


class EncodeClock:
    """Adds up the CPU time of all ``encode_batch`` calls of the adapters."""

    def __init__(self) -> None:
        from mintdim.encoders.hf_json import HfJsonEncoder
        from mintdim.encoders.sentencepiece import SentencePieceEncoder

        self.cpu = 0.0
        for adapter in (HfJsonEncoder, SentencePieceEncoder):
            self._watch(adapter)

    def _watch(self, adapter: Any) -> None:
        encode_batch = adapter.encode_batch

        def timed(encoder: Any, texts: Any) -> Any:
            before = time.process_time()
            try:
                return encode_batch(encoder, texts)
            finally:
                self.cpu += time.process_time() - before

        adapter.encode_batch = timed
