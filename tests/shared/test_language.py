"""The language of errors: the choice of the program, else of the environment, else English."""

from __future__ import annotations

from string import Formatter
from typing import TYPE_CHECKING

import pytest

import mintdim
from mintdim.shared.errors import LanguageError
from mintdim.shared.language import current_language, english
from mintdim.shared.messages import PHRASES, TEXTS

if TYPE_CHECKING:
    from collections.abc import Iterator

VARIABLE = "MINTDIM_LANG"


@pytest.fixture(autouse=True)
def _no_choice(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.delenv(VARIABLE, raising=False)
    mintdim.set_language(None)
    yield
    mintdim.set_language(None)


def test_english_is_the_default() -> None:
    assert current_language() == "en"


@pytest.mark.parametrize("value", ["en", "fr", "VI", "vi ", "vi_VN", ""])
def test_any_other_value_of_the_variable_means_english(
    value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, value)
    assert current_language() == "en"


def test_the_variable_is_read_when_an_error_is_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    error = LanguageError(language="de")
    before = str(error)
    monkeypatch.setenv(VARIABLE, "vi")
    assert str(error) != before
    monkeypatch.delenv(VARIABLE)
    assert str(error) == before


def test_the_choice_of_the_program_beats_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "vi")
    mintdim.set_language("en")
    assert current_language() == "en"
    mintdim.set_language(None)
    assert current_language() == "vi"


@pytest.mark.parametrize("value", ["de", "EN", "", 1, b"vi", ["vi"], object()])
def test_another_language_is_refused_and_changes_nothing(value: object) -> None:
    mintdim.set_language("vi")
    with pytest.raises(LanguageError):
        mintdim.set_language(value)  # type: ignore[arg-type]
    assert current_language() == "vi"


def test_english_holds_inside_its_block_only_even_if_the_block_fails() -> None:
    mintdim.set_language("vi")
    seen = []

    def fail() -> None:
        seen.append(current_language())
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError), english():
        fail()
    assert seen == ["en"]
    assert current_language() == "vi"


@pytest.mark.parametrize("table", [TEXTS, PHRASES], ids=["texts", "phrases"])
def test_every_text_exists_in_both_languages_with_the_same_facts(
    table: dict[str, dict[str, str]],
) -> None:
    for key, texts in table.items():
        assert set(texts) == {"en", "vi"}
        facts = [
            sorted({name for _, name, _, _ in Formatter().parse(text) if name})
            for text in (texts["en"], texts["vi"])
        ]
        assert facts[0] == facts[1], key


def test_every_text_has_the_same_number_of_lines_in_both_languages() -> None:
    for key, texts in TEXTS.items():
        assert texts["en"].count("\n") == texts["vi"].count("\n"), key
