"""Connections whose answer must be complete in time, however slowly its head drips in."""

from __future__ import annotations

import contextlib
import functools
import http.client
import socket
import ssl
import threading
from typing import TYPE_CHECKING
from urllib.request import AbstractHTTPHandler, Request

from mintdim.fetching import limits
from mintdim.fetching.contracts import TransferError
from mintdim.shared.messages import phrase

if TYPE_CHECKING:
    _Connection = http.client.HTTPConnection
else:
    _Connection = object


class _Bounded(_Connection):
    def getresponse(self) -> http.client.HTTPResponse:
        # The time limit of a socket starts anew with every byte; this one does not.
        late = threading.Event()
        timer = threading.Timer(limits.ANSWER, self._cut, [late])
        timer.daemon = True
        timer.start()
        try:
            response = super().getresponse()
        except (OSError, http.client.HTTPException):
            if late.is_set():
                raise _late() from None
            raise
        finally:
            timer.cancel()
        if late.is_set():  # a head that was cut may still look like one
            response.close()
            raise _late()
        return response

    def _cut(self, late: threading.Event) -> None:
        late.set()
        with contextlib.suppress(OSError, AttributeError):
            self.sock.shutdown(socket.SHUT_RDWR)


def _late() -> TransferError:
    problem = phrase("fetch_late", seconds=f"{limits.ANSWER:g}")
    return TransferError(problem, unreachable=True)


class _HttpConnection(_Bounded, http.client.HTTPConnection):
    pass


class _HttpsConnection(_Bounded, http.client.HTTPSConnection):
    pass


class BoundedHttp(AbstractHTTPHandler):
    """Opens ``http`` URLs."""

    http_request = AbstractHTTPHandler.do_request_

    def http_open(self, req: Request) -> http.client.HTTPResponse:
        """Return the answer, whatever its status."""
        return self.do_open(_HttpConnection, req)


class BoundedHttps(AbstractHTTPHandler):
    """Opens ``https`` URLs; certificates and host names are checked."""

    https_request = AbstractHTTPHandler.do_request_

    @functools.cached_property
    def _checking(self) -> ssl.SSLContext:
        # Reading the authorities of the system takes longer than a small file.
        return ssl.create_default_context()

    def https_open(self, req: Request) -> http.client.HTTPResponse:
        """Return the answer, whatever its status."""
        return self.do_open(_HttpsConnection, req, context=self._checking)
