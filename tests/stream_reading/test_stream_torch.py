"""Windows through a `DataLoader`: the same batches, with any number of workers."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

import pytest
from tiny_streams import SPLITS, write

import mintdim

if TYPE_CHECKING:
    from pathlib import Path

torch = pytest.importorskip("torch")


@pytest.mark.parametrize("workers", [0, 2])
def test_a_loader_gives_the_batches_of_the_epoch(tmp_path: Path, workers: int) -> None:
    from mintdim.torch import WindowIterable

    dataset = mintdim.open(write(tmp_path / "set", SPLITS, vocab_size=65_536).path)
    windows = dataset.epochs(4, seed=3)
    expected = [batch.tolist() for batch in dataset.epochs(4, seed=3).batches(2)]
    loader = torch.utils.data.DataLoader(
        WindowIterable(windows, 2), batch_size=None, num_workers=workers
    )
    batches = list(loader)
    assert [batch.tolist() for batch in batches] == expected
    assert batches[0].dtype == torch.int64
    for count, _ in enumerate(islice(loader, 3), 1):
        state = windows.state_dict(delivered=2 * count)
    again = dataset.epochs(4, seed=3)
    again.load_state_dict(state)
    assert [batch.tolist() for batch in again.batches(2)] == expected[3:]
