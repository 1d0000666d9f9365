"""Fetching from servers that fail, lie, or are slow."""

from __future__ import annotations

import gzip
import logging
import socket
import threading
from typing import TYPE_CHECKING, Any

import pytest
from fetching import server
from fetching.server import cut, sends, status
from fetching.world import INDEX, SPLITS, check_unfinished, commit_name
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from stream_reading.tiny_streams import World, write
from worlds import read_output

import mintdim
from mintdim.fetching import limits
from mintdim.fetching.contracts import TransferError
from mintdim.fetching.pace import Pace
from mintdim.shared.errors import FetchError

if TYPE_CHECKING:
    from pathlib import Path

    from fetching.server import Serve

BIG = "train_000.bin"  # 1,988 bytes
BIG_BYTES = 1988


def failure(url: str, dest: Path, **options: Any) -> FetchError:
    with pytest.raises(FetchError) as caught:
        mintdim.fetch(url, dest, **options)
    return caught.value


# ----------------------------------------------------------------------------------------- the law

PASSING = {
    "cut at once": cut(0),
    "cut": cut(5),
    "cut later": cut(1500),
    "busy": status(503),
    "broken": status(500),
    "too many": status(429),
    "no ranges": server.no_ranges,
    "no length": server.no_length,
    "chunks": server.chunked(),
    "chunks without an end": server.chunked(whole=False),
    "a chunk of no size": server.chunked(whole=False, garbage=b"no hex\r\n"),
    "hung up": server.hang_up,
    "other content": server.other_content,
    "too short": sends(b"x"),
    "too long": sends(b"x" * 5000, Content_Length=None),
    "no http": lambda handler, name: handler.wfile.write(b"SSH-2.0-OpenSSH\r\n"),
    "a wrong range": sends(b"xyz", 206, Content_Range="bytes 1-3/1988"),
    "no range": sends(b"xyz", 206),
    "compressed": sends(gzip.compress(b"x"), Content_Encoding="gzip"),
}
# Nothing vouches for the index itself: what is no index is an error at once.
UNNOTICED_IN_AN_INDEX = {"other content", "too short", "too long"}


@st.composite
def faults_of(draw: st.DrawFn, names: list[str]) -> dict[str, list[str]]:
    """Up to six faults one after the other, of up to five files."""
    spoilt = draw(st.lists(st.sampled_from(names), max_size=5, unique=True))
    plan = {name: draw(st.lists(st.sampled_from(sorted(PASSING)), max_size=6)) for name in spoilt}
    if INDEX in plan:
        plan[INDEX] = [fault for fault in plan[INDEX] if fault not in UNNOTICED_IN_AN_INDEX]
    return plan


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30, deadline=None
)
@given(data=st.data())
def test_whatever_happens_the_target_is_the_origin_or_unfinished_and_a_rerun_ends_it(
    data: st.DataObject, stream: Path, serve: Serve, tmp_path_factory: pytest.TempPathFactory
) -> None:
    dest = tmp_path_factory.mktemp("law") / "dest"
    origin = serve(stream)
    plan = data.draw(faults_of(sorted(read_output(stream))))
    origin.script = {name: [PASSING[fault] for fault in faults] for name, faults in plan.items()}
    try:
        mintdim.fetch(origin.url, dest)
    except FetchError:
        assert max(map(len, plan.values())) >= limits.TRIES
        if dest.exists():
            check_unfinished(dest, stream)
        origin.script = {}
        mintdim.fetch(origin.url, dest)
    assert read_output(dest) == read_output(stream)


# -------------------------------------------------------------------------------------- continuing


def test_a_cut_file_is_continued_by_range_under_the_condition_that_it_is_the_same(
    stream: Path, dest: Path, serve: Serve
) -> None:
    origin = serve(stream)
    origin.script[BIG] = [cut(600), cut(700)]
    result = mintdim.fetch(origin.url, dest)
    first, second, third = (asked.headers for asked in origin.of(BIG))
    tag = server.tag_of((stream / BIG).read_bytes())
    assert "range" not in first
    assert (second["range"], second["if-range"]) == ("bytes=600-", tag)
    assert (third["range"], third["if-range"]) == ("bytes=1300-", tag)
    assert read_output(dest) == read_output(stream)
    assert result.bytes == sum(map(len, read_output(stream).values()))


def test_another_run_continues_where_the_first_stopped(
    stream: Path, dest: Path, serve: Serve
) -> None:
    origin = serve(stream)
    origin.script[BIG] = [cut(100)] * limits.TRIES
    error = failure(origin.url, dest)
    assert error.problem.facts == {"found": 400, "expected": BIG_BYTES}
    check_unfinished(dest, stream)
    origin.asked.clear()
    result = mintdim.fetch(origin.url, dest)
    assert [asked.headers["range"] for asked in origin.of(BIG)] == ["bytes=400-"]
    assert set(origin.names()) == {INDEX, BIG}
    assert read_output(dest) == read_output(stream)
    assert result.bytes == BIG_BYTES - 400 + len((stream / INDEX).read_bytes())


def test_a_server_without_ranges_sends_the_file_anew(
    stream: Path, dest: Path, serve: Serve
) -> None:
    origin = serve(stream)
    origin.script[BIG] = [cut(600), server.no_ranges]
    mintdim.fetch(origin.url, dest)
    assert read_output(dest) == read_output(stream)


def test_a_file_that_is_another_one_now_is_begun_anew(
    stream: Path, dest: Path, serve: Serve
) -> None:
    """The server ignores If-Range and sends the rest of something else."""
    origin = serve(stream)
    rest = sends(
        b"z" * (BIG_BYTES - 600), 206, Content_Range=f"bytes 600-{BIG_BYTES - 1}/*", ETag='"b"'
    )
    origin.script[BIG] = [cut(600), rest]
    mintdim.fetch(origin.url, dest)
    assert "range" not in origin.of(BIG)[2].headers
    assert read_output(dest) == read_output(stream)


@pytest.mark.parametrize("fault", ["past the end", "a wrong range", "no range"])
def test_a_server_that_is_wrong_about_ranges_is_asked_for_all_of_the_file(
    stream: Path, dest: Path, serve: Serve, fault: str
) -> None:
    origin = serve(stream)
    origin.script[BIG] = [cut(600), {**PASSING, "past the end": status(416)}[fault]]
    mintdim.fetch(origin.url, dest)
    asked = [asked.headers.get("range") for asked in origin.of(BIG)]
    assert asked == [None, "bytes=600-", None]
    assert read_output(dest) == read_output(stream)


def test_a_file_that_no_hash_and_no_tag_vouches_for_is_not_continued(
    tmp_path: Path, dest: Path, serve: Serve
) -> None:
    path = write(tmp_path / "theirs", SPLITS, original=True).path
    origin, name = serve(path), "val_000.langs.u8"
    origin.script[name] = [sends(b"\3", Content_Length=2), cut(1)]
    mintdim.fetch(origin.url, dest)
    asked = [asked.headers.get("range") for asked in origin.of(name)]
    assert asked == [None, None, "bytes=1-"]
    assert read_output(dest) == read_output(path)


def test_a_wrong_beginning_of_an_earlier_run_is_thrown_away(
    stream: Path, dest: Path, serve: Serve
) -> None:
    origin = serve(stream)
    origin.script[BIG] = [cut(100)] * limits.TRIES
    failure(origin.url, dest)
    (part,) = dest.glob(".*.part")
    part.write_bytes(b"?" * 400)
    mintdim.fetch(origin.url, dest)
    assert read_output(dest) == read_output(stream)


def test_a_whole_file_that_only_lacks_its_name_is_not_asked_for(
    stream: Path, dest: Path, serve: Serve
) -> None:
    origin = serve(stream)
    origin.script[BIG] = [cut(100)] * limits.TRIES
    failure(origin.url, dest)
    (part,) = dest.glob(".*.part")
    part.write_bytes((stream / BIG).read_bytes())
    origin.asked.clear()
    mintdim.fetch(origin.url, dest)
    assert origin.names() == [INDEX]


def test_the_beginning_of_another_version_is_not_continued_but_removed(
    stream: Path, dest: Path, serve: Serve
) -> None:
    origin = serve(stream)
    origin.script[BIG] = [cut(100)] * limits.TRIES
    failure(origin.url, dest)
    data = (stream / BIG).read_bytes()
    (stream / BIG).write_bytes(data[:8] + b"\x09\x09" + data[10:])
    World(stream, {}).forge()
    mintdim.fetch(origin.url, dest)
    assert read_output(dest) == read_output(stream)


# ---------------------------------------------------------------------------------- giving up

FINAL = {
    "no key": (status(401), "fetch_status", "fetch_give_key"),
    "a key that is not approved": (status(403), "fetch_status", "fetch_key_refused"),
    "no such file": (status(404), "fetch_status", "fetch_check_url"),
    "a bad name": (status(422), "fetch_status", "fetch_again"),
    "nothing": (status(204), "fetch_status", "fetch_again"),
}
LASTING = {
    "a server error": (status(500), "fetch_status"),
    "no answer": (server.hang_up, "fetch_no_answer"),
    "no http": (PASSING["no http"], "fetch_not_http"),
    "a cut": (cut(0), "fetch_cut"),
    "other content": (server.other_content, "other_content"),
    "fewer bytes than the index says": (sends(b"x"), "fetch_other_size"),
    "more bytes than the index says": (PASSING["too long"], "fetch_too_long"),
    "a length that is more than comes": (sends(b"x", Content_Length=BIG_BYTES), "fetch_cut"),
    "a length that is a lie": (sends(b"x" * 5000, Content_Length=4000), "fetch_other_size"),
    "a compressed body": (PASSING["compressed"], "fetch_encoded"),
}


@pytest.mark.parametrize(("fault", "problem", "advice"), FINAL.values(), ids=FINAL)
def test_a_refusal_is_not_tried_again(
    stream: Path, dest: Path, serve: Serve, fault: server.Fault, problem: str, advice: str
) -> None:
    origin = serve(stream)
    origin.script[BIG] = [fault]
    error = failure(origin.url, dest)
    assert (error.file, error.problem.code, error.advice.code) == (BIG, problem, advice)
    assert len(origin.of(BIG)) == 1


@pytest.mark.parametrize(("fault", "problem"), LASTING.values(), ids=LASTING)
def test_after_four_tries_the_file_has_failed_and_the_others_are_there(
    stream: Path, dest: Path, serve: Serve, fault: server.Fault, problem: str
) -> None:
    origin = serve(stream)
    origin.script[BIG] = [fault] * 9
    error = failure(origin.url, dest)
    assert (error.file, error.problem.code) == (BIG, problem)
    assert len(origin.of(BIG)) == limits.TRIES == 4
    check_unfinished(dest, stream)
    there = {name for name in read_output(dest) if not name.endswith(".part")}
    assert there == set(read_output(stream)) - {BIG, INDEX}


def test_waits_double_between_the_tries(
    stream: Path, dest: Path, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float] = []
    monkeypatch.setattr(limits, "BACK_OFF", 1.0)
    monkeypatch.setattr("time.sleep", waits.append)
    origin = serve(stream)
    origin.script[BIG] = [status(500)] * 4
    failure(origin.url, dest)
    assert waits == [1, 2, 4]


def test_the_summary_of_a_failed_fetch_is_true(stream: Path, dest: Path, serve: Serve) -> None:
    origin = serve(stream)
    origin.script |= {BIG: [status(404)], "val_000.bin.json": [status(404)]}
    facts = failure(origin.url, dest).summary.facts
    sizes = {name: len(data) for name, data in read_output(stream).items()}
    assert (facts["fetched"], facts["kept"], facts["failed"]) == (len(sizes) - 3, 0, 2)
    assert facts["bytes"] == sum(sizes.values()) - sizes[BIG] - sizes["val_000.bin.json"]


def test_every_file_that_failed_is_in_the_log(
    stream: Path, dest: Path, serve: Serve, caplog: pytest.LogCaptureFixture
) -> None:
    origin = serve(stream)
    origin.script |= {BIG: [status(404)], "val_000.bin": [status(404)]}
    failure(origin.url, dest)
    errors = [record.getMessage() for record in caplog.records if record.levelno == logging.ERROR]
    assert [error.partition(":")[0] for error in errors] == [BIG, "val_000.bin"]


def test_a_unit_dataset_with_a_file_that_fails_has_no_manifest(
    unit: Path, dest: Path, serve: Serve
) -> None:
    origin = serve(unit)
    origin.script["stats.json"] = [status(404)]
    assert failure(origin.url, dest).file == "stats.json"
    check_unfinished(dest, unit)


def test_a_server_that_is_gone_is_given_up_after_three_files(
    stream: Path, dest: Path, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def refused(*args: object, **options: object) -> None:
        asked.append("")
        raise ConnectionRefusedError(111, "Connection refused")

    origin = serve(stream)
    gone = lambda handler, name: monkeypatch.setattr(socket, "create_connection", refused)  # noqa: E731
    origin.script[BIG] = [gone]
    error = failure(origin.url, dest)
    assert error.problem.code == "fetch_unreachable"
    assert error.summary.facts["failed"] == len(read_output(stream)) - 1
    assert len(asked) == 3 * limits.TRIES - 1  # the first of them was answered, in a way


def test_a_server_that_never_was_is_an_error_of_the_index(dest: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    error = failure(f"http://127.0.0.1:{port}/", dest)
    assert (error.file, error.problem.code) == (INDEX, "fetch_unreachable")
    assert not dest.exists()


# ------------------------------------------------------------------------------------------ slow


def test_a_server_that_falls_silent_is_given_up(
    stream: Path, dest: Path, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "SILENCE", 0.2)
    monkeypatch.setattr(limits, "TRIES", 1)
    stall = server.Stall()
    origin = serve(stream)
    origin.script[BIG] = [stall]
    error = failure(origin.url, dest)
    stall.go.set()
    assert (error.file, error.problem.code) == (BIG, "fetch_silent")


def test_a_body_that_drips_is_given_up(
    stream: Path, dest: Path, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "PACE_SECONDS", 0.1)
    monkeypatch.setattr(limits, "TRIES", 1)
    origin = serve(stream)
    origin.script[BIG] = [server.drip(0.01)]
    assert failure(origin.url, dest).problem.code == "fetch_slow"


def test_the_pace_is_measured_anew_in_every_span(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([0, 30, 61, 61, 90, 122])
    monkeypatch.setattr("time.monotonic", lambda: next(clock))
    pace = Pace()
    pace.count(limits.PACE_BYTES)  # after 30 s
    pace.count(1)  # after 61 s: enough came
    pace.count(limits.PACE_BYTES - 2)
    with pytest.raises(TransferError) as caught:
        pace.count(1)
    assert caught.value.problem.facts == {"found": limits.PACE_BYTES - 1, "seconds": "61"}


def test_an_index_that_drips_is_given_up(
    stream: Path, dest: Path, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "PACE_SECONDS", 0.1)
    monkeypatch.setattr(limits, "TRIES", 1)
    origin = serve(stream)
    origin.script[INDEX] = [server.drip(0.01)]
    assert failure(origin.url, dest).problem.code == "fetch_slow"


def test_a_head_that_never_ends_is_given_up(
    stream: Path, dest: Path, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "ANSWER", 0.2)
    monkeypatch.setattr(limits, "TRIES", 1)
    origin = serve(stream)
    patience = threading.Event()
    origin.script[BIG] = [server.drip_head(0.01, patience)]
    error = failure(origin.url, dest)
    assert (error.file, error.problem.code) == (BIG, "fetch_late")
    assert not patience.is_set()


# --------------------------------------------------------------------------------- the index itself

BAD_INDEXES = {
    "no JSON": b"<html>welcome to the hotel wifi</html>",
    "a list": b"[]",
    "nothing": b"",
    "no UTF-8": b"\xff\xfe{}",
    "nested": b"[" * 100_000,
    "an empty object": b"{}",
    "a key twice": b'{"shards": [], "shards": []}',
}


@pytest.mark.parametrize("data", BAD_INDEXES.values(), ids=BAD_INDEXES)
def test_an_index_that_is_none_is_an_error_and_nothing_is_written(
    stream: Path, dest: Path, serve: Serve, data: bytes
) -> None:
    (stream / INDEX).write_bytes(data)
    error = failure(serve(stream).url, dest)
    assert error.file == INDEX
    assert str(error).startswith("FetchError:\n")
    assert not dest.exists()


def test_an_index_without_end_is_not_read_to_its_end(
    stream: Path, dest: Path, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "INDEX_BYTES", 1000)
    origin = serve(stream)
    for fault in (sends(b" " * 2000), sends(b" " * 2000, Content_Length=None)):
        origin.script[INDEX] = [fault]
        assert failure(origin.url, dest).problem.code == "too_many_bytes"


def test_a_description_without_end_is_not_read_to_its_end(
    stream: Path, dest: Path, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "METADATA_BYTES", 1000)
    origin = serve(stream)
    origin.script["val_000.bin.json"] = [sends(b" " * 2000, Content_Length=None)]
    assert failure(origin.url, dest).problem.code == "too_many_bytes"


def test_a_description_that_says_something_else_is_an_error(
    stream: Path, dest: Path, serve: Serve
) -> None:
    data = (stream / "val_000.bin.json").read_text()
    (stream / "val_000.bin.json").write_text(data.replace('"docs": 2', '"docs": 3'))
    assert failure(serve(stream).url, dest).problem.code == "fetch_other_entry"


def test_a_manifest_of_another_index_is_an_error(unit: Path, dest: Path, serve: Serve) -> None:
    (unit / INDEX).write_bytes((unit / INDEX).read_bytes() + b"\n")
    error = failure(serve(unit).url, dest)
    assert (error.file, error.problem.code) == (commit_name(unit), "other_hash")
    assert not dest.exists()


def test_an_unfinished_unit_dataset_is_no_dataset(unit: Path, dest: Path, serve: Serve) -> None:
    (unit / "manifest.json").unlink()
    assert failure(serve(unit).url, dest).file == "manifest.json"
