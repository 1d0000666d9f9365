"""A web server for a folder, with faults on demand.

``origin.script["val_000.bin"] = [cut(10), status(500)]`` spoils the first two answers for that
file; every later one is as it should be: ranges, If-Range and a strong ETag.
"""

from __future__ import annotations

import contextlib
import hashlib
import re
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@dataclass
class Asked:
    """One request as it came."""

    name: str
    target: str
    headers: dict[str, str]


@dataclass
class Origin:
    """A server of the folder ``root`` below ``prefix``."""

    root: Path
    prefix: str = "/set/"
    script: dict[str, list[Fault]] = field(default_factory=dict)
    asked: list[Asked] = field(default_factory=list)
    port: int = 0

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def url(self) -> str:
        return f"http://{self.host}{self.prefix}"

    def names(self) -> list[str]:
        return [asked.name for asked in self.asked]

    def of(self, name: str) -> list[Asked]:
        return [asked for asked in self.asked if asked.name == name]


Serve = Callable[..., Origin]


class Handler(BaseHTTPRequestHandler):
    origin: Origin

    def do_GET(self) -> None:
        path = unquote(urlsplit(self.path).path)
        name = path.removeprefix(self.origin.prefix)
        self.origin.asked.append(
            Asked(name, self.path, {key.lower(): value for key, value in self.headers.items()})
        )
        faults = self.origin.script.get(name)
        (faults.pop(0) if faults else whole)(self, name)

    def content(self, name: str) -> bytes | None:
        path = self.origin.root / name
        return path.read_bytes() if path.is_file() else None

    def answer(self, code: int, body: bytes = b"", **headers: Any) -> None:
        self.send_response(code)
        for key, value in {"Content_Length": len(body), **headers}.items():
            if value is not None:
                self.send_header(key.replace("_", "-"), str(value))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        pass


Fault = Callable[[Handler, str], None]


def tag_of(data: bytes) -> str:
    return f'"{hashlib.sha256(data).hexdigest()[:8]}"'


def whole(handler: Handler, name: str) -> None:
    """The right answer."""
    data = handler.content(name)
    if data is None:
        return handler.answer(404)
    start = _start(handler, data)
    if start is None:
        return handler.answer(200, data, ETag=tag_of(data))
    if start >= len(data):
        return handler.answer(416)
    place = f"bytes {start}-{len(data) - 1}/{len(data)}"
    return handler.answer(206, data[start:], ETag=tag_of(data), Content_Range=place)


def _start(handler: Handler, data: bytes) -> int | None:
    matched = re.fullmatch(r"bytes=(\d+)-", handler.headers.get("Range", ""))
    condition = handler.headers.get("If-Range", tag_of(data))
    return int(matched[1]) if matched and condition == tag_of(data) else None


def status(code: int, **headers: Any) -> Fault:
    return lambda handler, name: handler.answer(code, b"refused", **headers)


def redirect(url: str, code: int = 302) -> Fault:
    return lambda handler, name: handler.answer(code, Location=url)


def sends(data: bytes, code: int = 200, **headers: Any) -> Fault:
    """Whatever is given, in place of the file; a header of None is left out."""
    return lambda handler, name: handler.answer(code, data, **headers)


def cut(count: int) -> Fault:
    """The connection ends after ``count`` bytes of the body."""

    def fault(handler: Handler, name: str) -> None:
        data = handler.content(name) or b""
        start = _start(handler, data) or 0
        rest = data[start:]
        place = {"Content_Range": f"bytes {start}-{len(data) - 1}/{len(data)}"} if start else {}
        headers = {"Content_Length": len(rest), "ETag": tag_of(data), **place}
        handler.answer(206 if start else 200, rest[:count], **headers)

    return fault


def no_ranges(handler: Handler, name: str) -> None:
    """All of it, whatever was asked for."""
    data = handler.content(name) or b""
    handler.answer(200, data)


def no_length(handler: Handler, name: str) -> None:
    handler.answer(200, handler.content(name) or b"", Content_Length=None)


def chunked(*, whole: bool = True, garbage: bytes = b"") -> Fault:
    """In chunks, as servers do that do not know the length; perhaps without an end."""

    def fault(handler: Handler, name: str) -> None:
        data = handler.content(name) or b""
        handler.answer(200, Content_Length=None, Transfer_Encoding="chunked")
        for start in range(0, len(data), 70):
            block = data[start : start + 70]
            handler.wfile.write(b"%x\r\n%b\r\n" % (len(block), block))
            if not whole:
                handler.wfile.write(garbage)
                return
        handler.wfile.write(b"0\r\n\r\n")

    return fault


def other_content(handler: Handler, name: str) -> None:
    """As many bytes as there should be, but others."""
    data = bytes(byte ^ 1 for byte in handler.content(name) or b"")
    handler.answer(200, data, ETag=tag_of(data))


def hang_up(handler: Handler, name: str) -> None:
    """Not even an answer."""


def drip(seconds: float, count: int = 1000) -> Fault:
    """One byte after the other, slowly."""

    def fault(handler: Handler, name: str) -> None:
        handler.answer(200, Content_Length=len(handler.content(name) or b""))
        with contextlib.suppress(OSError):
            for _ in range(count):
                handler.wfile.write(b"\0")
                handler.wfile.flush()
                time.sleep(seconds)

    return fault


def drip_head(seconds: float, patience: threading.Event) -> Fault:
    """A head that comes byte after byte, then all as it should be if someone has ``patience``."""

    def fault(handler: Handler, name: str) -> None:
        data = handler.content(name) or b""
        head = b"HTTP/1.1 200 OK\r\nX-Long: " + b"y" * 300
        with contextlib.suppress(OSError):
            for byte in head:
                handler.wfile.write(bytes([byte]))
                time.sleep(seconds)
            patience.set()
            handler.wfile.write(b"\r\nContent-Length: %d\r\n\r\n%b" % (len(data), data))

    return fault


@dataclass
class Stall:
    """Half of the body, then nothing until ``go``."""

    reached: threading.Event = field(default_factory=threading.Event)
    go: threading.Event = field(default_factory=threading.Event)

    def __call__(self, handler: Handler, name: str) -> None:
        data = handler.content(name) or b""
        handler.answer(200, data[: len(data) // 2], Content_Length=len(data), ETag=tag_of(data))
        handler.wfile.flush()
        self.reached.set()
        self.go.wait(30)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def handle_error(self, request: object, client_address: object) -> None:
        pass  # a client that went away


@contextlib.contextmanager
def serving(root: Path, context: Any = None) -> Iterator[Origin]:
    """Serve ``root`` on a free port; ``context`` makes it HTTPS."""
    origin = Origin(root)
    server = _Server(("127.0.0.1", 0), type("Bound", (Handler,), {"origin": origin}))
    if context is not None:
        server.socket = context.wrap_socket(server.socket, server_side=True)
    origin.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield origin
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
