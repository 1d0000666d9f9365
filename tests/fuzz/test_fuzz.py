"""The share of the fuzz that every test run does; ``run.py`` goes on for as long as you like."""

from __future__ import annotations

import os
import signal
import time
from collections import Counter
from typing import Any

import pytest
from fuzz import mutate, targets
from fuzz.child import CrashError, in_child

from mintdim.sources.jsonl import read_values

SEED = 20_260
LINES, BATCH = 100_000, 10_000
BUILDS = 300
TOKENIZERS = 400
PART = 50


def parts(total: int, size: int) -> list[range]:
    return [range(start, start + size) for start in range(0, total, size)]


def check(target: str, numbers: range) -> None:
    for number in numbers:
        case = targets.MAKERS[target](SEED, number)
        if finding := targets.judge(case):
            again = f"python tests/fuzz/run.py --seed {SEED} --target {target} --case {number}"
            pytest.fail(f"{again}\n{case.mutations}\n{finding.kind}\n{finding.detail}")


@pytest.mark.parametrize("numbers", parts(LINES, BATCH), ids=str)
def test_a_mutated_line_gives_what_the_oracle_says_or_its_error(numbers: range) -> None:
    number = targets.check_lines(SEED, numbers)
    if number is not None:
        check("line", range(number, number + 1))
        pytest.fail(f"line {number} ended its batch, but not alone")


@pytest.mark.parametrize("numbers", parts(BUILDS, PART), ids=str)
def test_files_of_mutated_lines_build_as_the_oracle_says_in_large_and_small_pieces(
    numbers: range,
) -> None:
    check("build", numbers)


@pytest.mark.parametrize("numbers", parts(TOKENIZERS, PART), ids=str)
def test_a_mutated_tokenizer_gives_the_ids_of_its_library_or_is_refused(numbers: range) -> None:
    check("tokenizer", numbers)


# --------------------------------------------------------------- the fuzz itself: is it any good?


def test_the_same_seed_and_number_give_the_same_case() -> None:
    for make in targets.MAKERS.values():
        assert make(1, 2) == make(1, 2)
        assert make(1, 2) != make(1, 3)


def test_every_mutation_of_lines_changes_some_line_and_both_fates_are_common() -> None:
    fates: Counter[str] = Counter()
    seen: Counter[str] = Counter()
    for number in range(3_000):
        case = targets.make_line(SEED, number)
        outcome = targets.line_by_oracle(case)
        fates[outcome[1] if outcome[0] == "error" else outcome[0]] += 1
        seen.update(case.mutations.split("+"))
    assert set(seen) == set(mutate.LINE)
    wanted = {"values", "blank", "SourceParseError", "SampleSchemaError", "SampleFieldTypeError"}
    assert set(fates) == wanted
    assert fates["values"] > 300


def test_a_wrong_value_is_found_and_made_small(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(*args: Any) -> list[str]:
        return [value.replace("eggs", "ham") for value in read_values(*args)]

    monkeypatch.setattr(targets, "read_values", wrong)
    line = b'{"text": "' + b"many " * 50 + b"eggs" + b" more" * 50 + b'"}'
    case = targets.Line("none", line, ("text",))
    finding = targets.judge(case)
    assert finding is not None
    assert finding.kind == "values instead of values"
    smallest = targets.smallest(case, finding)
    assert isinstance(smallest, targets.Line)
    assert smallest.line == b'{"text":"eggs"}'


def test_a_child_that_crashes_hangs_or_raises_is_told_apart() -> None:
    def stop() -> None:
        os.kill(os.getpid(), signal.SIGSEGV)

    def fail() -> None:
        raise KeyError("what")

    assert in_child(lambda: [1, "a"], 10) == [1, "a"]
    with pytest.raises(CrashError, match="killed by SIGSEGV"):
        in_child(stop, 10)
    with pytest.raises(CrashError, match="did not end within"):
        in_child(lambda: time.sleep(60), 0.2)
    with pytest.raises(CrashError, match="KeyError: 'what'"):
        in_child(fail, 10)
