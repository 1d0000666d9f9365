"""What `import mintdim` gives, and what it does not cost."""

from __future__ import annotations

import importlib.metadata
import importlib.resources
import os
import pickle
import re
import subprocess
import sys
from pathlib import Path

import pytest

import mintdim
from mintdim.shared.errors import LanguageError, UnknownPipelineError

HEAVY = {"numpy", "tokenizers", "sentencepiece", "orjson", "tqdm"}
REPOSITORY = Path(__file__).parents[1]


def loaded_after(code: str) -> set[str]:
    """The heavy libraries that a fresh interpreter has loaded after `code`."""
    script = f"{code}\nimport sys\nprint(*sys.modules)"
    run = subprocess.run(
        [sys.executable, "-c", script],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return HEAVY & {name.split(".")[0] for name in run.stdout.split()}


@pytest.fixture(autouse=True)
def _no_language_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mintdim.shared.language._chosen", None)
    monkeypatch.delenv("MINTDIM_LANG", raising=False)


# ------------------------------------------------------------------------------------- imports


def test_importing_mintdim_imports_nothing_heavy() -> None:
    assert loaded_after("import mintdim") == set()


def test_listing_everything_public_imports_nothing_heavy() -> None:
    assert loaded_after("import mintdim\nmintdim.__all__, mintdim.set_language('vi')") == set()


def test_an_error_and_its_text_import_nothing_heavy() -> None:
    code = "import mintdim\ntry: mintdim.pipeline('x')\nexcept mintdim.MintDimError as e: str(e)"
    assert loaded_after(code) == set()


def test_a_builder_imports_no_tokenizer_library_before_a_job_is_checked() -> None:
    assert loaded_after("import mintdim; mintdim.pipeline('unit-build')") <= {"numpy", "orjson"}


# --------------------------------------------------------------------------------------- names


def test_all_is_sorted_without_repetition_and_every_name_is_there() -> None:
    assert len(set(mintdim.__all__)) == len(mintdim.__all__)
    assert all(hasattr(mintdim, name) for name in mintdim.__all__)


def test_all_names_exactly_what_is_exported() -> None:
    """Whatever else stands in the module is a submodule of the package, or a tool of its own."""
    for name in mintdim.__all__:
        getattr(mintdim, name)  # some are imported only when they are asked for
    submodules = {path.stem for path in Path(mintdim.__file__).parent.iterdir()}
    others = {name for name in vars(mintdim) if not name.startswith("_")} - submodules
    others -= {"Any", "TYPE_CHECKING", "import_module"}
    assert others | {*mintdim._LAZY, "pipeline", "__version__"} == set(mintdim.__all__)


def test_pipeline_is_the_function_and_not_the_module_of_that_name() -> None:
    import mintdim.registry  # binds submodules of the package

    assert callable(mintdim.pipeline)


def test_the_three_bases_of_errors_share_one_base() -> None:
    for base in ("MintDimConfigError", "MintDimDataError", "MintDimEnvironmentError"):
        assert getattr(mintdim, base).__bases__ == (mintdim.MintDimError,)


# -------------------------------------------------------------------------------------- package


def test_the_version_is_that_of_the_package_metadata() -> None:
    assert mintdim.__version__ == importlib.metadata.version("mintdim")
    assert re.fullmatch(r"\d+\.\d+\.\d+", mintdim.__version__)


def test_the_package_says_that_it_is_typed() -> None:
    assert (importlib.resources.files("mintdim") / "py.typed").is_file()


# ------------------------------------------------------------------------------------- pipeline


def test_every_call_of_pipeline_gives_a_job_of_its_own() -> None:
    first, second = mintdim.pipeline("unit-build"), mintdim.pipeline("unit-build")
    assert first is not second
    first.units(sizes=[[8]], build_batch=[1])
    with pytest.raises(mintdim.MintDimConfigError) as caught:
        second.validate()
    assert "units.sizes" in caught.value.missing  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", ["unit_build", "UNIT-BUILD", "", "units"])
def test_an_unknown_pipeline_is_an_error_that_knows_the_known_ones(name: str) -> None:
    with pytest.raises(UnknownPipelineError) as caught:
        mintdim.pipeline(name)
    assert caught.value.name == name
    assert "unit-build" in caught.value.known


@pytest.mark.parametrize("name", [None, 3, ["unit-build"]])
def test_a_pipeline_name_that_is_no_string_is_an_unknown_pipeline(name: object) -> None:
    with pytest.raises(UnknownPipelineError):
        mintdim.pipeline(name)  # type: ignore[call-overload]


# ------------------------------------------------------------------------------------- language


def an_error() -> mintdim.MintDimError:
    return UnknownPipelineError(name="x", known=("unit-build",))


def is_vietnamese(error: mintdim.MintDimError) -> bool:
    """English texts are plain ASCII, the Vietnamese ones are not."""
    return not str(error).isascii()


def test_errors_speak_english_by_default() -> None:
    assert not is_vietnamese(an_error())


def test_set_language_chooses_the_language_also_for_errors_that_exist_already() -> None:
    error = an_error()
    mintdim.set_language("vi")
    assert is_vietnamese(error)
    mintdim.set_language("en")
    assert not is_vietnamese(error)


def test_an_error_speaks_the_language_of_the_process_that_prints_it() -> None:
    mintdim.set_language("vi")
    packed = pickle.dumps(an_error())
    mintdim.set_language("en")
    assert not is_vietnamese(pickle.loads(packed))


@pytest.mark.parametrize(
    ("value", "vietnamese"),
    [("vi", True), ("en", False), ("VI", False), ("fr", False), ("", False)],
)
def test_the_environment_chooses_the_language_and_anything_but_vi_is_english(
    monkeypatch: pytest.MonkeyPatch, value: str, vietnamese: bool
) -> None:
    monkeypatch.setenv("MINTDIM_LANG", value)
    assert is_vietnamese(an_error()) is vietnamese


def test_set_language_stands_above_the_environment_until_none_gives_the_choice_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MINTDIM_LANG", "vi")
    mintdim.set_language("en")
    assert not is_vietnamese(an_error())
    mintdim.set_language(None)
    assert is_vietnamese(an_error())


@pytest.mark.parametrize("language", ["fr", "", "EN", 1])
def test_an_unknown_language_is_refused_and_changes_nothing(language: object) -> None:
    mintdim.set_language("vi")
    with pytest.raises(LanguageError):
        mintdim.set_language(language)  # type: ignore[arg-type]
    assert is_vietnamese(an_error())


def test_the_environment_is_read_when_an_error_is_printed() -> None:
    code = "import os, mintdim; os.environ['MINTDIM_LANG'] = 'vi'\n"
    code += "try: mintdim.pipeline('x')\nexcept mintdim.MintDimError as e: print(str(e).isascii())"
    run = subprocess.run(
        [sys.executable, "-c", code],
        env={key: value for key, value in os.environ.items() if key != "MINTDIM_LANG"},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert run.stdout.strip() == "False"
