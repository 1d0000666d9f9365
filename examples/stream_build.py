"""Build token shards for pre-training from documents in four languages, and read them back.

The documents are real texts with invented dates (``examples/data/stream/README.md``). They are
split by time within each language, the newest ones for test, those before for val; train is
shuffled, and all is packed into streams of tokens with an EOS behind every document. Some rows
were made awkward on purpose; the counts below the table say what became of them.

Every run writes into a fresh numbered directory under ``artifacts/``.
"""

import os
from pathlib import Path

import mintdim
from mintdim import pipeline

ROOT = Path(__file__).resolve().parent.parent
DATA = "./examples/data/stream"
TOKENIZER = f"{DATA}/stream_sp.model"


def build(folder):
    return (
        pipeline("stream-build")
        .source.jsonl(
            files=[f"{DATA}/articles.jsonl", f"{DATA}/pages.jsonl"],
            fields=[["title", "text"], ["text"]],
            templates=["{title}\n{text}", "{text}"],
        )
        .documents(
            language="lang",
            languages=["en", "hi", "ja", "ta"],
            time="published",
            time_zone="UTC",  # of the dates that have none
            key="url",
            min_chars=20,
        )
        .tokenizer.sentencepiece({"path": TOKENIZER})
        # A fixed "now" instead of the clock makes all bytes the same in every run.
        .splits.per_language_count(test_docs=20, val_docs=20, as_of="2026-10-10T00:00:00")
        .shards(tokens=12_000, seed=20260813, build_batch=512)
        .output.dir(folder)
        .run()
    )


def show_document(dataset, number):
    """Print language, length and beginning of one document of val."""
    documents = dataset.documents("val")
    language = dataset.lang_codes[documents.language_codes()[number]]
    text = dataset.decode(documents[number], TOKENIZER)
    print(f"document {number} of val, {language}, {len(documents[number])} tokens: {text[:60]!r}")


def show_batch(dataset):
    """Print what a step of training gets."""
    windows = dataset.sampler(ctx=128, seed=1).draw(4)
    inputs, targets = windows[:, :-1], windows[:, 1:]
    print(f"a batch: inputs {inputs.shape}, targets {targets.shape}, {inputs.dtype}")


def fresh(name):
    """Return the first of ``artifacts/name_001``, ``_002``, … that does not exist."""
    numbers = (f"./artifacts/{name}_{number:03d}" for number in range(1, 10_000))
    return next(path for path in numbers if not Path(path).exists())


def main():
    os.chdir(ROOT)
    folder = fresh("stream")
    print(build(folder))
    print(f"\n{mintdim.verify(folder, full=True)}")
    dataset = mintdim.open(folder)
    print(f"\n{dataset}")
    show_document(dataset, 0)
    show_batch(dataset)
    print(f"\nAll of it lies under {ROOT / folder}")


if __name__ == "__main__":
    main()
