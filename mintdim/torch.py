"""Batches of a dataset for ``torch.utils.data.DataLoader``; needs ``pip install "mintdim[torch]"``.

Both ways give the same batches in the same order as the loader alone, with any number of workers::

    loader = ds.batches(batch_size=64, seed=1)

    DataLoader(UnitIterable(loader), batch_size=None, num_workers=2)

    DataLoader(
        UnitSamples(loader),
        batch_sampler=UnitBatchSampler(loader),
        collate_fn=to_tensors,
        num_workers=2,
    )

A ``DataLoader`` runs ahead of the training loop, so the loader itself stays where it is: its state
behind ``n`` batches that were trained on is ``loader.state_dict(delivered=n)``, and the next epoch
begins with ``loader.set_epoch(loader.epoch + 1)``. Workers that outlive an epoch
(``persistent_workers=True``) do not see that call: then take the second way, whose order is made
in the main process.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import torch
from torch.utils.data import IterableDataset, get_worker_info

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence, Sized

Tensors = dict[str, Any]  # name -> tensor, or int


class Batches(Protocol):
    """What is needed of a ``BatchLoader``."""

    @property
    def dataset(self) -> Sized:
        """The dataset that the samples come from."""
        ...

    def __len__(self) -> int: ...

    def sample_ids(self) -> Iterator[Any]:
        """Yield the samples of the batches to come, without moving."""
        ...

    def batch_of(self, sample_ids: Sequence[int]) -> dict[str, Any]:
        """Return the batch of given samples."""
        ...


class UnitIterable(IterableDataset[Tensors]):
    """The batches to come as tensors; workers share them out, the order stays.

    For ``DataLoader(..., batch_size=None)``. Worker ``w`` of ``n`` makes the batches ``w``,
    ``w + n``, …, and the ``DataLoader`` takes them from the workers in turn.
    """

    def __init__(self, loader: Batches) -> None:
        self.loader = loader

    def __len__(self) -> int:
        """Count the batches of a whole epoch."""
        return len(self.loader)

    def __iter__(self) -> Iterator[Tensors]:
        worker = get_worker_info()
        first, step = (worker.id, worker.num_workers) if worker else (0, 1)
        for sample_ids in islice(self.loader.sample_ids(), first, None, step):
            yield to_tensors(self.loader.batch_of(sample_ids))


class Windows(Protocol):
    """What is needed of ``WindowEpochs``."""

    def numbers(self, count: int) -> Iterator[Any]:
        """Yield the numbers of the windows to come, without moving."""
        ...

    def read(self, numbers: Any) -> Any:
        """Return windows by number."""
        ...


class WindowIterable(IterableDataset[Any]):
    """The windows to come of ``StreamDataset.epochs`` as tensors [batch_size, ctx + 1] int64.

    For ``DataLoader(..., batch_size=None)``; workers share the batches out, their order stays.
    The state behind ``n`` batches is ``windows.state_dict(delivered=n * batch_size)``, and the
    next epoch begins with ``windows.set_epoch(windows.epoch + 1)``.
    """

    def __init__(self, windows: Windows, batch_size: int) -> None:
        self.windows, self.batch_size = windows, batch_size

    def __iter__(self) -> Iterator[Any]:
        worker = get_worker_info()
        first, step = (worker.id, worker.num_workers) if worker else (0, 1)
        for numbers in islice(self.windows.numbers(self.batch_size), first, None, step):
            yield torch.from_numpy(self.windows.read(numbers))


class UnitBatchSampler:
    """The samples of the batches to come, as lists of ``sample_id``; for ``batch_sampler=``."""

    def __init__(self, loader: Batches) -> None:
        self.loader = loader

    def __len__(self) -> int:
        """Count the batches of a whole epoch."""
        return len(self.loader)

    def __iter__(self) -> Iterator[list[int]]:
        for sample_ids in self.loader.sample_ids():
            yield sample_ids.tolist()


class UnitSamples:
    """The samples by number; a list of them is read as one batch, for ``collate_fn=to_tensors``."""

    def __init__(self, loader: Batches) -> None:
        self.loader = loader

    def __len__(self) -> int:
        return len(self.loader.dataset)

    def __getitem__(self, sample_id: int) -> dict[str, Any]:
        """Return the batch of one sample."""
        return self.loader.batch_of([sample_id])

    def __getitems__(self, sample_ids: list[int]) -> dict[str, Any]:
        """Return the batch of samples of one unit; the ``DataLoader`` asks for them so."""
        return self.loader.batch_of(sample_ids)


def to_tensors(batch: dict[str, Any]) -> Tensors:
    """Return a batch with its arrays as tensors, which share their memory."""
    return {
        name: torch.from_numpy(value) if isinstance(value, np.ndarray) else value
        for name, value in batch.items()
    }
