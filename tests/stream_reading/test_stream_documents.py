"""Documents by number, languages of tokens and documents, decoding, and `mintdim show`."""

from __future__ import annotations

import hashlib
import os
import pickle
import struct
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import worlds
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tiny_streams import LANGUAGES, SPLITS, World, write

import mintdim
from mintdim.cli.main import main
from mintdim.encoders.hf_json import HfJsonEncoder
from mintdim.encoders.sentencepiece import SentencePieceEncoder
from mintdim.formats import stream_arrays
from mintdim.shared.errors import (
    DatasetArgumentError,
    DatasetDamagedError,
    MintDimFileNotFoundError,
)

if TYPE_CHECKING:
    from pathlib import Path

laws = settings(max_examples=50, deadline=None, suppress_health_check=list(HealthCheck))

documents = st.tuples(st.sampled_from(LANGUAGES), st.lists(st.integers(3, 9), max_size=6))
splits = st.dictionaries(
    st.sampled_from(["train", "val", "test"]),
    st.lists(st.lists(documents, min_size=1, max_size=8), min_size=1, max_size=3),
    min_size=1,
)


# ------------------------------------------------------------------------------------- documents


@laws
@given(splits=splits, block=st.sampled_from([1, 3, 2**20]))
def test_documents_and_languages_are_the_naive_ones(
    tmp_path_factory: pytest.TempPathFactory, splits: Any, block: int
) -> None:
    """Whatever the blocks in which a shard is read."""
    world = write(tmp_path_factory.mktemp("law") / "set", splits)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stream_arrays, "BLOCK_TOKENS", block)
        dataset = mintdim.open(world.path)
        assert dataset.splits == tuple(s for s in ("train", "val", "test") if s in splits)
        for split in splits:
            found = dataset.documents(split)
            assert [ids.tolist() for ids in found] == world.documents(split)
            assert len(found) == len(world.documents(split))
            if split != "train":
                check_languages(world, dataset, split)


def check_languages(world: World, dataset: Any, split: str) -> None:
    names = np.array(dataset.lang_codes)
    codes = dataset.token_languages(split)
    assert codes.dtype == np.uint8
    assert names[codes].tolist() == world.token_languages(split)
    assert names[dataset.documents(split).language_codes()].tolist() == world.languages(split)
    shards = [dataset.token_languages(split, k) for k in range(len(dataset.shards(split)))]
    assert np.concatenate(shards).tolist() == codes.tolist()


def test_every_kind_of_set_is_read(world: World) -> None:
    dataset = mintdim.open(world.path)
    for split in dataset.splits:
        assert [ids.tolist() for ids in dataset.documents(split)] == world.documents(split)
    check_languages(world, dataset, "val")
    check_languages(world, dataset, "test")


def test_an_eos_belongs_to_the_document_that_it_ends() -> None:
    """Golden: 5 6 2 7 2 2 8 9, and the document of every token."""
    ends = stream_arrays.document_ends(np.array([5, 6, 2, 7, 2, 2, 8, 9], dtype="<u2"), 2)
    assert ends.tolist() == [2, 4, 5]
    of_tokens = stream_arrays.document_of_tokens(ends, np.arange(8))
    assert of_tokens.tolist() == [0, 0, 0, 1, 1, 2, 3, 3]
    assert stream_arrays.document_lengths(ends).tolist() == [3, 2, 1]


@laws
@given(index=st.one_of(st.integers(-7, 7), st.slices(7)), data=st.data())
def test_documents_are_a_sequence(
    tmp_path_factory: pytest.TempPathFactory, index: Any, data: st.DataObject
) -> None:
    world = write(tmp_path_factory.mktemp("sequence") / "set", SPLITS)
    found, expected = mintdim.open(world.path).documents("val"), world.documents("val")
    if isinstance(index, slice):
        part = found[index]
        assert [ids.tolist() for ids in part] == expected[index]
        assert len(part) == len(expected[index])
        names = [LANGUAGES[code] for code in part.language_codes()]
        assert names == world.languages("val")[index]
    elif -5 <= index < 5:
        assert found[index].tolist() == expected[index]
    else:
        with pytest.raises(IndexError):
            found[index]


def test_documents_are_copies_in_the_storage_type(world: World) -> None:
    dataset = mintdim.open(world.path)
    ids = dataset.documents("val")[0]
    ids[0] = 9
    assert dataset.documents("val")[0].tolist() == [5, 6]
    assert ids.dtype == dataset.dtype
    view = dataset.tokens("val", 0)
    assert view[:3].tolist() == [5, 6, dataset.eos_id]
    assert not view.flags.writeable
    assert dataset.tokens("train", -1).tolist() == world.shard_tokens("train")[1]


def test_documents_of_more_shards_than_tables_that_are_kept(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mintdim.datasets.stream_shards._MOST_TABLE_BYTES", 1)
    dataset = mintdim.open(world.path)
    for _ in range(2):
        assert [ids.tolist() for ids in dataset.documents("val")] == world.documents("val")
    assert len(dataset._opened._ends) == 1


@pytest.mark.parametrize("split", ["tests", "", None, 3])
def test_a_split_that_is_not_there_is_named(world: World, split: Any) -> None:
    dataset = mintdim.open(world.path)
    for door in (dataset.documents, dataset.token_languages, dataset.shards):
        with pytest.raises(DatasetArgumentError, match="splits with documents: train, val, test"):
            door(split)


def test_train_has_no_languages(world: World) -> None:
    dataset = mintdim.open(world.path)
    for door in (dataset.token_languages, lambda split: dataset.documents(split).language_codes()):
        with pytest.raises(DatasetArgumentError, match=r"there is no train_000\.langs\.u8"):
            door("train")


def test_a_shard_that_is_not_there_is_an_index_error(world: World) -> None:
    with pytest.raises(IndexError):
        mintdim.open(world.path).token_languages("val", 2)


def test_a_stale_shard_in_the_folder_is_never_read(world: World) -> None:
    (world.path / "train_002.bin").write_bytes(b"\5\0\2\0")
    dataset = mintdim.open(world.path)
    assert len(dataset.documents("train")) == len(world.documents("train"))
    assert len(dataset.sampler(4, 0).shards) == len(dataset.epochs(4, 0).shards) == 2


@pytest.mark.parametrize(
    ("place", "token", "words"),
    [(3, 9, "it holds 2 EOS tokens, its index says 3 documents"), (35, 9, "EOS")],
)
def test_ends_of_documents_that_were_changed_are_refused(
    tmp_path: Path, place: int, token: int, words: str
) -> None:
    world = write(tmp_path / "set", SPLITS, vocab_size=65_536)
    data = bytearray((world.path / "train_000.bin").read_bytes())
    struct.pack_into("<H", data, 2 * place, token)
    (world.path / "train_000.bin").write_bytes(data)
    with pytest.raises(DatasetDamagedError, match=words) as caught:
        mintdim.open(world.path).documents("train")[0]
    assert caught.value.file == "train_000.bin"


@pytest.mark.parametrize("size", [None, 0, 3, 8])
def test_a_shard_that_went_away_since_the_set_was_opened_is_an_error_of_ours(
    world: World, size: int | None
) -> None:
    dataset = mintdim.open(world.path)
    path = world.path / "val_000.bin"
    path.unlink() if size is None else os.truncate(path, size)
    for read in (lambda: dataset.documents("val")[0], lambda: dataset.tokens("val", 0)):
        with pytest.raises(DatasetDamagedError) as caught:
            read()
        assert caught.value.file == "val_000.bin"


def test_a_last_token_that_is_no_eos_is_refused(tmp_path: Path) -> None:
    world = write(tmp_path / "set", {"train": [[("en", [5, 6])]]})
    (world.path / "train_000.bin").write_bytes(struct.pack("<3H", 5, 2, 6))
    with pytest.raises(DatasetDamagedError, match="its last EOS is token 1, must be token 2"):
        mintdim.open(world.path).documents("train")[0]


def test_a_dataset_says_what_it_is_and_survives_pickling(world: World) -> None:
    dataset = mintdim.open(world.path)
    assert repr(dataset) == (
        f"StreamDataset('{world.path}', documents={{train: 4, val: 5, test: 3}})"
    )
    assert repr(dataset.documents("val")) == "Documents('val', 5)"
    dataset.documents("val")[0]
    data = pickle.dumps(dataset)
    assert len(data) < 20_000
    again = pickle.loads(data)
    assert again.fingerprint == dataset.fingerprint
    assert again.documents("val")[4].tolist() == [4] * 40
    assert pickle.loads(pickle.dumps(dataset.documents("val")))[3].tolist() == [8, 9]


def test_the_fingerprint_is_of_the_contents(tmp_path: Path) -> None:
    ours = mintdim.open(write(tmp_path / "a", SPLITS, vocab_size=65_536).path)
    original = mintdim.open(write(tmp_path / "b", SPLITS, original=True).path)
    other = mintdim.open(write(tmp_path / "c", {"train": [[("en", [4])]]}).path)
    assert ours.fingerprint == original.fingerprint != other.fingerprint


# ---------------------------------------------------------------------------------------- decode


@pytest.fixture(params=["tok.model", "tok.json"])
def spoken(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[World, Path]:
    """A set of one document, and its tokenizer: one letter."""
    model = worlds.spm() if request.param == "tok.model" else worlds.hf_gap()
    worlds.write_files(tmp_path, {request.param: model})
    path = tmp_path / request.param
    make = SentencePieceEncoder if request.param == "tok.model" else HfJsonEncoder
    encoder: Any = make(path.read_bytes())
    ids = encoder.encode_batch(["b"]).ids.tolist()
    world = write(
        tmp_path / "set",
        {"val": [[("en", ids)]]},
        tokenizer_sha256=hashlib.sha256(path.read_bytes()).hexdigest(),
        dtype="uint32",
        vocab_size=encoder.largest_id + 1,
    )
    return world, path


def test_decoding_gives_the_text_back(spoken: tuple[World, Path]) -> None:
    world, tokenizer = spoken
    dataset = mintdim.open(world.path)
    assert dataset.decode(dataset.documents("val")[0], tokenizer) == "b"


def test_another_tokenizer_is_refused(spoken: tuple[World, Path], tmp_path: Path) -> None:
    world, tokenizer = spoken
    dataset = mintdim.open(world.path)
    other = tmp_path / f"other{tokenizer.suffix}"
    other.write_bytes(tokenizer.read_bytes() + b"\n")
    with pytest.raises(DatasetArgumentError, match=r"differs\); that was tok\.model"):
        dataset.decode([3], other)
    with pytest.raises(MintDimFileNotFoundError):
        dataset.decode([3], tmp_path / "nothing")


def test_a_set_that_names_no_hash_takes_any_tokenizer(tmp_path: Path) -> None:
    world = write(tmp_path / "set", SPLITS, original=True)
    (tmp_path / "tok.model").write_bytes(worlds.spm())
    dataset = mintdim.open(world.path)
    assert isinstance(dataset.decode([5], tmp_path / "tok.model"), str)
    for data in (b"", b"no tokenizer", b"{}"):
        (tmp_path / "other").write_bytes(data)
        with pytest.raises(DatasetArgumentError, match="library cannot load this file"):
            dataset.decode([5], tmp_path / "other")


@pytest.mark.parametrize("ids", [[-1], [5, 10**9]])
def test_ids_that_the_tokenizer_does_not_have_are_refused(
    spoken: tuple[World, Path], ids: list[int]
) -> None:
    world, tokenizer = spoken
    with pytest.raises(DatasetArgumentError, match=f"id is {ids[-1]}, must be 0"):
        mintdim.open(world.path).decode(ids, tokenizer)


# ------------------------------------------------------------------------------------------ show


def shown(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    assert main(["show", *map(str, arguments)]) == 0
    return capsys.readouterr().out


def test_show_gives_an_overview(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    world = write(tmp_path / "set", SPLITS, vocab_size=65_536)
    lines = shown(capsys, world.path).splitlines()
    assert lines[0] == f"{world.path}: 12 documents"
    assert lines[1].split() == ["split", "shards", "documents", "tokens"]
    assert lines[3].split() == ["val", "2", "5", "50"]
    assert lines[6].split() == ["language", "train", "val", "test"]
    assert lines[7].split() == ["en", "55", "63.2%", "6", "12.0%", "3", "60.0%"]
    assert "  storage     uint16, EOS 2" in lines


def test_show_gives_a_document_as_ids_or_text(
    spoken: tuple[World, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    world, tokenizer = spoken
    ids = world.documents("val")[0]
    out = shown(capsys, world.path, "--document", "val:0")
    assert out == f"document val:0  en  {len(ids)} tokens and EOS\n\n{' '.join(map(str, ids))}\n"
    out = shown(capsys, world.path, "--document", "val:0", "--tokenizer", tokenizer)
    assert out.splitlines()[-1].replace("\u2502", "") == "b"


def test_show_gives_a_document_of_train_without_language(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    out = shown(capsys, world.path, "--document", "train:0")
    assert out == "document train:0  3 tokens and EOS\n\n5 6 7\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ["--document", "val"],
        ["--document", "val:-1"],
        ["--document", "val:5"],
        ["--document", "nothing:0"],
        ["--sample", "0"],
        ["--unk"],
    ],
)
def test_show_says_what_is_not_there(
    world: World, capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    assert main(["show", str(world.path), *arguments]) != 0
    assert "DatasetArgumentError" in capsys.readouterr().err


def test_a_unit_dataset_has_no_documents(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    worlds.write_files(tmp_path, {"in.jsonl": b'{"text": "ab"}\n', "tok.model": worlds.spm()})
    worlds.run_job(tmp_path, **worlds.make_job())
    assert main(["show", str(tmp_path / "out"), "--document", "val:0"]) != 0
    assert "--document is for the other kind of dataset" in capsys.readouterr().err
