"""The directory of one output: unit folders, the folder of unfinished files, notices.

A build that ends early leaves ``UNIT_BUILD_FAILED.md`` in every unit folder and nothing
unfinished; whole shards stay. Only ``commit`` makes a dataset of the directory.
"""

from __future__ import annotations

import contextlib
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from mintdim.formats import json_text, names
from mintdim.pipelines.unit_build.contracts import DisagreementError
from mintdim.shared.files import HashedFile, flush, make_directory, using, write_whole
from mintdim.shared.language import english

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Any

    from mintdim.pipelines.unit_build.config import Session

_EMPTY_UNIT = """\
# Empty unit

No sample of this dataset was assigned to the unit size {unit_size}, so this folder holds no
shard. The build itself succeeded.
"""

_UNIT_BUILD_FAILED = """\
# Unit build failed

The build of this dataset ended early. There is no `manifest.json`, so this is not a dataset;
the shards that stand here are whole, but others may be missing.

Samples written before the end, all units together: {samples}

```text
{error}
```

Build again into a new output directory.
"""


def clear(session: Session) -> None:
    """Remove all that a build of this run wrote, the manifest first; the directory stays."""
    root = Path(session.absolute)
    for name in (names.MANIFEST, names.MANIFEST_WORK, *names.BESIDE_SHARDS):
        with using(root / name):
            (root / name).unlink(missing_ok=True)
    for folder in (names.WORK, *map(names.unit_directory, session.unit_sizes)):
        with using(root / folder):
            if (root / folder).is_dir():
                shutil.rmtree(root / folder)


class OutputDirectory:
    """Context of one build: created on entry, cleaned on failure, complete after ``commit``."""

    def __init__(self, session: Session) -> None:
        self.root = Path(session.absolute)
        self.work = self.root / names.WORK
        self.samples_written = 0
        self._committed = False
        self._unit_sizes = session.unit_sizes
        self._files: list[tuple[str, HashedFile]] = []

    def __enter__(self) -> OutputDirectory:
        try:
            make_directory(self.work)
            for unit_size in self._unit_sizes:
                make_directory(self._unit(unit_size))
        except BaseException as error:
            self._fail(error)
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is not None and not self._committed and not isinstance(error, DisagreementError):
            self._fail(error)

    @property
    def files(self) -> list[tuple[str, HashedFile]]:
        """The finished files beside shards and manifest: name relative to the root, content."""
        return list(self._files)

    def new_file(self, name: str) -> HashedFile:
        """Return a growing file that gets the final name ``name`` by ``finish``."""
        return HashedFile(self.work / name)

    def finish(self, file: HashedFile, name: str) -> None:
        """Flush a growing file and give it its final name."""
        file.publish(self.root / name)
        self._files.append((name, file))

    def write_document(self, name: str, value: Any) -> HashedFile:
        """Write a whole JSON file."""
        return self._write(name, json_text.document(value))

    def write_log(self, value: Any) -> None:
        """Write the log of the build: outside the index, since it differs from run to run."""
        write_whole(
            self.work / names.BUILD_LOG, self.root / names.BUILD_LOG, json_text.document(value)
        )

    def note_empty_units(self, filled: set[int]) -> None:
        """Leave a notice in the folder of every unit that received no sample."""
        for unit_size in self._unit_sizes:
            if unit_size not in filled:
                name = f"{names.unit_directory(unit_size)}/{names.EMPTY_UNIT}"
                self._write(name, _EMPTY_UNIT.format(unit_size=unit_size).encode())

    def commit(self, manifest: Any) -> None:
        """Make the dataset complete: all else is on the disk before the manifest appears."""
        with using(self.work):
            shutil.rmtree(self.work)
        for unit_size in self._unit_sizes:
            flush(self._unit(unit_size))
        flush(self.root)
        work, final = self.root / names.MANIFEST_WORK, self.root / names.MANIFEST
        write_whole(work, final, json_text.document(manifest))
        self._committed = True
        flush(self.root)

    def _write(self, name: str, data: bytes) -> HashedFile:
        file = write_whole(self.work / Path(name).name, self.root / name, data)
        self._files.append((name, file))
        return file

    def _unit(self, unit_size: int) -> Path:
        return self.root / names.unit_directory(unit_size)

    def _fail(self, error: BaseException) -> None:
        """Remove what is unfinished and say so; a disk that refuses this changes no error."""
        with contextlib.suppress(OSError):
            shutil.rmtree(self.work, ignore_errors=True)
            (self.root / names.MANIFEST_WORK).unlink(missing_ok=True)
        with english():
            text = _UNIT_BUILD_FAILED.format(samples=self.samples_written, error=error)
        for unit_size in self._unit_sizes:
            with contextlib.suppress(OSError):
                folder = self._unit(unit_size)
                (folder / names.EMPTY_UNIT).unlink(missing_ok=True)
                notice = folder / names.UNIT_BUILD_FAILED
                notice.write_text(text, encoding="utf-8", errors="backslashreplace")
