"""What the fuzz found, by name: each was wrong once."""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING

import pytest
import worlds
from fuzz import mutate, targets
from fuzz.child import in_child
from worlds import jsonl, make_job, write_files

from mintdim.encoders.sentencepiece_model import read_pieces
from mintdim.shared.errors import (
    MintDimDataError,
    SampleSchemaError,
    SourceParseError,
    TemplateTokenizerError,
    TokenizerEncodeError,
    TokenizerValidationError,
)

if TYPE_CHECKING:
    from pathlib import Path

PACK = {".gz": worlds.gz, ".zst": worlds.zst}


def error_of(root: Path, archive: bytes, suffix: str) -> MintDimDataError:
    write_files(root, {f"in.jsonl{suffix}": archive, "tok.model": worlds.spm()})
    with pytest.raises(MintDimDataError) as caught:
        worlds.run_job(root, **make_job(files=[f"in.jsonl{suffix}"]))
    return caught.value


def with_a_wrong_checksum(archive: bytes, suffix: str) -> bytes:
    at = {".gz": -8, ".zst": -1}[suffix]
    damaged = bytearray(archive)
    damaged[at] ^= 1
    return bytes(damaged)


@pytest.mark.parametrize("suffix", PACK)
@pytest.mark.parametrize("damage", ["wrong checksum", "cut"])
def test_a_bad_line_before_the_damage_of_an_archive_is_named_and_not_the_damage(
    tmp_path: Path, suffix: str, damage: str
) -> None:
    archive = PACK[suffix](jsonl({"text": "a"}, {"other": "b"}, {"text": "c"}))
    cut = archive[:-4]
    damaged = cut if damage == "cut" else with_a_wrong_checksum(archive, suffix)
    error = error_of(tmp_path, damaged, suffix)
    assert (type(error), error.line) == (SampleSchemaError, 2)


@pytest.mark.parametrize("suffix", PACK)
def test_the_damage_of_an_archive_is_in_the_line_behind_the_sound_ones(
    tmp_path: Path, suffix: str
) -> None:
    """Every line was lost before that a failed read of 256 KiB had in its hands."""
    archive = PACK[suffix](jsonl(*({"text": "a"} for _ in range(50))))
    error = error_of(tmp_path, with_a_wrong_checksum(archive, suffix), suffix)
    assert (type(error), error.line) == (SourceParseError, 51)


def test_gzip_data_that_breaks_off_inside_a_block_gives_all_lines_before_it(tmp_path: Path) -> None:
    lines = [{"text": f"{i * 7919 % 1009}"} for i in range(400)]
    archive = worlds.gz(jsonl(*lines))
    error = error_of(tmp_path, archive[: len(archive) // 2], ".gz")
    assert type(error) is SourceParseError
    assert 100 < error.line < 300


# ---------------------------------------------------------------------------------- tokenizers


def marker(order: list[int]) -> mutate.Field:
    """A user-defined piece whose fields stand in this order."""
    fields: dict[int, mutate.Field] = {
        1: (1, mutate.BYTES_FIELD, b"<|end|>"),
        2: (2, mutate.FIXED32, bytes(4)),
        3: (3, mutate.VARINT, 4),
    }
    return (1, mutate.BYTES_FIELD, mutate.write_fields([fields[number] for number in order]))


@pytest.mark.parametrize("order", [[1, 2, 3], [3, 2, 1], [2, 1, 3], [1, 3, 2]], ids=str)
@pytest.mark.parametrize("place", ["among the pieces", "behind the settings", "at the front"])
def test_a_marker_is_known_wherever_its_piece_and_the_fields_of_its_piece_stand(
    tmp_path: Path, order: list[int], place: str
) -> None:
    fields = mutate.read_fields(worlds.spm())
    pieces = len(fields) - 2
    at = {"among the pieces": 9, "behind the settings": len(fields), "at the front": 0}[place]
    model = mutate.write_fields([*fields[:at], marker(order), *fields[at:]])
    assert read_pieces(model).user_defined == {min(at, pieces): "<|end|>"}
    write_files(tmp_path, {"in.jsonl": jsonl({"text": "a<|end|>b"}), "tok.model": model})
    worlds.run_job(tmp_path, **make_job())
    assert (tmp_path / "out" / "special_index.jsonl").exists()


NO_PIECES = {"type": "FixedLength", "length": 0}


def test_a_pre_tokenizer_that_panics_on_every_text_is_an_error_of_the_first_sample(
    tmp_path: Path,
) -> None:
    tokenizer = worlds.tokenizer_json(worlds.word_level(worlds.numbered("a")))
    broken = tokenizer.replace(b'"pre_tokenizer": null', b'"pre_tokenizer": %s' % _json(NO_PIECES))
    write_files(tmp_path, {"in.jsonl": jsonl({"text": "a"}), "tok.json": broken})
    job = make_job(tokenizer_type="hf_json")
    with pytest.raises(TokenizerEncodeError) as caught:
        worlds.run_job(tmp_path, **job)
    assert (caught.value.file, caught.value.line) == ("in.jsonl", 1)
    with pytest.raises(TemplateTokenizerError):
        worlds.run_job(tmp_path, **job | {"templates": ["a {text}"], "output": "other"})
    assert not (tmp_path / "other").exists()


def test_a_normaliser_that_claims_gigabytes_is_refused_and_does_not_end_the_process(
    tmp_path: Path,
) -> None:
    """The library allocates what the table claims; under a limit of memory it aborts."""
    claim = base64.b64encode(b"\xff\xff\xff\xff" + bytes(8)).decode()
    normaliser = {"type": "Precompiled", "precompiled_charsmap": claim}
    tokenizer = worlds.tokenizer_json(
        worlds.word_level(worlds.numbered("a")), normalizer=normaliser
    )
    write_files(tmp_path, {"in.jsonl": jsonl({"text": "a"}), "tok.json": tokenizer})

    def build() -> str:
        with pytest.raises(TokenizerValidationError) as caught:
            worlds.run_job(tmp_path, **make_job(tokenizer_type="hf_json"))
        return str(caught.value)

    assert "is cut off" in in_child(build, 30)


def test_a_normaliser_that_makes_bytes_which_are_no_text_still_gives_the_ids_of_the_library(
    tmp_path: Path,
) -> None:
    damaged = targets.CHARSMAP.replace(b"fi\0", b"\xf5i\0")
    assert damaged != targets.CHARSMAP
    model = targets.with_charsmap(worlds.spm(), damaged)
    fields = mutate.read_fields(model)
    model = mutate.write_fields([*fields[:5], marker([1, 2, 3]), *fields[5:]])
    write_files(tmp_path, {"in.jsonl": jsonl({"text": "\ufb01abc<|end|>"}), "tok.model": model})
    worlds.run_job(tmp_path, **make_job(templates=["<|end|>{text}"]))
    (row,) = (tmp_path / "out" / "special_index.jsonl").read_text("utf-8").splitlines()
    assert json.loads(row)["special_tokens"] == ["<|end|>"] * 2


def _json(value: object) -> bytes:
    return json.dumps(value).encode()
