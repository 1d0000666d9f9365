"""``shards_index.json`` and the ``.bin.json`` of every shard: what was written, put into words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mintdim.formats.stream_index import StreamIndex, StreamShard
from mintdim.formats.stream_names import SPLITS, Split, shard_name
from mintdim.shared.paths import shown_name
from mintdim.shared.times import written

if TYPE_CHECKING:
    from mintdim.pipelines.stream_build.config import StreamBuildConfig
    from mintdim.pipelines.stream_build.output.shard_writer import WrittenShard


def entries(
    shards: dict[Split, list[WrittenShard]], languages: tuple[str, ...]
) -> list[tuple[StreamShard, WrittenShard]]:
    """Return every shard with its entry: train, val, test."""
    return [
        (_entry(shard_name(split, number, len(shards[split])), split, shard, languages), shard)
        for split in SPLITS
        for number, shard in enumerate(shards[split])
    ]


def index_of(
    config: StreamBuildConfig, boundaries: dict[str, Any], shards: list[StreamShard]
) -> StreamIndex:
    """Return the index of the dataset."""
    return StreamIndex(
        tokenizer=shown_name(config.tokenizer.path),
        dtype=config.dtype,
        shard_tokens=config.shards.tokens,
        seed=config.shards.seed,
        created=written(config.as_of),
        boundaries=boundaries,
        shards=tuple(shards),
        tokenizer_sha256=config.tokenizer.sha256,
        vocab_size=config.tokenizer.vocab_size,
        eos_id=config.tokenizer.eos_id,
        lang_codes=config.documents.languages,
    )


def _entry(name: str, split: Split, shard: WrittenShard, languages: tuple[str, ...]) -> StreamShard:
    tokens = shard.tokens.tolist()
    return StreamShard(
        name=name,
        split=split,
        tokens=sum(tokens),
        docs=int(shard.docs.sum()),
        sha256=shard.file.sha256,
        langs={language: tokens[code] for code, language in enumerate(languages) if tokens[code]},
        langs_sha256=None if shard.codes is None else shard.codes.sha256,
    )
