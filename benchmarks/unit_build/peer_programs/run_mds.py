"""MosaicML streaming: MDSWriter, a column of uint16 tokens; several workers write each a folder.

Its defaults: shards of 64 MB, no compression, no hashes. Importing it imports torchvision, which as
PyPI has it does not load its operators beside a torch without CUDA, and then fails over the two
declared here; none is used.
"""

from __future__ import annotations

import sys
from multiprocessing import Pool

import job
import numpy as np
import torch

if torch.__version__.endswith("+cpu"):
    _operators = torch.library.Library("torchvision", "DEF")
    for _name in ("nms", "qnms"):
        _operators.define(f"{_name}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")

from streaming import MDSWriter
from streaming.base.util import merge_index


def write(work: tuple[str, str, str]) -> None:
    mine, part, folder = job.read(work[0]), work[1], work[2]
    encode = job.encoder(mine)
    with MDSWriter(columns={"tokens": "ndarray:uint16"}, out=folder) as shards:
        for texts in job.texts(mine, part):
            for ids in encode(texts):
                shards.write({"tokens": np.array(ids, np.uint16)})


if __name__ == "__main__":
    mine = job.read()
    works = [(sys.argv[1], part, f"{mine.out}/{i}") for i, part in enumerate(job.parts(mine))]
    if mine.workers == 1:
        write((sys.argv[1], works[0][1], str(mine.out)))
    else:
        with Pool(mine.workers) as pool:
            pool.map(write, works)
        merge_index(str(mine.out), keep_local=True)
