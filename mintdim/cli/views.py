"""What ``mintdim show`` prints."""

from __future__ import annotations

from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING, Any

from mintdim.encoders.token_texts import token_texts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mintdim.datasets.unit_dataset import Sample, UnitDataset

_BOUNDARY = "\u2502"  # │
_CUT = 300  # characters of a text in a list


class View:
    """Texts about one dataset; ``tokenizer`` is where its tokenizer lies now, if elsewhere."""

    def __init__(self, dataset: UnitDataset, tokenizer: str | None) -> None:
        self._dataset, self._tokenizer = dataset, tokenizer

    def overview(self) -> str:
        """Return the units of the dataset as a table, and what was built from what."""
        dataset, manifest = self._dataset, self._dataset.manifest
        head = f"{dataset.path}: {len(dataset):,} samples"
        storage = manifest["token_storage"]["dtype"]
        facts = [
            f"  tokenizer   {dataset.tokenizer['path']} ({dataset.vocab_size:,} entries)",
            f"  storage     {storage}",
            f"  duplicates  {sum(1 for _ in dataset.duplicates()):,} groups",
            f"  UNK         {sum(1 for _ in dataset.unk()):,} samples",
            f"  special     {sum(1 for _ in dataset.special()):,} samples",
            *(f"  source      {path}" for path in manifest["source"]["files"]),
        ]
        return "\n".join([head, *_unit_table(dataset), "", *facts])

    def samples(
        self, number: int | None, digest: str | None, source: str | None, limit: int
    ) -> Iterator[str]:
        """Yield the samples of a number, a hash prefix, or a source line."""
        dataset = self._dataset
        if number is not None:
            numbers = iter([number] if 0 <= number < len(dataset) else [])
        else:
            numbers = _matching(dataset, digest, source)
        for sample_id in islice(numbers, limit):
            yield self._sample(dataset[sample_id])

    def duplicates(self, limit: int) -> Iterator[str]:
        """Yield groups of equal samples: where they stand, and their text once."""
        for group in islice(self._dataset.duplicates(), limit):
            first = self._dataset[group["samples"][0]["sample_id"]]
            places = [
                f"  sample {member['sample_id']}  {member['source_file']}:{member['source_line']}"
                for member in group["samples"][:20]
            ]
            rest = group["count"] - len(places)
            places += [f"  … and {rest:,} more"] if rest else []
            head = f"{group['count']:,} equal samples, hash {group['hash'][:16]}…"
            yield "\n".join([head, *places, self._text(first)])

    def unk(self, limit: int) -> Iterator[str]:
        """Yield samples with UNK: where, and the tokens around each."""
        encoder = self._dataset.encoder(self._tokenizer)
        for row in islice(self._dataset.unk(), limit):
            sample = self._dataset[row["sample_id"]]
            texts = token_texts(encoder, sample.ids.tolist())
            lines = [
                f"  token {at}: {_quoted(texts[max(0, at - 6) : at])} [UNK] "
                f"{_quoted(texts[at + 1 : at + 7])}"
                for at in row["unk_positions"][:20]
            ]
            yield "\n".join([f"{_origin(sample)}, {row['unk_count']} UNK", *lines])

    def _sample(self, sample: Sample) -> str:
        encoder = self._dataset.encoder(self._tokenizer)
        texts = token_texts(encoder, sample.ids.tolist())
        head = f"{_origin(sample)}\n{sample.token_count} tokens in unit {sample.unit_size}, "
        return f"{head}hash {sample.hash}\n\n{_BOUNDARY.join(texts)}"

    def _text(self, sample: Sample) -> str:
        text = self._dataset.decode(sample.ids, self._tokenizer)
        return f"  {text[:_CUT]!r}{' …' if len(text) > _CUT else ''}"


def _matching(dataset: UnitDataset, digest: str | None, source: str | None) -> Iterator[int]:
    file, _, line = (source or "").rpartition(":")
    for row in dataset.index_rows():
        if digest is not None and row["hash"].startswith(digest.lower()):
            yield row["sample_id"]
        if source is not None and row["source_file"] == file and str(row["source_line"]) == line:
            yield row["sample_id"]


def _origin(sample: Sample) -> str:
    return f"sample {sample.sample_id}  {sample.source_file}:{sample.source_line}"


def _quoted(texts: list[str]) -> str:
    return repr("".join(texts))


def _unit_table(dataset: UnitDataset) -> list[str]:
    samples: Counter[int] = Counter()
    tokens: Counter[int] = Counter()
    shards: Counter[int] = Counter()
    for entry in dataset.shards:
        unit = int(entry["name"].split("/")[0].removeprefix("unit_"))
        samples[unit] += entry["samples"]
        tokens[unit] += entry["tokens"]
        shards[unit] += 1
    rows: list[tuple[Any, ...]] = [("unit", "samples", "tokens", "padding", "shards")]
    for unit in sorted(samples):
        share = f"{1 - tokens[unit] / (samples[unit] * unit):.1%}"
        rows.append((f"{unit:,}", f"{samples[unit]:,}", f"{tokens[unit]:,}", share, shards[unit]))
    return [
        f"  {unit:>7}  {count:>12}  {total:>15}  {share:>7}  {number:>6}"
        for unit, count, total, share, number in rows
    ]
