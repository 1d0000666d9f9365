"""A dataset in another folder, named by a ``file://`` URL."""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.request import url2pathname

from mintdim.fetching import limits
from mintdim.fetching.contracts import Body, TransferError
from mintdim.shared.messages import os_reason, phrase

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mintdim.fetching.address import Address


class FileSource:
    """Reads regular files; a pipe or a device is none."""

    def __init__(self, address: Address) -> None:
        self.shown = address.url
        self._root = Path(url2pathname(address.parts.path))

    @contextlib.contextmanager
    def open(self, name: str, start: int = 0, validator: str | None = None) -> Iterator[Body]:
        """Open a file at byte ``start``, or at its beginning if it is shorter."""
        path = self._root / name
        try:
            if not stat.S_ISREG(os.stat(path).st_mode):
                raise TransferError(phrase("fetch_not_a_file"), "fetch_ask_origin", final=True)
            with open(path, "rb") as file:
                size = os.fstat(file.fileno()).st_size
                begin = start if start <= size else 0
                file.seek(begin)
                yield Body(begin, size, None, lambda: file.read(limits.BLOCK_BYTES))
        except FileNotFoundError as error:
            problem = phrase("is_missing")
            raise TransferError(problem, "fetch_check_url", final=True, absent=True) from error
        except OSError as error:
            raise TransferError(os_reason(error), "fetch_ask_origin", final=True) from error
