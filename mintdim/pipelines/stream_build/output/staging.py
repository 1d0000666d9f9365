"""The folder of unfinished files, beside the output; and the commit.

Everything is made in that folder. The commit moves the files one by one into the output, the index
last: without it nothing there is a dataset. The folder is also the sign by which a later run knows
what a killed one left.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from mintdim.formats.stream_names import files_of, is_shard
from mintdim.shared.files import flush, make_directory, remove, rename, using
from mintdim.shared.paths import entries_of, require_new_directory

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import TracebackType

_SUFFIX = ".mintdim-unfinished"


def staging_path(absolute: str) -> Path:
    """Return the folder of unfinished files of an output.

    It lies beside the output, so that the output appears with its files; inside it where that
    cannot be.
    """
    output = Path(absolute)
    if output.is_dir() and _stands_alone(output):
        return output / _SUFFIX
    return output.with_name(f".{output.name}{_SUFFIX}")


def _stands_alone(output: Path) -> bool:
    """Say whether the output is a mounted disk, or the folder around it takes no files.

    Files are moved within one disk only.
    """
    mounted = os.stat(output).st_dev != os.stat(output.parent).st_dev
    return mounted or not os.access(output.parent, os.W_OK)


def check_new(directory: str, absolute: str) -> None:
    """Check that the output is new or empty, or holds what a killed run of ours left.

    Raises ``OutputValidationError``, ``OutputNotADirectoryError`` or ``OutputWriteError``.
    """
    if _leftovers(absolute) is None:
        require_new_directory(directory)


def _leftovers(absolute: str) -> list[Path] | None:
    """Return what a killed run left in the output, or None if there is something else."""
    output, staging = Path(absolute), staging_path(absolute)
    if not output.is_dir() or not staging.is_dir():
        return None
    names = [name for name in entries_of(absolute) if name != staging.name]
    return [output / name for name in names] if all(map(_is_ours, names)) else None


def _is_ours(name: str) -> bool:
    shards = (
        name,
        name.removesuffix(".json"),
        f"{name.removesuffix('.langs.u8')}.bin",
    )
    return any(is_shard(shard) and name in files_of(shard) for shard in shards)


class Staging:
    """Context of one build: the folder is there inside it, and gone after it."""

    def __init__(self, absolute: str) -> None:
        self._output, self._path = Path(absolute), staging_path(absolute)
        self._absolute = absolute
        self._moved: list[Path] = []
        self._made: list[Path] = []  # directories that were not there before, inner ones first
        self._committed = False

    def __enter__(self) -> Staging:
        for path in _leftovers(self._absolute) or []:
            remove(path)
        _remove_tree(self._path)
        self._make(self._path)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Remove what is unfinished; a disk that refuses this changes no error."""
        if self._committed:
            return
        for path in self._moved:
            with contextlib.suppress(OSError):
                path.unlink(missing_ok=True)
        shutil.rmtree(self._path, ignore_errors=True)
        for path in self._made:
            with contextlib.suppress(OSError):  # gone, or somebody else uses it
                path.rmdir()

    def path(self, name: str) -> Path:
        """Return the path of an unfinished file."""
        return self._path / name

    def commit(self, files: Iterable[tuple[Path, str]]) -> None:
        """Give whole, flushed files their names in the output; the last one is the index."""
        self._make(self._output)
        flush(self._output.parent)
        *shards, (index, name) = files
        for path, final in shards:
            self._moved.append(self._output / final)
            rename(path, self._output / final)
        flush(self._output)
        rename(index, self._output / name)
        self._committed = True
        flush(self._output)
        shutil.rmtree(self._path, ignore_errors=True)  # the dataset is whole without this

    def _make(self, path: Path) -> None:
        missing = [entry for entry in (path, *path.parents) if not entry.exists()]
        self._made = missing + self._made
        make_directory(path)


def _remove_tree(path: Path) -> None:
    with using(path):
        if path.exists():
            shutil.rmtree(path)
