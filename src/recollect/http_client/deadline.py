"""One deadline for a whole exchange: looking up, connecting, sending, and every byte of the answer.

The library's own timeouts are for one read each, so that a server which sends a letter every now and then could keep a
call forever. Here each wait for the network gets what is left until the deadline, and not more.

Slow to import, so only `Connection` does, at the first question.
"""

import ssl
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from threading import local
from typing import Any, Final

import httpcore2
import httpx2

_PIECE: Final = 65_536
_KEPT_S: Final = 30.0  # how long an idle connection is kept
_MOST_KEPT: Final = 20


class DeadlineTransport(httpx2.BaseTransport):
    """Connections that are reused, each wait of which ends at the deadline of the thread that waits."""

    def __init__(self, *, encrypted: bool, monotonic: Callable[[], float] = time.monotonic) -> None:
        """Make room for connections. Certificates, which take a while to load, are for what is encrypted."""
        self._backend = _Backend(monotonic)
        self._pool = httpcore2.ConnectionPool(
            ssl_context=httpx2.create_ssl_context() if encrypted else None,
            max_connections=None,
            max_keepalive_connections=_MOST_KEPT,
            keepalive_expiry=_KEPT_S,
            network_backend=self._backend,
        )

    @contextmanager
    def until(self, deadline: float) -> Iterator[None]:
        """Let what this thread does here end at a moment of the monotonic clock."""
        self._backend.deadlines.at = deadline
        try:
            yield
        finally:
            del self._backend.deadlines.at

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request; the body of the answer is read later, under the same deadline."""
        url = httpcore2.URL(
            scheme=request.url.raw_scheme, host=request.url.raw_host, port=request.url.port, target=request.url.raw_path
        )
        passed_on = httpcore2.Request(
            request.method, url, headers=request.headers.raw, content=request.read(), extensions=request.extensions
        )
        with _translated():
            response = self._pool.handle_request(passed_on)
        return httpx2.Response(response.status, headers=response.headers, stream=_DeadlineBody(response))

    def close(self) -> None:
        """Give back the connections."""
        self._pool.close()


class _Deadlines(local):
    """When the work of a thread must be over; each thread has its own."""

    at: float | None = None


class _Backend(httpcore2.SyncBackend):
    def __init__(self, monotonic: Callable[[], float]) -> None:
        self.deadlines = _Deadlines()
        self._monotonic = monotonic

    def left_s(self, timeout: float | None, late: type[Exception]) -> float | None:
        """Say how long to wait at most. Raises `late` when there is no time left."""
        if self.deadlines.at is None:
            return timeout
        left_s = self.deadlines.at - self._monotonic()
        if left_s <= 0:
            raise late("the deadline has passed")
        return left_s if timeout is None else min(timeout, left_s)

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.NetworkStream:
        left_s = self.left_s(timeout, httpcore2.ConnectTimeout)
        return _DeadlineStream(super().connect_tcp(host, port, left_s, local_address, socket_options), self)


class _DeadlineStream(httpcore2.NetworkStream):
    def __init__(self, inner: httpcore2.NetworkStream, backend: _Backend) -> None:
        self._inner = inner
        self._backend = backend

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._inner.read(max_bytes, self._backend.left_s(timeout, httpcore2.ReadTimeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        for start in range(0, len(buffer), _PIECE):
            left_s = self._backend.left_s(timeout, httpcore2.WriteTimeout)
            self._inner.write(buffer[start : start + _PIECE], left_s)

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.NetworkStream:
        left_s = self._backend.left_s(timeout, httpcore2.ConnectTimeout)
        return _DeadlineStream(self._inner.start_tls(ssl_context, server_hostname, left_s), self._backend)

    def get_extra_info(self, info: str) -> Any:  # noqa: ANN401 - as the library has it
        return self._inner.get_extra_info(info)


class _DeadlineBody(httpx2.SyncByteStream):
    def __init__(self, response: httpcore2.Response) -> None:
        self._response = response

    def __iter__(self) -> Iterator[bytes]:
        with _translated():
            yield from self._response.iter_stream()

    def close(self) -> None:
        self._response.close()


@contextmanager
def _translated() -> Iterator[None]:
    """Raise the client's errors for those of the connection, which have the same names."""
    try:
        yield
    except (httpcore2.TimeoutException, httpcore2.NetworkError, httpcore2.ProtocolError) as error:
        kind: type[httpx2.TransportError] = getattr(httpx2, type(error).__name__, httpx2.TransportError)
        raise kind(str(error)) from error
