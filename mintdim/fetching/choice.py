"""What part of a dataset is asked for: splits, and how many training shards."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from mintdim.formats.stream_names import SPLITS, Split
from mintdim.shared.errors import FetchArgumentError
from mintdim.shared.messages import Phrase, phrase
from mintdim.shared.structure import a_positive_int, shown


@dataclass(frozen=True, slots=True)
class Choice:
    """None stands for all."""

    splits: tuple[Split, ...] | None
    train_limit: int | None

    @property
    def is_everything(self) -> bool:
        """Whether nothing is left out."""
        return self.splits is None and self.train_limit is None


def parse_choice(only: object, train_limit: object) -> Choice:
    """Check what was asked for; raises ``FetchArgumentError``."""
    splits = None if only is None else _splits(only)
    limit = None if train_limit is None else a_positive_int(train_limit, "train_limit", _error)
    if limit is not None and splits is not None and "train" not in splits:
        raise _error(phrase("fetch_limit_without_train"))
    return Choice(splits, limit)


def _splits(only: object) -> tuple[Split, ...]:
    """``"train,val"``, or the names in any collection; returned in the order of a dataset."""
    if isinstance(only, str):
        names: list[object] = [name.strip() for name in only.split(",")]
    else:
        names = list(only) if isinstance(only, Iterable) else [only]
    for name in names:
        if name not in SPLITS:
            raise _error(phrase("fetch_split", found=shown(name)))
    if not names:
        raise _error(phrase("empty", name="only"))
    return tuple(split for split in SPLITS if split in names)


def _error(problem: Phrase) -> FetchArgumentError:
    return FetchArgumentError(problem=problem)
