"""Inputs that try to fill the memory of a build: made from a seed, written line by line."""

from __future__ import annotations

import gzip
import json
import logging
import os
import random
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

Job = dict[str, Any]
_MB = 1_000_000
_WORDS = 1000


def make(name: str, root: Path, seed: int) -> Job:
    """Write the input and the tokenizer of a case under ``root``; return its job."""
    (root / "words.json").write_text(json.dumps(_word_tokenizer()))
    (root / "chars.json").write_text(json.dumps(_character_tokenizer()))
    job: Job = {
        "source": "in.jsonl",
        "template": "{text}",
        "tokenizer": "words.json",
        "sizes": [4, 16, 64],
        "build_batch": 4096,
        "samples_per_shard": 1_000_000,
        "handles": None,
    }
    return job | CASES[name](root, random.Random(seed))


def run(job: Job, root: Path) -> Any:
    """Build the job; returns the result of the library."""
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    logging.getLogger("mintdim").setLevel(logging.ERROR)
    import mintdim

    chain = mintdim.pipeline("unit-build").source.jsonl(
        files=[root / job["source"]], fields=[["text"]], templates=[job["template"]]
    )
    chain = chain.tokenizer.hf_json({"path": root / job["tokenizer"]})
    chain = chain.units(sizes=[job["sizes"]], build_batch=[job["build_batch"]])
    chain = chain.output.dir(root / "out", samples_per_shard=[job["samples_per_shard"]])
    return chain.engine.inline().run()


def _word_tokenizer() -> Job:
    words = ["[UNK]", "[PAD]", *(f"w{i}" for i in range(_WORDS))]
    return _tokenizer(words, {"type": "WhitespaceSplit"})


def _character_tokenizer() -> Job:
    by_character = {"type": "Split", "pattern": {"Regex": r"[\s\S]"}}
    split = by_character | {"behavior": "Isolated", "invert": False}
    return _tokenizer(["[UNK]", "[PAD]", *map(chr, range(32, 127))], split)


def _tokenizer(tokens: list[str], pre_tokenizer: Job) -> Job:
    padding = {
        "strategy": "BatchLongest",
        "direction": "Right",
        "pad_to_multiple_of": None,
        "pad_id": 1,
        "pad_type_id": 0,
        "pad_token": "[PAD]",
    }
    vocabulary = {token: i for i, token in enumerate(tokens)}
    model = {"type": "WordLevel", "vocab": vocabulary, "unk_token": "[UNK]"}
    empty = dict.fromkeys(("truncation", "normalizer", "post_processor", "decoder"))
    blocks = {"added_tokens": [], "padding": padding, "pre_tokenizer": pre_tokenizer}
    return {"version": "1.0", **empty, **blocks, "model": model}


# ── cases ───────────────────────────────────────────────────────────────────────────────────


def _write(path: Path, lines: Iterator[str]) -> None:
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(lines)


def _short_line(rng: random.Random) -> str:
    return f'{{"text":"w{rng.randrange(_WORDS)} w{rng.randrange(_WORDS)}"}}\n'


def _short(count: int) -> Callable[[Path, random.Random], Job]:
    def write(root: Path, rng: random.Random) -> Job:
        _write(root / "in.jsonl", (_short_line(rng) for _ in range(count)))
        return {}

    return write


def _unique(count: int) -> Callable[[Path, random.Random], Job]:
    def write(root: Path, rng: random.Random) -> Job:
        _write(root / "in.jsonl", (f'{{"text":"w1 x{i}"}}\n' for i in range(count)))
        return {}

    return write


def _all_equal(root: Path, rng: random.Random) -> Job:
    _write(root / "in.jsonl", ('{"text":"w1 w2"}\n' for _ in range(3_000_000)))
    return {}


def _long_unused(root: Path, rng: random.Random) -> Job:
    row = {"other": "".join(rng.choices("abcdefgh ", k=50 * _MB)), "text": "w1 w2"}
    _write(root / "in.jsonl", iter([_short_line(rng), json.dumps(row) + "\n", _short_line(rng)]))
    return {}


def _long_value(tokenizer: str, size: int) -> Callable[[Path, random.Random], Job]:
    def write(root: Path, rng: random.Random) -> Job:
        words = (f"w{rng.randrange(_WORDS)}" for _ in range(size // 4))
        _write(root / "in.jsonl", iter([json.dumps({"text": " ".join(words)[:size]}) + "\n"]))
        return {"tokenizer": tokenizer, "sizes": [4, size]}

    return write


def _bomb(opener: Callable[[Path], Any], name: str) -> Callable[[Path, random.Random], Job]:
    def write(root: Path, rng: random.Random) -> Job:
        line = json.dumps({"text": "w1 " * 29 + "w1"})
        block = (line + "\n").encode() * 10_000
        with opener(root / name) as file:
            for _ in range(300 * _MB // len(block)):
                file.write(block)
        return {"source": name}

    return write


def _gzip_file(path: Path) -> Any:
    return gzip.open(path, "wb", compresslevel=9)


def _zstd_file(path: Path) -> Any:
    try:
        from compression import zstd
    except ImportError:  # Python before 3.14
        from backports import zstd
    return zstd.open(path, "wb")


def _many_units(root: Path, rng: random.Random) -> Job:
    lines = (
        json.dumps({"text": " ".join(["w1"] * rng.randint(1, 300))}) + "\n" for _ in range(50_000)
    )
    _write(root / "in.jsonl", lines)
    return {"sizes": list(range(1, 301)), "handles": 128}


def _one_per_shard(root: Path, rng: random.Random) -> Job:
    return {**_short(100_000)(root, rng), "samples_per_shard": 1}


def _long_template(root: Path, rng: random.Random) -> Job:
    _write(root / "in.jsonl", ('{"text":""}\n' for _ in range(30_000)))
    return {"template": "w1 w2 w3 " * 1_111 + "{text}", "sizes": [8192]}


def _all_unknown(root: Path, rng: random.Random) -> Job:
    _write(root / "in.jsonl", (f'{{"text":"{rng.randrange(10**9)}"}}\n' for _ in range(1_000_000)))
    return {}


CASES: dict[str, Callable[[Path, random.Random], Job]] = {
    "short-1m": _short(1_000_000),
    "short-3m": _short(3_000_000),
    "short-10m": _short(10_000_000),
    "unique-3m": _unique(3_000_000),
    "all-equal-3m": _all_equal,
    "all-unknown-1m": _all_unknown,
    "line-50mb-unused": _long_unused,
    "bomb-gz": _bomb(_gzip_file, "in.jsonl.gz"),
    "bomb-zst": _bomb(_zstd_file, "in.jsonl.zst"),
    "units-300": _many_units,
    "one-per-shard-100k": _one_per_shard,
    "template-10kb": _long_template,
    "line-4mb-characters": _long_value("chars.json", 4 * _MB),
    "line-50mb-words": _long_value("words.json", 50 * _MB),
}
