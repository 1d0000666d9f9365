"""The one error of this package that is about a file.

Wrong arguments raise ``ValueError``; ``ModelFileError`` is a ``ValueError`` too,
so one ``except ValueError`` catches everything the tokenizer refuses.
"""

from __future__ import annotations

from pathlib import Path


class ModelFileError(ValueError):
    """A model file cannot be read, written or believed.

    ``path`` is the file, ``line`` the first offending line (counted from 1, or
    ``None`` where the file as a whole is at fault), ``reason`` says what is wrong.
    """

    def __init__(self, path: str | Path, line: int | None, reason: str) -> None:
        place = f"{path}" if line is None else f"{path}, line {line}"
        super().__init__(f"{place}: {reason}")
        self.path = Path(path)
        self.line = line
        self.reason = reason

    def __reduce__(self) -> tuple[type[ModelFileError], tuple[Path, int | None, str]]:
        # The default would rebuild from the finished message and fail across processes.
        return type(self), (self.path, self.line, self.reason)
