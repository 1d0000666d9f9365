"""What belongs to a unit dataset: every file that its index lists, the index and the manifest."""

from __future__ import annotations

from typing import Any

from mintdim.fetching import limits
from mintdim.fetching.contracts import Plan, TransferError, Wanted
from mintdim.formats import names
from mintdim.formats.stream_parsing import Fields, IndexProblemError, json_object
from mintdim.shared.files import sha256_of
from mintdim.shared.messages import Phrase, phrase


def unit_plan(index: bytes, manifest: bytes) -> Plan:
    """Return the plan of ``shards_index.json`` and the manifest that vouches for it.

    Raises ``TransferError`` where they do not fit, or list what no unit dataset has.
    """
    try:
        _check_manifest(manifest, sha256_of(index))
        files = _listed(index)
    except IndexProblemError as error:
        raise TransferError(error.problem, "fetch_ask_origin", final=True) from error
    last = ((names.SHARDS_INDEX, index), (names.MANIFEST, manifest))
    return Plan("unit-build", files, last, lambda earlier: earlier == manifest)


def _check_manifest(data: bytes, index_sha256: str) -> None:
    fields = Fields(json_object(data, limits.INDEX_BYTES))
    pipeline = fields.text("pipeline")
    if pipeline != "unit-build":
        raise IndexProblemError(phrase("other_pipeline", found=pipeline[:80]))
    if fields.digest("shards_index_sha256") != index_sha256:
        raise IndexProblemError(phrase("other_hash"))


def _listed(data: bytes) -> tuple[Wanted, ...]:
    fields = Fields(json_object(data, limits.INDEX_BYTES))
    files = [
        _wanted(entry, f"{block}[{number}].")
        for block in ("shards", "files")
        for number, entry in enumerate(fields.list(block))
    ]
    seen: set[str] = set()
    for file in files:
        if file.name in seen:
            raise IndexProblemError(phrase("shard_twice", name=file.name))
        seen.add(file.name)
    return tuple(files)


def _wanted(entry: Any, place: str) -> Wanted:
    fields = Fields(entry, place)
    name = fields.text("name")
    if not names.is_listed(name):
        raise IndexProblemError(_bad_name(name))
    return Wanted(name, fields.count("bytes"), fields.digest("sha256"))


def _bad_name(name: str) -> Phrase:
    return phrase("fetch_bad_name", name=repr(name[:80]))
