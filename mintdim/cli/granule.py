"""The ``granule`` command: train, use and measure a tokenizer from the shell.

Text and ids pass through unchanged: ``granule encode M < file | granule decode M`` gives
the file back, byte for byte, whatever it holds.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

from mintdim.bpe import Tokenizer
from mintdim.cli.jsonl_texts import jsonl_texts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

CHECKOUT = Path(__file__).parents[2]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return 0, or 2 after an error message on standard error."""
    options = _parser().parse_args(arguments)
    try:
        return int(options.run(options) or 0)
    except ValueError as error:
        sys.stderr.write(f"granule: {error}\n")
        return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="granule", description="Byte-level BPE: train a tokenizer, encode, decode, measure."
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    _add_train(commands.add_parser("train", help="learn a tokenizer from files"))
    _add_encode(commands.add_parser("encode", help="print the ids of a text"))
    _add_decode(commands.add_parser("decode", help="print the text of ids"))
    _add_info(commands.add_parser("info", help="describe a model file"))
    _add_bench(commands.add_parser("bench", help="run the benchmark, from a checkout"))
    return parser


def _add_train(parser: argparse.ArgumentParser) -> None:
    parser.description = "Learn a tokenizer. Every file is one text, and every record with --jsonl."
    parser.set_defaults(run=_train)
    parser.add_argument("corpus", nargs="+", type=Path, help="UTF-8 files")
    parser.add_argument("-o", "--output", required=True, type=Path, help="model file to write")
    parser.add_argument(
        "--vocab-size", required=True, type=int, help="tokens in all: 256 bytes, merges, specials"
    )
    parser.add_argument(
        "--pattern", default="gpt4", help="gpt2, gpt4 (default) or none: how text is cut first"
    )
    parser.add_argument(
        "--special", action="append", default=[], metavar="TOKEN", help="may be given repeatedly"
    )
    parser.add_argument("--jsonl", action="store_true", help="files hold one JSON object a line")
    parser.add_argument(
        "--template",
        default="{text}",
        help=r"text of a record, e.g. '{question}\n{answer}'; \n is a newline",
    )
    parser.add_argument("--vocab", action="store_true", help="write OUTPUT.vocab too, to read")
    parser.add_argument("--hf-json", type=Path, metavar="FILE", help="write a tokenizer.json too")
    parser.add_argument("-v", "--verbose", action="store_true", help="show progress")


def _add_encode(parser: argparse.ArgumentParser) -> None:
    parser.description = "Print ids, separated by spaces."
    parser.set_defaults(run=_encode)
    parser.add_argument("model", type=Path)
    parser.add_argument("text", nargs="?", help="standard input, bytes as they are, if absent")
    parser.add_argument("--allow-special", action="store_true", help="recognise special tokens")


def _add_decode(parser: argparse.ArgumentParser) -> None:
    parser.description = "Write the exact bytes of ids; nothing is added."
    parser.set_defaults(run=_decode)
    parser.add_argument("model", type=Path)
    parser.add_argument("ids", nargs="*", help="standard input if absent")


def _add_info(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(run=_info)
    parser.add_argument("model", type=Path)


def _add_bench(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(run=_bench)
    parser.add_argument("--report", action="store_true", help="write results, tables and plots")
    parser.add_argument("--quick", action="store_true", help="small sizes, to see that it runs")


def _train(options: argparse.Namespace) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        tokenizer = Tokenizer.train(
            _corpus(options),
            options.vocab_size,
            pattern=options.pattern,
            special_tokens=options.special,
            verbose=options.verbose,
        )
    for warning in caught:
        sys.stderr.write(f"granule: {warning.message}\n")
    tokenizer.save(options.output)
    if options.vocab:
        tokenizer.save_vocab(f"{options.output}.vocab")
    if options.hf_json:
        tokenizer.to_hf_json(options.hf_json)
    sys.stdout.write(f"{options.output}: {tokenizer.vocab_size} tokens\n")


def _corpus(options: argparse.Namespace) -> Path | Iterator[str]:
    if options.jsonl:
        return jsonl_texts(options.corpus, options.template.replace("\\n", "\n"))
    if len(options.corpus) == 1:
        return Path(options.corpus[0])
    return (_read(path) for path in options.corpus)


def _read(path: Path) -> str:
    try:
        return path.read_bytes().decode()
    except OSError as error:
        raise ValueError(f"corpus file {path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise ValueError(f"corpus file {path} is not UTF-8 at byte {error.start}") from None


def _encode(options: argparse.Namespace) -> None:
    tokenizer = Tokenizer.load(options.model)
    # Arguments reach Python decoded; fsencode restores the bytes that were typed.
    data = sys.stdin.buffer.read() if options.text is None else os.fsencode(options.text)
    if options.allow_special:
        ids = tokenizer.encode(_text(data), set(tokenizer.special_tokens))
    else:
        ids = tokenizer.encode_bytes(data)
    sys.stdout.write(" ".join(map(str, ids)) + "\n")


def _text(data: bytes) -> str:
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError as error:
        raise ValueError(
            f"--allow-special needs UTF-8 text; byte {error.start} is no part of any"
        ) from None


def _decode(options: argparse.Namespace) -> None:
    tokenizer = Tokenizer.load(options.model)
    words = " ".join(options.ids).split() if options.ids else sys.stdin.read().split()
    sys.stdout.buffer.write(tokenizer.decode_bytes(map(_number, words)))
    sys.stdout.flush()


def _number(word: str) -> int:
    if not (word.isascii() and word.isdigit()):
        raise ValueError(f"ids are numbers separated by spaces, not {word!r}")
    return int(word)


def _info(options: argparse.Namespace) -> None:
    tokenizer = Tokenizer.load(options.model)
    specials = [f"{number} {text!r}" for text, number in tokenizer.special_tokens.items()]
    longest = max(map(tokenizer.token_bytes, range(256 + len(tokenizer.merges))), key=len)
    rows = {
        "pattern": tokenizer.pattern,
        "vocabulary": f"{tokenizer.vocab_size} tokens",
        "merges": len(tokenizer.merges),
        "special tokens": ", ".join(specials) or "none",
        "longest token": f"{len(longest)} bytes, {longest.decode(errors='backslashreplace')!r}",
    }
    for name, value in rows.items():
        sys.stdout.write(f"{name:<15} {value}\n")


def _bench(options: argparse.Namespace) -> int:
    if not (CHECKOUT / "benchmarks" / "granule" / "__main__.py").is_file():
        raise ValueError(
            "bench needs the benchmarks and corpora of a checkout of the repository; "
            "an installed package does not have them"
        )
    flags = [f"--{name}" for name in ("report", "quick") if getattr(options, name)]
    command = [sys.executable, "-m", "benchmarks.granule", *flags]
    return subprocess.run(command, cwd=CHECKOUT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
