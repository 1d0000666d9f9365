"""``manifest.json``: what was built from what. Its presence is what makes a dataset complete."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mintdim.shared.types import TokenDType

FORMAT_VERSION = 1
BYTE_ORDER = "little"


def manifest(
    *,
    version: str,
    tokenizer: Any,
    dtype: TokenDType,
    bytes_per_token: int,
    sizes: Any,
    build_batch: Any,
    files: list[str],
    fields: list[list[str]],
    templates: list[str],
    source_bytes: list[int],
    samples_per_shard: Any,
    shards_index_sha256: str,
) -> dict[str, Any]:
    """Return the manifest; values marked ``Any`` are lists where they were mapped by file."""
    return {
        "pipeline": "unit-build",
        "mintdim_version": version,
        "format_version": FORMAT_VERSION,
        "tokenizer": tokenizer,
        "token_storage": {
            "dtype": dtype,
            "bytes_per_token": bytes_per_token,
            "byte_order": BYTE_ORDER,
        },
        "units": {"sizes": sizes, "build_batch": build_batch},
        "source": {
            "files": files,
            "fields": fields,
            "templates": templates,
            "bytes": source_bytes,
        },
        "output": {"samples_per_shard": samples_per_shard},
        "shards_index_sha256": shards_index_sha256,
    }


def tokenizer_entry(
    *,
    kind: str,
    path: str,
    vocab_size: int,
    largest_id: int,
    unk_id: int,
    pad_id: int,
    sha256: str,
) -> dict[str, Any]:
    """Return the description of one tokenizer."""
    return {
        "type": kind,
        "path": path,
        "vocab_size": vocab_size,
        "largest_id": largest_id,
        "unk_id": unk_id,
        "pad_id": pad_id,
        "sha256": sha256,
    }
