"""Whatever anybody sends: the server never fails, and whatever it refuses, it refuses with a problem document."""

import json
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from typing import Any
from urllib.parse import quote, urlsplit

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from recollect.mcp.server import _BROKEN
from recollect.service.app import ROUTERS
from recollect.web.problems import MEDIA_TYPE
from tests.rows import every
from tests.service.conftest import Running, Serve
from tests.service.fuzz import matter
from tests.service.fuzz.profile import Tally, times
from tests.sizes import sized
from tests.waiting import PATIENCE_S

pytestmark = pytest.mark.filterwarnings("ignore:Generating overly large repr")  # bodies as large as may be sent

ROUTES = sorted(
    {
        (method, route.path.replace(":path}", "}"))  # type: ignore[attr-defined] # routes all
        for router in ROUTERS
        for route in router.routes
        for method in route.methods or ()  # type: ignore[attr-defined] # as above
    }
)
MCP = ("POST", "/mcp")
NAMED = re.compile(r"\{(?:id|name)\}")
ONE_ROUND = sized(250, 8_000)  # requests
ROUNDS = sized(1, 10)
FAILED = _BROKEN.encode()  # what a tool says when the server failed


def escaped(text: str) -> str:
    """Put a text into an address, whatever it holds; also what is not Unicode."""
    return quote(text.encode("utf-8", "surrogatepass"), safe="")


class Sender:
    """Sends bytes as they are, which no polite client would."""

    def __init__(self, service: Running) -> None:
        self._host = urlsplit(service.url).netloc
        self._connection = HTTPConnection(self._host, timeout=PATIENCE_S)
        self._keys = {True: service.key(scopes=("admin",)), False: service.key()}
        self.tally = Tally()

    def send(self, method: str, path: str, headers: dict[str, bytes], body: bytes | None, *, admin: bool) -> None:
        """Send a request, and insist that the answer is one."""
        shown: dict[str, Any] = {
            "Authorization": f"Bearer {self._keys[admin]}",
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
        }
        begun = time.perf_counter()
        try:
            self._connection.request(method, path, body, {**shown, **headers})
            answer = self._connection.getresponse()
        except (HTTPException, ConnectionError):  # a server may hang up on what is no HTTP, or stop reading
            self.close()
            return
        if answer.headers.get_content_type() == "text/event-stream":
            assert answer.fp.readline()
            self.close()
            content = b""
        else:
            content = answer.read()
        self.tally.note(f"{method} {path[:80]}", answer.status, time.perf_counter() - begun)
        self._judge(method, path, answer.status, answer.headers.get_content_type(), content)

    def _judge(self, method: str, path: str, status: int, kind: str, content: bytes) -> None:
        assert status < 500, (method, path, content)
        assert FAILED not in content, (method, path, content)
        if status < 400 or method == "HEAD" or path.startswith(MCP[1]) or kind == "text/plain":
            return  # what is no HTTP at all is answered by the server itself, in plain text
        document = json.loads(content)
        assert kind == MEDIA_TYPE, (method, path, status, content)
        assert document["status"] == status
        assert document["detail"]

    def close(self) -> None:
        """Hang up; the next request calls again."""
        self._connection.close()


@pytest.fixture
def sender(serve: Serve) -> Iterator[Sender]:
    made = Sender(serve(embedding__provider="none"))
    yield made
    made.close()


SHAPE = settings(
    deadline=None, database=None, phases=[Phase.generate, Phase.shrink], suppress_health_check=list(HealthCheck)
)


@dataclass(frozen=True, slots=True)
class Attempt:
    """A request that somebody might make."""

    route: tuple[str, str]
    place: str
    query: list[tuple[str, str]]
    headers: dict[str, bytes]
    body: bytes
    admin: bool

    @property
    def address(self) -> str:
        """Where it is sent."""
        asked = "&".join(f"{name}={escaped(value)[:3_000]}" for name, value in self.query)
        return NAMED.sub(lambda _: escaped(self.place)[:2_000], self.route[1]) + (f"?{asked}" if asked else "")


def attempts(route: tuple[str, str]) -> st.SearchStrategy[Attempt]:
    """Give requests to a route."""
    return st.builds(
        Attempt,
        route=st.just(route),
        place=matter.PLACES,
        query=matter.QUERIES,
        headers=st.just({}) | matter.HEADERS,
        body=matter.bodies(route[1]),
        admin=st.booleans(),
    )


ATTEMPTS = st.one_of([attempts(one) for one in (*ROUTES, MCP)] + [attempts(one) for one in ROUTES if one[0] != "GET"])


@pytest.mark.on_both_stores
def test_anything_at_all(sender: Sender, database: str) -> None:
    """Any body, query and headers, to any route."""
    amount = times(80) if database.startswith("postgresql") else ONE_ROUND

    @settings(SHAPE, max_examples=amount)
    @given(attempt=ATTEMPTS)
    def make(attempt: Attempt) -> None:
        method = attempt.route[0]
        body = None if method == "GET" else attempt.body
        sender.send(method, attempt.address, attempt.headers, body, admin=attempt.admin)

    rounds = 1 if database.startswith("postgresql") else ROUNDS
    for _ in range(rounds):
        make()
    sender.tally.settle(at_least=rounds * amount * 19 // 20)


@every("body", matter.DEEP)
@pytest.mark.parametrize("database", ["sqlite"], indirect=True)  # none of it gets that far
def test_nesting_is_not_followed_to_the_bottom(sender: Sender, body: bytes) -> None:
    taking = [(method, path) for method, path in (*ROUTES, MCP) if method != "GET"]
    every_fourth = slice(matter.DEEP.index(body) % 4, None, sized(4, 1))
    for method, path in taking[every_fourth]:
        sender.send(method, NAMED.sub("c1", path), {}, body, admin=False)
    sender.tally.settle(at_least=8)
