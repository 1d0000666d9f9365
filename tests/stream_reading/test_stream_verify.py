"""`mintdim.verify` of stream datasets: no findings in a clean one, damage named with its place."""

from __future__ import annotations

import json
import os
import struct
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tiny_streams import EOS, SPLITS, World, digest, json_text, write

import mintdim
from mintdim.cli.main import main
from mintdim.shared.errors import (
    DatasetArgumentError,
    DatasetDamagedError,
    MintDimDatasetError,
    NotADatasetError,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from mintdim.verification.findings import VerifyReport

EXAMPLES = int(os.environ.get("MINTDIM_EXAMPLES", "60"))


@pytest.fixture
def ours(tmp_path: Path) -> World:
    return write(tmp_path / "set", SPLITS, vocab_size=65_536)


def found(report: VerifyReport) -> list[tuple[str, str, int | None]]:
    return [(entry.file, entry.problem.code, entry.offset) for entry in report.findings]


def flip(path: Path, offset: int, bits: int = 1) -> None:
    data = bytearray(path.read_bytes())
    data[offset] ^= bits
    path.write_bytes(data)


def set_token(path: Path, place: int, value: int) -> None:
    data = bytearray(path.read_bytes())
    struct.pack_into("<H", data, 2 * place, value)
    path.write_bytes(data)


# ----------------------------------------------------------------------------------------- clean


@pytest.mark.parametrize("full", [False, True])
def test_a_clean_set_has_no_findings(world: World, full: bool) -> None:
    report = mintdim.verify(world.path, full=full)
    assert [str(entry) for entry in report.findings] == []
    assert report.ok
    assert report.as_dict()["documents"] == 12
    assert report.checks == (("quick", "full") if full else ("quick",))


def test_the_size_of_a_block_does_not_matter(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    for size in (4, 8, 20):
        monkeypatch.setattr("mintdim.verification.stream_content._BLOCK_BYTES", size)
        assert mintdim.verify(world.path, full=True).ok


def test_the_report_counts_documents_and_bytes(ours: World) -> None:
    text = str(mintdim.verify(ours.path))
    assert text.endswith("set: 12 documents, 292 bytes, checked: quick\nno findings")


def test_its_sources_are_not_recorded(ours: World) -> None:
    with pytest.raises(DatasetArgumentError, match="source is for the other kind"):
        mintdim.verify(ours.path, source=True)


def test_a_folder_of_nothing_is_no_dataset(tmp_path: Path) -> None:
    with pytest.raises(NotADatasetError, match=r"neither manifest.json nor shards_index.json"):
        mintdim.verify(tmp_path)


# ---------------------------------------------------------------------------------- quick damage

TRUNCATED = "{"
QUICK: dict[str, tuple[Callable[[Path], object], str, str]] = {
    "a shard is gone": (lambda p: (p / "val_001.bin").unlink(), "val_001.bin", "is_missing"),
    "an entry is gone": (
        lambda p: (p / "test_000.bin.json").unlink(),
        "test_000.bin.json",
        "is_missing",
    ),
    "codes are gone": (
        lambda p: (p / "val_000.langs.u8").unlink(),
        "val_000.langs.u8",
        "is_missing",
    ),
    "a shard is a folder": (
        lambda p: ((p / "val_001.bin").unlink(), (p / "val_001.bin").mkdir()),
        "val_001.bin",
        "is_missing",
    ),
    "a link to nothing": (
        lambda p: ((p / "val_001.bin").unlink(), (p / "val_001.bin").symlink_to("no")),
        "val_001.bin",
        "is_missing",
    ),
    "a shard is cut": (
        lambda p: os.truncate(p / "train_000.bin", 3),
        "train_000.bin",
        "other_size",
    ),
    "a shard is longer": (
        lambda p: os.truncate(p / "train_000.bin", 4000),
        "train_000.bin",
        "other_size",
    ),
    "codes are cut": (
        lambda p: os.truncate(p / "val_000.langs.u8", 1),
        "val_000.langs.u8",
        "other_size",
    ),
    "a stale shard": (
        lambda p: (p / "train_002.bin").write_bytes(b"ab"),
        "train_002.bin",
        "stray_file",
    ),
    "a part": (lambda p: (p / ".train_000.bin.part").touch(), ".train_000.bin.part", "stray_file"),
    "a folder": (lambda p: (p / "more").mkdir(), "more", "stray_file"),
    "codes of train": (
        lambda p: (p / "train_000.langs.u8").write_bytes(b"\0\0\0"),
        "train_000.langs.u8",
        "stray_file",
    ),
    "an entry is no JSON": (
        lambda p: (p / "val_000.bin.json").write_text("{"),
        "val_000.bin.json",
        "unreadable",
    ),
    "an entry lacks a key": (
        lambda p: (p / "val_000.bin.json").write_text("{}"),
        "val_000.bin.json",
        "key_missing",
    ),
    "an index is no JSON": (
        lambda p: (p / "shards_index.json").write_text("{"),
        "shards_index.json",
        "unreadable",
    ),
    "an index is empty": (
        lambda p: (p / "shards_index.json").write_text("{}"),
        "shards_index.json",
        "key_missing",
    ),
}


@pytest.mark.parametrize("damage", QUICK)
@pytest.mark.parametrize("full", [False, True])
def test_damage_of_names_and_sizes_is_found_by_the_quick_check(
    ours: World, damage: str, full: bool
) -> None:
    act, file, code = QUICK[damage]
    act(ours.path)
    assert found(mintdim.verify(ours.path, full=full)) == [(file, code, None)]


@pytest.mark.parametrize(
    "damage", [name for name in QUICK if QUICK[name][2] != "stray_file" and "entry" not in name]
)
def test_the_reader_refuses_what_is_missing_or_of_another_size(ours: World, damage: str) -> None:
    act, file, _ = QUICK[damage]
    act(ours.path)
    with pytest.raises(DatasetDamagedError) as caught:
        mintdim.open(ours.path)
    assert caught.value.file == file


def refuse(path: object, *_: object) -> bytes:
    raise PermissionError(13, "Permission denied")


def test_files_that_cannot_be_read_are_findings(
    ours: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mintdim.verification.stream_content.open", refuse, raising=False)
    report = mintdim.verify(ours.path, full=True)
    assert {entry.problem.code for entry in report.findings} == {"unreadable"}
    assert [entry.file for entry in report.findings] == [s["name"] for s in ours.index()["shards"]]
    monkeypatch.setattr("mintdim.verification.stream_quick.read_limited", refuse)
    assert found(mintdim.verify(ours.path)) == [("shards_index.json", "unreadable", None)]
    monkeypatch.setattr("mintdim.datasets.stream_opening.read_limited", refuse)
    with pytest.raises(DatasetDamagedError, match="Permission denied"):
        mintdim.open(ours.path)


def test_a_folder_that_cannot_be_listed_and_entries_that_cannot_be_read_are_findings(
    ours: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def only_the_index(path: Path, most: int) -> bytes:
        return path.read_bytes() if path.name == "shards_index.json" else refuse(path)

    monkeypatch.setattr("mintdim.verification.stream_quick.read_limited", only_the_index)
    monkeypatch.setattr("mintdim.verification.stream_quick.os.listdir", refuse)
    entries = [(s["name"] + ".json", "unreadable", None) for s in ours.index()["shards"]]
    assert found(mintdim.verify(ours.path)) == [(".", "unreadable", None), *entries]


@pytest.mark.parametrize(
    ("key", "value"),
    [("docs", 5), ("tokens", 2), ("sha256", "0" * 64), ("langs", {"en": 9}), ("note", "x")],
)
def test_an_entry_that_differs_from_the_index_is_named(ours: World, key: str, value: Any) -> None:
    path = ours.path / "val_000.bin.json"
    path.write_text(json_text({**json.loads(path.read_text()), key: value}))
    report = mintdim.verify(ours.path)
    assert found(report) == [("val_000.bin.json", "value_differs", None)]
    assert f"{key} is {value}, must be" in str(report)


CONTRADICTIONS: dict[str, Callable[[Any], object]] = {
    "languages do not sum up": lambda index: index["shards"][0]["langs"].update(en=5),
    "an unknown language": lambda index: index["shards"][3].update(langs={"xx": 41}),
    "more documents than tokens": lambda index: index["shards"][0].update(docs=60),
    "no documents": lambda index: index["shards"][0].update(docs=0),
    "EOS outside the vocabulary": lambda index: index.update(eos_id=65_536),
    "ids that two bytes do not hold": lambda index: index.update(vocab_size=65_537),
    "a shard above the limit": lambda index: index.update(shard_tokens=10),
    "another order": lambda index: index["shards"].reverse(),
    "a gap in the numbers": lambda index: index["shards"].pop(0),
    "codes without a hash": lambda index: index["shards"][2].pop("langs_sha256"),
    "a hash without codes": lambda index: index["shards"][0].update(langs_sha256="0" * 64),
}


@pytest.mark.parametrize("damage", CONTRADICTIONS)
def test_an_index_at_odds_with_itself_is_found_and_refused(ours: World, damage: str) -> None:
    ours.change_index(CONTRADICTIONS[damage])
    assert ("shards_index.json", "value_differs", None) in found(mintdim.verify(ours.path))
    with pytest.raises(DatasetDamagedError) as caught:
        mintdim.open(ours.path)
    assert caught.value.file == "shards_index.json"


def test_a_single_document_may_be_longer_than_the_limit(tmp_path: Path) -> None:
    world = write(tmp_path / "set", {"train": [[("en", [5] * 40)]]}, shard_tokens=10)
    assert mintdim.verify(world.path, full=True).ok


def test_a_name_that_leaves_the_folder_is_never_followed(ours: World, tmp_path: Path) -> None:
    (tmp_path / "train_000.bin").write_bytes(b"xx")
    ours.change_index(lambda index: index["shards"][0].update(name="../train_000.bin"))
    (finding,) = mintdim.verify(ours.path).findings
    assert "shards[0].name must be a name like train_000.bin" in str(finding)


# ----------------------------------------------------------------------------------- full damage


def test_a_changed_token_is_found_by_its_hash(ours: World) -> None:
    flip(ours.path / "train_000.bin", 1)
    assert mintdim.verify(ours.path).ok
    assert found(mintdim.verify(ours.path, full=True)) == [("train_000.bin", "other_content", None)]


def test_an_id_outside_the_vocabulary_is_found_at_its_byte(tmp_path: Path) -> None:
    world = write(tmp_path / "set", SPLITS | {"test": [[("en", [5])]]}, vocab_size=100)
    set_token(world.path / "train_001.bin", 7, 100)
    world.forge()
    report = mintdim.verify(world.path, full=True)
    assert found(report) == [("train_001.bin", "no_such_id", 14)]
    assert "train_001.bin, byte 14: a token id is larger" in str(report)


def test_an_end_of_a_document_that_is_lost_is_found(ours: World) -> None:
    set_token(ours.path / "train_000.bin", 3, 9)
    ours.forge()
    report = mintdim.verify(ours.path, full=True)
    assert found(report) == [("train_000.bin", "other_eos_count", None)]
    assert "it holds 2 EOS tokens, its index says 3 documents" in str(report)


def test_an_end_of_a_document_too_many_is_found(ours: World) -> None:
    set_token(ours.path / "train_000.bin", 1, EOS)
    ours.forge()
    assert found(mintdim.verify(ours.path, full=True)) == [
        ("train_000.bin", "other_eos_count", None)
    ]


def test_tokens_behind_the_last_end_are_found_at_the_last_byte(ours: World) -> None:
    for place, value in ((50, EOS), (49, 9), (3, EOS), (0, 9)):
        set_token(ours.path / "train_001.bin", place, value)
    for place, value in ((50, 9), (3, 9), (49, EOS)):
        set_token(ours.path / "train_001.bin", place, value)
    ours.forge()
    assert found(mintdim.verify(ours.path, full=True)) == [("train_001.bin", "no_last_eos", 100)]


def test_codes_that_are_shifted_are_found_by_the_sums_alone(world: World) -> None:
    labels = world.path / "val_000.langs.u8"
    codes = labels.read_bytes()
    labels.write_bytes(codes[-1:] + codes[:-1])
    world.forge()
    report = mintdim.verify(world.path, full=True)
    assert found(report) == [
        ("val_000.langs.u8", "language_sum", None),
        ("val_000.langs.u8", "language_sum", None),
    ]
    assert "its codes give en 5 tokens, the index says 6" in str(report)
    assert "its codes give ja 4 tokens, the index says 3" in str(report)


def test_codes_in_another_order_with_the_same_sums_are_found_by_their_hash(tmp_path: Path) -> None:
    documents = [("en", [5]), ("ja", [6])]
    world = write(tmp_path / "set", {"val": [documents]})
    (world.path / "val_000.langs.u8").write_bytes(b"\3\0")
    assert found(mintdim.verify(world.path, full=True)) == [
        ("val_000.langs.u8", "other_content", None)
    ]


def test_a_code_that_names_no_language_is_found_at_its_byte(ours: World) -> None:
    (ours.path / "val_000.langs.u8").write_bytes(b"\0\3\4\0")
    ours.forge()
    assert found(mintdim.verify(ours.path, full=True)) == [
        ("val_000.langs.u8", "no_such_code", 2),
        ("val_000.langs.u8", "language_sum", None),
    ]


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_no_changed_bit_of_any_file_goes_unnoticed(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    """But for the index: no hash covers it, and what it tells alone has nothing to be held to."""
    world = write(tmp_path_factory.mktemp("bits") / "set", SPLITS, vocab_size=65_536)
    names = sorted(path.name for path in world.path.iterdir() if path.name != "shards_index.json")
    name = data.draw(st.sampled_from(names))
    size = (world.path / name).stat().st_size
    flip(world.path / name, data.draw(st.integers(0, size - 1)), 1 << data.draw(st.integers(0, 7)))
    report = mintdim.verify(world.path, full=True)
    if name.endswith(".json") and _means_the_same(world, name):
        return
    assert name in {entry.file for entry in report.findings}


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5)
    | st.sampled_from(["train_000.bin", "val_000.bin", "uint32", "0" * 64, 2**63 - 1, 2**32, 0]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=4,
)


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_no_index_at_all_breaks_reader_or_verification(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    """Any value in any place: a report, and a refusal of ours or a set that reads."""
    world = write(tmp_path_factory.mktemp("index") / "set", SPLITS, vocab_size=65_536)
    index = world.index()
    place = data.draw(st.sampled_from([index, *index["shards"], index["shards"][0]["langs"]]))
    key = data.draw(st.sampled_from(list(place)))
    place[key] = data.draw(json_values)
    (world.path / "shards_index.json").write_text(json.dumps(index))
    report = mintdim.verify(world.path, full=True)
    assert json.dumps(report.as_dict())
    assert str(report)
    try:
        lengths = [len(ids) for ids in mintdim.open(world.path).documents("train")]
    except MintDimDatasetError:
        assert not report.ok
    else:
        assert lengths == [3, 0, 30, 50]


def _means_the_same(world: World, name: str) -> bool:
    """Whether a changed file of JSON says what it said: another kind of white space."""
    entries = {entry["name"] + ".json": entry for entry in world.index()["shards"]}
    try:
        return bool(json.loads((world.path / name).read_bytes()) == entries[name])
    except ValueError:
        return False


# ------------------------------------------------------------------------------------ other sets


def test_a_set_of_the_original_producer_may_lack_codes_and_still_be_opened(tmp_path: Path) -> None:
    world = write(tmp_path / "set", SPLITS, original=True)
    (world.path / "val_000.langs.u8").unlink()
    assert found(mintdim.verify(world.path)) == [("val_000.langs.u8", "is_missing", None)]
    assert len(mintdim.open(world.path).documents("val")) == 5


def test_what_a_unit_build_left_before_its_manifest_is_no_stream_set(tmp_path: Path) -> None:
    (tmp_path / "shards_index.json").write_text('{"shards": [], "files": []}')
    for door in (mintdim.open, mintdim.verify):
        with pytest.raises(NotADatasetError, match=r"manifest\.json is missing"):
            door(tmp_path)


def test_the_command_reports_and_exits_with_one(
    ours: World, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["verify", str(ours.path), "--full"]) == 0
    (ours.path / "train_009.bin").touch()
    capsys.readouterr()
    assert main(["verify", str(ours.path), "--json"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert [(entry["file"], entry["code"]) for entry in report["findings"]] == [
        ("train_009.bin", "stray_file")
    ]


def test_findings_speak_vietnamese(ours: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINTDIM_LANG", "vi")
    flip(ours.path / "val_000.langs.u8", 0)
    texts = [str(entry) for entry in mintdim.verify(ours.path, full=True).findings]
    assert "val_000.langs.u8: các mã ở đây cho en 3 token, index ghi 6" in texts
    assert digest(b"")  # the judge of hashes is the standard library
