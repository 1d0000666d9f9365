"""What passes between the parts of a fetch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from mintdim.formats.stream_index import StreamShard
    from mintdim.shared.messages import Phrase

Kind = Literal["stream-build", "unit-build"]


@dataclass(frozen=True, slots=True)
class Wanted:
    """One file of the dataset, ``name`` relative to its folder and already checked.

    ``sha256`` is None where the index records none. Of a ``.bin.json`` neither hash nor size is
    known, but what it must say: ``shard``. An ``optional`` file may be missing at the origin.
    """

    name: str
    bytes: int | None
    sha256: str | None
    shard: StreamShard | None = None
    optional: bool = False


@dataclass(frozen=True, slots=True)
class Plan:
    """What is fetched: first ``files``, then the small ones of ``last``, whose contents are known.

    The last of ``last`` is what makes a dataset of the folder. ``extends`` says whether an earlier
    one with these contents belongs to the same dataset and lists nothing else.
    """

    kind: Kind
    files: tuple[Wanted, ...]
    last: tuple[tuple[str, bytes], ...]
    extends: Callable[[bytes], bool]

    @property
    def commit_name(self) -> str:
        """The file that appears last."""
        return self.last[-1][0]


@dataclass(frozen=True, slots=True)
class Body:
    """The bytes of a file from ``start`` on; ``total`` is the size of the whole, if it was told.

    ``read()`` returns some bytes, none at the end. ``validator`` is a strong ETag.
    """

    start: int
    total: int | None
    validator: str | None
    read: Callable[[], bytes]


class Source(Protocol):
    """Where a dataset comes from."""

    shown: str

    def open(
        self, name: str, start: int = 0, validator: str | None = None
    ) -> AbstractContextManager[Body]:
        """Open one file, from byte ``start`` on if that is offered and it is still ``validator``.

        Raises ``TransferError``, also while the body is read.
        """
        ...


class TransferError(Exception):
    """One try failed.

    ``final``: another one would fail as well; ``absent``: there is no such file;
    ``unreachable``: there was no server to talk to; ``anew``: what came before is of no use.
    """

    def __init__(
        self,
        problem: Phrase,
        advice: str = "fetch_again",
        *,
        final: bool = False,
        absent: bool = False,
        unreachable: bool = False,
        anew: bool = False,
    ) -> None:
        super().__init__(problem.code)
        self.problem = problem
        self.advice = advice
        self.final = final
        self.absent = absent
        self.unreachable = unreachable
        self.anew = anew
