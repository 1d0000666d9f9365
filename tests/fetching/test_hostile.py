"""Origins and targets that would make a fetch write, send or tell what it must not."""

from __future__ import annotations

import json
import os
import shutil
import ssl
import subprocess
from typing import TYPE_CHECKING, Any

import pytest
from fetching.server import cut, redirect, status
from fetching.world import INDEX, MANIFEST
from stream_reading.tiny_streams import World, digest, json_text
from worlds import read_output

import mintdim
from mintdim.fetching import limits
from mintdim.fetching.address import is_loopback, masked
from mintdim.shared.errors import FetchArgumentError, FetchError, MintDimError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from fetching.server import Origin, Serve

KEY = "k3y-0f-th3-us3r"


def failure(url: str, dest: Path, **options: Any) -> FetchError:
    with pytest.raises(FetchError) as caught:
        mintdim.fetch(url, dest, **options)
    return caught.value


def refusal(url: Any, dest: Any) -> FetchArgumentError:
    with pytest.raises(FetchArgumentError) as caught:
        mintdim.fetch(url, dest)
    return caught.value


# ------------------------------------------------------------------------------ names in an index

STREAM_NAMES = [
    "../evil.bin",
    "../train_009.bin",
    "/tmp/train_009.bin",
    "C:\\train_009.bin",
    "C:train_009.bin",
    "..\\train_009.bin",
    "sub/train_009.bin",
    "./train_009.bin",
    "train_009.bin/",
    "train_009.bin\n",
    " train_009.bin",
    "train_009.bin.",
    "train_09.bin",
    "train_٠٠٩.bin",
    "Train_009.bin",
    "train_009.BIN",
    "train_009.bin\0",
    "train_009.bin.json",
    "shards_index.json",
    "other_009.bin",
    "train_" + "0" * 300 + ".bin",
    "",
    None,
    7,
    ["train_009.bin"],
]


@pytest.mark.parametrize("name", STREAM_NAMES, ids=repr)
def test_a_name_that_no_shard_has_is_refused_and_nothing_is_written(
    stream: Path, tmp_path: Path, serve: Serve, name: object
) -> None:
    World(stream, {}).change_index(lambda index: index["shards"][0].update(name=name))
    before = read_output(tmp_path)
    origin = serve(stream)
    error = failure(origin.url, tmp_path / "a" / "b" / "dest")
    assert error.file == INDEX
    assert origin.names() == [INDEX]
    assert read_output(tmp_path) == before
    assert not (tmp_path / "a").exists()


OTHER_LIES = {
    "a shard twice": lambda index: index["shards"].append(index["shards"][0]),
    "a split that is not that of the name": lambda index: index["shards"][0].update(split="val"),
    "no shards": lambda index: index["shards"].clear(),
    "no hash": lambda index: index["shards"][0].pop("sha256"),
    "a hash that is none": lambda index: index["shards"][0].update(sha256="../../x"),
    "less than no tokens": lambda index: index["shards"][0].update(tokens=-1),
    "half a token": lambda index: index["shards"][0].update(tokens=1.5),
    "too many tokens": lambda index: index["shards"][0].update(tokens=10**30),
    "an unknown type": lambda index: index.update(dtype="float64"),
}


@pytest.mark.parametrize("lie", OTHER_LIES.values(), ids=OTHER_LIES)
def test_an_index_that_cannot_be_true_is_refused(
    stream: Path, dest: Path, lie: Callable[[Any], object]
) -> None:
    World(stream, {}).change_index(lie)
    assert failure(stream.as_uri(), dest).file == INDEX
    assert not dest.exists()


UNIT_NAMES = [
    "../stats.json",
    "/etc/stats.json",
    "unit_8/../../evil.bin",
    "unit_8\\shard_000000.bin",
    "unit_8/shard_000000.bin/",
    "unit_08/shard_000000.bin",
    "unit_8/shard_1.bin",
    "unit_8/evil.md",
    "unit_٨/shard_000000.bin",
    "manifest.json",
    "shards_index.json",
    "UNIT_BUILD_FAILED.md",
    "stats.json\n",
    "",
]


@pytest.mark.parametrize("name", UNIT_NAMES, ids=repr)
def test_a_name_that_no_unit_dataset_has_is_refused_and_nothing_is_written(
    unit: Path, tmp_path: Path, name: str
) -> None:
    index = json.loads((unit / INDEX).read_text())
    index["files"][0]["name"] = name
    _vouch(unit, json_text(index).encode())
    before = read_output(tmp_path)
    assert failure(unit.as_uri(), tmp_path / "dest").problem.code == "fetch_bad_name"
    assert read_output(tmp_path) == before


def test_a_file_that_a_unit_index_lists_twice_is_refused(unit: Path, dest: Path) -> None:
    index = json.loads((unit / INDEX).read_text())
    index["files"].append(index["files"][0])
    _vouch(unit, json_text(index).encode())
    assert failure(unit.as_uri(), dest).problem.code == "shard_twice"


def _vouch(unit: Path, index: bytes) -> None:
    (unit / INDEX).write_bytes(index)
    manifest = json.loads((unit / MANIFEST).read_text())
    manifest["shards_index_sha256"] = digest(index)
    (unit / MANIFEST).write_text(json_text(manifest))


# --------------------------------------------------------------------------- what is in the target


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    path = tmp_path / "outside"
    path.mkdir()
    (path / "precious").write_bytes(b"precious")
    return path


@pytest.mark.parametrize("name", ["train_000.bin", "val_000.langs.u8", INDEX, "stray"])
def test_a_link_where_a_file_should_be_is_refused(
    stream: Path, dest: Path, outside: Path, name: str
) -> None:
    dest.mkdir()
    (dest / name).symlink_to(outside / "precious")
    assert refusal(stream.as_uri(), dest).problem.code == "fetch_link"
    assert read_output(outside) == {"precious": b"precious"}
    assert os.listdir(dest) == [name]


def test_a_link_where_an_unfinished_file_should_be_is_refused(
    stream: Path, dest: Path, outside: Path, serve: Serve
) -> None:
    origin = serve(stream)
    origin.script["train_000.bin"] = [cut(100)] * limits.TRIES
    failure(origin.url, dest)
    (part,) = dest.glob(".*.part")
    part.unlink()
    part.symlink_to(outside / "precious")
    assert refusal(origin.url, dest).problem.code == "fetch_link"
    assert read_output(outside) == {"precious": b"precious"}


def test_a_link_where_a_folder_should_be_is_refused(unit: Path, dest: Path, outside: Path) -> None:
    dest.mkdir()
    (dest / "unit_8").symlink_to(outside, target_is_directory=True)
    assert refusal(unit.as_uri(), dest).problem.code == "fetch_link"
    assert read_output(outside) == {"precious": b"precious"}


def test_a_link_that_appears_in_the_middle_is_not_followed(
    unit: Path, dest: Path, outside: Path, serve: Serve
) -> None:
    def swap(handler: Any, name: str) -> None:
        shutil.rmtree(dest / "unit_64")
        (dest / "unit_64").symlink_to(outside, target_is_directory=True)
        status(404)(handler, name)

    origin = serve(unit)
    origin.script["unit_4/shard_000000.bin"] = [swap]
    with pytest.raises(MintDimError):
        mintdim.fetch(origin.url, dest)
    assert read_output(outside) == {"precious": b"precious"}


def test_a_target_that_is_a_link_to_a_folder_is_that_folder(
    stream: Path, dest: Path, tmp_path: Path
) -> None:
    """The caller named it; only what lies in it is not followed."""
    (tmp_path / "disk").mkdir()
    dest.symlink_to(tmp_path / "disk")
    mintdim.fetch(stream.as_uri(), dest)
    assert read_output(tmp_path / "disk") == read_output(stream)


FOREIGN = {
    "another file": lambda dest: (dest / "notes.txt").write_text("mine"),
    "a hidden file": lambda dest: (dest / ".hidden").write_text("mine"),
    "another shard": lambda dest: (dest / "train_009.bin").write_bytes(b"\2\0"),
    "a folder": lambda dest: (dest / "folder").mkdir(),
    "a folder of a shard's name": lambda dest: (dest / "train_000.bin").mkdir(),
    "a part of something else": lambda dest: (dest / ".x.part").write_bytes(b""),
    "a unit dataset": lambda dest: (dest / MANIFEST).write_text("{}"),
    "a pipe": lambda dest: os.mkfifo(dest / "val_000.bin"),
}


@pytest.mark.parametrize("put", FOREIGN.values(), ids=FOREIGN)
def test_a_target_that_holds_something_else_is_refused_and_left_as_it_is(
    stream: Path, dest: Path, put: Callable[[Path], object]
) -> None:
    dest.mkdir()
    put(dest)
    before = sorted(dest.rglob("*"))
    assert refusal(stream.as_uri(), dest).problem.code == "fetch_foreign"
    assert sorted(dest.rglob("*")) == before


def test_a_target_that_holds_another_dataset_is_refused_and_left_as_it_is(
    stream: Path, dest: Path, tmp_path: Path
) -> None:
    shutil.copytree(stream, tmp_path / "other")
    World(tmp_path / "other", {}).change_index(lambda index: index.update(seed=1))
    mintdim.fetch((tmp_path / "other").as_uri(), dest)
    before = read_output(dest)
    assert refusal(stream.as_uri(), dest).problem.code == "fetch_other_dataset"
    assert read_output(dest) == before


def test_a_target_whose_index_is_none_is_refused(stream: Path, dest: Path) -> None:
    mintdim.fetch(stream.as_uri(), dest)
    (dest / INDEX).write_bytes(b"{")
    assert refusal(stream.as_uri(), dest).problem.code == "fetch_other_dataset"


def test_another_unit_dataset_is_refused(unit: Path, dest: Path) -> None:
    mintdim.fetch(unit.as_uri(), dest)
    manifest = json.loads((unit / MANIFEST).read_text())
    (unit / MANIFEST).write_text(json_text({**manifest, "mintdim_version": "9"}))
    assert refusal(unit.as_uri(), dest).problem.code == "fetch_other_dataset"


def test_a_target_that_is_a_file_or_below_one_is_refused(stream: Path, dest: Path) -> None:
    dest.write_bytes(b"mine")
    assert refusal(stream.as_uri(), dest).problem.code == "fetch_not_a_directory"
    with pytest.raises(MintDimError):
        mintdim.fetch(stream.as_uri(), dest / "below")
    assert dest.read_bytes() == b"mine"


@pytest.mark.parametrize("target", [None, "", 3, b"x", "a\0b"])
def test_a_target_that_is_no_path_is_refused(stream: Path, target: object) -> None:
    assert refusal(stream.as_uri(), target).problem.code == "fetch_dest"


def test_two_fetches_do_not_fill_one_target(stream: Path, dest: Path, serve: Serve) -> None:
    met = []

    def second(handler: Any, name: str) -> None:
        met.append(refusal(stream.as_uri(), dest).problem.code)
        status(503)(handler, name)

    origin = serve(stream)
    origin.script["train_000.bin"] = [second]
    mintdim.fetch(origin.url, dest)
    assert met == ["fetch_busy"]
    assert read_output(dest) == read_output(stream)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write all")
def test_a_target_that_cannot_be_written_is_an_error_with_advice(stream: Path, dest: Path) -> None:
    dest.mkdir(mode=0o500)
    assert failure(stream.as_uri(), dest).advice.code == "fetch_make_room"


def test_a_disk_without_room_is_warned_of_before_anything_comes(
    stream: Path, dest: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    needed = sum(len(data) for name, data in read_output(stream).items() if "json" not in name)
    for free, warned in ((needed - 1, True), (needed, False)):
        caplog.clear()
        usage = type("Usage", (), {"free": free})
        monkeypatch.setattr(shutil, "disk_usage", lambda path, usage=usage: usage)
        mintdim.fetch(stream.as_uri(), dest.with_name(f"dest{free}"))
        assert ("MiB are free" in caplog.text) is warned
    usage.free = 0
    caplog.clear()
    mintdim.fetch(stream.as_uri(), dest.with_name(f"dest{needed}"))
    assert "MiB are free" not in caplog.text  # all is there


def test_a_full_disk_stops_the_fetch_at_once(
    stream: Path, dest: Path, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*args: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    error = failure(serve(stream).url, dest)
    assert str(error.problem) == "No space left on device"
    assert error.advice.code == "fetch_make_room"
    monkeypatch.undo()
    assert not (dest / INDEX).exists()


# ---------------------------------------------------------------------------------------- addresses

BAD_URLS = [
    "ftp://example.org/set",
    "example.org/set",
    "/srv/set",
    "C:\\set",
    "http://",
    "http:///set",
    "https://example.org:99999/set",
    "https://example.org:x/set",
    "http://[::1/set",
    "http://example.org/a\nb",
    "file://otherhost/set",
    "file:",
    "data:,x",
    "javascript:alert(1)",
    "",
    None,
    3,
    b"http://example.org",
]


@pytest.mark.parametrize("url", BAD_URLS, ids=repr)
def test_an_address_that_is_none_is_refused(dest: Path, url: object) -> None:
    assert refusal(url, dest).problem.code == "fetch_url"
    assert not dest.exists()


def test_a_pipe_at_the_origin_is_not_waited_for(stream: Path, dest: Path) -> None:
    (stream / "val_000.bin").unlink()
    os.mkfifo(stream / "val_000.bin")
    assert failure(stream.as_uri(), dest).problem.code == "fetch_not_a_file"


MASKED = {
    "https://user:secret@example.org/set/?sig=secret": "https://…@example.org/set/?…",
    "https://secret@example.org": "https://…@example.org",
    "https://example.org/set@home?secret": "https://example.org/set@home?…",
    "user:secret@host/x?secret": "host/x?…",
    "https://example.org/set": "https://example.org/set",
}


@pytest.mark.parametrize(("url", "shown"), MASKED.items(), ids=MASKED)
def test_a_shown_address_tells_no_secret(url: str, shown: str) -> None:
    assert masked(url) == shown


# -------------------------------------------------------------------------------------- the secrets


@pytest.fixture
def key(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("MINTDIM_API_KEY", KEY)
    return KEY


def secrets_seen(origin: Origin) -> set[str | None]:
    return {asked.headers.get("x-api-key") for asked in origin.asked}


def test_the_key_is_sent_to_the_origin(stream: Path, dest: Path, serve: Serve, key: str) -> None:
    origin = serve(stream)
    mintdim.fetch(origin.url, dest)
    assert secrets_seen(origin) == {key}


def test_without_a_key_none_is_sent(stream: Path, dest: Path, serve: Serve) -> None:
    origin = serve(stream)
    mintdim.fetch(origin.url, dest)
    assert secrets_seen(origin) == {None}


@pytest.mark.parametrize("code", [301, 302, 303, 307, 308])
def test_a_redirect_to_another_origin_is_followed_without_the_key(
    stream: Path, dest: Path, serve: Serve, key: str, code: int
) -> None:
    origin, other = serve(stream), serve(stream)
    for name in read_output(stream):
        origin.script[name] = [redirect(other.url + name, code)]
    mintdim.fetch(origin.url, dest)
    assert read_output(dest) == read_output(stream)
    assert secrets_seen(origin) == {key}
    assert secrets_seen(other) == {None}
    assert len(other.asked) == len(origin.asked)


def test_a_key_that_was_dropped_does_not_come_back(
    stream: Path, dest: Path, serve: Serve, key: str
) -> None:
    origin, other = serve(stream), serve(stream)
    origin.script["val_000.bin"] = [redirect(f"{other.url}val_000.bin")]
    other.script["val_000.bin"] = [redirect(f"{origin.url}val_000.bin")]
    mintdim.fetch(origin.url, dest)
    assert [asked.headers.get("x-api-key") for asked in origin.of("val_000.bin")] == [key, None]


def test_a_redirect_within_the_origin_keeps_the_key(
    stream: Path, dest: Path, serve: Serve, key: str
) -> None:
    origin = serve(stream)
    origin.script["val_000.bin"] = [redirect("val_000.bin"), redirect("/set/val_000.bin")]
    mintdim.fetch(origin.url, dest)
    assert [asked.headers.get("x-api-key") for asked in origin.of("val_000.bin")] == [key] * 3


def test_another_name_of_the_same_machine_is_another_origin(
    stream: Path, dest: Path, serve: Serve, key: str
) -> None:
    origin = serve(stream)
    origin.script[INDEX] = [redirect(f"http://localhost:{origin.port}/set/{INDEX}")]
    mintdim.fetch(origin.url, dest)
    assert [asked.headers.get("x-api-key") for asked in origin.of(INDEX)] == [key, None]


def test_a_continued_file_keeps_its_range_over_a_redirect(
    stream: Path, dest: Path, serve: Serve
) -> None:
    origin, other = serve(stream), serve(stream)
    to_other = redirect(f"{other.url}train_000.bin")
    origin.script["train_000.bin"] = [to_other, to_other]
    other.script["train_000.bin"] = [cut(300)]
    mintdim.fetch(origin.url, dest)
    assert [asked.headers.get("range") for asked in other.asked] == [None, "bytes=300-"]
    assert read_output(dest) == read_output(stream)


REFUSED_REDIRECTS = {
    "to a file": "file:///etc/passwd",
    "to ftp": "ftp://example.org/x",
    "to data": "data:,x",
    "to nowhere": "",
    "to a bad port": "http://example.org:x/",
    "to no host": "http://:80/x",
}


@pytest.mark.parametrize("target", REFUSED_REDIRECTS.values(), ids=REFUSED_REDIRECTS)
def test_a_redirect_that_leaves_the_web_is_refused(
    stream: Path, dest: Path, serve: Serve, target: str
) -> None:
    origin = serve(stream)
    origin.script[INDEX] = [redirect(target)]
    assert failure(origin.url, dest).problem.code == "fetch_redirect_refused"
    assert not dest.exists()


def test_a_circle_of_redirects_ends(stream: Path, dest: Path, serve: Serve) -> None:
    origin = serve(stream)
    origin.script[INDEX] = [redirect(f"/set/{INDEX}")] * 99
    assert failure(origin.url, dest).problem.code == "fetch_redirects"
    assert len(origin.asked) == limits.REDIRECTS + 1


def test_user_and_password_of_the_url_go_to_the_origin_alone(
    stream: Path, dest: Path, serve: Serve
) -> None:
    origin, other = serve(stream), serve(stream)
    origin.script["val_000.bin"] = [redirect(f"http://a:b@{other.host}/set/val_000.bin")]
    mintdim.fetch(f"http://me:pass%40word@{origin.host}/set", dest)
    basic = "Basic bWU6cGFzc0B3b3Jk"  # me:pass@word
    assert {asked.headers.get("authorization") for asked in origin.asked} == {basic}
    assert [asked.headers.get("authorization") for asked in other.asked] == [None]


TELLING = {
    "refused": status(403),
    "to a file": redirect("file:///x"),
    "to a signed place": redirect("ftp://u:s3cret@example.org/x?sig=s3cret"),
    "broken": status(500),
}


@pytest.mark.parametrize("fault", TELLING.values(), ids=TELLING)
def test_no_secret_is_told(
    stream: Path,
    dest: Path,
    serve: Serve,
    key: str,
    caplog: pytest.LogCaptureFixture,
    fault: Any,
) -> None:
    caplog.set_level(0)
    origin = serve(stream)
    origin.script["val_000.bin"] = [fault] * 9
    error = failure(f"http://me:s3cret@{origin.host}/set?sig=s3cret", dest)
    told = f"{error}{error!r}{vars(error)}{error.__cause__!r}{caplog.text}"
    assert key not in told
    assert "s3cret" not in told


@pytest.mark.parametrize("bad", ["a\nb", "a\r\nX-Other: 1", " a", "a ", "clé", "a\0"])
def test_a_key_that_no_header_can_hold_is_refused_untold(
    stream: Path, dest: Path, serve: Serve, monkeypatch: pytest.MonkeyPatch, bad: str
) -> None:
    monkeypatch.setattr(os, "environ", {**os.environ, "MINTDIM_API_KEY": bad})
    origin = serve(stream)
    error = refusal(origin.url, dest)
    assert error.problem.code == "fetch_key"
    assert bad.strip() not in str(error.problem.facts)
    assert origin.asked == []


def test_a_key_over_plain_http_to_another_machine_is_warned_of(
    dest: Path, key: str, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*args: object, **options: object) -> None:
        raise ConnectionRefusedError(111, "Connection refused")

    monkeypatch.setattr("socket.create_connection", refused)
    failure("http://example.org/set", dest)
    assert "without encryption" in caplog.text
    caplog.clear()
    failure("https://example.org/set", dest)
    assert "without encryption" not in caplog.text


def test_this_machine_needs_no_encryption(
    stream: Path, dest: Path, serve: Serve, key: str, caplog: pytest.LogCaptureFixture
) -> None:
    mintdim.fetch(serve(stream).url, dest)
    assert "without encryption" not in caplog.text
    hosts = ("127.0.0.1", "127.9.9.9", "::1", "localhost", "example.org", "10.0.0.1")
    assert [is_loopback(host) for host in hosts] == [True] * 4 + [False] * 2


# ------------------------------------------------------------------------------------------- HTTPS


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    """A certificate of its own making for 127.0.0.1, and its key, in one file."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not there")
    path = tmp_path / "server.pem"
    command = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2"
    names = ["-subj", "/CN=mintdim", "-addext", "subjectAltName=IP:127.0.0.1"]
    files = ["-keyout", str(tmp_path / "key.pem"), "-out", str(path)]
    subprocess.run([*command.split(), *names, *files], check=True, capture_output=True, timeout=60)
    path.write_bytes(path.read_bytes() + (tmp_path / "key.pem").read_bytes())
    return path


@pytest.fixture
def secured(stream: Path, serve: Serve, certificate: Path) -> Origin:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    return serve(stream, context=context)


def test_a_certificate_that_nobody_vouches_for_is_refused_at_once(
    secured: Origin, dest: Path
) -> None:
    error = failure(f"https://{secured.host}/set", dest)
    assert (error.problem.code, error.advice.code) == ("fetch_certificate", "fetch_certificate_way")
    assert secured.asked == []


def test_a_trusted_certificate_is_taken(
    secured: Origin,
    stream: Path,
    dest: Path,
    serve: Serve,
    certificate: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    mintdim.fetch(f"https://{secured.host}/set", dest)
    assert read_output(dest) == read_output(stream)
    error = failure(f"https://localhost:{secured.port}/set", dest)  # not its name
    assert error.problem.code == "fetch_certificate"
    secured.script[INDEX] = [redirect(serve(stream).url + INDEX)]  # from https to http
    assert failure(f"https://{secured.host}/set", dest).problem.code == "fetch_redirect_refused"
