"""What ``mintdim show`` prints of a stream dataset."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mintdim.encoders.token_texts import token_texts
from mintdim.shared.errors import DatasetArgumentError
from mintdim.shared.messages import phrase

if TYPE_CHECKING:
    from mintdim.datasets.stream_dataset import StreamDataset

_BOUNDARY = "\u2502"  # │


class StreamView:
    """Texts about one dataset; ``tokenizer`` is where its tokenizer lies."""

    def __init__(self, dataset: StreamDataset, tokenizer: str | None) -> None:
        self._dataset, self._tokenizer = dataset, tokenizer

    def overview(self) -> str:
        """Return the splits of the dataset as a table, and what it was made with."""
        dataset, index = self._dataset, self._dataset.index
        docs = sum(shard.docs for shard in index.shards)
        vocabulary = "" if index.vocab_size is None else f" ({index.vocab_size:,} ids)"
        facts = [
            f"  tokenizer   {index.tokenizer}{vocabulary}",
            f"  storage     {index.dtype}, EOS {index.eos_id}",
            f"  split by    {index.boundaries.get('mode', '-')}",
            f"  seed        {index.seed}",
            f"  created     {index.created}",
        ]
        head = f"{dataset.path}: {docs:,} documents"
        return "\n".join([head, *_split_table(dataset), "", *_language_table(dataset), "", *facts])

    def document(self, place: str) -> str:
        """Return one document, named as ``split:number``: its ids, or its tokens as text.

        Raises ``DatasetArgumentError`` for a place that is not there.
        """
        split, number = _parsed(place)
        documents = self._dataset.documents(split)
        if not 0 <= number < len(documents):
            facts = {"name": "--document", "expected": f"{split}:0 … {split}:{len(documents) - 1}"}
            raise DatasetArgumentError(problem=phrase("wrong_type", **facts, found=place))
        ids = documents[number].tolist()
        head = (
            f"document {split}:{number}{self._language(split, number)}  {len(ids)} tokens and EOS"
        )
        if self._tokenizer is None:
            return f"{head}\n\n{' '.join(map(str, ids))}"
        texts = token_texts(self._dataset.encoder(self._tokenizer), ids)
        return f"{head}\n\n{_BOUNDARY.join(texts)}"

    def _language(self, split: str, number: int) -> str:
        try:
            code = int(self._dataset.documents(split)[number : number + 1].language_codes()[0])
        except DatasetArgumentError:  # not recorded
            return ""
        codes = self._dataset.lang_codes
        return f"  {codes[code] if code < len(codes) else code}"


def _parsed(place: str) -> tuple[str, int]:
    split, _, number = place.partition(":")
    if not number.isdecimal():
        facts = {"name": "--document", "expected": "SPLIT:N", "found": place}
        raise DatasetArgumentError(problem=phrase("wrong_type", **facts))
    return split, int(number)


def _split_table(dataset: StreamDataset) -> list[str]:
    rows = [("split", "shards", "documents", "tokens")]
    for split in dataset.splits:
        shards = dataset.shards(split)
        docs, tokens = (
            sum(getattr(shard, name) for shard in shards) for name in ("docs", "tokens")
        )
        rows.append((split, f"{len(shards):,}", f"{docs:,}", f"{tokens:,}"))
    return [
        f"  {split:<8}{shards:>7}  {docs:>13}  {tokens:>17}" for split, shards, docs, tokens in rows
    ]


def _language_table(dataset: StreamDataset) -> list[str]:
    """Tokens of every language in every split, and their share of it."""
    rows = [["language", *dataset.splits]]
    totals = {
        split: sum(shard.tokens for shard in dataset.shards(split)) for split in dataset.splits
    }
    for language in dataset.lang_codes:
        counts = {
            split: sum(shard.langs.get(language, 0) for shard in dataset.shards(split))
            for split in dataset.splits
        }
        if any(counts.values()):
            shares = [
                f"{counts[split]:,} {counts[split] / totals[split]:>6.1%}" for split in counts
            ]
            rows.append([language, *shares])
    return ["  " + f"{name:<8}" + "".join(f"{cell:>24}" for cell in cells) for name, *cells in rows]
