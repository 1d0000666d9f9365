"""Ours: the build of ``overhead.py``, in one process or in several."""

from __future__ import annotations

import logging
import sys
from pathlib import Path

import job

sys.path.append(str(Path(__file__).parents[1]))

import build

if __name__ == "__main__":
    logging.getLogger("mintdim").setLevel(logging.ERROR)
    mine = job.read()
    chain = build.declared(mine, mine.work)
    (chain if mine.workers == 1 else chain.engine.processes(mine.workers)).run()
