"""Fuzz for as long as you like.

    python tests/fuzz/run.py --seconds 3600 --seed 7
    python tests/fuzz/run.py --seed 7 --target tokenizer --case 1234

Prints every finding of a new kind with its seed, its number and the smallest input that shows
it; ends with 1 if there was one. The second form judges one case again. ``ids.py`` does the same
for the ids of an accelerator.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from fuzz import targets

if TYPE_CHECKING:
    from collections.abc import Iterator

LINES, BUILDS, TOKENIZERS = 4_000, 20, 40  # one round: about ten seconds


def main() -> int:
    options = _options()
    if options.case is not None:
        return _one(options.target or "line", options.seed, options.case)
    kinds: set[str] = set()
    deadline, round_ = time.monotonic() + options.seconds, 0
    wanted = [options.target] if options.target else list(targets.MAKERS)
    while time.monotonic() < deadline:
        for target in wanted:
            for number in _suspects(target, options.seed, round_):
                _report(target, options.seed, number, kinds)
        round_ += 1
        _say(f"seed {options.seed}: {round_} rounds, {len(kinds)} kinds of findings")
    return bool(kinds)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--target", choices=list(targets.MAKERS))
    parser.add_argument("--case", type=int, help="judge this number alone")
    return parser.parse_args()


def _suspects(target: str, seed: int, round_: int) -> Iterator[int]:
    """The numbers of this round that have to be judged one by one."""
    if target != "line":
        count = BUILDS if target == "build" else TOKENIZERS
        yield from range(round_ * count, (round_ + 1) * count)
        return
    start, stop = round_ * LINES, (round_ + 1) * LINES
    while start < stop:
        found = targets.check_lines(seed, range(start, stop))
        if found is None:
            return
        yield found
        start = found + 1


def _report(target: str, seed: int, number: int, kinds: set[str]) -> bool:
    case = targets.MAKERS[target](seed, number)
    finding = targets.judge(case)
    if finding is None:
        return False
    kind = f"{target}: {finding.kind}"
    if kind not in kinds:
        kinds.add(kind)
        small = targets.smallest(case, finding)
        _say(f"\n{kind}\nseed {seed}, case {number}, {case.mutations}")
        _say(f"{finding.detail}\n{targets.shown(small)}\n")
    return True


def _one(target: str, seed: int, number: int) -> int:
    found = _report(target, seed, number, set())
    _say("a finding" if found else "as it must be")
    return found


def _say(text: str) -> None:
    sys.stdout.write(text.encode("utf-8", "backslashreplace").decode() + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
