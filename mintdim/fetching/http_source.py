"""A dataset behind HTTP or HTTPS: ranges, redirects, and a key that stays with its origin."""

from __future__ import annotations

import contextlib
import http.client
import os
import re
import ssl
from typing import TYPE_CHECKING, Any
from urllib.error import URLError
from urllib.parse import urljoin, urlsplit
from urllib.request import OpenerDirector, ProxyHandler, Request

from mintdim.fetching import limits
from mintdim.fetching.address import is_loopback, masked, origin_of, redirected
from mintdim.fetching.connections import BoundedHttp, BoundedHttps
from mintdim.fetching.contracts import Body, TransferError
from mintdim.shared.errors import FetchArgumentError
from mintdim.shared.log import logger
from mintdim.shared.messages import phrase
from mintdim.shared.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mintdim.fetching.address import Address

KEY_VARIABLE = "MINTDIM_API_KEY"
_REDIRECTS = (301, 302, 303, 307, 308)
_WHOLE, _PART, _NO_SUCH_RANGE = 200, 206, 416
# Of all answers that refuse, these may be another one in a moment; so may all from 500 on.
_PASSING = (408, 425, 429)
_ADVICE = {401: "fetch_give_key", 403: "fetch_key_refused", 404: "fetch_check_url"}
_RANGE = re.compile(r"bytes ([0-9]{1,18})-[0-9]{1,18}/([0-9]{1,18}|\*)")


class HttpSource:
    """Asks the origin of ``address``, with the key of the environment if there is one."""

    def __init__(self, address: Address) -> None:
        self.shown = masked(address.url)
        self._address = address
        self._home = origin_of(address.url)
        self._secrets = _secrets(address)
        self._opener = _new_opener()
        if self._secrets and self._home.scheme == "http" and not is_loopback(self._home.host):
            logger.warning("%s: the key is sent without encryption; use https", self.shown)

    @contextlib.contextmanager
    def open(self, name: str, start: int = 0, validator: str | None = None) -> Iterator[Body]:
        """Ask for a file, redirects followed."""
        headers = {"User-Agent": f"mintdim/{__version__}", "Accept-Encoding": "identity"}
        if start:
            headers["Range"] = f"bytes={start}-"
            headers |= {"If-Range": validator} if validator else {}
        with _translated(), contextlib.closing(self._answer(name, headers)) as response:
            yield _body(response, start)

    def _answer(self, name: str, headers: dict[str, str]) -> Any:
        url, secrets = self._address.of(name), self._secrets
        for _ in range(limits.REDIRECTS + 1):
            request = Request(url, headers={**headers, **secrets})
            response = self._opener.open(request, timeout=limits.SILENCE)
            if response.status not in _REDIRECTS:
                return response
            response.close()
            url = _next_url(url, response)
            # Dropped for good: what another origin sends back here may not speak for the user.
            secrets = secrets if origin_of(url) == self._home else {}
        raise TransferError(phrase("fetch_redirects", most=limits.REDIRECTS), final=True)


def _secrets(address: Address) -> dict[str, str]:
    key = os.environ.get(KEY_VARIABLE, "")
    if not (key.isascii() and key.isprintable() and key == key.strip()):
        raise FetchArgumentError(problem=phrase("fetch_key"))  # the key itself is never shown
    secrets = {"X-API-Key": key} if key else {}
    return {**secrets, "Authorization": address.basic} if address.basic else secrets


def _new_opener() -> OpenerDirector:
    """Return an opener that answers with any status, follows nothing and opens no other scheme."""
    opener = OpenerDirector()
    for handler in (ProxyHandler(), BoundedHttp(), BoundedHttps()):
        opener.add_handler(handler)
    return opener


def _next_url(url: str, response: Any) -> str:
    location = response.headers.get("Location", "")
    try:
        target = redirected(urljoin(url, location))
        scheme = urlsplit(target).scheme
    except ValueError:
        target, scheme = location, ""
    downgraded = scheme == "http" and urlsplit(url).scheme == "https"
    if scheme not in ("http", "https") or not location or downgraded:
        problem = phrase("fetch_redirect_refused", found=masked(location)[:200])
        raise TransferError(problem, "fetch_ask_origin", final=True)
    return target


def _body(response: Any, start: int) -> Body:
    status = response.status
    if status not in (_WHOLE, _PART):
        raise _refused(status, response.reason, continuing=start > 0)
    encoding = response.headers.get("Content-Encoding", "identity")
    if encoding.strip().lower() not in ("identity", ""):
        problem = phrase("fetch_encoded", encoding=encoding[:40])
        raise TransferError(problem, "fetch_ask_origin")
    begin, total = (0, response.length) if status == _WHOLE else _range(response, start)
    return Body(begin, total, _validator(response), lambda: response.read1(limits.BLOCK_BYTES))


def _range(response: Any, start: int) -> tuple[int, int | None]:
    found = response.headers.get("Content-Range", "")
    matched = _RANGE.fullmatch(found.strip())
    if matched is None or int(matched[1]) != start:
        problem = phrase("fetch_range", found=found[:80] or "-", expected=start)
        raise TransferError(problem, anew=True)
    return start, None if matched[2] == "*" else int(matched[2])


def _validator(response: Any) -> str | None:
    tag: str = response.headers.get("ETag", "")
    return tag if tag.startswith('"') and tag.isascii() and tag.isprintable() else None


def _refused(status: int, reason: str, *, continuing: bool) -> TransferError:
    anew = continuing and status == _NO_SUCH_RANGE
    final = status < 500 and status not in _PASSING and not anew
    problem = phrase("fetch_status", status=status, reason=reason[:80])
    advice = _ADVICE.get(status, "fetch_again")
    absent = status in (404, 410)
    return TransferError(problem, advice, final=final, absent=absent, anew=anew)


@contextlib.contextmanager
def _translated() -> Iterator[None]:
    """Turn whatever the network does into a ``TransferError``."""
    try:
        yield
    except URLError as error:
        reason = error.reason
        raise _failed(reason if isinstance(reason, Exception) else error) from error
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise _failed(error) from error


def _failed(error: Exception) -> TransferError:
    if isinstance(error, ssl.SSLCertVerificationError):
        problem = phrase("fetch_certificate", detail=error.verify_message)
        return TransferError(problem, "fetch_certificate_way", final=True)
    if isinstance(error, TimeoutError):
        problem = phrase("fetch_silent", seconds=f"{limits.SILENCE:g}")
        return TransferError(problem, unreachable=True)
    if isinstance(error, http.client.RemoteDisconnected):
        return TransferError(phrase("fetch_no_answer"))
    if isinstance(error, (http.client.IncompleteRead, ConnectionResetError, BrokenPipeError)):
        return TransferError(phrase("fetch_broken"))
    if isinstance(error, OSError):
        detail = error.strerror or str(error)
        problem = phrase("fetch_unreachable", detail=detail)
        return TransferError(problem, "fetch_check_network", unreachable=True)
    # The text of the others may quote an address or a header.
    return TransferError(phrase("fetch_not_http", detail=type(error).__name__))
