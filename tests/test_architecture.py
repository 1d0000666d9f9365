"""The arrows between the rooms: who may import whom, and a few rules about every file."""

from __future__ import annotations

import ast
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

import mintdim

if TYPE_CHECKING:
    from collections.abc import Iterator

PACKAGE = Path(mintdim.__file__).parent
LONGEST_FILE = 500  # lines
# Every text in two languages, and every error: as long as there are errors.
PROSE = {"shared/messages.py", "shared/errors.py"}

# A room may import itself, and the rooms named here.
ROOMS: dict[str, set[str]] = {
    "shared": set(),
    "bpe": set(),
    "formats": {"shared"},
    "sources": {"shared"},
    "encoders": {"shared"},
    "engines": {"shared"},
    "spill": {"shared"},
    "pipelines": {"shared", "formats", "sources", "encoders", "engines", "spill"},
    "datasets": {"shared", "formats", "sources", "encoders"},
    "verification": {"shared", "formats", "sources", "encoders"},
    "fetching": {"shared", "formats"},
    "planning": {"shared", "formats", "sources", "encoders"},
    "reporting": {"shared", "formats", "datasets", "planning"},
}
STANDARD_LIBRARY_ONLY = {"shared", "bpe"}
# The bar is drawn by tqdm, which is imported when there is a terminal to draw on.
LAZY_EXCEPTIONS = {("shared.progress", "tqdm"), ("bpe.tiktoken_bridge", "tiktoken")}
# The front door names the doors of other rooms, and opens them when they are asked for.
FRONT_DOOR = {
    "datasets.opening",
    "datasets.perplexity",
    "encoders.prepare",
    "fetching.fetch",
    "verification.verify",
}

# Inside a pipeline: each of its own modules may import these; ROOM stands for all its rooms.
ROOM = "a room"
PIPELINE: dict[str, set[str]] = {
    "api": {"config", "contracts", "result", "validate", "runtime"},
    "config": set(),
    "contracts": {"config"},
    "result": {"config"},
    "validate": {"config", "contracts"},
    "encode": {"config", "contracts", ROOM},
    "tasks": {"config", "contracts", "encode", ROOM},
    "dataset_writer": {"config", "contracts", "result", ROOM},
    "scan": {"config", "contracts", ROOM},
    "rows": {"config", "contracts", "scan", ROOM},
    "decide": {"config", "contracts", "rows", ROOM},
    "pack": {"config", "contracts", "rows", "decide", "encode", ROOM},
    "summary": {"config", "contracts", "result", "decide", ROOM},
    "runtime": {
        *("config", "contracts", "result", "encode", "tasks", "dataset_writer"),
        *("rows", "decide", "pack", "summary", ROOM),
    },
    ROOM: {"config", "contracts"},
}
# The checks of a whole job use the rules of the rooms, and what parses or opens a declared thing.
OPEN_TO_VALIDATE = {"validate", "source.template", "tokenizer.opening"}


class Import(NamedTuple):
    """``module`` as its dotted path, without ``mintdim.`` in front if it is ours."""

    module: str
    ours: bool
    line: int
    in_function: bool


# ------------------------------------------------------------------------------------ reading


def modules(package: Path) -> dict[str, Path]:
    """Dotted path below the package -> file; the package itself is ``""``."""
    found = {}
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package).with_suffix("").parts
        found[".".join(part for part in parts if part != "__init__")] = path
    return found


def imports_of(name: str, path: Path, known: set[str]) -> Iterator[Import]:
    """Every import of a file, also those for the type checker and those inside functions."""
    package = name if path.stem == "__init__" else name.rpartition(".")[0]
    tree = ast.parse(path.read_text("utf-8"))
    lazy = {id(inner) for node in ast.walk(tree) if _is_function(node) for inner in ast.walk(node)}
    for node in ast.walk(tree):
        for module in _imported(node, package, known):
            ours = module == "mintdim" or module.startswith("mintdim.")
            yield Import(module.removeprefix("mintdim."), ours, node.lineno, id(node) in lazy)


def _is_function(node: ast.AST) -> bool:
    return isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))


def _imported(node: ast.AST, package: str, known: set[str]) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if not isinstance(node, ast.ImportFrom):
        return []
    base = node.module or ""
    if node.level:
        parts = [part for part in ["mintdim", *package.split(".")] if part]
        base = ".".join([*parts[: len(parts) + 1 - node.level], *([base] if base else [])])
    # `from package import module` names a module, `from module import name` does not.
    return [
        f"{base}.{alias.name}" if f"{base}.{alias.name}".removeprefix("mintdim.") in known else base
        for alias in node.names
    ]


# ------------------------------------------------------------------------------------ judging


def violations(package: Path) -> list[str]:
    """Every import that points the wrong way, as ``file:line imports module``."""
    found = modules(package)
    return [
        f"{path.relative_to(package).as_posix()}:{entry.line} imports {entry.module}"
        for name, path in found.items()
        for entry in imports_of(name, path, set(found))
        if not (_ours_allowed(name, entry) if entry.ours else _foreign_allowed(name, entry))
    ]


def _foreign_allowed(name: str, entry: Import) -> bool:
    library = entry.module.split(".")[0]
    room = name.split(".")[0]
    if library in sys.stdlib_module_names or room not in STANDARD_LIBRARY_ONLY:
        return True
    return entry.in_function and (name, library) in LAZY_EXCEPTIONS


def _ours_allowed(name: str, entry: Import) -> bool:
    room, target = name.split(".")[0], entry.module.split(".")[0]
    if room in ("cli", "__main__") or (not name and entry.module in FRONT_DOOR):
        return True
    if room not in ROOMS:  # the front door: __init__, pipeline, registry
        return target in {"shared", "pipeline", "registry"} or _is_front_of_a_pipeline(entry.module)
    if target != room:
        return target in ROOMS[room]
    return room != "pipelines" or _inside_pipelines(name, entry.module)


def _is_front_of_a_pipeline(module: str) -> bool:
    parts = module.split(".")
    return parts[0] == "pipelines" and parts[2:] == ["api"]


def _inside_pipelines(name: str, module: str) -> bool:
    importer, target = name.split(".")[1:], module.split(".")[1:]
    if not importer or not target or importer[0] != target[0]:
        return False  # one pipeline and another
    importer, target = importer[1:], target[1:]
    if not importer or not target:
        return False
    who = importer[0] if importer[0] in PIPELINE else ROOM
    whom = target[0] if target[0] in PIPELINE else ROOM
    if who == whom == ROOM:
        return importer[0] == target[0]
    if who == "validate" and whom == ROOM:
        return target[1:] == ["validate"] or ".".join(target) in OPEN_TO_VALIDATE
    return whom in PIPELINE[who]


# ------------------------------------------------------------------------------------- arrows


def test_every_import_follows_the_arrows() -> None:
    assert violations(PACKAGE) == []


def test_the_checker_sees_the_imports_of_this_package() -> None:
    found = modules(PACKAGE)
    runtime = "pipelines.unit_build.runtime"
    seen = {entry.module for entry in imports_of(runtime, found[runtime], set(found))}
    assert {"shared.log", "engines.opening", "pipelines.unit_build.output.dir"} <= seen


UNIT_BUILD = "mintdim.pipelines.unit_build"
PLANTED = [
    ("shared/paths.py", "import numpy"),
    ("shared/log.py", "from tqdm import tqdm"),
    ("shared/progress.py", "import tqdm"),
    ("shared/files.py", "from mintdim.formats import names"),
    ("shared/files.py", "def lazily():\n    import orjson"),
    ("bpe/train_naive.py", "from mintdim.shared import quoting"),
    ("bpe/train_naive.py", "import numpy"),
    ("formats/names.py", "from mintdim.engines import inline"),
    ("formats/names.py", "import mintdim"),
    ("engines/inline.py", f"from {UNIT_BUILD}.contracts import Chunk"),
    ("sources/jsonl.py", "from mintdim.encoders import contract"),
    ("encoders/contract.py", "from mintdim import pipelines"),
    ("spill/external_sort.py", "from mintdim.formats import shards"),
    ("pipelines/unit_build/units/planner.py", f"from {UNIT_BUILD}.output import dir"),
    ("pipelines/unit_build/units/planner.py", "from ..output.dir import OutputDirectory"),
    ("pipelines/unit_build/source/jsonl.py", f"from {UNIT_BUILD} import runtime"),
    ("pipelines/unit_build/source/jsonl.py", f"from {UNIT_BUILD}.validate import validate"),
    ("pipelines/unit_build/source/jsonl.py", f"from {UNIT_BUILD}.encode import encode_chunk"),
    ("pipelines/unit_build/output/stats.py", f"def late():\n    import {UNIT_BUILD}.api"),
    ("pipelines/unit_build/output/stats.py", "import mintdim"),
    ("pipelines/unit_build/validate.py", f"from {UNIT_BUILD}.output.dir import OutputDirectory"),
    ("pipelines/unit_build/validate.py", f"from {UNIT_BUILD} import runtime"),
    ("pipelines/unit_build/config.py", f"from {UNIT_BUILD} import contracts"),
    ("pipelines/unit_build/runtime.py", f"from {UNIT_BUILD}.api import UnitBuild"),
    ("pipelines/unit_build/api.py", f"from {UNIT_BUILD}.units.planner import place_in_shards"),
    ("pipelines/unit_build/runtime.py", "from mintdim.datasets import reader"),
    ("pipelines/stream_build/api.py", f"from {UNIT_BUILD}.contracts import Encoded"),
    ("datasets/reader.py", f"from {UNIT_BUILD}.units.shard_writer import write_shard"),
    ("verification/verify.py", f"from {UNIT_BUILD}.output import manifest"),
    ("verification/verify.py", "from mintdim.datasets import reader"),
    ("registry.py", "from mintdim.formats import names"),
    ("pipeline.py", f"from {UNIT_BUILD}.runtime import run_unit_build"),
]


@pytest.mark.parametrize(("file", "line"), PLANTED)
def test_a_planted_import_against_the_arrows_is_found(tmp_path: Path, file: str, line: str) -> None:
    copy = tmp_path / "mintdim"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    for planted in PLANTED:  # the modules that a plant imports have to be there
        path = copy / planted[0]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        (path.parent / "__init__.py").touch()
    before = violations(copy)
    with open(copy / file, "a", encoding="utf-8") as target:
        target.write(f"\n{line}\n")
    found = set(violations(copy)) - set(before)
    assert [entry.partition(":")[0] for entry in found] == [file]


def test_a_cli_may_import_whatever_is_public(tmp_path: Path) -> None:
    copy = tmp_path / "mintdim"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    (copy / "cli").mkdir(exist_ok=True)
    (copy / "cli" / "main.py").write_text("from mintdim import pipeline\nimport mintdim.formats\n")
    assert violations(copy) == []


# ---------------------------------------------------------------------------------- every file

FILES = sorted(PACKAGE.rglob("*.py"), key=str)
NAMES = [path.relative_to(PACKAGE).as_posix() for path in FILES]


@pytest.mark.parametrize("path", FILES, ids=NAMES)
def test_only_the_cli_prints(path: Path) -> None:
    if path.relative_to(PACKAGE).parts[0] == "cli":
        return
    calls = [node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if _is_print(node)]
    assert calls == []


def _is_print(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in {"print", "input"}
    )


@pytest.mark.parametrize("path", FILES, ids=NAMES)
def test_a_file_is_short_enough_to_be_read(path: Path) -> None:
    if path.relative_to(PACKAGE).as_posix() not in PROSE:
        assert len(path.read_text("utf-8").splitlines()) < LONGEST_FILE


@pytest.mark.parametrize("path", FILES, ids=NAMES)
def test_whatever_is_public_has_a_docstring(path: Path) -> None:
    tree = ast.parse(path.read_text("utf-8"))
    assert ast.get_docstring(tree)
    assert [name for name, node in _public(tree) if not ast.get_docstring(node)] == []


def _public(
    tree: ast.Module | ast.ClassDef,
) -> Iterator[tuple[str, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef]]:
    """Public classes and functions of a module, public methods of its public classes."""
    for node in tree.body:
        if not isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        if node.name.startswith("_") or _is_overload(node):
            continue
        yield node.name, node
        if isinstance(node, ast.ClassDef):
            yield from ((f"{node.name}.{name}", inner) for name, inner in _public(node))


def _is_overload(node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any(isinstance(d, ast.Name) and d.id == "overload" for d in node.decorator_list)
