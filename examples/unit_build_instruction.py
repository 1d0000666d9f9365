"""Build token shards from three public instruction sets, twice.

The first build shares its blocks: one tokenizer, one list of unit sizes and one output directory
for all files (their keys differ, so fields and templates are given per file). HumanEval is small
and listed twice, as one does to weigh a set double; the duplicate index finds all of it.

The second build maps every block: each set has its own sizes, batch, shard length and output.

Every run writes into fresh numbered directories under ``artifacts/``.
"""

import os
import time
from pathlib import Path

from mintdim import pipeline

ROOT = Path(__file__).resolve().parent.parent
DATA = "./examples/data/instruction"
TOKENIZERS = "./examples/data/tokenizers"

GSM8K = f"{DATA}/gsm8k_test.jsonl"
HUMANEVAL = f"{DATA}/humaneval.jsonl"
SELF_INSTRUCT = f"{DATA}/self_instruct.jsonl"

FIELDS = {
    GSM8K: ["question", "answer"],
    HUMANEVAL: ["prompt", "canonical_solution"],
    SELF_INSTRUCT: ["instruction", "input", "output"],
}
TEMPLATES = {
    GSM8K: "{question}\n\n{answer}",
    HUMANEVAL: "{prompt}{canonical_solution}",
    SELF_INSTRUCT: "{instruction}\n\n{input}\n\n{output}",
}


def build_shared():
    files = [GSM8K, HUMANEVAL, SELF_INSTRUCT, HUMANEVAL]
    return (
        pipeline("unit-build")
        .source.jsonl(
            files=files,
            fields=[FIELDS[file] for file in files],
            templates=[TEMPLATES[file] for file in files],
        )
        .tokenizer.sentencepiece({"path": f"{TOKENIZERS}/instruct_sp.model"})
        .units(sizes=[[128, 192, 256, 320, 448, 640, 1024, 2560]], build_batch=[512])
        .output.dir(fresh("instruction_shared"), samples_per_shard=[500])
        .run()
    )


def build_mapped():
    files = [GSM8K, HUMANEVAL, SELF_INSTRUCT]
    names = ["gsm8k", "humaneval", "self_instruct"]
    root = fresh("instruction_mapped")
    return (
        pipeline("unit-build")
        .source.jsonl(
            files=files,
            fields=[FIELDS[file] for file in files],
            templates=[TEMPLATES[file] for file in files],
        )
        .tokenizer.hf_json([{"path": f"{TOKENIZERS}/instruct_hf.json"}] * 3)
        .units(
            sizes=[
                [128, 192, 256, 320, 384, 640],
                [128, 256, 384, 512, 768],
                [64, 128, 256, 512, 1024, 2560],
            ],
            build_batch=[512, 64, 64],
        )
        .output.dir([f"{root}/{name}" for name in names], samples_per_shard=[500, 100, 100])
        .run()
    )


def fresh(name):
    """Return the first of ``artifacts/name_001``, ``_002``, … that does not exist."""
    numbers = (f"./artifacts/{name}_{number:03d}" for number in range(1, 10_000))
    return next(path for path in numbers if not Path(path).exists())


def main():
    os.chdir(ROOT)
    for title, build in (("Shared blocks", build_shared), ("Mapped blocks", build_mapped)):
        started = time.perf_counter()
        result = build()
        seconds = time.perf_counter() - started
        print(f"\n{title}, built in {seconds:.1f} s\n\n{result}")
    print(f"\nAll of it lies under {ROOT / 'artifacts'}")


if __name__ == "__main__":
    main()
