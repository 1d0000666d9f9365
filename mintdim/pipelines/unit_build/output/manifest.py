"""Manifest of one output: shared values as one value, mapped ones as one entry per file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mintdim.formats.manifest import manifest, tokenizer_entry
from mintdim.formats.shards import bytes_per_token
from mintdim.shared.mapping import as_configured
from mintdim.shared.version import __version__

if TYPE_CHECKING:
    from mintdim.pipelines.unit_build.config import Session, TokenizerInfo, UnitBuildConfig


def manifest_document(
    config: UnitBuildConfig, session: Session, shards_index_sha256: str
) -> dict[str, Any]:
    """Return the content of ``manifest.json``."""
    indices = [job.index for job in session.jobs]
    return manifest(
        version=__version__,
        tokenizer=_tokenizers(config, session),
        dtype=session.dtype,
        bytes_per_token=bytes_per_token(session.dtype),
        sizes=as_configured(config.units.sizes, indices),
        build_batch=as_configured(config.units.build_batch, indices),
        files=[job.source.path for job in session.jobs],
        fields=[list(names) for names in _listed(config.source.fields, indices)],
        templates=_listed(config.source.templates, indices),
        source_bytes=[job.source.bytes for job in session.jobs],
        samples_per_shard=as_configured(config.output.samples_per_shard, indices),
        shards_index_sha256=shards_index_sha256,
    )


def _listed(values: tuple[Any, ...], indices: list[int]) -> list[Any]:
    """Return the entries as a list in both cases: fields and templates are always lists."""
    return list(values) if len(values) == 1 else [values[i] for i in indices]


def _tokenizers(config: UnitBuildConfig, session: Session) -> Any:
    entries = [_entry(job.tokenizer) for job in session.jobs]
    return entries[0] if len(config.tokenizer.paths) == 1 else entries


def _entry(info: TokenizerInfo) -> dict[str, Any]:
    return tokenizer_entry(
        kind=info.kind,
        path=info.path,
        vocab_size=info.vocab_size,
        largest_id=info.largest_id,
        unk_id=info.unk_id,
        pad_id=info.pad_id,
        sha256=info.sha256,
    )
