"""The service as clients ask it: one request, its answer, and errors as the embedded store raises them.

The invariant: a write is carried out at most once. Each has an Idempotency-Key, so asking again after a lost answer is
safe.
"""

import json
from collections.abc import Mapping
from copy import copy
from dataclasses import replace
from datetime import datetime
from http import HTTPStatus
from time import monotonic
from typing import Any, Final, Self
from urllib.parse import quote, urlencode
from uuid import uuid4

from recollect._version import __version__, is_compatible
from recollect.errors import (
    AlreadyProcessed,
    InvalidInput,
    NotFound,
    NotPermitted,
    QuotaExceeded,
    RateLimited,
    RecollectError,
    ServiceUnavailable,
    StaleVersion,
    StoreFull,
    StoreUnavailable,
    UnknownKey,
    VersionMismatch,
)
from recollect.http_client import (
    ApiKey,
    HttpConnection,
    HttpRequest,
    RawResponse,
    RemoteError,
    Transient,
    checked_url,
    retry_after_s,
)
from recollect.model.media import Media
from recollect.verbs import Verbs

MOST_BYTES: Final = 64 * 2**20
_ATTEMPTS: Final = 2
_OK: Final = range(200, 300)
_ERRORS: Final[Mapping[int, type[RecollectError]]] = {
    HTTPStatus.BAD_REQUEST: InvalidInput,
    HTTPStatus.UNAUTHORIZED: UnknownKey,
    HTTPStatus.FORBIDDEN: NotPermitted,
    HTTPStatus.NOT_FOUND: NotFound,
    HTTPStatus.PRECONDITION_FAILED: StaleVersion,
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: InvalidInput,
    HTTPStatus.UNPROCESSABLE_ENTITY: InvalidInput,
    HTTPStatus.UPGRADE_REQUIRED: VersionMismatch,
    HTTPStatus.SERVICE_UNAVAILABLE: StoreUnavailable,
}


class ServiceConnection:
    """A service that is asked with one key. Threads may share one."""

    def __init__(self, url: str, key: str, timeout_s: float) -> None:
        base = checked_url(url, "the Recollect service", "http://127.0.0.1:8787")
        self._connection = HttpConnection(base, ApiKey(key), timeout_s=timeout_s, advice={})
        self._timeout_s = timeout_s
        self.url = base
        self.scope = ""
        self.given_at = ""
        self.zone = ""

    def asked(self, *, scope: str = "", zone: str = "", given_at: str = "") -> Self:
        """Give the same service, asked for a shared scope, in a user's time zone, or with writes given at a moment.

        What is not named stays as it is, and the connections are shared.
        """
        same = copy(self)
        same.scope, same.zone, same.given_at = scope or self.scope, zone or self.zone, given_at or self.given_at
        return same

    def check(self) -> None:
        """Check that a Recollect service of a fitting version answers and knows the key.

        Raises ServiceUnavailable, VersionMismatch and UnknownKey.
        """
        found = self._read(self._ask(HttpRequest("/", MOST_BYTES, method="GET")))
        if not isinstance(found, dict) or found.get("name") != "Recollect":
            raise ServiceUnavailable(f"What answers at {self.url} is no Recollect service. Check the address.")
        theirs = str(found.get("version", ""))
        if not is_compatible(theirs):
            raise VersionMismatch(
                f"The service at {self.url} is Recollect {theirs}, this client is {__version__}. Install the same "
                "version on both sides."
            )
        known = self._ask(HttpRequest("/readyz", MOST_BYTES, method="GET"))
        if known.status == HTTPStatus.UNAUTHORIZED:  # whatever else it says, the key is known
            self._read(known)

    def get(self, user: str, path: str, **query: object) -> Any:  # noqa: ANN401 - JSON
        """Read something. What is None is left out of the query."""
        return self.send(user, "GET", path, query=query)

    def send(
        self,
        user: str,
        method: str,
        path: str,
        body: Mapping[str, object] | None = None,
        *,
        query: Mapping[str, object] | None = None,
    ) -> Any:  # noqa: ANN401 - JSON
        """Ask by any method; what may write has a key of its own."""
        headers = self._headers(user)
        if method != "GET":
            headers["Idempotency-Key"] = uuid4().hex
        given = {name: _plain(value) for name, value in (query or {}).items() if value is not None}
        address = f"{path}?{urlencode(given, doseq=True)}" if given else path
        content = b"" if body is None else json.dumps(body, default=_plain).encode("utf-8", "surrogatepass")
        return self._read(self._ask(HttpRequest(address, MOST_BYTES, content, method=method, headers=headers)))

    def post_bytes(self, user: str, path: str, content: bytes) -> Any:  # noqa: ANN401 - JSON
        """Send bytes as they are."""
        headers = {**self._headers(user), "Idempotency-Key": uuid4().hex, "Content-Type": "application/octet-stream"}
        return self._read(self._ask(HttpRequest(path, MOST_BYTES, content, method="POST", headers=headers)))

    def get_bytes(self, user: str, path: str) -> bytes:
        """Read bytes as they are."""
        response = self._ask(HttpRequest(path, MOST_BYTES, method="GET", headers=self._headers(user)))
        if response.status not in _OK:
            self._read(response)  # which raises what the problem says
        return response.content

    def close(self) -> None:
        """Give back the connections."""
        self._connection.close()

    def _headers(self, user: str) -> dict[str, str]:
        named = {
            "X-Recollect-User": user,
            "X-Recollect-Scope": self.scope,
            "X-Recollect-Given-At": self.given_at,
            "X-Recollect-Zone": self.zone,
        }
        return {"X-Recollect-Version": __version__, **{name: value for name, value in named.items() if value}}

    def _ask(self, request: HttpRequest) -> RawResponse:
        """Ask, and once more if no answer came; both together take no longer than a request may."""
        deadline = monotonic() + self._timeout_s
        for attempt in range(_ATTEMPTS):
            try:
                return self._connection.exchange(replace(request, timeout_s=max(0.0, deadline - monotonic())))
            except Transient as failure:
                if attempt + 1 == _ATTEMPTS or monotonic() >= deadline:
                    raise ServiceUnavailable(
                        f"The Recollect service did not answer: {failure.reason}. Is `recollect serve` running there?"
                    ) from failure
            except RemoteError as error:
                raise ServiceUnavailable(f"The Recollect service cannot be asked: {error.reason}") from error
        raise AssertionError("unreachable")

    def _read(self, response: RawResponse) -> Any:  # noqa: ANN401 - JSON
        try:
            document = json.loads(response.content)
        except ValueError as error:
            raise ServiceUnavailable(
                f"What answers at {self.url} is no Recollect service: status {response.status}, and no JSON. Check the "
                "address."
            ) from error
        if response.status in _OK:
            return document
        raise self._error(response, document if isinstance(document, dict) else {})

    def _error(self, response: RawResponse, problem: Mapping[str, Any]) -> RecollectError:
        detail = problem.get("detail") or f"The service at {self.url} answered {response.status}."
        match response.status:
            case HTTPStatus.TOO_MANY_REQUESTS:
                return RateLimited(detail, retry_after_s(response.headers) or 1.0)
            case HTTPStatus.GONE:  # the same write, whose answer has been forgotten since
                return AlreadyProcessed(None)
            case HTTPStatus.INSUFFICIENT_STORAGE:
                quota = problem.get("quota")
                return StoreFull(detail) if quota is None else QuotaExceeded(quota, detail)
        return _ERRORS.get(response.status, ServiceUnavailable)(detail)


class ServiceScoped(Verbs):
    """One user's part of a service. Without a name, the key's own user is meant."""

    def __init__(self, service: ServiceConnection, user_id: str) -> None:
        self._service = service
        self._user_id = user_id

    def _get(self, path: str, **query: object) -> Any:  # noqa: ANN401 - JSON
        return self._service.get(self._user_id, path, **query)

    def _post(self, path: str, body: Mapping[str, object]) -> Any:  # noqa: ANN401 - JSON
        return self._service.send(self._user_id, "POST", path, body)

    def _send(self, method: str, path: str, body: Mapping[str, object] | None = None) -> Any:  # noqa: ANN401 - JSON
        return self._service.send(self._user_id, method, path, body)


def path_part(text: str) -> str:
    """Write a name as a part of a path."""
    return quote(text, safe="")


def _plain(value: object) -> object:
    """Write a value as it stands in JSON or in a query."""
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Media):
        return value.stored()
    if isinstance(value, (tuple, list)):
        return list(value)
    if isinstance(value, (str, int, float)):
        return value
    raise InvalidInput(f"{type(value).__name__} cannot be sent over HTTP.")
