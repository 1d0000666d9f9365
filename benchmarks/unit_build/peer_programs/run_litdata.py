"""litdata: optimize() for language models, a flat stream of int32 tokens in chunks.

As its guide to pre-training has it: an input per file, TokensLoader, chunks of 2049 * 8012 tokens.
"""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING

import job
import torch
from litdata import TokensLoader, optimize

if TYPE_CHECKING:
    from collections.abc import Iterator


def tokens(part: str, job_file: str) -> Iterator[torch.Tensor]:
    mine = job.read(job_file)
    encode = job.encoder(mine)
    for texts in job.texts(mine, part):
        for ids in encode(texts):
            yield torch.tensor(ids, dtype=torch.int32)


if __name__ == "__main__":
    mine = job.read()
    optimize(
        fn=partial(tokens, job_file=sys.argv[1]),
        inputs=job.parts(mine),
        output_dir=str(mine.out),
        chunk_size=2049 * 8012,
        num_workers=mine.workers,
        item_loader=TokensLoader(),
    )
