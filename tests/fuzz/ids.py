"""Fuzz of the accelerator, for as long as you like: mutated text, accelerated and official ids.

    python tests/fuzz/ids.py --seconds 3600 --seed 7
    python tests/fuzz/ids.py --seconds 3600 --seed 7 tokenizer.json tokenizer.model

Runs every kind of tokenizer that may be accelerated (small ones, trained on the spot) and the
files that are named. Prints the smallest text of every difference; ends with 1 if there was one.
What is found belongs into the self-check: ``_FOUND`` in ``mintdim/encoders/adversarial_texts.py``.
The work is done in child processes, so that a crash or an endless loop is a finding, too.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
import unicodedata
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from encoders import trained
from fuzz.targets import halved

from mintdim.encoders.accelerators import eligible
from mintdim.encoders.adversarial_texts import selection
from mintdim.encoders.cross_check import first_difference

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mintdim.encoders.contract import Encoder, TextEncoder

TEXTS = 150  # in a round
ROUNDS = 20  # in a child
CHILD_SECONDS = 300.0
SHOWN = 20  # ids

SPACES = (" ", "  ", "\n", "\r\n", "\n\n ", "\t", "\x0b", "\x85", "\u00a0", "\u180e", "\u2003")
SPACES = (*SPACES, "\u2028", "\u200b", "\u3000", "\ufeff", "\u2581", " \u2581")
WORDS = (
    "'s",
    "'LL",
    "\u2019re",
    "'\u017f",
    "1",
    "12",
    "1234",
    "\u0663\u00bd",
    "_",
    "<0x41>",
    "<s>",
)
MARKS = ("\u0301", "\u0323", "\u0308\u0301", "\u0f71\u0f72", "\u1161", "\u11a8", "\u0345", "\u200d")


# ------------------------------------------------------------------------------------ mutations


def _place(dice: Random, text: str) -> int:
    return dice.randint(0, len(text))


def _insert(dice: Random, text: str, inner: str) -> str:
    at = _place(dice, text)
    return text[:at] + inner + text[at:]


def _any_character(dice: Random) -> str:
    top = dice.choice((0x80, 0x250, 0x3400, 0xD800, 0x20000, 0x110000))
    code = dice.randrange(top)
    return chr(code) if not 0xD800 <= code < 0xE000 else "\ue000"


def _cut(dice: Random, text: str, other: str) -> str:
    start, stop = sorted((_place(dice, text), _place(dice, text)))
    return text[:start] + text[stop:]


def _splice(dice: Random, text: str, other: str) -> str:
    return text[: _place(dice, text)] + other[_place(dice, other) :]


def _repeat(dice: Random, text: str, other: str) -> str:
    at = _place(dice, text)
    return text[:at] + text[at : at + dice.randint(1, 3)] * dice.randint(2, 90) + text[at:]


def _neighbour(dice: Random, text: str, other: str) -> str:
    at = _place(dice, text)
    code = ord(text[at : at + 1] or "a") + dice.choice((-1, 1, 0x20, -0x20, 0x100))
    fine = 0 <= code < 0xD800 or 0xE000 <= code < 0x110000
    return text[:at] + (chr(code) if fine else "") + text[at + 1 :]


def _recased(dice: Random, text: str, other: str) -> str:
    return dice.choice((str.upper, str.lower, str.title, str.swapcase))(text)


def _renormalised(dice: Random, text: str, other: str) -> str:
    form: Callable[[str], str] = lambda part: unicodedata.normalize("NFD", part)  # noqa: E731
    return form(text) if dice.random() < 0.7 else text[::-1]


MUTATIONS: tuple[Callable[[Random, str, str], str], ...] = (
    _cut,
    _splice,
    _repeat,
    _neighbour,
    _recased,
    _renormalised,
    lambda dice, text, other: _insert(dice, text, dice.choice(SPACES)),
    lambda dice, text, other: _insert(dice, text, dice.choice(WORDS)),
    lambda dice, text, other: _insert(dice, text, dice.choice(MARKS)),
    lambda dice, text, other: _insert(dice, text, _any_character(dice)),
    lambda dice, text, other: _insert(dice, text, _any_character(dice) * dice.randint(1, 40)),
)


def make_texts(seed: int, number: int, literals: Sequence[str]) -> list[str]:
    """The texts of a round; ``literals`` (added tokens) are put in as well."""
    dice = Random(f"ids {seed} {number}")
    stock = [*trained.texts(), *selection(literals)]
    return [_mutant(dice, stock, literals) for _ in range(TEXTS)]


def _mutant(dice: Random, stock: Sequence[str], literals: Sequence[str]) -> str:
    text, other = (_piece(dice, dice.choice(stock)) for _ in range(2))
    for _ in range(dice.randint(1, 6)):
        if literals and dice.random() < 0.15:
            literal = dice.choice(literals)
            text = _insert(dice, text, literal[: dice.choice((len(literal), len(literal) - 1))])
        else:
            text = dice.choice(MUTATIONS)(dice, text, other)
    return text


def _piece(dice: Random, text: str) -> str:
    start = _place(dice, text)
    return text[start : start + dice.choice((3, 10, 60, 400))]


# ------------------------------------------------------------------------------------- judging


def smallest(official: TextEncoder, accelerator: TextEncoder, text: str) -> str:
    """A shorter text whose ids differ."""

    def differs(characters: list[str]) -> bool:
        return _differ(official, accelerator, ["".join(characters)]) is not None

    return "".join(halved(list(text), differs))


def _differ(official: TextEncoder, accelerator: TextEncoder, texts: list[str]) -> int | None:
    return first_difference(official.encode_batch(texts), accelerator.encode_batch(texts))


def finding(official: TextEncoder, accelerator: TextEncoder, texts: list[str]) -> str | None:
    """What is wrong with the ids of the texts: in words, with the smallest text."""
    place = _differ(official, accelerator, texts)
    if place is None:
        return None
    text = smallest(official, accelerator, texts[place])
    wanted, found = (
        encoder.encode_batch([text]).ids[:SHOWN].tolist() for encoder in (official, accelerator)
    )
    return f"{text!a}: {found} instead of {wanted}"


def content(name: str) -> bytes:
    return trained.KINDS[name]() if name in trained.KINDS else Path(name).read_bytes()


def check(name: str, seed: int, numbers: range) -> str | None:
    """Judge rounds of one tokenizer, in this process; the first finding in words."""
    from mintdim.encoders.fastokens import Fastokens

    data = content(name)
    official: Encoder = trained.official(data)
    plan = eligible(official, data)
    if plan is None:
        return None
    accelerator = Fastokens(plan(), official)
    literals = list(official.special_tokens.values())
    for number in numbers:
        found = finding(official, accelerator, make_texts(seed, number, literals))
        if found is not None:
            return f"round {number}: {found}"
    return None


def check_in_child(names: Sequence[str], seed: int, numbers: range) -> str:
    """What a fresh process has to say of some tokenizers; nothing if all is well."""
    places = [str(seed), str(numbers.start), str(numbers.stop)]
    command = [sys.executable, str(Path(__file__).resolve()), "--child", *places, *names]
    try:
        child = subprocess.run(
            command, capture_output=True, text=True, timeout=CHILD_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return f"{names}: no end of the rounds {numbers}"
    ended = f"exit status {child.returncode}: {child.stderr[-800:]}" if child.returncode else ""
    return child.stdout + ended


# ------------------------------------------------------------------------------------- running


def main() -> int:
    if sys.argv[1:2] == ["--child"]:
        seed, start, stop = map(int, sys.argv[2:5])
        for name in sys.argv[5:]:
            if found := check(name, seed, range(start, stop)):
                print(f"{name}: {found}")  # noqa: T201
        return 0
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("files", nargs="*", help="tokenizer files; without any, the small ones")
    options = parser.parse_args()
    names, bad, at = options.files or list(trained.KINDS), 0, 0
    deadline = time.monotonic() + options.seconds
    while time.monotonic() < deadline:
        for name in names:
            said = check_in_child([name], options.seed, range(at, at + ROUNDS))
            bad += bool(said)
            sys.stdout.write(said)
        at += ROUNDS
        sys.stdout.write(f"seed {options.seed}: {at} rounds, {bad} findings\n")
        sys.stdout.flush()
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
