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
from mintdim.shared.errors import MintDimError, OutputValidationError, OutputWriteError
from mintdim.shared.files import flush, make_directory, remove, rename, using
from mintdim.shared.locks import FolderLock
from mintdim.shared.messages import phrase
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
    """Say whether the output is the root or a mounted disk, or its parent takes no files.

    Files are moved within one disk only.
    """
    mounted = os.stat(output).st_dev != os.stat(output.parent).st_dev
    return not output.name or mounted or not os.access(output.parent, os.W_OK)


def check_new(directory: str, absolute: str) -> None:
    """Check that the output is new or empty, or holds what a killed run of ours left.

    Raises ``OutputValidationError``, ``OutputNotADirectoryError`` or ``OutputWriteError``.
    """
    if not _holds_leftovers(absolute):
        require_new_directory(directory)


def _holds_leftovers(absolute: str) -> bool:
    """Say whether all that the output holds was left by a killed run."""
    output, staging = Path(absolute), staging_path(absolute)
    if not output.is_dir() or not staging.is_dir():
        return False
    return all(name == staging.name or _is_ours(name) for name in entries_of(absolute))


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
        self._lock: FolderLock | None = None

    def __enter__(self) -> Staging:
        """Lock the folder and clear what a killed run left.

        Raises ``OutputWriteError`` while another process builds here, ``OutputValidationError``
        if one has done so since the output was checked.
        """
        was_there = self._path.is_dir()
        self._note_missing(self._path)
        self._lock = FolderLock(self._path)
        if self._lock.taken:
            self._lock.release()
            raise OutputWriteError(path=self._absolute, reason=phrase("output_busy"))
        try:
            self._clear(was_there)
        except MintDimError as error:
            self.__exit__(type(error), error, None)
            raise
        return self

    def _clear(self, was_there: bool) -> None:
        names = self._present()
        if names and not (was_there and all(map(_is_ours, names))):
            raise OutputValidationError(directory=self._absolute)
        for name in names:
            remove(self._output / name)
        _empty(self._path)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Remove what is unfinished; a disk that refuses this changes no error."""
        if not self._committed:
            self._undo()
        if self._lock is not None:
            self._lock.release()

    def _undo(self) -> None:
        for path in self._moved:
            with contextlib.suppress(OSError):
                path.unlink(missing_ok=True)
        shutil.rmtree(self._path, ignore_errors=True)
        for path in self._made:
            with contextlib.suppress(OSError):  # gone, or somebody else uses it
                path.rmdir()

    def _present(self) -> list[str]:
        names = entries_of(self._absolute) if self._output.is_dir() else []
        return [name for name in names if name != self._path.name]

    def path(self, name: str) -> Path:
        """Return the path of an unfinished file."""
        return self._path / name

    def commit(self, files: Iterable[tuple[Path, str]]) -> None:
        """Give whole, flushed files their names in the output; the last one is the index.

        Raises ``OutputValidationError`` if somebody else has put something there meanwhile.
        """
        if self._present():
            raise OutputValidationError(directory=self._absolute)
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
        self._note_missing(path)
        make_directory(path)

    def _note_missing(self, path: Path) -> None:
        missing = [entry for entry in (path, *path.parents) if not entry.exists()]
        self._made = missing + self._made


def _empty(folder: Path) -> None:
    """Remove all that is in a folder, which stays: a lock is on it."""
    with using(folder):
        for entry in folder.iterdir():
            if entry.is_dir() and not entry.is_symlink():
                shutil.rmtree(entry)
            else:
                entry.unlink()
