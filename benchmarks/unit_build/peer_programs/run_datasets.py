"""Hugging Face datasets: load the JSONL, map in batches, save to disk as Arrow files."""

from __future__ import annotations

import job
from datasets import load_dataset

if __name__ == "__main__":
    mine = job.read()
    encode = job.encoder(mine)
    template, fields = mine.template, mine.fields

    def tokenize(columns: dict[str, list[str]]) -> dict[str, list[list[int]]]:
        rows = zip(*(columns[field] for field in fields), strict=True)
        return {
            "input_ids": encode(
                [template.format(**dict(zip(fields, r, strict=True))) for r in rows]
            )
        }

    rows = load_dataset(
        "json", data_files=str(mine.corpus), split="train", cache_dir=str(mine.scratch)
    )
    several = mine.workers if mine.workers > 1 else None
    tokens = rows.map(
        tokenize,
        batched=True,
        remove_columns=rows.column_names,
        num_proc=several,
        new_fingerprint="tokens",  # else it hashes the tokenizer to name its cache
    )
    tokens.save_to_disk(str(mine.out), num_proc=several)
