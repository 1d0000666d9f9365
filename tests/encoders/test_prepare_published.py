"""Real published tokenizers: prepared, built with, and decoded back.

Skipped unless ``MINTDIM_PUBLISHED`` names a folder with their files; docs/tokenizers.md says how
to get them. The table of that page is compared with what happens here.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pytest
import worlds

import mintdim

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.published

ROOT = Path(__file__).resolve().parents[2]
FOLDER = os.environ.get("MINTDIM_PUBLISHED", "")
DATA = ROOT / "examples/data/instruction"
COMMAND = re.compile(r"^mintdim tokenizer prepare (\S+) ready/(\S+) (--.+)$", re.MULTILINE)
ROW = re.compile(r"^\| `(\S+)` \| [^|]+ \| (\d+) \| (\d+) \| ([^|]+) \|$", re.MULTILINE)
APPENDED = {"both": {"pad", "unk"}, "none": set(), "PAD": {"pad"}, "UNK": {"unk"}}


class Published(NamedTuple):
    """A command of docs/tokenizers.md and the row of the table that goes with it."""

    copy: str
    file: str
    wanted: dict[str, str]
    pad_id: int
    unk_id: int
    appended: set[str]

    @property
    def kind(self) -> str:
        return "hf_json" if self.file.endswith(".json") else "sentencepiece"


def documented() -> list[Published]:
    text = (ROOT / "docs/tokenizers.md").read_text("utf-8")
    rows = {copy: (int(pad), int(unk), APPENDED[new]) for copy, pad, unk, new in ROW.findall(text)}
    return [
        Published(copy, file, dict(re.findall(r'--(pad|unk) "([^"]+)"', options)), *rows[copy])
        for file, copy, options in COMMAND.findall(text)
    ]


PUBLISHED = documented()


@pytest.fixture(params=PUBLISHED, ids=lambda row: row.copy)
def published(request: pytest.FixtureRequest) -> Published:
    row: Published = request.param
    if not FOLDER or not (Path(FOLDER) / row.file).is_file():
        pytest.skip(f"MINTDIM_PUBLISHED holds no {row.file}")
    return row


# What the official libraries say, without any code of ours.
def official(kind: str, path: Path) -> tuple[Callable[[str], list[int]], Callable[..., str]]:
    if kind == "sentencepiece":
        from sentencepiece import SentencePieceProcessor

        model = SentencePieceProcessor(model_file=str(path))
        return model.encode, model.decode
    from tokenizers import Tokenizer

    library = Tokenizer.from_file(str(path))
    library.no_padding()
    return (
        lambda text: list(library.encode(text, add_special_tokens=False).ids),
        lambda ids: str(library.decode(ids, skip_special_tokens=False)),
    )


def rendered() -> list[str]:
    lines = (DATA / "humaneval.jsonl").read_text("utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    return [f"{row['prompt']}\n\n{row['canonical_solution']}" for row in rows]


def build(root: Path, row: Published, path: Path) -> list[list[int]]:
    """The ids of every sample, read back from the shards without the reader of the library."""
    job: dict[str, Any] = worlds.make_job(
        files=[str(DATA / "humaneval.jsonl")],
        fields=[["prompt", "canonical_solution"]],
        templates=["{prompt}\n\n{canonical_solution}"],
        tokenizer_type=row.kind,
        tokenizer={"path": str(path)},
        sizes=[[256, 512, 2048]],
        build_batch=[64],
        output=str(root / "out"),
        samples_per_shard=[100],
    )
    worlds.declare(job).run()
    manifest = json.loads((root / "out/manifest.json").read_bytes())
    width = {"uint16": "<u2", "uint32": "<u4"}[manifest["token_storage"]["dtype"]]
    shards = json.loads((root / "out/shards_index.json").read_bytes())["shards"]
    places = np.fromfile(root / "out/sample_index.bin", dtype="<u4").reshape(-1, 4)
    samples = []
    for count, size, shard, at in places.tolist():
        name = f"unit_{size}/shard_{shard:06d}.bin"
        assert any(entry["name"] == name for entry in shards)
        record = np.fromfile(root / "out" / name, dtype=width).reshape(-1, size)[at]
        assert (record[count:] == row.pad_id).all()
        samples.append(record[:count].tolist())
    return samples


def test_a_published_tokenizer_is_refused_until_it_is_prepared(
    published: Published, tmp_path: Path
) -> None:
    source, ready = Path(FOLDER) / published.file, tmp_path / f"ready{Path(published.file).suffix}"
    with pytest.raises(mintdim.MintDimConfigError, match="prepare_tokenizer"):
        build(tmp_path, published, source)
    result = mintdim.prepare_tokenizer(source, ready, **published.wanted)
    assert (result.pad_id, result.unk_id) == (published.pad_id, published.unk_id)
    assert set(result.appended) == {published.wanted[name] for name in published.appended}

    encode, _ = official(published.kind, source)
    _, decode = official(published.kind, ready)
    texts, samples = rendered(), build(tmp_path, published, ready)
    assert samples == [encode(text) for text in texts]
    assert [decode(ids) for ids in samples] == texts


def test_the_table_of_the_docs_can_be_read() -> None:
    files = {row.file.partition(".")[0] for row in PUBLISHED}
    assert files >= {"llama3", "qwen3", "gpt2", "gemma3", "deepseek_v3", "mistral_v1", "mistral_v3"}
    assert all(row.wanted for row in PUBLISHED)
