"""The permission matrix, made from the route table itself: every route and tool against everybody who may come.

A route that has no line here fails, and so does a line without a route.
"""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any, cast

import httpx2
import pytest
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from starlette.routing import Route

from recollect import Memory
from recollect.mcp.permissions import REQUIRED_PERMISSIONS as TOOLS
from recollect.model.literals import PERMISSIONS, Permission
from recollect.service.app import ROUTERS, create_app, create_limiter
from recollect.service.live.subscriptions import LiveSubscriptions
from recollect.service.metrics.service_metrics import Metrics
from recollect.service.request_context import RequiresPermission
from tests.cli.reference import permissions
from tests.fixtures import OpenMemory, SteppingClock
from tests.rows import read_rows
from tests.service.conftest import Running, Serve
from tests.sizes import ALL

# Each route with what it needs, what else its answer needs because it shows what is there, and the same thing behind
# the other doors: tools and resources, and commands.
_ROWS = read_rows(Path(__file__).with_name("permissions.tsv"))
ROUTES: dict[str, Permission | None] = {
    route: cast("Permission", needs) if needs != "-" else None for route, needs, *_ in _ROWS
}
SHOWING = {route for route, _, shows, *_ in _ROWS if shows == "read"}

# What strangers are told where anybody may ask: there is no such file, and a login needs a secret.
TOLD = {"GET /page/{path:path}": 404, "POST /api/session": 422}


def needed(dependant: Dependant) -> Iterator[Permission]:
    """Find the permission that a route asks for, however deep."""
    if isinstance(dependant.call, RequiresPermission):
        yield dependant.call.permission
        assert dependant.call.also in (None, "read")
    for inner in dependant.dependencies:
        yield from needed(inner)


def routes() -> Iterator[tuple[str, Permission | None]]:
    """Give every route of the application with what it needs."""
    for route in (route for router in ROUTERS for route in router.routes):
        assert isinstance(route, APIRoute), f"{route} is no route with a permission"
        (permission,) = tuple(needed(route.dependant)) or (None,)
        for method in route.methods or ():
            yield f"{method} {route.path}", permission


def test_every_route_has_a_line() -> None:
    assert dict(routes()) == ROUTES


def showing(dependant: Dependant) -> bool:
    return (isinstance(dependant.call, RequiresPermission) and dependant.call.also == "read") or any(
        map(showing, dependant.dependencies)
    )


def test_what_shows_something_needs_to_be_allowed_to_read() -> None:
    found = (route for router in ROUTERS for route in router.routes if isinstance(route, APIRoute))
    assert {
        f"{method} {one.path}" for one in found if showing(one.dependant) for method in one.methods or ()
    } == SHOWING


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_there_are_no_other_routes(open_memory: OpenMemory) -> None:
    memory = open_memory(embedding__provider="none")
    app = create_app(memory, LiveSubscriptions(memory), Metrics(memory), create_limiter(memory))
    beside = [route.path for route in app.routes if isinstance(route, Route)]
    assert beside == ["/mcp", "/mcp/"]
    assert len(app.routes) == len(ROUTERS) + len(beside)


def test_all_doors_agree() -> None:
    typed = permissions()
    behind: set[str] = set()
    for route, wanted, _, tools, commands in _ROWS:
        behind |= {*tools.split()}
        for tool in {*tools.split()} - {"-"}:
            assert TOOLS[tool] == wanted, (route, tool)
        for command in {*commands.split()} - {"-"}:
            assert typed[command].always[0] == wanted, (route, command)
    assert behind >= {name for name in TOOLS if "://" not in name and name != "memory"}


class Visitor:
    """Somebody who comes to every route."""

    def __init__(self, running: Running, clock: SteppingClock) -> None:
        keys = running.memory.keys
        self.running = running
        soon = clock.now() + timedelta(minutes=1)
        self.expired = keys.create(user="anna", expires_at=soon).secret
        revoked = keys.create(user="anna")
        keys.revoke(revoked.key.id)
        self.revoked = revoked.secret
        self.of = {scope: running.key("anna", (scope,)) for scope in PERMISSIONS}
        self.ben = running.key("ben")
        clock.advance(minutes=2)

    def visit(self, client: httpx2.Client, line: str, headers: dict[str, str]) -> int:
        method, _, path = line.partition(" ")
        address = path.replace(":path}", "}").replace("{id}", "01a1dfdf-9755-700c-8ecf-655f449c5cac")
        if path == "/api/stream":
            address += "?min_score=7"  # refused before it begins to stream
        body: dict[str, object] | None = {} if method in ("POST", "PATCH", "PUT") else None
        answer = client.request(method, address, json=body, headers=headers)
        assert answer.status_code < 500, answer.text
        if answer.status_code >= 400 and path != "/mcp":
            assert answer.headers["content-type"] == "application/problem+json", answer.text
        return answer.status_code


HOSTILE = [({"Host": "evil.example"}, 421), ({"Origin": "https://evil.example"}, 403), ({"Origin": "null"}, 403)]


def bearer(key: str, **more: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}", **{name.replace("_", "-"): value for name, value in more.items()}}


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)  # that each store knows its keys is held in conformance
def test_the_matrix(serve: Serve, clock: SteppingClock) -> None:
    running = serve(embedding__provider="none")
    visitor = Visitor(running, clock)
    wrong = visitor.of["read"][:-1] + ("A" if visitor.of["read"][-1] != "A" else "B")
    strangers: list[dict[str, str]] = [
        {},
        bearer(wrong),
        bearer("rk_0123456789abcdef_" + "x" * 43),
        bearer("nonsense"),
        bearer(visitor.expired),
        bearer(visitor.revoked),
        {"Authorization": visitor.of["admin"]},
    ]
    with running.client() as client:
        lines = [*ROUTES.items(), ("POST /mcp", "read"), ("GET /api/nothing", "read")]
        for number, (line, permission) in enumerate(lines):
            for stranger in strangers if ALL else (strangers[0], strangers[number % len(strangers)]):
                expected = TOLD.get(line, 200) if permission is None else 401
                assert visitor.visit(client, line, stranger) == expected, (line, stranger)
            for scope in PERMISSIONS:
                status = visitor.visit(client, line, bearer(visitor.of[scope]))
                held = scope == permission and line not in SHOWING
                allowed = permission is None or held or scope == "admin" or line.endswith(("/mcp", "/nothing"))
                assert (status not in (401, 403)) == allowed, (line, scope, status)
            if permission is not None and not line.endswith(("/mcp", "/nothing")):
                assert visitor.visit(client, line, bearer(visitor.ben, X_Recollect_User="anna")) == 403, line
            for hostile, expected_status in HOSTILE if ALL else (HOSTILE[number % len(HOSTILE)],):
                status = visitor.visit(client, line, {**bearer(visitor.of["admin"]), **hostile})
                assert status == expected_status, (line, hostile)


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_an_admin_names_the_user(serve: Serve) -> None:
    running = serve(embedding__provider="none")
    with running.client(running.key(scopes=("admin",))) as admin:
        named = {b"X-Recollect-User": "Jiří".encode()}
        admin.post("/api/memories/unified", json={"content": "For Jiří"}, headers=named)
        admin.post("/api/memories/unified", json={"content": "For whoever is meant"})
        assert admin.get("/api/stats", headers={"X-Recollect-User": ""}).status_code == 400
    memory: Memory = running.memory
    assert [item.content for item in memory.user("Jiří").list().items] == ["For Jiří"]
    assert [item.content for item in memory.user("default").list().items] == ["For whoever is meant"]


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_a_password_opens_the_documentation_only(serve: Serve) -> None:
    running = serve(embedding__provider="none")
    key = running.key()
    with running.client() as client:
        assert client.get("/docs").headers["www-authenticate"].startswith("Basic")
        assert client.get("/docs", auth=("anybody", key)).status_code == 200
        assert client.get("/openapi.json", auth=("anybody", key)).status_code == 200
        assert client.get("/api/memories", auth=("anybody", key)).status_code == 401


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_too_many_requests(serve: Serve) -> None:
    running = serve(embedding__provider="none", serve__burst=3, serve__requests_per_minute=1)
    with running.client(running.key()) as anna, running.client(running.key("ben")) as ben:
        statuses = [anna.get("/api/stats").status_code for _ in range(5)]
        assert statuses == [200, 200, 200, 429, 429]
        assert int(anna.get("/api/stats").headers["retry-after"]) > 0
        assert ben.get("/api/stats").status_code == 200
        assert cast("Any", ben.get("/livez")).status_code == 200


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_who_may_not_read_is_shown_nothing(serve: Serve) -> None:
    running = serve(embedding__provider="none")
    running.memory.user("anna").remember("The garage code is on a card")
    with running.client(running.key(scopes=("forget",))) as forgetful:
        asked = {"query": "garage code", "dry_run": True}
        assert forgetful.post("/api/forget", json=asked).status_code == 403
        assert forgetful.post("/api/forget", json={"everything": True}).json()["action"] == "deleted"
