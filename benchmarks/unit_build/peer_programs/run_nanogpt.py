"""In the manner of nanoGPT's prepare.py: map one text at a time, then one flat file of uint16.

The tokenizer is the one that is measured instead of tiktoken's GPT-2, and no end-of-text is
appended; the steps are those of the script: ids and lengths by ``map``, then 1,024 slices into a
memory map.
"""

from __future__ import annotations

import job
import numpy as np
from datasets import load_dataset

SLICES = 1024

if __name__ == "__main__":
    mine = job.read()
    encode = job.encoder(mine)
    template, fields = mine.template, mine.fields

    def process(row: dict[str, str]) -> dict[str, object]:
        [ids] = encode([template.format(**{field: row[field] for field in fields})])
        return {"ids": ids, "len": len(ids)}

    rows = load_dataset(
        "json", data_files=str(mine.corpus), split="train", cache_dir=str(mine.scratch)
    )
    tokens = rows.map(
        process,
        remove_columns=rows.column_names,
        num_proc=mine.workers if mine.workers > 1 else None,
        new_fingerprint="tokens",
    )
    count = int(np.sum(tokens["len"], dtype=np.uint64))
    mine.out.mkdir()
    flat = np.memmap(mine.out / "train.bin", dtype=np.uint16, mode="w+", shape=(count,))
    done = 0
    for number in range(min(SLICES, len(tokens))):
        part = tokens.shard(min(SLICES, len(tokens)), number, contiguous=True).with_format("numpy")
        ids = np.concatenate(part["ids"][:])
        flat[done : done + len(ids)] = ids
        done += len(ids)
    flat.flush()
