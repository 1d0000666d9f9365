"""A slow, obvious unit-build: what each output folder must hold, computed from the job alone.

Standard library and the tokenizer libraries only; it never imports the package it judges. One
text at a time, no batches, everything in memory, nothing clever. Preflight checks are not here:
the job is taken to be a valid one whose *data* may be bad.

    expected = oracle.expect(root, job)     # before or after the build, it only reads
    expected.error                          # None, or the first bad line in source order
    oracle.differences(expected.outputs[0], files_of_that_output)      # [] = as it must be
"""

from __future__ import annotations

import functools
import hashlib
import json
import struct
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

try:
    from compression import zstd
except ImportError:  # Python before 3.14
    from backports import zstd

Job = Mapping[str, Any]
Row = dict[str, Any]
JSON_SPACE = b" \t\r\n"


@dataclass(frozen=True)
class ExpectedError:
    """The class by name, the file as the job spells it, the physical line from 1."""

    name: str
    file: str
    line: int


@dataclass(frozen=True)
class ExpectedOutput:
    directory: str
    shards: dict[str, bytes]
    sample_index: list[Row]
    sample_index_bin: bytes
    duplicate_index: list[Row]
    unk_index: list[Row]
    special_index: list[Row]  # empty: then there is no such file
    histogram: Row
    stats: Row
    manifest: Row  # the keys that must be there; others may stand beside them
    manifest_facts: list[Any]  # values that must stand in it, under whatever key
    shards_index: list[Row]  # its "shards", by name
    empty_units: set[str]

    @property
    def files(self) -> set[str]:
        fixed = {"manifest.json", "histogram.json", "stats.json", "shards_index.json"}
        indexes = {"sample_index.jsonl", "duplicate_index.jsonl", "unk_index.jsonl"}
        indexes |= {"special_index.jsonl"} if self.special_index else set()
        return fixed | indexes | {"sample_index.bin"} | self.empty_units | set(self.shards)


@dataclass(frozen=True)
class Expected:
    outputs: list[ExpectedOutput]  # with an error: those finished before it
    error: ExpectedError | None


class BadLineError(Exception):
    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


# ---------------------------------------------------------------------- shared or mapped, files


def for_file(values: Any, index: int) -> Any:
    """The entry of a block for input file `index`: a lone entry is everybody's."""
    if not isinstance(values, list):
        return values
    return values[0] if len(values) == 1 else values[index]


def is_mapped(values: Any) -> bool:
    return isinstance(values, list) and len(values) > 1


def files_of_each_output(job: Job) -> list[tuple[str, list[int]]]:
    names = [job["output"]] if isinstance(job["output"], str) else list(job["output"])
    every_file = list(range(len(job["files"])))
    if len(names) == 1:
        return [(names[0], every_file)]
    return [(name, [index]) for index, name in enumerate(names)]


# ------------------------------------------------------------------------------ bytes and lines


def read_source(path: Path) -> tuple[bytes, bool]:
    """The file's text as bytes, as far as it can be had, and whether its archive is sound."""
    raw = path.read_bytes()
    if path.name.endswith(".gz"):
        return _decompress(raw, lambda: zlib.decompressobj(wbits=31))
    if path.name.endswith(".zst"):
        return _decompress(raw, zstd.ZstdDecompressor)
    return raw, True


def _decompress(raw: bytes, make: Callable[[], Any]) -> tuple[bytes, bool]:
    """An archive is one or more members, each complete, and nothing else."""
    text = bytearray()
    while raw:
        member = make()
        for position in range(len(raw)):  # byte by byte: all that is sound comes out
            try:
                text += member.decompress(raw[position : position + 1])
            except (zlib.error, zstd.ZstdError):
                return bytes(text), False
            if member.eof:
                break
        if not member.eof:
            return bytes(text), False
        raw = raw[position + 1 :]
    return bytes(text), True


def lines_of(text: bytes) -> list[bytes]:
    """Physical lines without their line end; the mark at the very start is no data."""
    lines = text.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    if lines[-1] == b"":
        lines.pop()
    return [line.removesuffix(b"\r") for line in lines]


# ---------------------------------------------------------------------------------- JSON values


class NumberText(str):
    """A number, kept as the text that stands in the line."""


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def parse_row(line: bytes) -> Row:
    try:
        row = json.loads(
            line.decode("utf-8"),
            parse_int=NumberText,
            parse_float=NumberText,
            parse_constant=_no_constant,
        )
    except (ValueError, RecursionError):
        raise BadLineError("SourceParseError") from None
    if not isinstance(row, dict):
        raise BadLineError("SourceParseError")
    return row


def value_text(value: Any) -> str:
    if value is True:
        return "true"
    if value is False:
        return "false"
    if not isinstance(value, str):  # NumberText is a str as well
        raise BadLineError("SampleFieldTypeError")
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:  # half a surrogate pair
        raise BadLineError("SourceParseError") from None
    return str(value)


def texts_of(row: Row, fields: list[str]) -> dict[str, str]:
    if any(name not in row for name in fields):
        raise BadLineError("SampleSchemaError")
    return {name: value_text(row[name]) for name in fields}


# ------------------------------------------------------------------------------------- template


def template_parts(template: str, fields: list[str]) -> list[tuple[str, str]]:
    """("literal", text) and ("field", name) in order; an undeclared identifier is "unknown"."""
    parts: list[tuple[str, str]] = []
    literal = ""
    position = 0
    while position < len(template):
        name = _name_between_braces(template, position)
        if name is None or not (name in fields or name.isidentifier()):
            literal += template[position]
            position += 1
            continue
        parts.append(("literal", literal))
        parts.append(("field" if name in fields else "unknown", name))
        literal = ""
        position += len(name) + 2
    return [part for part in [*parts, ("literal", literal)] if part != ("literal", "")]


def _name_between_braces(template: str, position: int) -> str | None:
    """What stands between the "{" here and the next brace, if that brace is a "}"."""
    if template[position] != "{":
        return None
    for end in range(position + 1, len(template)):
        if template[end] == "{":
            return None
        if template[end] == "}":
            return template[position + 1 : end]
    return None


def render(template: str, values: Mapping[str, str]) -> str:
    text = ""
    for kind, content in template_parts(template, list(values)):
        text += values[content] if kind == "field" else content
    return text


def characters_from_data(template: str, values: Mapping[str, str]) -> list[bool]:
    """For each character of the rendered text: did it come from a value?"""
    flags: list[bool] = []
    for kind, content in template_parts(template, list(values)):
        from_data = kind == "field"
        flags += [from_data] * len(values[content] if from_data else content)
    return flags


# ------------------------------------------------------------------------------------ tokenizer


@dataclass(frozen=True)
class Tokenizer:
    encode: Callable[[str], list[tuple[int, int, int]]]  # (id, first character, behind the last)
    special: dict[int, str]  # those that match in text, UNK aside
    vocab_size: int
    largest_id: int
    unk_id: int
    pad_id: int

    @property
    def dtype(self) -> tuple[str, int, str]:
        """Name, bytes per token, struct letter."""
        if self.vocab_size <= 65_535 and self.largest_id <= 65_535:
            return "uint16", 2, "H"
        return "uint32", 4, "I"


def open_tokenizer(kind: str, path: Path) -> Tokenizer:
    return (_sentencepiece if kind == "sentencepiece" else _hf_json)(path.read_bytes())


@functools.lru_cache(maxsize=32)
def _sentencepiece(content: bytes) -> Tokenizer:
    import sentencepiece

    model = sentencepiece.SentencePieceProcessor(model_proto=content)
    size = model.vocab_size()

    def encode(text: str) -> list[tuple[int, int, int]]:
        mapping = model.encode_as_offset_mapping(text)
        assert list(mapping["ids"]) == list(model.encode(text))
        pairs = zip(mapping["ids"], mapping["offsets"], strict=True)
        return [(token, start, stop) for token, (start, stop) in pairs]

    # The models of our worlds have no user-defined symbol that looks like a mark.
    return Tokenizer(encode, {}, size, size - 1, model.unk_id(), model.pad_id())


@functools.lru_cache(maxsize=32)
def _hf_json(content: bytes) -> Tokenizer:
    """Everything that could change the ids is cut out of a copy of the file's text."""
    import tokenizers

    stored = json.loads(content)
    bare = stored | {"padding": None, "truncation": None, "post_processor": None}
    bare["model"] = stored["model"] | ({"dropout": None} if "dropout" in stored["model"] else {})
    library = tokenizers.Tokenizer.from_str(json.dumps(bare))
    model = stored["model"]
    unk_id = model["unk_id"] if model["type"] == "Unigram" else model["vocab"][model["unk_token"]]
    vocab = library.get_vocab(with_added_tokens=True)

    def encode(text: str) -> list[tuple[int, int, int]]:
        encoding = library.encode(text, add_special_tokens=False)
        pairs = zip(encoding.ids, encoding.offsets, strict=True)
        return [(token, start, stop) for token, (start, stop) in pairs]

    special = {
        token["id"]: token["content"]
        for token in stored.get("added_tokens", [])
        if token["special"] and token["id"] != unk_id
    }

    pad_id = stored["padding"]["pad_id"]
    return Tokenizer(encode, special, len(vocab), max(vocab.values()), unk_id, pad_id)


# --------------------------------------------------------------------------------- one data set


@dataclass
class Sample:
    file: str
    line: int
    text: str
    tokens: list[int]
    unit: int
    special: list[tuple[int, str]]  # position and text of special tokens that data brought in
    shard: int = -1
    row: int = -1

    @property
    def hash(self) -> str:
        return hashlib.sha256(self.text.encode("utf-8")).hexdigest()

    @property
    def shard_path(self) -> str:
        return f"unit_{self.unit}/shard_{self.shard:06d}.bin"


@dataclass
class Places:
    """Where the next sample of each unit goes: shard number and rows already in it."""

    open_rows: dict[int, int] = field(default_factory=dict)
    numbers: dict[int, int] = field(default_factory=dict)

    def close_all(self) -> None:
        for unit in list(self.open_rows):
            self.close(unit)

    def close(self, unit: int) -> None:
        del self.open_rows[unit]
        self.numbers[unit] += 1

    def place(self, sample: Sample, samples_per_shard: int) -> None:
        sample.shard = self.numbers.setdefault(sample.unit, 0)
        sample.row = self.open_rows.get(sample.unit, 0)
        self.open_rows[sample.unit] = sample.row + 1
        if sample.row + 1 == samples_per_shard:
            self.close(sample.unit)


def sample_of(job: Job, index: int, number: int, line: bytes, tokenizer: Tokenizer) -> Sample:
    fields, template = for_file(job["fields"], index), for_file(job["templates"], index)
    values = texts_of(parse_row(line), fields)
    text = render(template, values)
    pieces = tokenizer.encode(text)
    tokens = [token for token, _, _ in pieces]
    fitting = [size for size in for_file(job["sizes"], index) if size >= len(tokens)]
    if not fitting:
        raise BadLineError("UnitOverflowError")
    from_data = characters_from_data(template, values)
    special = []
    for position, (token, start, stop) in enumerate(pieces):
        if token in tokenizer.special:
            content = tokenizer.special[token]
            own = from_data[start:stop]
            if text[start:stop].strip() == content.strip():
                # White space that it swallows does not count.
                at = text.find(content, start, stop)
                own = from_data[at : at + len(content)] if at >= 0 else own
            special += [(position, content)] if any(own) else []
    return Sample(job["files"][index], number, text, tokens, min(fitting), special)


def samples_of_file(root: Path, job: Job, index: int) -> Iterator[Sample | ExpectedError]:
    """The samples in order; an error, if there is one, comes last."""
    file = job["files"][index]
    tokenizer = tokenizer_of_file(root, job, index)
    text, sound = read_source(root / file)
    lines = lines_of(text)
    if not sound and not text.endswith(b"\n") and lines:
        lines.pop()  # the line that the archive breaks off in
    for number, line in enumerate(lines, start=1):
        if line.strip(JSON_SPACE) == b"":
            continue
        try:
            yield sample_of(job, index, number, line, tokenizer)
        except BadLineError as bad:
            yield ExpectedError(bad.name, file, number)
            return
    if not sound:
        yield ExpectedError("SourceParseError", file, len(lines) + 1)


def tokenizer_of_file(root: Path, job: Job, index: int) -> Tokenizer:
    path = for_file(job["tokenizer"], index)["path"]
    return open_tokenizer(job["tokenizer_type"], root / path)


def samples_of_output(root: Path, job: Job, files: list[int]) -> list[Sample] | ExpectedError:
    samples: list[Sample] = []
    places = Places()
    last_size = None
    for index in files:
        samples_per_shard = for_file(job["samples_per_shard"], index)
        if last_size not in (None, samples_per_shard):
            places.close_all()
        last_size = samples_per_shard
        for sample in samples_of_file(root, job, index):
            if isinstance(sample, ExpectedError):
                return sample
            places.place(sample, samples_per_shard)
            samples.append(sample)
    return samples


def expect(root: Path, job: Job) -> Expected:
    outputs: list[ExpectedOutput] = []
    for directory, files in files_of_each_output(job):
        samples = samples_of_output(root, job, files)
        if isinstance(samples, ExpectedError):
            return Expected(outputs, samples)
        outputs.append(_output(root, job, directory, files, samples))
    return Expected(outputs, None)


# ------------------------------------------------------------------------- what stands on disk


def _output(
    root: Path, job: Job, directory: str, files: list[int], samples: list[Sample]
) -> ExpectedOutput:
    tokenizer = tokenizer_of_file(root, job, files[0])
    shards = _shards(samples, tokenizer)
    counts = _samples_per_unit(samples)
    duplicates = _duplicate_index(samples)
    unk = _unk_index(samples, tokenizer.unk_id)
    special = _special_index(samples)
    units = sorted({size for index in files for size in for_file(job["sizes"], index)})
    return ExpectedOutput(
        directory=directory,
        shards=shards,
        sample_index=_sample_index(samples),
        sample_index_bin=b"".join(
            struct.pack("<4I", len(s.tokens), s.unit, s.shard, s.row) for s in samples
        ),
        duplicate_index=duplicates,
        unk_index=unk,
        special_index=special,
        histogram=counts,
        stats=_stats(samples, tokenizer, counts, duplicates, unk) | _special_stats(special),
        manifest=_manifest(root, job, files, tokenizer),
        manifest_facts=_manifest_facts(root, job, files),
        shards_index=_shards_index(samples, shards),
        empty_units={f"unit_{u}/EMPTY_UNIT.md" for u in units if str(u) not in counts},
    )


def _shards(samples: list[Sample], tokenizer: Tokenizer) -> dict[str, bytes]:
    letter = tokenizer.dtype[2]
    shards: dict[str, bytes] = {}
    for sample in samples:
        slots = sample.tokens + [tokenizer.pad_id] * (sample.unit - len(sample.tokens))
        record = struct.pack(f"<{sample.unit}{letter}", *slots)
        shards[sample.shard_path] = shards.get(sample.shard_path, b"") + record
    return shards


def _samples_per_unit(samples: list[Sample]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for sample in samples:
        counts[str(sample.unit)] = counts.get(str(sample.unit), 0) + 1
    return counts


def _sample_index(samples: list[Sample]) -> list[Row]:
    return [
        {
            "sample_id": sample_id,
            "hash": sample.hash,
            "token_count": len(sample.tokens),
            "unit_size": sample.unit,
            "source_file": sample.file,
            "source_line": sample.line,
            "shard_path": sample.shard_path,
        }
        for sample_id, sample in enumerate(samples)
    ]


def _duplicate_index(samples: list[Sample]) -> list[Row]:
    groups: dict[str, list[Row]] = {}
    for sample_id, sample in enumerate(samples):
        member = {
            "sample_id": sample_id,
            "source_file": sample.file,
            "source_line": sample.line,
        }
        groups.setdefault(sample.hash, []).append(member)
    return [
        {"hash": digest, "count": len(members), "samples": members}
        for digest, members in groups.items()
        if len(members) > 1
    ]


def _unk_index(samples: list[Sample], unk_id: int) -> list[Row]:
    rows = []
    for sample_id, sample in enumerate(samples):
        positions = [i for i, token in enumerate(sample.tokens) if token == unk_id]
        row = {
            "sample_id": sample_id,
            "hash": sample.hash,
            "source_file": sample.file,
            "source_line": sample.line,
            "unk_count": len(positions),
            "unk_positions": positions,
        }
        rows += [row] if positions else []
    return rows


def _special_index(samples: list[Sample]) -> list[Row]:
    return [
        {
            "sample_id": sample_id,
            "hash": sample.hash,
            "source_file": sample.file,
            "source_line": sample.line,
            "special_count": len(sample.special),
            "special_positions": [position for position, _ in sample.special],
            "special_tokens": [text for _, text in sample.special],
        }
        for sample_id, sample in enumerate(samples)
        if sample.special
    ]


def _special_stats(special: list[Row]) -> Row:
    texts = [text for row in special for text in row["special_tokens"]]
    counts = {text: texts.count(text) for text in texts}
    return (
        {"samples_with_special_tokens": len(special), "special_tokens": counts} if special else {}
    )


def _stats(
    samples: list[Sample],
    tokenizer: Tokenizer,
    counts: dict[str, int],
    duplicates: list[Row],
    unk: list[Row],
) -> Row:
    dtype, bytes_per_token, _ = tokenizer.dtype
    return {
        "total_samples": len(samples),
        "total_tokens": sum(len(sample.tokens) for sample in samples),
        "token_dtype": dtype,
        "bytes_per_token": bytes_per_token,
        "duplicate_groups": len(duplicates),
        "duplicate_samples": sum(group["count"] for group in duplicates),
        "samples_with_unk": len(unk),
        "unk_tokens": sum(row["unk_count"] for row in unk),
        "unit_distribution": counts,
    }


def _shards_index(samples: list[Sample], shards: dict[str, bytes]) -> list[Row]:
    rows = []
    for name in sorted(shards):
        inside = [sample for sample in samples if sample.shard_path == name]
        row = {
            "name": name,
            "samples": len(inside),
            "tokens": sum(len(sample.tokens) for sample in inside),
            "bytes": len(shards[name]),
            "sha256": hashlib.sha256(shards[name]).hexdigest(),
        }
        rows.append(row)
    return rows


def _manifest(root: Path, job: Job, files: list[int], tokenizer: Tokenizer) -> Row:
    """Shared: the bare value. Mapped: a list, one entry per file of this output."""

    def shaped(values: Any, entry: Callable[[Any], Any] = lambda value: value) -> Any:
        if is_mapped(values):
            return [entry(for_file(values, index)) for index in files]
        return entry(for_file(values, files[0]))

    def listed(values: Any) -> list[Any]:
        """`fields` and `templates` stand in a list even when shared, as in the example."""
        return [for_file(values, index) for index in (files if is_mapped(values) else files[:1])]

    dtype, bytes_per_token, _ = tokenizer.dtype
    return {
        "pipeline": "unit-build",
        "tokenizer": shaped(job["tokenizer"], lambda config: _tokenizer_entry(root, job, config)),
        "token_storage": {"dtype": dtype, "bytes_per_token": bytes_per_token},
        "units": {"sizes": shaped(job["sizes"]), "build_batch": shaped(job["build_batch"])},
        "source": {
            "files": [job["files"][index] for index in files],
            "fields": listed(job["fields"]),
            "templates": listed(job["templates"]),
        },
        "output": {"samples_per_shard": shaped(job["samples_per_shard"])},
    }


def _tokenizer_entry(root: Path, job: Job, config: Mapping[str, str]) -> Row:
    tokenizer = open_tokenizer(job["tokenizer_type"], root / config["path"])
    return {
        "type": job["tokenizer_type"],
        "path": config["path"],
        "vocab_size": tokenizer.vocab_size,
        "unk_id": tokenizer.unk_id,
        "pad_id": tokenizer.pad_id,
    }


def _manifest_facts(root: Path, job: Job, files: list[int]) -> list[Any]:
    """The digest of each tokenizer file and the size of each source as it lies on the disk."""
    paths = [root / for_file(job["tokenizer"], index)["path"] for index in files]
    sizes = [(root / job["files"][index]).stat().st_size for index in files]
    return [*(sha256_of(path.read_bytes()) for path in paths), *sizes]


# ------------------------------------------------------------------------------------ judgement


def differences(expected: ExpectedOutput, found: Mapping[str, bytes]) -> list[str]:
    """Everything in which a folder ({relative path: bytes}) departs from the expectation."""
    if set(found) != expected.files:
        return [f"files: {sorted(found)} instead of {sorted(expected.files)}"]
    wrong = [f"bytes of {name}" for name, data in expected.shards.items() if found[name] != data]
    if found["sample_index.bin"] != expected.sample_index_bin:
        wrong.append("bytes of sample_index.bin")
    names = ["sample_index", "duplicate_index", "unk_index"]
    for name in [*names, "special_index"] if expected.special_index else names:
        wrong += _row_differences(f"{name}.jsonl", getattr(expected, name), found)
    wrong += _compare("histogram.json", expected.histogram, json.loads(found["histogram.json"]))
    stats = json.loads(found["stats.json"])
    wrong += _compare("stats.json", expected.stats, {k: stats.get(k) for k in expected.stats})
    manifest = _named(expected.manifest, _manifest_in(found))
    wrong += _compare("manifest.json", expected.manifest, manifest)
    return wrong + _index_differences(expected, found) + _fact_differences(expected, found)


def _compare(name: str, expected: Any, found: Any) -> list[str]:
    return [] if expected == found else [f"{name}: {found!r} instead of {expected!r}"]


def _row_differences(name: str, expected: list[Row], found: Mapping[str, bytes]) -> list[str]:
    """Rows are one per line, in UTF-8, with their keys in the order of the document."""
    text = found[name].decode("utf-8")
    lines = text.split("\n")
    if lines.pop() != "":
        return [f"{name}: the last line does not end"]
    return _compare(name, _ordered(expected), _ordered([json.loads(line) for line in lines]))


def _ordered(value: Any) -> Any:
    """Dictionaries as lists of pairs, so that == sees the order of keys."""
    if isinstance(value, dict):
        return [(key, _ordered(item)) for key, item in value.items()]
    return [_ordered(item) for item in value] if isinstance(value, list) else value


def _manifest_in(found: Mapping[str, bytes]) -> Row:
    return dict(json.loads(found["manifest.json"]))


def _named(expected: Any, found: Any) -> Any:
    """`found` without the keys that `expected` does not name."""
    if isinstance(expected, dict) and isinstance(found, dict):
        return {key: _named(expected[key], found[key]) for key in expected if key in found}
    if isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
        return [_named(one, other) for one, other in zip(expected, found, strict=True)]
    return found


def _index_differences(expected: ExpectedOutput, found: Mapping[str, bytes]) -> list[str]:
    """shards_index.json: every shard with its facts, and every other file but the manifest."""
    index = json.loads(found["shards_index.json"])
    shards = sorted(index["shards"], key=lambda entry: str(entry["name"]))
    others = expected.files - set(expected.shards) - {"manifest.json", "shards_index.json"}
    rows = [
        {"name": name, "bytes": len(found[name]), "sha256": sha256_of(found[name])}
        for name in sorted(others)
    ]
    listed = sorted(index["files"], key=lambda entry: str(entry["name"]))
    return _compare("shards_index.json, shards", expected.shards_index, shards) + _compare(
        "shards_index.json, files", rows, listed
    )


def _fact_differences(expected: ExpectedOutput, found: Mapping[str, bytes]) -> list[str]:
    facts = [sha256_of(found["shards_index.json"]), *expected.manifest_facts]
    values = all_values(_manifest_in(found))
    return [f"manifest.json: {fact!r} is not in it" for fact in facts if fact not in values]


def sha256_of(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def all_values(tree: Any) -> list[Any]:
    """Every leaf of a JSON value."""
    if isinstance(tree, dict):
        return [leaf for item in tree.values() for leaf in all_values(item)]
    if isinstance(tree, list):
        return [leaf for item in tree for leaf in all_values(item)]
    return [tree]
