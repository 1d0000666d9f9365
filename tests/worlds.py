"""Tiny worlds for tests: JSONL files, hand-made tokenizers, and one call that runs a job.

A *job* is a plain dict, the same for the library and for the oracle:

    files, fields, templates, tokenizer_type ("sentencepiece" | "hf_json"),
    tokenizer (a dict or a list of dicts), sizes, build_batch,
    output (a string or a list of strings), samples_per_shard

All paths in it are relative to one folder, `root`. Tokenizers are bytes, made once per session.
"""

from __future__ import annotations

import contextlib
import functools
import gzip
import json
import string
import struct
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

try:
    from compression import zstd
except ImportError:  # Python before 3.14
    from backports import zstd

Job = dict[str, Any]

# What every character tokenizer here knows. Not known, hence UNK: NUL, "ß", "語", "𝄞", ...
ALPHABET = string.printable[:-2] + "éжя日本😀\u2028\u0085\u00a0\x01\ufeff"


# ---------------------------------------------------------------------------------------- files


def write_files(root: Path, files: Mapping[str, bytes | str]) -> Path:
    """Write each file under `root`; text becomes UTF-8, line ends stay as they stand."""
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
    return root


def jsonl(*rows: Mapping[str, Any] | str) -> bytes:
    """One line per row: a mapping is dumped, a string is the line itself (may be broken JSON)."""
    lines = [row if isinstance(row, str) else json.dumps(row, ensure_ascii=False) for row in rows]
    return "".join(line + "\n" for line in lines).encode("utf-8")


def gz(data: bytes) -> bytes:
    return gzip.compress(data, mtime=0)


def zst(data: bytes) -> bytes:
    """With a checksum, so that any damage can be noticed."""
    return bytes(zstd.compress(data, options={zstd.CompressionParameter.checksum_flag: 1}))


# ------------------------------------------------------------------------ SentencePiece by hand

NORMAL, UNKNOWN, CONTROL, USER_DEFINED = 1, 2, 3, 4
UNIGRAM, BPE, CHAR = 1, 2, 4


def _varint(number: int) -> bytes:
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes([*out, number])


def _int_field(tag: int, value: int) -> bytes:
    return _varint(tag << 3) + _varint(value)


def _bytes_field(tag: int, value: bytes | str) -> bytes:
    raw = value.encode("utf-8") if isinstance(value, str) else value
    return _varint(tag << 3 | 2) + _varint(len(raw)) + raw


def _piece(text: str, score: float, kind: int) -> bytes:
    score_field = _varint(2 << 3 | 5) + struct.pack("<f", score)
    return _bytes_field(1, _bytes_field(1, text) + score_field + _int_field(3, kind))


@functools.cache
def spm(
    *,
    alphabet: str = ALPHABET,
    words: tuple[str, ...] = (),
    dummy_prefix: bool = False,
    remove_extra_whitespaces: bool = False,
    pad: bool = True,
    eos: bool = False,
) -> bytes:
    """A SentencePiece .model (its protocol buffer written field by field), identity normaliser.

    ids: <unk> 0, <pad> 1 (or nothing), <s> 2, </s> 3 with ``eos``, then "▁", the alphabet and the
    words.
    """
    pieces = [("<unk>", UNKNOWN), ("<pad>" if pad else "<none>", CONTROL), ("<s>", CONTROL)]
    pieces += [("</s>", CONTROL)] if eos else []
    pieces += [(char, NORMAL) for char in "▁" + alphabet.replace(" ", "").replace("▁", "")]
    pieces += [(word, NORMAL) for word in words]
    body = b"".join(_piece(p, -float(i) / 64 / len(p), kind) for i, (p, kind) in enumerate(pieces))
    trainer = (
        _int_field(3, UNIGRAM if words else CHAR)
        + _int_field(4, len(pieces))
        + _bytes_field(48, "<pad>")
    )
    normaliser = _identity(dummy_prefix, remove_extra_whitespaces)
    return body + _bytes_field(2, trainer) + _bytes_field(3, normaliser)


def spm_of(pieces: Sequence[tuple[str, float, int]], *, dummy_prefix: bool = False) -> bytes:
    """A SentencePiece BPE .model of pieces (text, score, type) that falls back to bytes."""
    body = b"".join(_piece(text, score, kind) for text, score, kind in pieces)
    trainer = _int_field(3, BPE) + _int_field(4, len(pieces)) + _int_field(35, True)
    return body + _bytes_field(2, trainer) + _bytes_field(3, _identity(dummy_prefix, False))


def _identity(dummy_prefix: bool, remove_extra_whitespaces: bool) -> bytes:
    return (
        _bytes_field(1, "identity")
        + _int_field(3, dummy_prefix)
        + _int_field(4, remove_extra_whitespaces)
        + _int_field(5, 1)
    )


# -------------------------------------------------------------------- Hugging Face tokenizer.json

UNK, PAD = "[UNK]", "[PAD]"
BY_CHARACTER = {
    "type": "Split",
    "pattern": {"Regex": r"[\s\S]"},
    "behavior": "Isolated",
    "invert": False,
}


def padding(pad_id: int = 1, pad_token: str = PAD, **changes: Any) -> dict[str, Any]:
    block = {"strategy": "BatchLongest", "direction": "Right", "pad_to_multiple_of": None}
    return block | {"pad_id": pad_id, "pad_type_id": 0, "pad_token": pad_token} | changes


def truncation(max_length: int) -> dict[str, Any]:
    return {
        "direction": "Right",
        "max_length": max_length,
        "strategy": "LongestFirst",
        "stride": 0,
    }


def added_token(token_id: int, content: str) -> dict[str, Any]:
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    return {"id": token_id, "content": content, **flags, "special": True}


def tokenizer_json(model: Mapping[str, Any], **blocks: Any) -> bytes:
    """A tokenizer.json: `model`, padding on [PAD] = 1, every other block empty unless given."""
    empty = ("truncation", "normalizer", "pre_tokenizer", "post_processor", "decoder")
    whole: dict[str, Any] = {
        "version": "1.0",
        **dict.fromkeys(empty),
        "padding": padding(),
        "added_tokens": [],
    }
    return json.dumps({**whole, **blocks, "model": dict(model)}, ensure_ascii=False).encode()


def word_level(vocab: Mapping[str, int], unk_token: str = UNK) -> dict[str, Any]:
    return {"type": "WordLevel", "vocab": dict(vocab), "unk_token": unk_token}


def bpe(vocab: Mapping[str, int], merges: list[list[str]], **changes: Any) -> dict[str, Any]:
    nothing = dict.fromkeys(("dropout", "continuing_subword_prefix", "end_of_word_suffix"))
    flags = dict.fromkeys(("fuse_unk", "byte_fallback", "ignore_merges"), False)
    return {
        "type": "BPE",
        **nothing,
        **flags,
        "unk_token": UNK,
        "vocab": dict(vocab),
        "merges": merges,
        **changes,
    }


def numbered(*tokens: str) -> dict[str, int]:
    """[UNK] 0, [PAD] 1, then the given tokens."""
    return {token: i for i, token in enumerate([UNK, PAD, *tokens])}


@functools.cache
def hf_char(alphabet: str = ALPHABET) -> bytes:
    """One token per character."""
    return tokenizer_json(word_level(numbered(*alphabet)), pre_tokenizer=BY_CHARACTER)


@functools.cache
def hf_bpe_with_stored_settings(max_length: int = 4, dropout: float = 0.5) -> bytes:
    """A BPE whose file asks for dropout, truncation and padding: none may reach the tokens."""
    words = ["ab", "abab", "th", "the", "\n\n"]
    merges = [["a", "b"], ["ab", "ab"], ["t", "h"], ["th", "e"], ["\n", "\n"]]
    model = bpe(numbered(*ALPHABET, *words), merges, dropout=dropout)
    everywhere = padding(strategy={"Fixed": 7}, direction="Left", pad_to_multiple_of=4)
    return tokenizer_json(model, truncation=truncation(max_length), padding=everywhere)


@functools.cache
def hf_with_post_processor() -> bytes:
    """Adds <s> and </s> by itself; both are special tokens that may also stand in a text."""
    vocab = numbered("<s>", "</s>", *ALPHABET)
    ids = {token: {"id": token, "ids": [vocab[token]], "tokens": [token]} for token in BOS_EOS}
    first, last = ({"SpecialToken": {"id": token, "type_id": 0}} for token in BOS_EOS)
    text_a, text_b = ({"Sequence": {"id": side, "type_id": 0}} for side in "AB")
    processor = {
        "type": "TemplateProcessing",
        "single": [first, text_a, last],
        "pair": [text_a, text_b],
        "special_tokens": ids,
    }
    return tokenizer_json(
        word_level(vocab),
        pre_tokenizer=BY_CHARACTER,
        post_processor=processor,
        added_tokens=[added_token(vocab[token], token) for token in (UNK, PAD, *BOS_EOS)],
    )


BOS_EOS = ("<s>", "</s>")


@functools.cache
def hf_wide(entries: int = 65_536) -> bytes:
    """A vocabulary of exactly `entries`, "z" being the last id."""
    fillers = (f"w{i}" for i in range(entries - len(ALPHABET) - 2))
    others = [char for char in ALPHABET if char != "z"]
    model = word_level(numbered(*others, *fillers, "z"))
    return tokenizer_json(model, pre_tokenizer=BY_CHARACTER)


@functools.cache
def hf_gap(largest_id: int = 70_000) -> bytes:
    """Few entries, but "z" has an id far beyond their number."""
    vocab = numbered(*ALPHABET) | {"z": largest_id}
    return tokenizer_json(word_level(vocab), pre_tokenizer=BY_CHARACTER)


# ----------------------------------------------------------------------------------------- jobs

EXTENSIONS = {"sentencepiece": "tok.model", "hf_json": "tok.json"}


def make_job(**changes: Any) -> Job:
    """A job over one file `in.jsonl` with one field `text`; change what the test is about."""
    kind = changes.get("tokenizer_type", "sentencepiece")
    job: Job = {
        "files": ["in.jsonl"],
        "fields": [["text"]],
        "templates": ["{text}"],
        "tokenizer_type": kind,
        "tokenizer": {"path": EXTENSIONS[kind]},
        "sizes": [[8, 16, 32]],
        "build_batch": [4],
        "output": "out",
        "samples_per_shard": [10],
    }
    return job | changes


def declare(job: Mapping[str, Any]) -> Any:
    """The fluent chain for `job`, not yet run."""
    from mintdim import pipeline

    source = pipeline("unit-build").source.jsonl(
        files=job["files"], fields=job["fields"], templates=job["templates"]
    )
    tokenizer = getattr(source.tokenizer, job["tokenizer_type"])(job["tokenizer"])
    units = tokenizer.units(sizes=job["sizes"], build_batch=job["build_batch"])
    return units.output.dir(job["output"], samples_per_shard=job["samples_per_shard"])


def run_job(root: Path, **blocks: Any) -> Any:
    """Run the job with `root` as the working folder; the library's result, or its error."""
    with contextlib.chdir(root):
        return declare(blocks).run()


def output_names(job: Mapping[str, Any]) -> list[str]:
    return [job["output"]] if isinstance(job["output"], str) else list(job["output"])


def read_output(directory: Path, *, log: bool = False) -> dict[str, bytes]:
    """Every file below `directory`: relative path with slashes -> bytes.

    Without `build_log.json`, which differs from run to run, unless `log` asks for it.
    """
    files: Iterable[Path] = (path for path in sorted(directory.rglob("*")) if path.is_file())
    return {
        path.relative_to(directory).as_posix(): path.read_bytes()
        for path in files
        if log or path.name != "build_log.json"
    }


def read_log(directory: Path) -> dict[str, Any]:
    """The log of the build of a dataset."""
    return json.loads((directory / "build_log.json").read_text("utf-8"))
