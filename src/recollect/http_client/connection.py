"""One attempt to ask one server: within its time, of bounded length, and never anywhere else."""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from email.utils import parsedate_to_datetime
from threading import Lock
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from recollect._version import __version__
from recollect.http_client.exchange import ApiKey, HttpRequest, HttpResponse, RawResponse, RemoteError, Transient

if TYPE_CHECKING:
    import httpx2

    from recollect.http_client.deadline import DeadlineTransport

_RETRIED: Final = frozenset((408, 409, 429, 500, 502, 503, 504, 529))
_REDIRECTS: Final = range(300, 400)
_OK: Final = range(200, 300)
_HEADERS: Final = {
    "Accept": "application/json",
    "Accept-Encoding": "identity",
    "User-Agent": f"recollect/{__version__}",
}


class HttpConnection:
    """A server that is asked with one key. Threads may share one; nothing is opened before the first question."""

    def __init__(
        self,
        url: str,
        key: ApiKey,
        *,
        timeout_s: float,
        advice: Mapping[int, str],
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """Take note of an address that has been checked. `advice` says what to do about a status."""
        self._url = url
        self.host = urlsplit(url).netloc
        self._key = key
        self._timeout_s = timeout_s
        self._advice = advice
        self._monotonic = monotonic
        self._lock = Lock()
        self._client: httpx2.Client | None = None
        self._transport: DeadlineTransport | None = None

    def send(self, request: HttpRequest) -> HttpResponse:
        """Ask once. Raises Transient for what may go better next time, RemoteError for what will not."""
        return self._judged(self.exchange(request))

    def exchange(self, request: HttpRequest) -> RawResponse:
        """Ask once, and give the answer whatever its status says. Raises Transient and RemoteError without one."""
        import httpx2  # noqa: PLC0415  # takes 0.1 s that most commands need not spend

        timeout_s = self._timeout_s if request.timeout_s is None else min(self._timeout_s, request.timeout_s)
        deadline = self._monotonic() + timeout_s
        try:
            with self._answer(request, deadline) as response:
                content = self._read(response, request.most_bytes, deadline)
        except (httpx2.TimeoutException, _Late) as error:
            slow = f"{self.host} did not answer within {round(timeout_s, 2):g} s. Try again, or raise the timeout"
            raise Transient(slow) from error
        except httpx2.TransportError as error:
            found = self._key.hidden_in(str(error)) or type(error).__name__
            raise Transient(f"{self.host} could not be asked: {found}. Check the address and the network") from error
        except (httpx2.HTTPError, httpx2.InvalidURL, ValueError) as error:
            found = self._key.hidden_in(str(error))
            raise RemoteError(f"{self.host} cannot be asked: {found}. Check the address.") from error
        return RawResponse(response.status_code, response.headers, content)

    @property
    def is_open(self) -> bool:
        """Whether there is room for connections."""
        return self._client is not None

    def open(self) -> None:
        """Load the library and make room for connections."""
        self._opened()

    def close(self) -> None:
        """Give back the connections. Asking again would open new ones."""
        with self._lock:
            client, self._client = self._client, None
        if client:
            client.close()

    @contextmanager
    def _answer(self, request: HttpRequest, deadline: float) -> Iterator["httpx2.Response"]:
        client, transport = self._opened()
        import httpx2  # noqa: PLC0415  # see above

        headers = httpx2.Headers({**_HEADERS, **self._key.headers, **request.headers}, encoding="utf-8")
        if request.content:
            headers["Content-Type"] = request.content_type
        # Without a transport of ours a proxy is in between, and each wait has the whole time to itself.
        with transport.until(deadline) if transport else nullcontext():
            url = f"{self._url}{request.path}"
            with client.stream(request.method, url, content=request.content or None, headers=headers) as response:
                yield response

    def _read(self, response: "httpx2.Response", most_bytes: int, deadline: float) -> bytes:
        """Read a body that is neither too long nor too slow. It is not unpacked, so it cannot grow in our hands."""
        announced = response.headers.get("content-length", "")
        if announced.isascii() and announced.isdigit() and int(announced) > most_bytes:
            raise self._too_long(most_bytes, response.status_code)
        content = bytearray()
        for chunk in response.iter_raw():
            content += chunk
            if len(content) > most_bytes:
                raise self._too_long(most_bytes, response.status_code)
            if self._monotonic() > deadline:
                raise _Late
        return bytes(content)

    def _judged(self, response: RawResponse) -> HttpResponse:
        status = response.status
        received = HttpResponse(self.host, response.headers.get("content-type", ""), response.content, self._key)
        if status in _OK:
            return received
        if status in _REDIRECTS:
            target = urlsplit(response.headers.get("location", "")).netloc or "another path"
            raise RemoteError(
                f"{self.host} answered {status}, a redirect to {self._key.hidden_in(target)}, which is not followed "
                "because the request is meant for this host only. Configure the final address.",
                status=status,
            )
        found = f"{self.host} answered {status}: {received.complaint}"
        if status in _RETRIED:
            advice = self._advice.get(status, "Try again later.")
            raise Transient(f"{found}. {advice}", retry_after_s(response.headers), status)
        advice = self._advice.get(status, "Check the address and the model.")
        raise RemoteError(f"{found}. {advice}", status=status, retry_after_s=retry_after_s(response.headers))

    def _opened(self) -> "tuple[httpx2.Client, DeadlineTransport | None]":
        with self._lock:
            if self._client is None:
                self._client, self._transport = self._open()
            return self._client, self._transport

    def _open(self) -> "tuple[httpx2.Client, DeadlineTransport | None]":
        import httpx2  # noqa: PLC0415  # see above

        from recollect.http_client.deadline import DeadlineTransport  # noqa: PLC0415  # it imports the library

        # A proxy from the environment may carry what is encrypted, but never see a key in clear text.
        encrypted = self._url.startswith("https://")
        if encrypted and _proxied(self._url):
            return httpx2.Client(timeout=self._timeout_s, follow_redirects=False, trust_env=True), None
        transport = DeadlineTransport(encrypted=encrypted, monotonic=self._monotonic)
        client = httpx2.Client(transport=transport, timeout=self._timeout_s, follow_redirects=False, trust_env=False)
        return client, transport

    def _too_long(self, most_bytes: int, status: int) -> RemoteError:
        return RemoteError(
            f"{self.host} sent more than {most_bytes:,} bytes, which is no answer to this. Check the address.",
            status=None if status in _OK else status,
        )


class _Late(Exception):
    """A body was not all there at the deadline."""


def _proxied(url: str) -> bool:
    """Tell whether the environment names a proxy for this address."""
    from urllib.request import getproxies, proxy_bypass  # noqa: PLC0415  # slow to import, and seldom needed

    proxies = getproxies()
    return ("https" in proxies or "all" in proxies) and not proxy_bypass(urlsplit(url).hostname or "")


def retry_after_s(headers: Mapping[str, str]) -> float | None:
    """Give the pause a server asked for, in seconds; a date is read by the server's own clock, ours is not needed."""
    asked = headers.get("retry-after", "").strip()
    try:
        return max(0.0, float(int(asked)))
    except ValueError:
        pass
    if not asked.endswith("GMT"):
        return None
    try:
        pause = parsedate_to_datetime(asked) - parsedate_to_datetime(headers.get("date", ""))
    except (TypeError, ValueError):
        return None
    return max(0.0, pause.total_seconds())
