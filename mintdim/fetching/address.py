"""Addresses: parsed once, joined with names of files, and shown without what is secret in them."""

from __future__ import annotations

import base64
import ipaddress
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import SplitResult, quote, unquote, urlsplit, urlunsplit

from mintdim.shared.errors import FetchArgumentError
from mintdim.shared.messages import phrase

SCHEMES = ("http", "https", "file")
_DEFAULT_PORTS = {"http": 80, "https": 443}
_PATH_SAFE = "/%:@!$&'()*+,;=~"
_QUERY_SAFE = _PATH_SAFE + "?"


class Origin(NamedTuple):
    """Who gets a secret: all three must be equal."""

    scheme: str
    host: str
    port: int | None


@dataclass(frozen=True, slots=True)
class Address:
    """The folder of a dataset; ``basic`` is the user and password of the URL as a header."""

    parts: SplitResult
    basic: str | None

    def of(self, name: str) -> str:
        """Return the URL of a file in the folder; a query stays behind the path."""
        path = f"{self.parts.path.rstrip('/')}/{name}"
        return urlunsplit(self.parts._replace(path=path))

    @property
    def url(self) -> str:
        """The URL of the folder, without user and password."""
        return urlunsplit(self.parts)


def parse_address(url: object) -> Address:
    """Return the address of a folder; raises ``FetchArgumentError``."""
    text = url if isinstance(url, str) else repr(url)
    try:
        parts = urlsplit(text)
        usable = parts.scheme in SCHEMES and _is_complete(parts) and text.isprintable()
    except ValueError:
        parts, usable = SplitResult("", "", "", "", ""), False
    if not usable:
        raise FetchArgumentError(problem=phrase("fetch_url", found=masked(text)))
    return Address(_encoded(parts), _basic(parts))


def _is_complete(parts: SplitResult) -> bool:
    """Say whether host and port fit the scheme; reading a bad port raises ``ValueError``."""
    if parts.scheme == "file":
        return parts.netloc in ("", "localhost") and bool(parts.path)
    return bool(parts.hostname) and parts.port != 0


def _encoded(parts: SplitResult) -> SplitResult:
    return parts._replace(
        netloc=parts.netloc.rpartition("@")[2],
        path=quote(parts.path, safe=_PATH_SAFE),
        query=quote(parts.query, safe=_QUERY_SAFE),
        fragment="",
    )


def _basic(parts: SplitResult) -> str | None:
    if parts.username is None:
        return None
    pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
    return "Basic " + base64.b64encode(pair.encode()).decode("ascii")


def redirected(target: str) -> str:
    """Return the URL of a redirect as it may be asked for; raises ``ValueError``.

    A user and password in it are not used: they would come from elsewhere.
    """
    parts = urlsplit(target)
    if not _is_complete(parts):
        raise ValueError("no host")
    return urlunsplit(_encoded(parts))


def origin_of(url: str) -> Origin:
    """Return scheme, host and port."""
    parts = urlsplit(url)
    port = parts.port or _DEFAULT_PORTS.get(parts.scheme)
    return Origin(parts.scheme, (parts.hostname or "").rstrip("."), port)


def is_loopback(host: str) -> bool:
    """Say whether what is sent to ``host`` stays on this machine."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def masked(url: str) -> str:
    """Return a URL for people: user, password and query may be secrets, so they are left out."""
    head, mark, _ = url.partition("?")
    scheme, slashes, rest = head.partition("://")
    if not slashes:
        return head.rpartition("@")[2] + ("?…" if mark else "")
    host, slash, path = rest.partition("/")
    host = f"…@{host.rpartition('@')[2]}" if "@" in host else host
    return f"{scheme}://{host}{slash}{path}" + ("?…" if mark else "")
