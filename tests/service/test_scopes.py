"""Shared scopes over HTTP and MCP: what a member, a reader, a removed member and another user get, on both stores."""

import json

import httpx2
import pytest
from mcp import Client

from recollect.authorization import LOCAL
from tests.mcp_door.conftest import called, in_process, refused, somebody, speak
from tests.service.conftest import Running

_ROAST = "The family cooks a roast on Sundays"
_NO_ID = "01900000-0000-7000-8000-000000000000"
_SEEN = {"X-Recollect-Scope": "family"}

# Requests of every kind that work in a scope, and what they need there: the role, and the permission of the key.
_READS: list[tuple[str, str, object]] = [
    ("GET", "/api/memories", None),
    ("GET", "/api/memories/{id}", None),
    ("GET", "/api/memories/{id}/history", None),
    ("GET", "/api/memories/{id}/similar", None),
    ("GET", "/api/memories/{id}/origins", None),
    ("GET", "/api/facts/doubts", None),
    ("GET", "/api/timeline", None),
    ("GET", "/api/messages", None),
    ("GET", "/api/conversations/s1/summary", None),
    ("GET", "/api/conversations/s1/learned", None),
    ("GET", "/api/memories/clusters", None),
    ("GET", "/api/memories/search?query=roast", None),
    ("POST", "/api/context/search", {"query": "roast"}),
    ("POST", "/search", {"query": "roast"}),
    ("GET", "/api/about?topic=roast", None),
    ("GET", "/api/facts", None),
    ("GET", "/api/events", None),
    ("GET", "/api/conversations", None),
    ("GET", "/api/conversations/s1", None),
    ("GET", "/api/conversations/s1/window", None),
    ("GET", "/api/files", None),
    ("GET", "/api/places", None),
    ("GET", "/api/places/within?lat=49.2&lng=16.6&radius_km=5", None),
    ("GET", "/api/places/named", None),
    ("GET", "/api/export", None),
    ("GET", "/api/stats", None),
    ("GET", "/api/insights", None),
    ("GET", "/api/tidy", None),
    ("GET", "/api/scopes", None),
]
_WRITES: list[tuple[str, str, object]] = [
    ("POST", "/api/memories/unified", {"content": "New"}),
    ("POST", "/api/memories/bulk", {"memories": [{"content": "New"}]}),
    ("PATCH", "/api/memories/{id}", {"content": "Other"}),
    ("POST", "/api/memories/{id}/feedback", {"feedback": 1}),
    ("POST", "/api/facts", {"subject": "roast", "key": "day", "value": "Sunday"}),
    ("POST", "/api/conversations/s1/messages", {"role": "user", "content": "Hello"}),
    ("POST", "/api/hooks/agent-end", {"session": "s1", "messages": [{"role": "user", "content": "Hello"}]}),
    ("PUT", "/api/places/named/home", {"lat": 49.2, "lng": 16.6}),
    ("POST", "/api/forget", {"id": "{id}"}),
    ("DELETE", "/api/memories/{id}", None),
]


@pytest.fixture
def roast(service: Running) -> str:
    """The id of what Anna stored in the scope that Ben may read."""
    service.memory.scopes.add("family", "anna", role="writer")
    service.memory.scopes.add("family", "ben")
    return service.memory.user("anna").scope("family").remember(_ROAST).id


def _statuses(client: httpx2.Client, requests: list[tuple[str, str, object]], known: str) -> set[int]:
    answers = []
    for method, path, body in requests:
        sent = {"id": known} if body == {"id": "{id}"} else body
        answers.append(client.request(method, path.replace("{id}", known), json=sent, headers=_SEEN).status_code)
    return set(answers)


def test_only_members_get_in_and_only_writers_write(service: Running, roast: str) -> None:
    everything = _READS + _WRITES
    with service.client(service.key("eve")) as eve:
        assert _statuses(eve, everything, roast) == {404}
        assert eve.get("/api/memories/search", params={"query": "roast"}).json()["hits"] == []
        assert eve.get("/api/memories/search", params={"query": "roast", "scopes": "family"}).status_code == 404
    with service.client(service.key("ben")) as ben:
        assert _statuses(ben, _WRITES, roast) == {403}
        assert _statuses(ben, _READS, roast) <= {200, 404}
        hit = ben.get("/api/memories/search", params={"query": "roast"}).json()["hits"][0]
        assert (hit["content"], hit["scope"], hit["metadata"]["author"]) == (_ROAST, "family", "anna")
        assert ben.get("/api/memories/search", params={"query": "roast", "scopes": "none"}).json()["hits"] == []
        service.memory.scopes.remove("family", "ben")
        assert _statuses(ben, everything, roast) == {404}
        assert ben.get("/api/memories/search", params={"query": "roast"}).json()["hits"] == []
    with service.client(service.key("anna", ("read",))) as reading:
        assert _statuses(reading, _WRITES, roast) == {403}
    with service.client(service.key("anna")) as anna:
        assert _statuses(anna, _WRITES[:-2], roast) <= {200, 201}
        assert anna.get("/api/memories").json()["items"] == []
        assert _statuses(anna, _WRITES[-1:], roast) == {200}


def test_a_scope_is_named_once_and_where_it_means_something(service: Running, roast: str) -> None:
    with service.client(service.key("anna")) as anna:
        assert anna.get("/api/memories", headers={"X-Recollect-Scope": ""}).status_code == 400
        twice = [("X-Recollect-Scope", "family"), ("X-Recollect-Scope", "team")]
        assert anna.get("/api/memories", headers=twice).status_code == 400
        assert anna.get("/api/memories", headers={"X-Recollect-User": "scope:family"}).status_code == 403
        (own,) = anna.get("/api/scopes").json()["items"]
        assert (own["scope"], own["role"]) == ("family", "writer")
    with service.client(service.key(scopes=("admin",))) as admin:
        assert admin.get("/api/memories", headers={"X-Recollect-User": "scope:family"}).status_code == 422
        assert admin.get("/api/memories", headers=_SEEN).status_code == 404  # an admin is no member either
        assert admin.get("/api/status", headers=_SEEN).status_code == 422


def test_a_live_search_of_a_scope_lasts_as_long_as_the_membership(service: Running, roast: str) -> None:
    family = service.memory.user("anna").scope("family")
    with service.client(service.key("eve")) as eve:
        assert eve.get("/api/stream", headers=_SEEN).status_code == 404
    with (
        service.client(service.key("ben")) as ben,
        ben.stream("GET", "/api/stream", params={"query": "rosemary"}, headers=_SEEN) as answer,
    ):
        lines = answer.iter_lines()
        assert any("ready" in line for line in lines)
        service.memory.user("ben").remember("My own rosemary")
        family.remember("The roast needs rosemary")
        hit = json.loads(next(line for line in lines if line.startswith('data: {"id"')).removeprefix("data: "))
        assert (hit["content"], hit["scope"], hit["metadata"]["author"]) == (
            "The roast needs rosemary",
            "family",
            "anna",
        )
        service.memory.scopes.remove("family", "ben")
        family.remember("The rosemary is in the garden")
        assert not any("garden" in line for line in lines), "and the stream ends"


@pytest.mark.on_both_stores
def test_a_request_that_comes_twice_is_answered_to_its_sender_only(service: Running, roast: str) -> None:
    service.memory.scopes.add("family", "ben", role="writer")
    sent = {"json": {"content": "The car is red"}, "headers": {**_SEEN, "Idempotency-Key": "one"}}
    with service.client(service.key("anna")) as anna, service.client(service.key("ben")) as ben:
        first = anna.post("/api/memories/unified", **sent)  # type: ignore[arg-type]
        again = anna.post("/api/memories/unified", **sent)  # type: ignore[arg-type]
        assert again.json() == first.json()
        assert again.headers["Idempotency-Replayed"] == "true"
        other = ben.post("/api/memories/unified", **sent)  # type: ignore[arg-type]
        assert other.json()["action"] == "duplicate"
        service.memory.scopes.remove("family", "anna")
        assert anna.post("/api/memories/unified", **sent).status_code == 404  # type: ignore[arg-type]


def test_admins_manage_members(service: Running) -> None:
    with service.client(service.key(scopes=("admin",))) as admin, service.client(service.key("anna")) as anna:
        added = admin.put("/api/admin/scopes/team/members/anna", json={"role": "writer"}).json()
        assert (added["scope"], added["user_id"], added["role"]) == ("team", "anna", "writer")
        assert admin.put("/api/admin/scopes/two words/members/anna", json={}).status_code == 422
        stored = anna.post("/api/memories/unified", json={"content": "x"}, headers={"X-Recollect-Scope": "team"})
        assert stored.status_code == 201
        (team,) = admin.get("/api/admin/scopes").json()["items"]
        assert (team["name"], [member["user_id"] for member in team["members"]]) == ("team", ["anna"])
        assert anna.delete("/api/admin/scopes/team").status_code == 403
        assert admin.delete("/api/admin/scopes/team/members/anna").status_code == 200
        assert admin.delete("/api/admin/scopes/team/members/anna").status_code == 404
        assert admin.delete("/api/admin/scopes/team").json()["action"] == "deleted"
        assert admin.delete("/api/admin/scopes/team").status_code == 404


def test_models_name_a_scope_and_see_where_a_memory_is_from(service: Running, roast: str) -> None:
    async def as_writer(client: Client) -> None:
        await called(client, "memory_store", content="The roast needs rosemary", scope="family")
        text, details = await called(client, "memory_recall", query="roast")
        assert "family, by anna" in text
        assert {found["scope"] for found in details["memories"]} == {"family"}
        assert (await called(client, "memory_list"))[1]["count"] == 0
        assert (await called(client, "memory_list", scope="family"))[1]["count"] == 2
        assert (await called(client, "memory_get", id=roast, scope="family"))[1]["memory"]["content"] == _ROAST
        given = {"subject": "roast", "key": "day", "scope": "family"}
        await called(client, "memory_facts", value="Sunday", **given)
        assert (await called(client, "memory_facts", **given))[1]["memories"][0]["value"] == "Sunday"
        assert (await called(client, "memory_facts"))[1]["count"] == 0
        assert (await called(client, "memory_rate", id=roast, feedback=1, scope="family"))[1]["action"] == "rated"
        assert (await called(client, "memory_rate", id=roast, feedback=1))[1]["action"] == "not_found"
        assert (await called(client, "memory_similar", id=roast, scope="family"))[1]["action"] == "found"
        assert (await called(client, "memory_similar", id=roast))[1]["action"] == "not_found"

    async def as_reader(client: Client) -> None:
        assert "rosemary" in (await called(client, "search_context", query="what does the roast need?"))[0]
        assert "writer" in await refused(client, "memory_store", {"content": "New", "scope": "family"})
        assert "writer" in await refused(client, "memory_rate", {"id": roast, "feedback": 1, "scope": "family"})
        assert "writer" in await refused(client, "memory_forget", {"memoryId": roast, "scope": "family"})

    async def as_other(client: Client) -> None:
        assert (await called(client, "memory_recall", query="roast", min_score=0))[1]["count"] == 0
        for tool, given in (("memory_list", {}), ("memory_get", {"id": roast}), ("memory_store", {"content": "New"})):
            assert "no shared scope" in await refused(client, tool, {**given, "scope": "family"})

    allowed = ("read", "write", "forget")
    speak(in_process(service.memory, somebody("anna", *allowed)), as_writer)  # type: ignore[arg-type]
    speak(in_process(service.memory, somebody("ben", *allowed)), as_reader)  # type: ignore[arg-type]
    speak(in_process(service.memory, somebody("eve", *allowed)), as_other)  # type: ignore[arg-type]
    speak(in_process(service.memory, LOCAL, user="eve"), as_other)
