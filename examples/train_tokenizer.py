"""Train a tokenizer on the bundled instructions, export it, and build units with it.

The whole way from text to shards without a tokenizer from elsewhere: the vocabulary is learned
from the rendered samples themselves, written as a model file to keep and as a ``tokenizer.json``
to build with. A byte-level vocabulary knows every text, so the build reports no UNK.

Every run writes into a fresh numbered directory under ``artifacts/``.
"""

import json
import time
from pathlib import Path

from mintdim import pipeline
from mintdim.bpe import Tokenizer

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "examples" / "data" / "instruction" / "gsm8k_test.jsonl"
TEMPLATE = "{question}\n\n{answer}"
VOCAB_SIZE = 4_000


def samples():
    """Yield the text of every sample, as the build will render it."""
    with open(SOURCE, encoding="utf-8") as lines:
        for line in lines:
            record = json.loads(line)
            yield TEMPLATE.format(**record)


def train(folder):
    started = time.perf_counter()
    tokenizer = Tokenizer.train(samples(), VOCAB_SIZE, special_tokens=["<unk>", "<pad>"])
    seconds = time.perf_counter() - started
    tokenizer.save(folder / "gsm8k.granule")
    tokenizer.save_vocab(folder / "gsm8k.granule.vocab")
    tokenizer.to_hf_json(folder / "tokenizer.json")
    print(f"{tokenizer.vocab_size:,} tokens learned in {seconds:.1f} s, {folder}")
    return tokenizer


def show(tokenizer):
    text = next(samples())[:60]
    pieces = [tokenizer.token_bytes(number).decode() for number in tokenizer.encode(text)]
    print(f"{text!r}\n  {len(pieces)} tokens: {'|'.join(pieces)}")


def build(folder):
    return (
        pipeline("unit-build")
        .source.jsonl(
            files=[str(SOURCE)],
            fields=[["question", "answer"]],
            templates=[TEMPLATE],
        )
        .tokenizer.hf_json({"path": str(folder / "tokenizer.json")})
        .units(sizes=[[96, 128, 192, 256, 384, 640]], build_batch=[512])
        .output.dir(str(folder / "units"), samples_per_shard=[500])
        .run()
    )


def fresh(name):
    """Return the first of ``artifacts/name_001``, ``_002``, … that does not exist, made."""
    numbers = (ROOT / "artifacts" / f"{name}_{number:03d}" for number in range(1, 10_000))
    folder = next(path for path in numbers if not path.exists())
    folder.mkdir(parents=True)
    return folder


def main():
    folder = fresh("trained_tokenizer")
    show(train(folder))
    print(f"\n{build(folder)}")


if __name__ == "__main__":
    main()
