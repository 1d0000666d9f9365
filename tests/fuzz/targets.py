"""What is fuzzed, and what must come of it: the oracle's result, or the right error.

Three targets: ``line`` (one line → values), ``build`` (files of lines → a dataset) and
``tokenizer`` (a damaged tokenizer → the ids that the library itself gives, or a refusal before
anything is written). Each makes its case from seed and number alone, judges it, and can make
it smaller. A judgement is ``None``, or a ``Finding``.
"""

from __future__ import annotations

import base64
import contextlib
import functools
import importlib
import json
import os
import pickle
import tempfile
import time
import zlib
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import oracle
import worlds
from fuzz import mutate
from fuzz.child import CrashError, in_child

import mintdim
import mintdim.pipelines.unit_build.runtime
from mintdim.shared.errors import MintDimConfigError, MintDimDataError, MintDimError
from mintdim.sources import chunks
from mintdim.sources.jsonl import is_blank, read_values

try:
    from compression import zstd
except ImportError:  # Python before 3.14
    from backports import zstd

if TYPE_CHECKING:
    from collections.abc import Callable

# Imported here, or every child would do it again.
for _name in (
    "sentencepiece",
    "tokenizers",
    "gzip",
    "mintdim.pipelines.unit_build.api",
    "mintdim.pipelines.unit_build.runtime",
):
    importlib.import_module(_name)

DATA = Path(__file__).resolve().parents[2] / "examples" / "data"
NESTING_LIMIT = 512
BATCH_SECONDS = 60.0
BUILD_SECONDS = 20.0


class Finding(NamedTuple):
    """``kind`` is the same for findings that are alike; ``detail`` is for people."""

    kind: str
    detail: str


def dice_for(target: str, seed: int, number: int) -> Random:
    return Random(f"{target} {seed} {number}")


# ------------------------------------------------------------------------------ real lines

FIELDS: dict[str, list[list[str]]] = {
    "gsm8k_test": [["question", "answer"], ["answer"]],
    "humaneval": [["prompt", "canonical_solution"], ["task_id"], ["entry_point", "test"]],
    "self_instruct": [["instruction", "input", "output"], ["output", "input"], ["input"]],
    "self_instruct_seed_tasks": [["name", "is_classification"], ["id"], ["instances"]],
}


@functools.cache
def real_lines(name: str) -> list[bytes]:
    return (DATA / "instruction" / f"{name}.jsonl").read_bytes().splitlines()


@functools.cache
def short_lines(name: str) -> list[bytes]:
    return sorted(real_lines(name), key=len)[:60]


# ------------------------------------------------------------------------- rules of the judge


def deepest(text: bytes) -> int:
    """How many arrays and objects are open at once, at most; strings are passed over."""
    depth = most = 0
    inside = escaped = False
    for byte in text:
        if inside:
            inside = escaped or byte != 0x22
            escaped = not escaped and byte == 0x5C
        elif byte in b"[{":
            depth += 1
            most = max(most, depth)
        elif byte in b"]}":
            depth -= 1
        else:
            inside = byte == 0x22
    return most


_parse_row = oracle.parse_row


def parse_row(line: bytes) -> oracle.Row:
    """The oracle's, with the limit of nesting, which is ours and not that of ``json``."""
    if line.count(b"[") + line.count(b"{") > NESTING_LIMIT and deepest(line) > NESTING_LIMIT:
        raise oracle.BadLineError("SourceParseError")
    return _parse_row(line)


_read_source = oracle.read_source


def read_source(path: Path) -> tuple[bytes, bool]:
    """The oracle's, but zeros may stand behind a gzip member, and no archive is empty.

    A zstd archive has to be sound as a whole, too.
    """
    raw, text = path.read_bytes(), b""
    if path.suffix == ".zst":
        text, sound = _read_source(path)
        return text, sound and _is_sound_at_once(raw)
    if path.suffix != ".gz":
        return _read_source(path)
    while raw:
        member = zlib.decompressobj(wbits=31)
        try:
            for position in range(len(raw)):
                text += member.decompress(raw[position : position + 1])
                if member.eof:
                    break
        except zlib.error:
            return text, False
        if not member.eof:
            return text, False
        raw = raw[position + 1 :].lstrip(b"\0")
    return text, bool(path.stat().st_size)


def _is_sound_at_once(raw: bytes) -> bool:
    """Byte by byte the library lets a wrong size of the content pass."""
    try:
        zstd.decompress(raw)
    except zstd.ZstdError:
        return False
    return bool(raw)


def print_and_pickle(error: MintDimError) -> None:
    """Every error can be printed in both languages, and sent to another process."""
    for language in ("en", "vi"):
        mintdim.set_language(language)
        assert str(error).startswith(type(error).__name__)
    mintdim.set_language(None)
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again)) == (type(error), str(error))


# --------------------------------------------------------------------------------------- line


@dataclass(frozen=True)
class Line:
    """``file`` is the physical line without its end, as the reader of chunks hands it on."""

    mutations: str
    line: bytes
    fields: tuple[str, ...]


def make_line(seed: int, number: int) -> Line:
    dice = dice_for("line", seed, number)
    name = dice.choice(sorted(FIELDS))
    line, other = dice.choice(real_lines(name)), dice.choice(real_lines(name))
    names, mutant = mutate.line_mutant(dice, line, other)
    pieces = mutant.split(b"\n")
    fields = dice.choice(FIELDS[name])
    if dice.random() < 0.05:
        fields = [*fields, dice.choice(["text", "", "\ud7ff", fields[0]])]
    return Line(names, dice.choice(pieces), tuple(fields))


Outcome = tuple[str, Any]


def line_by_oracle(case: Line) -> Outcome:
    line = case.line.removesuffix(b"\r")
    if not line.strip(oracle.JSON_SPACE):
        return "blank", None
    try:
        found = oracle.texts_of(parse_row(line), list(case.fields))
    except oracle.BadLineError as bad:
        return "error", bad.name
    return "values", [found[name] for name in case.fields]


def line_by_mintdim(case: Line) -> Outcome:
    if is_blank(case.line):
        return "blank", None
    try:
        return "values", read_values(case.line, case.fields, "a.jsonl", 7)
    except MintDimDataError as error:
        print_and_pickle(error)
        place = (error.file, error.line)
        return "error", type(error).__name__ if place == ("a.jsonl", 7) else place


def judge_line(case: Line) -> Finding | None:
    found, expected = line_by_mintdim(case), line_by_oracle(case)
    if found == expected:
        return None
    kind = f"{_short(found)} instead of {_short(expected)}"
    return Finding(kind, f"{found!r:.300} instead of {expected!r:.300}")


def _short(outcome: Outcome) -> str:
    return outcome[1] if outcome[0] == "error" else outcome[0]


def first_bad_line(seed: int, numbers: range) -> int | None:
    """The first number whose line is judged wrong, or raises."""
    for number in numbers:
        try:
            if judge_line(make_line(seed, number)):
                return number
        except Exception:
            return number
    return None


def check_lines(seed: int, numbers: range) -> int | None:
    """The same in a child; a batch that ends it is halved until one line is left."""
    try:
        found = in_child(lambda: first_bad_line(seed, numbers), BATCH_SECONDS)
    except CrashError:
        if len(numbers) == 1:
            return numbers[0]
        half = len(numbers) // 2
        parts = (numbers[:half], numbers[half:])
        bad = [number for part in parts if (number := check_lines(seed, part)) is not None]
        return bad[0] if bad else None
    return None if found is None else int(found)


# -------------------------------------------------------------------------------------- build

FRAMES: dict[str, Callable[[bytes], bytes]] = {"": bytes, ".gz": worlds.gz, ".zst": worlds.zst}


@functools.cache
def sound_tokenizers() -> list[tuple[str, bytes]]:
    examples = DATA / "tokenizers"
    return [
        ("sentencepiece", (examples / "instruct_sp.model").read_bytes()),
        ("hf_json", (examples / "instruct_hf.json").read_bytes()),
        ("sentencepiece", worlds.spm()),
        ("hf_json", worlds.hf_char()),
        ("hf_json", worlds.hf_with_post_processor()),
    ]


@dataclass(frozen=True)
class Build:
    """``chunk_bytes`` is for the second run, which also has a ``build_batch`` of 1."""

    mutations: str
    files: dict[str, bytes]
    job: dict[str, Any]
    chunk_bytes: int


def make_build(seed: int, number: int) -> Build:
    dice = dice_for("build", seed, number)
    name = dice.choice(sorted(FIELDS))
    fields = dice.choice([fields for fields in FIELDS[name] if fields != ["instances"]])
    literals = dice.choice([["", ""], ["Q: ", "\n\n"], ["", " {x y} "], ["%s", "}"]])
    template = literals[0] + literals[1].join(f"{{{field}}}" for field in fields)
    suffix = dice.choice(["", "", "", ".gz", ".zst"])
    kind, tokenizer = dice.choice(sound_tokenizers())
    tokenizer_path = worlds.EXTENSIONS[kind]
    names, files = [], {tokenizer_path: tokenizer}
    for file in [f"{i}.jsonl{suffix}" for i in range(dice.choice([1, 1, 2]))]:
        mutations, files[file] = _mutated_file(dice, short_lines(name), FRAMES[suffix])
        names.append(mutations)
    job = worlds.make_job(
        files=[file for file in files if file != tokenizer_path],
        fields=[fields],
        templates=[template],
        tokenizer_type=kind,
        tokenizer={"path": tokenizer_path},
        sizes=[dice.choice([[16, 64, 4096], [32, 60_000], [200_000], [64, 128, 256]])],
        build_batch=[dice.randint(2, 8)],
        samples_per_shard=[dice.randint(1, 5)],
    )
    longest = max(len(files[file]) for file in job["files"])
    # A plain file is cut at every so many bytes: 40 pieces will do.
    chunk_bytes = max(dice.choice([1, 7, 100, 1000]), longest // 40)
    return Build(" | ".join(names), files, job, chunk_bytes)


def _mutated_file(
    dice: Random, lines: list[bytes], frame: Callable[[bytes], bytes]
) -> tuple[str, bytes]:
    names, content = [], []
    share = dice.choice([0.0, 0.1, 0.3])
    for _ in range(dice.randint(0, 12)):
        line = dice.choice(lines)
        if dice.random() < share:
            name, line = mutate.line_mutant(dice, line, dice.choice(lines))
            names.append(name)
        elif dice.random() < 0.2:
            name, line = dice.choice([("blank", b""), ("carriage return", line + b"\r")])
        content += [line, b"\n"]
    if content and dice.random() < 0.3:
        content.pop()
    text = dice.choice([b"", b"", b"", b"\xef\xbb\xbf"]) + b"".join(content)
    if dice.random() < 0.15:
        name, text = mutate.file_mutant(dice, text, b"\n".join(lines[:9]))
        names.append(f"file: {name}")
    framed = frame(text)
    if framed != text and dice.random() < 0.4:
        name, framed = mutate.file_mutant(dice, framed, frame(b"\n".join(lines[:9])))
        names.append(f"archive: {name}")
    return ", ".join(names), framed


def judge_build(case: Build, root: Path) -> Finding | None:
    """Twice, the second time in small pieces; runs in a child, where patches do no harm."""
    oracle.parse_row, oracle.read_source = parse_row, read_source
    worlds.write_files(root, case.files)
    job = case.job | {"build_batch": [1], "output": "small"}
    finding = build_finding(root, case.job)
    if finding is None:
        chunks.plan_chunks.__defaults__ = (case.chunk_bytes,)
        finding = build_finding(root, job)
        finding = finding and Finding(f"in small pieces: {finding.kind}", finding.detail)
    return finding


def build_finding(root: Path, job: dict[str, Any]) -> Finding | None:
    found = run(root, job)
    expected = oracle.expect(root, job)
    if isinstance(found, MintDimError) or expected.error is not None:
        return error_finding(root / job["output"], found, expected.error)
    output = worlds.read_output(root / job["output"])
    wrong = oracle.differences(expected.outputs[0], output)
    return Finding("other bytes than the oracle's", "\n".join(wrong)[:2000]) if wrong else None


def run(root: Path, job: dict[str, Any]) -> MintDimError | None:
    """Build; an exception that is no ``MintDimError`` is left to end the child."""
    try:
        worlds.run_job(root, **job)
    except MintDimError as error:
        print_and_pickle(error)
        return error
    return None


def error_finding(
    output: Path, found: MintDimError | None, expected: oracle.ExpectedError | None
) -> Finding | None:
    if (output / "manifest.json").exists() and found is not None:
        return Finding("a manifest in spite of an error", str(found))
    facts = found and (type(found).__name__, getattr(found, "file", ""), getattr(found, "line", 0))
    wanted = expected and (expected.name, expected.file, expected.line)
    if facts == wanted:
        return None
    names = [facts and facts[0], wanted and wanted[0]]
    return Finding("{} instead of {}".format(*names), f"{facts} instead of {wanted}: {found}")


# ---------------------------------------------------------------------------------- tokenizer

SAMPLES = [
    *[
        "the cat",
        "a",
        "",
        " ",
        "  the  end ",
        "S S",
        "abab\nab",
        "x\ty\r\n",
        "日本 é ß 😀 𝄞",
        "[PAD]",
    ],
    *[
        "<|end|> a [UNK]<s>",
        "\x00\x01\ufffd",
        "1234 5.6",
        "word " * 40,
        "a" * 300,
        "ﬁ Ⅷ ½ ｱ e\u0301",
    ],
    *["\u2581 \u2581", "Mix two tablespoons!", "{text} %s", "\u200b\u00a0\u3000", "ABC <0x41>"],
]
UNITS = [[4, 64, 50_000]]


# Rules of a SentencePiece normaliser as its trainer compiles them: fi, 1/2, tab, A, e with accent.
CHARSMAP = zlib.decompress(
    base64.b85decode(
        b"c-ke?2k?(|90%~v?~m);ap#Q4D0@~$MiCj6vqwcjk<Dc`ROF9_%xvnfWW=8mg@(PySt)y#y6UbZTPUwb&)w^Jf1l"
        b"^``QCk>`+lFu8WBY!vgeFQMWo-su1JgFo^u$ldC09~T4WJpvPE*Gr)N!z^x6@hCVfNA^)8n}9&(e9yyWLj?xFyNC"
        b"`b_sa}Re@?EfW135rvSl9Zt|<tR%9%5xw0Qjz<qOeG$m3e~7e4XWc4;z4Rr6HAYWd4xLDqb?1o&tp7FLmsD5(o-%"
        b"KO=M%5(UcZ6rxh)Eg4R66leDD`?Rc8@JVQr1@Ep(5nND=!dAiY+9(1P{J?TSlUPyYTq(wj3mjU!=5CeIM7kP!3d6"
        b"mJu&TH7R7{V~#V0f~rjAR6F@h0!^Ht#ZuF^py$W0}BsCh{JWnZ#74Fr8`4WCkDbKC{T+BR=F~W;2&L%x4}8_=HRr"
        b"vY17D7RlL*_?#syV<}(q1uIz2SFGe4zGfBQvWC^HV=Wt4&n7mqh0SbZD?8Yp)YhkBr`*jh_OgfX*vI$m=Kw!&h=U"
        b"yAFvmE`3667$ll;hO&hQhz@H4;iSKd_oE`LjEqf&7uBNcxd|B=)<%io;i0_VBJMXqp}Yh2|z|8SEV{Kvm>`{%1%v"
        b"5I5Zy;p3?j9YX#j<o"
    )
)


def with_charsmap(model: bytes, charsmap: bytes = CHARSMAP) -> bytes:
    fields = mutate.read_fields(model)

    def change(normaliser: list[mutate.Field]) -> None:
        mutate.set_field(normaliser, 2, mutate.BYTES_FIELD, charsmap)

    mutate.within(fields, mutate.places_of(fields, mutate.NORMALISER)[0], change)
    return mutate.write_fields(fields)


@functools.cache
def tokenizer_bases() -> list[tuple[str, bytes]]:
    letters = "abcdeh nostuxy.1é"
    char_split = {"pre_tokenizer": worlds.BY_CHARACTER}
    words = ["the", "ab", "##b", "##a", *letters, *(f"##{letter}" for letter in letters)]
    word_piece = {
        **{"type": "WordPiece", "vocab": worlds.numbered(*words), "unk_token": worlds.UNK},
        **{"continuing_subword_prefix": "##", "max_input_chars_per_word": 100},
    }
    pieces = [worlds.UNK, worlds.PAD, "\u2581", "\u2581the", "the", "ab", *letters]
    scored = [[piece, -float(i) / 8] for i, piece in enumerate(pieces)]
    unigram = {"type": "Unigram", "unk_id": 0, "vocab": scored, "byte_fallback": False}
    metaspace = {
        **{"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": "always"},
        "split": True,
    }
    charsmap = base64.b64encode(CHARSMAP).decode()
    precompiled = worlds.tokenizer_json(
        unigram, normalizer={"type": "Precompiled", "precompiled_charsmap": charsmap}
    )
    added = [worlds.added_token(0, worlds.UNK), worlds.added_token(2, "the")]
    return [
        *sound_tokenizers(),
        ("hf_json", worlds.hf_char(letters)),
        ("hf_json", worlds.hf_bpe_with_stored_settings()),
        ("hf_json", worlds.tokenizer_json(word_piece, pre_tokenizer={"type": "Whitespace"})),
        ("hf_json", worlds.tokenizer_json(unigram, pre_tokenizer=metaspace)),
        (
            "hf_json",
            worlds.tokenizer_json(
                worlds.word_level(worlds.numbered("the", *letters)),
                added_tokens=added,
                **char_split,
            ),
        ),
        ("sentencepiece", worlds.spm(alphabet=letters, words=("the", "ab", "\u2581the"))),
        ("sentencepiece", worlds.spm(alphabet=letters, dummy_prefix=True)),
        ("sentencepiece", with_charsmap(worlds.spm(alphabet=letters, words=("the", "ab")))),
        ("hf_json", precompiled),
    ]


@dataclass(frozen=True)
class Tokenizer:
    mutations: str
    kind: str
    content: bytes
    template: str


def make_tokenizer(seed: int, number: int) -> Tokenizer:
    dice = dice_for("tokenizer", seed, number)
    kind, content = dice.choice(tokenizer_bases())
    other = dice.choice([data for name, data in tokenizer_bases() if name == kind])
    make = mutate.model_mutant if kind == "sentencepiece" else mutate.json_tokenizer_mutant
    names, mutant = make(dice, content, other)
    template = dice.choice(["{text}", "{text}", "the {text}\n", "S<|end|>{text}a"])
    if b'strip": true' in mutant:
        # A mark of the template that takes white space of a value with it: whose is it?
        template = "{text}"
    return Tokenizer(names, kind, mutant, template)


def judge_tokenizer(case: Tokenizer, root: Path) -> Finding | None:
    """Runs in a child: a crash of the library is a finding like others."""
    oracle.open_tokenizer = tokenizer_by_library
    path = worlds.EXTENSIONS[case.kind]
    rows = worlds.jsonl(*({"text": text} for text in SAMPLES))
    worlds.write_files(root, {"in.jsonl": rows, path: case.content})
    job = worlds.make_job(tokenizer_type=case.kind, templates=[case.template], sizes=UNITS)
    found = run(root, job)
    if isinstance(found, MintDimConfigError):
        return refusal_finding(case, root, found)
    expected = oracle.expect(root, job)
    if isinstance(found, MintDimError) or expected.error is not None:
        return error_finding(root / job["output"], found, expected.error)
    wrong = oracle.differences(expected.outputs[0], worlds.read_output(root / job["output"]))
    return Finding("other bytes than the oracle's", "\n".join(wrong)[:2000]) if wrong else None


# Refused although the library takes them, for it would encode nothing, or only in part.
OURS = {
    "the file is empty",
    "the file ends before the settings of the model",
    "the precompiled_charsmap of the normalizer is cut off",
}


def refusal_finding(case: Tokenizer, root: Path, error: MintDimError) -> Finding | None:
    if (root / "out").exists():
        return Finding("a refused tokenizer left an output", str(error))
    cause = str(error.__cause__)
    if getattr(error, "component", "") == "format" and cause not in OURS and library_takes(case):
        return Finding(f"refused what the library takes: {cause}", str(error))
    return None


def library_takes(case: Tokenizer) -> bool:
    with contextlib.suppress(BaseException):
        load(case.kind, case.content)
        return True
    return False


def load(kind: str, content: bytes) -> Any:
    if kind == "hf_json":
        import tokenizers

        return tokenizers.Tokenizer.from_str(content.decode("utf-8"))
    import sentencepiece

    return sentencepiece.SentencePieceProcessor(model_proto=content)


@functools.lru_cache(maxsize=8)
def tokenizer_by_library(kind: str, path: Path) -> oracle.Tokenizer:
    """The oracle's, with the marks that a ``.model`` defines; refusals become bad lines."""
    content = path.read_bytes()
    if kind == "sentencepiece":
        plain = oracle._sentencepiece(content)
        plain = replace(plain, special=marks_of(content, plain.unk_id))
    else:
        plain = hf_json_by_library(content)

    def encode(text: str) -> list[tuple[int, int, int]]:
        try:
            return plain.encode(text)
        except AssertionError:
            raise
        except UnicodeDecodeError:  # a damaged normaliser: there are ids, but no offsets
            ids = load(kind, content).encode(text)
            return [(token, 0, len(text)) for token in ids]
        except BaseException as error:  # a panic of the library is no Exception
            raise oracle.BadLineError("TokenizerEncodeError") from error

    return replace(plain, encode=encode)


def hf_json_by_library(content: bytes) -> oracle.Tokenizer:
    """The oracle's way (a copy without what may change ids), for files that leave things out.

    The library ignores the id of an added token that its model knows by another one.
    """
    whole = load("hf_json", content)
    stored = json.loads(content)
    bare = stored | {"padding": None, "truncation": None, "post_processor": None}
    bare["model"] = {key: value for key, value in stored["model"].items() if key != "dropout"}
    library = load("hf_json", json.dumps(bare).encode("utf-8"))
    model = stored["model"]
    unigram = isinstance(model["vocab"], list)
    unk_id = model["unk_id"] if unigram else model["vocab"][model["unk_token"]]
    # The last word on a token counts.
    added = {token["content"]: token for token in stored.get("added_tokens") or []}
    special = {
        library.token_to_id(text): text
        for text, token in added.items()
        if token["special"] and library.token_to_id(text) != unk_id
    }
    vocab = library.get_vocab(with_added_tokens=True)

    def encode(text: str) -> list[tuple[int, int, int]]:
        encoding = library.encode(text, add_special_tokens=False)
        pairs = zip(encoding.ids, encoding.offsets, strict=True)
        return [(token, start, stop) for token, (start, stop) in pairs]

    # An id of 65,535 asks for four bytes, as a vocabulary of 65,536 entries does.
    places = max(vocab.values()) + 1
    return oracle.Tokenizer(encode, special, len(vocab), places, unk_id, whole.padding["pad_id"])


def marks_of(model: bytes, unk_id: int) -> dict[int, str]:
    """User-defined pieces that look like a mark: ``<...>`` or ``[...]``."""
    found = {}
    pieces = [
        value for number, kind, value in mutate.read_fields(model) if (number, kind) == (1, 2)
    ]
    for token_id, piece in enumerate(pieces):
        fields = {(number, kind): value for number, kind, value in mutate.read_fields(piece)}
        text = fields.get((1, mutate.BYTES_FIELD), b"").decode("utf-8", "replace")
        marked = len(text) > 2 and text[0] + text[-1] in ("<>", "[]")
        if marked and fields.get((3, mutate.VARINT)) == 4 and token_id != unk_id:
            found[token_id] = text
    return found


# -------------------------------------------------------------------- whichever: judge and shrink

Case = Line | Build | Tokenizer
MAKERS: dict[str, Callable[[int, int], Case]] = {
    "line": make_line,
    "build": make_build,
    "tokenizer": make_tokenizer,
}


def judge(case: Case) -> Finding | None:
    """In a child with a time limit and a folder of its own."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            found = in_child(lambda: _judge_here(case, Path(folder)), BUILD_SECONDS)
        except CrashError as crash:
            return Finding(str(crash).partition("\n")[0], str(crash))
    return None if found is None else Finding(*found)


def _judge_here(case: Case, root: Path) -> Finding | None:
    os.fsync = lambda fd: None  # a child that dies loses nothing that anyone wants
    if isinstance(case, Line):
        return judge_line(case)
    return judge_build(case, root) if isinstance(case, Build) else judge_tokenizer(case, root)


T = TypeVar("T", bytes, list[Any])


def halved(data: T, still: Callable[[T], bool], seconds: float = 30.0) -> T:
    """``data`` without every half, quarter, eighth ... that it can lose and ``still`` holds."""
    size, deadline = len(data) // 2, time.monotonic() + seconds
    while size and time.monotonic() < deadline:
        at = 0
        while at < len(data) and time.monotonic() < deadline:
            shorter = data[:at] + data[at + size :]
            if still(shorter):
                data = shorter
            else:
                at += size
        size //= 2
    return data


def smallest(case: Case, finding: Finding) -> Case:
    """A smaller case with a finding of the same kind."""

    def alike(other: Case) -> bool:
        again = judge(other)
        return again is not None and again.kind == finding.kind

    if isinstance(case, Line):
        return replace(case, line=halved(case.line, lambda line: alike(replace(case, line=line))))
    if isinstance(case, Tokenizer):
        content = halved(case.content, lambda data: alike(replace(case, content=data)))
        return replace(case, content=content)
    build = case
    for file in case.job["files"]:
        for shrink in (_by_lines, _by_bytes):
            build = shrink(build, file, alike)
    return build


def _by_lines(case: Build, file: str, alike: Callable[[Case], bool]) -> Build:
    def joined(lines: list[Any]) -> Build:
        return replace(case, files=case.files | {file: b"".join(lines)})

    lines = case.files[file].splitlines(keepends=True)
    return joined(halved(lines, lambda fewer: alike(joined(fewer))))


def _by_bytes(case: Build, file: str, alike: Callable[[Case], bool]) -> Build:
    def holding(data: bytes) -> Build:
        return replace(case, files=case.files | {file: data})

    return holding(halved(case.files[file], lambda data: alike(holding(data))))


def shown(case: Case) -> str:
    """The case as a Python expression; the tokenizer of a build is a sound one and left out."""
    if isinstance(case, Build):
        case = replace(case, files={name: case.files[name] for name in case.job["files"]})
    return repr(case)
