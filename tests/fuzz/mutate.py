"""Mutations: pure functions of dice and bytes, each known by its name.

``LINE`` are for a JSONL line (the second line is there for splices), ``FILE`` for whole files,
``JSON_TREE`` for the parsed ``tokenizer.json``, ``MODEL`` for the fields of a ``.model``. The
same dice give the same mutant on every machine and Python.
"""

from __future__ import annotations

import base64
import contextlib
import json
import re
import struct
from collections.abc import Callable
from random import Random
from typing import Any

Bytes2 = Callable[[Random, bytes, bytes], bytes]


def named(*functions: Callable[..., Any]) -> dict[str, Callable[..., Any]]:
    return {function.__name__: function for function in functions}


# --------------------------------------------------------------------------------- plain bytes


def place(dice: Random, data: bytes) -> int:
    return dice.randint(0, len(data))


def put(data: bytes, at: int, new: bytes) -> bytes:
    return data[:at] + new + data[at:]


def some_bytes(dice: Random) -> bytes:
    return dice.randbytes(dice.choice([1, 1, 1, 2, 3, 8]))


def flip_bits(dice: Random, data: bytes, _: bytes = b"") -> bytes:
    out = bytearray(data)
    for _i in range(dice.choice([1, 1, 1, 2, 5]) if out else 0):
        out[dice.randrange(len(out))] ^= 1 << dice.randrange(8)
    return bytes(out)


def insert_bytes(dice: Random, data: bytes, _: bytes = b"") -> bytes:
    return put(data, place(dice, data), some_bytes(dice))


def overwrite_bytes(dice: Random, data: bytes, _: bytes = b"") -> bytes:
    at, new = place(dice, data), some_bytes(dice)
    return data[:at] + new + data[at + len(new) :]


def delete_bytes(dice: Random, data: bytes, _: bytes = b"") -> bytes:
    at = place(dice, data)
    return data[:at] + data[at + dice.choice([1, 1, 2, 5, 40]) :]


def repeat_bytes(dice: Random, data: bytes, _: bytes = b"") -> bytes:
    at = place(dice, data)
    piece = data[at : at + dice.choice([1, 2, 7, 60])]
    return put(data, at, piece * dice.choice([1, 2, 20]))


def swap_bytes(dice: Random, data: bytes, _: bytes = b"") -> bytes:
    a, b, c = sorted(place(dice, data) for _i in range(3))
    return data[:a] + data[b:c] + data[a:b] + data[c:]


def cut_the_end(dice: Random, data: bytes, _: bytes = b"") -> bytes:
    return data[: place(dice, data)]


def cut_the_beginning(dice: Random, data: bytes, _: bytes = b"") -> bytes:
    return data[place(dice, data) :]


def splice(dice: Random, data: bytes, other: bytes) -> bytes:
    return data[: place(dice, data)] + other[place(dice, other) :]


def implant(dice: Random, data: bytes, other: bytes) -> bytes:
    a, b = sorted(place(dice, other) for _i in range(2))
    return put(data, place(dice, data), other[a:b])


BYTES = named(
    flip_bits,
    insert_bytes,
    overwrite_bytes,
    delete_bytes,
    repeat_bytes,
    swap_bytes,
    cut_the_end,
    cut_the_beginning,
    splice,
    implant,
)

# ------------------------------------------------------------------------------ encodings of text


def text_of(line: bytes) -> str:
    return line.decode("utf-8", "replace")


def in_another_encoding(dice: Random, line: bytes, _: bytes) -> bytes:
    names = ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "latin-1", "cp1252", "utf-7", "gb18030"]
    return text_of(line).encode(dice.choice(names), "replace")


def with_a_value_in_another_encoding(dice: Random, line: bytes, _: bytes) -> bytes:
    raw = "né — 日本 😀 ÿ".encode(
        dice.choice(["latin-1", "cp1252", "utf-16", "gb18030"]), "replace"
    )
    return in_a_string(dice, line, raw)


def cesu_8(dice: Random, line: bytes, _: bytes) -> bytes:
    pair = "😀".encode("utf-16-be")
    halves = [chr(int.from_bytes(pair[i : i + 2], "big")) for i in (0, 2)]
    text = dice.choice(["".join(halves), halves[0], halves[1], "".join(halves[::-1])])
    return in_a_string(dice, line, text.encode("utf-8", "surrogatepass"))


def overlong(dice: Random, line: bytes, _: bytes) -> bytes:
    """An ASCII character of the line in two, three or four bytes."""
    if not line:
        return b"\xc0\x80"
    at = dice.randrange(len(line))
    code = line[at] & 0x7F
    low = 0x80 | code & 0x3F
    forms = [bytes([0xC0 | code >> 6, low]), bytes([0xE0, 0x80 | code >> 6, low])]
    forms.append(bytes([0xF0, 0x80, 0x80 | code >> 6, low]))
    return line[:at] + dice.choice(forms) + line[at + 1 :]


ILL_FORMED = [
    *[b"\x80", b"\xbf", b"\xc3", b"\xe2\x82", b"\xf0\x9f\x98", b"\xf4\x90\x80\x80", b"\xf8\x88"],
    *[b"\xfe", b"\xff", b"\xed\xa0\x80", b"\xed\xbf\xbf", b"\xc3\x28", b"\xe2\x28\xa1", b"\xf5"],
]


def ill_formed_utf8(dice: Random, line: bytes, _: bytes) -> bytes:
    raw = dice.choice(ILL_FORMED)
    return (
        in_a_string(dice, line, raw) if dice.random() < 0.6 else put(line, place(dice, line), raw)
    )


def byte_order_mark(dice: Random, line: bytes, _: bytes) -> bytes:
    mark = dice.choice([b"\xef\xbb\xbf", b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff", b"\xef\xbb"])
    if dice.random() < 0.4:
        return mark * dice.choice([1, 1, 2]) + line
    return (
        in_a_string(dice, line, mark) if dice.random() < 0.5 else put(line, place(dice, line), mark)
    )


ENCODINGS = named(
    *[in_another_encoding, with_a_value_in_another_encoding, cesu_8, overlong],
    *[ill_formed_utf8, byte_order_mark],
)

# -------------------------------------------------------------------------------- JSON, misspelled

_STRING = re.compile(rb'"(?:[^"\\]|\\.)*"')
_AFTER_STRING = re.compile(rb"\s*:")


def strings_of(line: bytes) -> list[tuple[int, int]]:
    """Start and stop (quotes included) of every string."""
    return [match.span() for match in _STRING.finditer(line)]


def values_of(line: bytes) -> list[tuple[int, int]]:
    return [span for span in strings_of(line) if not _AFTER_STRING.match(line, span[1])]


def in_a_string(dice: Random, line: bytes, new: bytes) -> bytes:
    """Put ``new`` into some string of the line, key or value, or anywhere without strings."""
    spans = strings_of(line)
    if not spans:
        return put(line, place(dice, line), new)
    start, stop = dice.choice(spans)
    return put(line, dice.randint(start + 1, stop - 1), new)


def instead_of_a_value(dice: Random, line: bytes, new: bytes) -> bytes:
    spans = values_of(line)
    if not spans:
        return b'{"text": ' + new + b"}"
    start, stop = dice.choice(spans)
    return line[:start] + new + line[stop:]


def with_a_pair(dice: Random, line: bytes, pair: bytes) -> bytes:
    """Add ``"key": value`` at the front or at the end of the object."""
    opening, closing = line.find(b"{"), line.rfind(b"}")
    if opening < 0 or closing < opening:
        return b"{" + pair + b"}"
    if dice.random() < 0.5:
        return put(line, opening + 1, pair + b", ")
    return put(line, closing, b", " + pair)


ESCAPES = [
    *[r"\u0000", r"\u001f", r"\u0041", r"\u00e9", r"\u2028", r"\ufeff", r"\uffff", r"\uFFFE"],
    *[r"\ud83d\ude00", r"\uD83D\uDE00", r"\ud83d", r"\ude00", r"\ude00\ud83d"],
    *[r"\ud83d\ud83d\ude00"],
    *[r"\ud83dx\ude00", r"\ud83d\\ude00", "\\ud83d\ufffd", r"\udbff\udfff", r"\ud83d\u0041"],
    *[r"\u", r"\u1", r"\u12", r"\u123", r"\u12_3", r"\u 123", r"\u+123", r"\u-123", r"\u0x12"],
    *[r"\uD83", r"\ud83d\u", r"\ud83d\ude0", r"\uGHIJ", r"\U0041", r"\x41", r"\0", r"\'", r"\a"],
    *["\\", "\\\\", r"\/", r"\"", r"\b\f\n\r\t", r"\v", "\\\t", "\\\r"],
    *["\\u\u0660\u0660\u0664\u0661", r"\u{41}", "\\\uff550041"],
]


def odd_escape(dice: Random, line: bytes, _: bytes) -> bytes:
    return in_a_string(dice, line, dice.choice(ESCAPES).encode())


def damaged_escape(dice: Random, line: bytes, _: bytes) -> bytes:
    """Hurt one of the escapes that are there."""
    places = [match.start() for match in re.finditer(rb"\\", line)]
    if not places:
        return odd_escape(dice, line, b"")
    at = dice.choice(places) + dice.randint(0, 5)
    new = dice.choice([b"", b"", b"\\", b"g", b"D", b"d8", b'"', b" ", b"0"])
    return line[:at] + new + line[at + 1 :]


def every_character_escaped(dice: Random, line: bytes, _: bytes) -> bytes:
    """A legal spelling of the same value, if the line was sound."""
    spans = strings_of(line)
    if not spans:
        return line
    start, stop = dice.choice(spans)
    try:
        units = json.loads(line[start:stop].decode("utf-8")).encode("utf-16-be", "surrogatepass")
    except ValueError:
        return line
    codes = struct.unpack(f">{len(units) // 2}H", units)
    form = dice.choice(["\\u%04x", "\\u%04X"])
    return line[:start] + f'"{"".join(form % code for code in codes)}"'.encode() + line[stop:]


def control_character(dice: Random, line: bytes, _: bytes) -> bytes:
    raw = dice.choice([bytes([dice.randrange(32)]), b"\x7f", b"\xc2\x85", b"\xe2\x80\xa8", b"\x0b"])
    return (
        in_a_string(dice, line, raw) if dice.random() < 0.6 else put(line, place(dice, line), raw)
    )


def carriage_return(dice: Random, line: bytes, _: bytes) -> bytes:
    choices = [line + b"\r", line + b"\r\r", b"\r" + line, put(line, place(dice, line), b"\r")]
    return dice.choice([*choices, in_a_string(dice, line, b"\r"), b"\r", line + b" \r "])


def nul(dice: Random, line: bytes, _: bytes) -> bytes:
    choices = [line + b"\0", b"\0" + line, b"\0" * len(line), b"\0"]
    return dice.choice(
        [*choices, in_a_string(dice, line, b"\0"), put(line, place(dice, line), b"\0")]
    )


SPACES = [
    *[" ", "\t", "\r", " \t \r", " " * 300, "\t" * 3],
    *["\x0b", "\x0c", "\x85", "\xa0", "\u2003", "\u3000", "\u200b", "\ufeff", "\x1c"],
]


def white_space(dice: Random, line: bytes, _: bytes) -> bytes:
    """Between two tokens, before or behind all of them."""
    space = dice.choice(SPACES).encode()
    tokens = [i for span in strings_of(line) for i in span] + [0, len(line)]
    return put(line, dice.choice(tokens), space)


def nothing_but_white_space(dice: Random, line: bytes, _: bytes) -> bytes:
    return "".join(dice.choice(SPACES) for _i in range(dice.randint(0, 3))).encode()


NUMBERS = [
    *["0", "-0", "1", "-12", "2.50", "1e5", "1E+05", "-0.0e-0", "1e999", "-1e-999", "1e-400"],
    *["9007199254740993", "18446744073709551615", "18446744073709551616", "-9223372036854775809"],
    *["1" * 400, "-" + "9" * 4301, "7" * 5000, "0." + "3" * 900, "1e" + "9" * 50],
    *["1" * 30 + ".5e1"],
    *["01", "-01", "+1", ".5", "1.", "1.e5", "1e", "1e+", "-", "--1", "0x1", "1_0", "1,0", "1 2"],
    *["\u0663", "\uff11", "1f", "0b1", "1e5.5", "-.5", "- 1", "1-", "00", "0e0", "0E-0", "1.0.0"],
]
WORDS = [
    *["NaN", "-NaN", "nan", "Infinity", "-Infinity", "+Infinity", "inf", "true", "false", "null"],
    *["True", "False", "None", "TRUE", "tru", "truex", "nul", "undefined", "", "'text'", "[]"],
    *["{}"],
    *['["text"]', '{"text": "a"}', "[NaN]", '{"a": -Infinity}', "[1,]", "[,1]", "[1 2]", '{"a"}'],
    *[","],
    *['"a" "b"', '"a""b"', '"a", "b"', "/* */ 1", "1 // c", "#", "`a`", '"a" : "b"', "(1)", "u'a'"],
]


def number(dice: Random, line: bytes, _: bytes) -> bytes:
    return instead_of_a_value(dice, line, dice.choice(NUMBERS).encode())


def constant(dice: Random, line: bytes, _: bytes) -> bytes:
    new = dice.choice(WORDS).encode()
    if dice.random() < 0.3:
        return with_a_pair(dice, line, b'"other": ' + new)
    return instead_of_a_value(dice, line, new)


def number_in_another_field(dice: Random, line: bytes, _: bytes) -> bytes:
    return with_a_pair(dice, line, b'"n": ' + dice.choice(NUMBERS).encode())


def duplicate_key(dice: Random, line: bytes, _: bytes) -> bytes:
    values = ['"again"', '""', "null", "[]", "1", '"\\ud800"', "true", '{"a": 1}', "NaN", "1.50"]
    spans = [span for span in strings_of(line) if _AFTER_STRING.match(line, span[1])]
    start, stop = dice.choice(spans or [(0, 0)])
    key = line[start:stop] or b'"text"'
    if dice.random() < 0.3:  # the same key, spelled otherwise
        key = b'"\\u%04x' % key[1] + key[2:] if 0x23 < key[1] < 0x5C else key
    return with_a_pair(dice, line, key + b": " + dice.choice(values).encode())


def no_such_key(dice: Random, line: bytes, _: bytes) -> bytes:
    """Take the key out, rename it, or give it another case."""
    keys = [span for span in strings_of(line) if _AFTER_STRING.match(line, span[1])]
    if not keys:
        return b"{}"
    start, stop = dice.choice(keys)
    old = line[start:stop]
    news = [
        old.upper(),
        b'""',
        b'" ' + old[1:],
        b'"\\ud800"',
        b'"e\xcc\x81"',
        b"1",
        old[1:-1],
        b"'a'",
    ]
    return line[:start] + dice.choice(news) + line[stop:]


def shape(dice: Random, line: bytes, other: bytes) -> bytes:
    """What is no object, or more than one."""
    return dice.choice(
        [
            *[b"[" + line + b"]", line + line, line + b" " + other, line + b",", b"," + line],
            *[line + b"}", b"{" + line, b"{" + line + b"}", line[1:], line[:-1], b'"a"', b"1"],
            *[json.dumps(text_of(line)).encode(), b"null", b"[]", b"{}", b"//", line + b"//x"],
            *[b")"],
            *[line.replace(b'"', b"'"), line.replace(b":", b"="), line.replace(b",", b";"), b"\\"],
            *[line.replace(b", ", b",,", 1), line.replace(b'"', b"\xe2\x80\x9c"), b"<a>" + line],
        ]
    )


DEPTHS = [2, 100, 490, 509, 510, 511, 512, 513, 600, 990, 1023, 1024, 1025, 1500, 20_000, 120_000]


def nesting(dice: Random, line: bytes, _: bytes) -> bytes:
    """Arrays and objects in each other, sometimes one end too few or too many."""
    depth = dice.choice(DEPTHS[:-2] if dice.random() < 0.97 else DEPTHS)
    kinds = dice.choice([["["], ['{"a":'], ["[", '{"a":'], ['{"":[1,']])
    openings = [kinds[i % len(kinds)] for i in range(depth)]
    if kinds == ['{"":[1,']:
        openings = openings[: max(1, depth // 2)]
    ends = {"[": "]", '{"a":': "}", '{"":[1,': "]}"}
    closings = [ends[opening] for opening in reversed(openings)]
    closings = closings[dice.choice([0, 0, 0, 0, 1]) :] + dice.choice([[], [], [], ["]"]])
    value = (
        "".join(openings) + dice.choice(["1", '"x"', "null", '"["', '"\\"]"']) + "".join(closings)
    )
    if dice.random() < 0.15:
        return value.encode()
    if dice.random() < 0.3:
        return instead_of_a_value(dice, line, value.encode())
    return with_a_pair(dice, line, b'"deep": ' + value.encode())


def brackets_in_a_string(dice: Random, line: bytes, _: bytes) -> bytes:
    text = dice.choice(["[", "{", "[{", '\\"[', "\\\\[", "]["]) * dice.choice([10, 600, 3000])
    return in_a_string(dice, line, text.encode())


def very_long(dice: Random, line: bytes, _: bytes) -> bytes:
    piece = dice.choice(["a", "é", "日本 ", "\\n", '\\"', "\\u0041", "\\ud83d\\ude00", " ", "x y "])
    times = dice.choice([2_000, 5_000, 20_000] if dice.random() < 0.9 else [150_000])
    return in_a_string(dice, line, (piece * times).encode())


def many_keys(dice: Random, line: bytes, _: bytes) -> bytes:
    count = dice.choice([10, 200, 2000])
    pairs = [f'"k{dice.randrange(count)}": {dice.randrange(99)}' for _i in range(count)]
    return with_a_pair(dice, line, ", ".join(pairs).encode())


def unchanged(dice: Random, line: bytes, _: bytes) -> bytes:
    return line


JSON = named(
    *[odd_escape, damaged_escape, every_character_escaped, control_character, carriage_return],
    *[nul, white_space, nothing_but_white_space, number, constant, number_in_another_field],
    *[duplicate_key, no_such_key, shape, nesting, brackets_in_a_string, very_long, many_keys],
)
# The expensive ones come less often, so that 100,000 lines take seconds.
RARE = {"very_long", "nesting", "many_keys", "brackets_in_a_string"}

LINE: dict[str, Bytes2] = {**BYTES, **ENCODINGS, **JSON, "unchanged": unchanged}
_COMMON = [name for name in LINE if name not in RARE]


def line_mutant(dice: Random, line: bytes, other: bytes) -> tuple[str, bytes]:
    """The names of one to three mutations, and what they made of the line."""
    names = []
    for _ in range(dice.choice([1, 1, 1, 1, 2, 3])):
        names.append(dice.choice(sorted(RARE) if dice.random() < 0.02 else _COMMON))
        line = LINE[names[-1]](dice, line, other)
    return "+".join(names), line


# ----------------------------------------------------------------------------------- whole files


def file_mutant(dice: Random, data: bytes, other: bytes) -> tuple[str, bytes]:
    """Damage without regard to lines: what a bad disk or a broken download does."""
    name = dice.choice(sorted(BYTES))
    return name, BYTES[name](dice, data, other)


# ------------------------------------------------------------------------ tokenizer.json as a tree

Path = tuple[Any, ...]
Tree = Any


def paths_in(tree: Tree, path: Path = ()) -> list[Path]:
    """Every place in a tree; of long lists and objects the first and last few entries."""
    entries: list[tuple[Any, Tree]] = []
    if isinstance(tree, dict):
        entries = list(tree.items())
    elif isinstance(tree, list):
        entries = list(enumerate(tree))
    found = [path] if path else []
    for key, value in entries if len(entries) <= 12 else entries[:6] + entries[-4:]:
        found += paths_in(value, (*path, key))
    return found


def parent_of(tree: Tree, path: Path) -> Any:
    for key in path[:-1]:
        tree = tree[key]
    return tree


ODD_VALUES: list[Any] = [
    *[None, True, False, 0, 1, -1, 2, 7, 1.5, -0.0, "", "x", "[UNK]", [], {}, [[]], [None], ["a"]],
    *[65_534, 65_535, 65_536, 70_000, 2**31 - 1, 2**31, 2**32 - 2, 2**32 - 1, 2**32, 2**63, 2**64],
    *[-(2**31), 1e308, 1e-320, float("nan"), float("inf"), 10**30, "\ud800", "\0", "a" * 5000, " "],
]


def leave_out(dice: Random, tree: Tree) -> None:
    path = dice.choice(paths_in(tree))
    del parent_of(tree, path)[path[-1]]


def odd_value(dice: Random, tree: Tree) -> None:
    path = dice.choice(paths_in(tree))
    parent_of(tree, path)[path[-1]] = dice.choice(ODD_VALUES)


def exchange(dice: Random, tree: Tree) -> None:
    one, other = (dice.choice(paths_in(tree)) for _ in range(2))
    if one[: len(other)] == other or other[: len(one)] == one:
        return
    a, b = parent_of(tree, one), parent_of(tree, other)
    a[one[-1]], b[other[-1]] = b[other[-1]], a[one[-1]]


def rename(dice: Random, tree: Tree) -> None:
    paths = [path for path in paths_in(tree) if isinstance(path[-1], str)]
    path = dice.choice(paths)
    parent = parent_of(tree, path)
    parent[dice.choice(["", "x", path[-1].upper(), path[-1] + " ", "type"])] = parent.pop(path[-1])


def add_a_key(dice: Random, tree: Tree) -> None:
    places = [tree, tree.get("model"), tree.get("padding"), *(tree.get("added_tokens") or [])]
    objects = [place for place in places if isinstance(place, dict)]
    keys = ["x", "type", "unk_token", "unk_id", "dropout", "vocab", "byte_fallback", "pad_id"]
    dice.choice(objects)[dice.choice(keys)] = dice.choice(ODD_VALUES)


def vocabulary_of(tree: Tree) -> Any:
    model = tree.get("model")
    return model.get("vocab") if isinstance(model, dict) else None


def odd_ids(dice: Random, tree: Tree) -> None:
    """Gaps, huge, shared, negative; or an entry that is missing."""
    vocabulary = vocabulary_of(tree)
    if isinstance(vocabulary, list) and vocabulary:
        at = dice.randrange(len(vocabulary))
        choices = [[], [vocabulary[at]] * 2, [["", 0.0]], [["a", -1e30]], [["ab", 5.0]], [["x"]]]
        vocabulary[at : at + 1] = dice.choice(choices)
    elif isinstance(vocabulary, dict) and vocabulary:
        token = dice.choice(list(vocabulary))
        ids = [len(vocabulary), len(vocabulary) + 5, 65_535, 65_536, 2**31, 2**32 - 1, 2**32, -1, 0]
        vocabulary[token] = dice.choice([*ids, vocabulary[dice.choice(list(vocabulary))]])
        if dice.random() < 0.3:
            del vocabulary[token]


def odd_special_tokens(dice: Random, tree: Tree) -> None:
    """UNK and PAD that are missing, elsewhere, the same, or not what the vocabulary says."""
    model, settings = tree.get("model"), tree.get("padding")
    token = dice.choice(["[UNK]", "[PAD]", "<unk>", "<pad>", "a", "zz", "", " ", None, "<s>"])
    if isinstance(model, dict) and dice.random() < 0.5:
        if model.get("type") == "Unigram":
            model["unk_id"] = dice.choice([None, 0, 1, 2, 5, 400, 10**6, -1])
        else:
            model["unk_token"] = token
    elif isinstance(settings, dict):
        settings[dice.choice(["pad_token", "pad_token", "pad_id"])] = dice.choice(
            [token, 0, 1, 2, 99]
        )


def odd_added_token(dice: Random, tree: Tree) -> None:
    texts = [
        "a",
        "the",
        "",
        " ",
        "\n",
        "[UNK]",
        "[PAD]",
        "<|end|>",
        "é",
        "\u2581",
        "tablespoon",
        "S",
    ]
    flags = ("single_word", "lstrip", "rstrip", "normalized", "special")
    token: dict[str, Any] = {flag: dice.random() < 0.5 for flag in flags}
    token |= {
        "id": dice.choice([0, 1, 2, 5, 150, 2000, 70_000, 2**32 - 1]),
        "content": dice.choice(texts),
    }
    tokens = tree.get("added_tokens")
    if not isinstance(tokens, list):
        tokens = tree["added_tokens"] = []
    tokens.insert(dice.randint(0, len(tokens)), token)


def odd_merges(dice: Random, tree: Tree) -> None:
    model = tree.get("model")
    merges = model.get("merges") if isinstance(model, dict) else None
    if not isinstance(merges, list):
        return odd_value(dice, tree)
    odd = [
        ["a", "b"],
        ["zz", "qq"],
        ["a"],
        ["a", "b", "c"],
        "a b",
        "ab",
        "",
        [],
        ["", "a"],
        ["a", ""],
    ]
    if merges and dice.random() < 0.4:
        at = dice.randrange(len(merges))
        merges[at : at + 1] = dice.choice([[], [merges[at]] * 2, [" ".join(map(str, merges[at]))]])
    else:
        merges.insert(dice.randint(0, len(merges)), dice.choice(odd))
    return None


REGEXES = [
    *["", ".", "a", r"\s+", r"[\s\S]", r"(?s).", "^", "$", r"\b", "(?=a)", "(?!a)", "(?<=a)b"],
    *["x*"],
    *["(a+)+$", "(a|a)*b", r"(\w+\s?)*!", "((a*)*)*", "(.*)*x", r"(?:(?:a?){30}){30}b", r"\p{L}+"],
    *["[", "(", ")", "*", "a{2,1}", "a{99999}", r"\p{Foo}", r"\1", r"(?<n>a)\k<n>", "(?i)é", r"\X"],
    *["(" * 300 + ")" * 300, "a" * 3000, "[^a]", r"\G", r"(?R)", r"(?<a>\g<a>)", "\ud800"],
    *[r"\x{110000}"],
]


def odd_pattern(dice: Random) -> dict[str, Any]:
    return {dice.choice(["Regex", "Regex", "String"]): dice.choice(REGEXES)}


def odd_pre_tokenizer(dice: Random) -> dict[str, Any] | None:
    behaviours = ["Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous"]
    replacement = dice.choice(["\u2581", "_", "é", "", "ab", " "])
    scheme = dice.choice(["always", "first", "never", "x"])
    choices: list[dict[str, Any] | None] = [
        None,
        *({"type": name} for name in ("Whitespace", "WhitespaceSplit", "BertPreTokenizer")),
        *({"type": name} for name in ("UnicodeScripts", "Nothing", "Sequence", "Digits")),
        {"type": "Metaspace", "replacement": replacement, "prepend_scheme": scheme, "split": True},
        {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": False, "use_regex": True},
        {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False},
        {"type": "Digits", "individual_digits": dice.random() < 0.5},
        {"type": "Punctuation", "behavior": dice.choice(behaviours)},
        {"type": "CharDelimiterSplit", "delimiter": dice.choice(["a", "", "ab", "\n"])},
        {"type": "FixedLength", "length": dice.choice([0, 1, 3, -1, 2**63])},
        *[split(dice, behaviours) for _ in range(8)],
    ]
    return dice.choice(choices)


def split(dice: Random, behaviours: list[str]) -> dict[str, Any]:
    behaviour, invert = dice.choice(behaviours), dice.random() < 0.5
    return {"type": "Split", "pattern": odd_pattern(dice), "behavior": behaviour, "invert": invert}


def odd_normaliser(dice: Random) -> dict[str, Any] | None:
    names = [
        "NFC",
        "NFD",
        "NFKC",
        "NFKD",
        "Lowercase",
        "StripAccents",
        "Nmt",
        "ByteLevel",
        "Nothing",
    ]
    charsmap = dice.choice(["", "AAAA", "x", "ALQCAACEAAA=", None, "/" * 400, "AQAAAAAAAAA="])
    flags = ("clean_text", "handle_chinese_chars", "strip_accents", "lowercase")
    choices: list[dict[str, Any] | None] = [
        None,
        *({"type": name} for name in names),
        {"type": "Strip", "strip_left": True, "strip_right": dice.random() < 0.5},
        {"type": "Prepend", "prepend": dice.choice(["", "\u2581", "ab", "\n", "ß"])},
        {"type": "Precompiled", "precompiled_charsmap": charsmap},
        {"type": "BertNormalizer", **{flag: dice.random() < 0.5 for flag in flags}},
        *[replacing(dice) for _ in range(6)],
    ]
    return dice.choice(choices)


def replacing(dice: Random) -> dict[str, Any]:
    content = dice.choice(["", "a", " ", "aa", "ß", "日", "\\1", "[UNK]"])
    return {"type": "Replace", "pattern": odd_pattern(dice), "content": content}


def odd_stage(dice: Random, tree: Tree) -> None:
    """Another normaliser or pre-tokenizer, legal or not; sometimes several in a row."""
    name, key, make = dice.choice(
        [
            ("normalizer", "normalizers", odd_normaliser),
            ("pre_tokenizer", "pretokenizers", odd_pre_tokenizer),
        ]
    )
    stage = make(dice)
    if dice.random() < 0.3:
        stage = {"type": "Sequence", key: [stage, make(dice), tree.get(name)][: dice.randint(0, 3)]}
    tree[name] = stage


def damaged_charsmap(dice: Random, tree: Tree) -> None:
    normaliser = tree.get("normalizer")
    text = normaliser.get("precompiled_charsmap") if isinstance(normaliser, dict) else None
    if not isinstance(text, str) or not text:
        return odd_stage(dice, tree)
    raw = base64.b64decode(text)
    damaged = BYTES[dice.choice(sorted(BYTES))](dice, raw, raw)
    normaliser["precompiled_charsmap"] = base64.b64encode(damaged).decode()
    return None


def odd_settings(dice: Random, tree: Tree) -> None:
    """Legal settings that must not reach the ids, and illegal ones."""
    changes: list[tuple[Path, Any]] = [
        (
            ("truncation",),
            {"direction": "Left", "max_length": 3, "strategy": "LongestFirst", "stride": 1},
        ),
        (
            ("truncation",),
            {"direction": "Right", "max_length": 0, "strategy": "OnlyFirst", "stride": 9},
        ),
        (("padding", "strategy"), {"Fixed": dice.choice([0, 5, 10**9])}),
        (("padding", "pad_to_multiple_of"), dice.choice([0, 1, 8, 10**9])),
        (("padding", "direction"), "Left"),
        (("model", "dropout"), dice.choice([0.0, 0.5, 1.0, 1.5, -1, "x"])),
        (("model", "fuse_unk"), True),
        (("model", "byte_fallback"), True),
        (("model", "ignore_merges"), True),
        (("model", "continuing_subword_prefix"), dice.choice(["##", "", "a", "é" * 9])),
        (("model", "end_of_word_suffix"), dice.choice(["</w>", "", "b", None])),
        (("model", "max_input_chars_per_word"), dice.choice([0, 1, 100, -1])),
        (("post_processor",), {"type": "BertProcessing", "sep": ["</s>", 7], "cls": ["<s>", 6]}),
        (
            ("post_processor",),
            {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True},
        ),
        (("decoder",), dice.choice([{"type": "Fuse"}, {"type": "x"}, {"type": "ByteFallback"}])),
        (("version",), dice.choice(["1.0", "2.0", 1, None])),
        (("model", "type"), dice.choice(["BPE", "WordPiece", "WordLevel", "Unigram", "x"])),
    ]
    path, value = dice.choice(changes)
    parent = tree if len(path) == 1 else tree.get(path[0])
    if isinstance(parent, dict):
        parent[path[-1]] = value


JSON_TREE = named(
    *[leave_out, odd_value, exchange, rename, add_a_key, odd_ids, odd_special_tokens],
    *[odd_added_token, odd_merges, odd_stage, odd_settings, damaged_charsmap],
)


def duplicate_keys_in_text(dice: Random, text: bytes) -> bytes:
    """Some ``"key":`` is written a second time with an odd value."""
    keys = re.findall(rb'"[a-z_]{2,20}":', text)
    if not keys:
        return text
    pair = dice.choice(keys) + b" " + json.dumps(dice.choice(ODD_VALUES)).encode() + b", "
    return put(text, text.find(b"{", dice.choice([0, 0, place(dice, text)])) + 1, pair)


def json_tokenizer_mutant(dice: Random, document: bytes, other: bytes) -> tuple[str, bytes]:
    if dice.random() < 0.15:
        return file_mutant(dice, document, other)
    if dice.random() < 0.05:
        return "duplicate_keys_in_text", duplicate_keys_in_text(dice, document)
    tree, names = json.loads(document), []
    for _ in range(dice.choice([1, 1, 1, 2, 3])):
        names.append(dice.choice(sorted(JSON_TREE)))
        # An earlier mutation may have left nothing of what this one changes.
        with contextlib.suppress(AttributeError, IndexError, KeyError, TypeError, ValueError):
            JSON_TREE[names[-1]](dice, tree)
    text = json.dumps(tree, ensure_ascii=dice.random() < 0.5).encode("utf-8", "surrogatepass")
    return "+".join(names), text


# ------------------------------------------------------------------------- .model as its fields

VARINT, FIXED64, BYTES_FIELD, GROUP, END_GROUP, FIXED32 = 0, 1, 2, 3, 4, 5
PIECE, TRAINER, NORMALISER = 1, 2, 3
Field = tuple[int, int, Any]  # number, wire type, value (int, or bytes)


def varint(value: int) -> bytes:
    out = bytearray()
    value &= 2**64 - 1
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])


def read_varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        if at >= len(data) or shift > 63:
            raise ValueError("a number that does not end")
        value |= (data[at] & 127) << shift
        at, shift = at + 1, shift + 7
        if data[at - 1] < 128:
            return value & (2**64 - 1), at


def read_fields(data: bytes) -> list[Field]:
    """The fields of a protocol buffer message; raises ``ValueError`` for what is none."""
    fields: list[Field] = []
    at = 0
    while at < len(data):
        key, at = read_varint(data, at)
        kind: int = key & 7
        value: Any
        if kind == VARINT:
            value, at = read_varint(data, at)
        elif kind in (FIXED32, FIXED64, BYTES_FIELD):
            size = {FIXED32: 4, FIXED64: 8}.get(kind)
            if size is None:
                size, at = read_varint(data, at)
            if at + size > len(data):
                raise ValueError("a field that does not end")
            value, at = data[at : at + size], at + size
        else:
            raise ValueError("a group")
        fields.append((key >> 3, kind, value))
    return fields


def write_fields(fields: list[Field]) -> bytes:
    out = []
    for number_, kind, value in fields:
        out.append(varint(number_ << 3 | kind))
        if kind == VARINT:
            out.append(varint(value))
        elif kind == BYTES_FIELD:
            out.append(varint(len(value)) + value)
        elif kind in (FIXED32, FIXED64):
            out.append(value)
    return b"".join(out)


def within(fields: list[Field], at: int, change: Callable[[list[Field]], None]) -> None:
    """Change the inside of a field that is a message itself."""
    number_, kind, value = fields[at]
    inner = read_fields(value)
    change(inner)
    fields[at] = (number_, kind, write_fields(inner))


def places_of(fields: list[Field], number_: int) -> list[int]:
    found = [i for i, field in enumerate(fields) if field[:2] == (number_, BYTES_FIELD)]
    if number_ == PIECE and len(found) > 16:
        return found[:8] + found[-8:]
    return found


def set_field(fields: list[Field], number_: int, kind: int, value: Any) -> None:
    fields[:] = [field for field in fields if field[0] != number_] + [(number_, kind, value)]


def field_left_out(dice: Random, fields: list[Field]) -> None:
    del fields[dice.choice([dice.randrange(len(fields)), len(fields) - 1, len(fields) - 2, 0])]


def field_doubled(dice: Random, fields: list[Field]) -> None:
    at = dice.choice([dice.randrange(len(fields)), len(fields) - 1, 0])
    fields.insert(dice.choice([at, 0, len(fields)]), fields[at])


def fields_exchanged(dice: Random, fields: list[Field]) -> None:
    a, b = (dice.choice([dice.randrange(len(fields)), len(fields) - 1, 0]) for _ in range(2))
    fields[a], fields[b] = fields[b], fields[a]


def field_moved(dice: Random, fields: list[Field]) -> None:
    field = fields.pop(dice.choice([dice.randrange(len(fields)), len(fields) - 1, 0]))
    fields.insert(dice.randint(0, len(fields)), field)


def unknown_field(dice: Random, fields: list[Field]) -> None:
    odd: list[Field] = [
        *[(99, VARINT, 7), (200, BYTES_FIELD, b"abc"), (1, VARINT, 5), (2, VARINT, 1)],
        *[(0, VARINT, 0)],
        *[(3, FIXED32, b"abcd"), (7, GROUP, 0), (7, END_GROUP, 0), (2**28, VARINT, 1)],
        *[(4, FIXED64, b"8" * 8)],
        *[(1, BYTES_FIELD, b""), (2, BYTES_FIELD, b""), (3, BYTES_FIELD, b"")],
        *[(1, BYTES_FIELD, b"\xff")],
    ]
    fields.insert(dice.choice([0, len(fields), dice.randint(0, len(fields))]), dice.choice(odd))


def odd_piece_type(dice: Random, fields: list[Field]) -> None:
    kind = dice.choice([0, 1, 2, 3, 4, 5, 6, 7, 99, 2**32, 2**64 - 1])
    pieces = places_of(fields, PIECE)
    if pieces:
        within(fields, dice.choice(pieces), lambda piece: set_field(piece, 3, VARINT, kind))


def odd_piece_text(dice: Random, fields: list[Field]) -> None:
    texts = [
        b"",
        b"a",
        b"\xe2\x96\x81",
        b" ",
        b"\0",
        b"\xff",
        b"<0x41>",
        b"<0xZZ>",
        b"<|end|>",
        b"[PAD]",
    ]
    text = dice.choice([*texts, b"<pad>", b"<unk>", b"the", b"a" * 5000, b"\xed\xa0\x80", b"S"])
    pieces = places_of(fields, PIECE)
    if pieces:
        within(fields, dice.choice(pieces), lambda piece: set_field(piece, 1, BYTES_FIELD, text))


def marker_piece(dice: Random, fields: list[Field]) -> None:
    """A user-defined symbol, its fields in the usual order or another."""
    text = dice.choice([b"<|end|>", b"the", b"[SEP]", b"S", b"<s>", b"\xe2\x96\x81\xe2\x96\x81"])
    piece = [(1, BYTES_FIELD, text), (2, FIXED32, struct.pack("<f", 0.0)), (3, VARINT, 4)]
    if dice.random() < 0.5:
        dice.shuffle(piece)
    if dice.random() < 0.2:
        piece.append((dice.choice([15, 99, 200]), VARINT, 4))
    at = dice.choice([len(places_of(fields, PIECE)), len(fields), 3])
    fields.insert(min(at, len(fields)), (PIECE, BYTES_FIELD, write_fields(piece)))


def odd_score(dice: Random, fields: list[Field]) -> None:
    raw = dice.choice([0.0, 1e38, -1e38, float("nan"), float("inf"), float("-inf"), -7.5, 1e-45])
    pieces = places_of(fields, PIECE)
    if pieces:
        score = struct.pack("<f", raw)
        within(fields, dice.choice(pieces), lambda piece: set_field(piece, 2, FIXED32, score))


TRAINER_NUMBERS = [3, 4, 20, 35, 40, 41, 42, 43, 24]
TRAINER_TEXTS = [36, 44, 45, 46, 47, 48, 30, 31]


def odd_trainer_settings(dice: Random, fields: list[Field]) -> None:
    places = places_of(fields, TRAINER)
    if not places:
        return

    def change(inner: list[Field]) -> None:
        if dice.random() < 0.6:
            value = dice.choice([0, 1, 2, 3, 4, 5, 99, 2000, 2**31, 2**32 - 1, -1])
            set_field(inner, dice.choice(TRAINER_NUMBERS), VARINT, value)
        else:
            text = dice.choice([b"", b"<pad>", b"<unk>", b"a", b"\xff", b"\0", b"x" * 300])
            set_field(inner, dice.choice(TRAINER_TEXTS), BYTES_FIELD, text)

    within(fields, dice.choice(places), change)


def odd_normaliser_settings(dice: Random, fields: list[Field]) -> None:
    places = places_of(fields, NORMALISER)
    if not places:
        return

    def change(inner: list[Field]) -> None:
        number_ = dice.choice([1, 2, 2, 2, 2, 3, 4, 5, 6])
        if number_ in (3, 4, 5):
            set_field(inner, number_, VARINT, dice.choice([0, 1, 2, 2**32]))
            return
        old = next((value for n, kind, value in inner if (n, kind) == (2, BYTES_FIELD)), b"")
        maps = [b"", b"\0", b"\0" * 12, b"\4\0\0\0abcd", struct.pack("<I", 1024) + b"\xff" * 1100]
        if old and number_ == 2 and dice.random() < 0.8:
            maps = [BYTES[dice.choice(sorted(BYTES))](dice, old, old)]
        set_field(inner, number_, BYTES_FIELD, dice.choice(maps))

    within(fields, dice.choice(places), change)


MODEL = named(
    *[field_left_out, field_doubled, fields_exchanged, field_moved, unknown_field],
    *[odd_piece_type, odd_piece_text, marker_piece, odd_score],
    *[odd_trainer_settings, odd_normaliser_settings],
)


def model_mutant(dice: Random, model: bytes, other: bytes) -> tuple[str, bytes]:
    if dice.random() < 0.3:
        return file_mutant(dice, model, other)
    fields, names = read_fields(model), []
    for _ in range(dice.choice([1, 1, 1, 2, 3])):
        name = dice.choice(sorted(MODEL))
        try:
            MODEL[name](dice, fields)
        except (ValueError, IndexError):  # an earlier mutation left nothing to change
            continue
        names.append(name)
    return "+".join(names), write_fields(fields)
