"""Times in words over HTTP, on the clock that a header names; in a client and over the agent protocol, too."""

from datetime import UTC, datetime

import httpx2
import pytest

from recollect.client import Client
from recollect.errors import InvalidInput
from tests.service.conftest import Running

LATE = datetime(2026, 2, 28, 23, tzinfo=UTC)  # the first of March in Prague


@pytest.fixture
def said(service: Running) -> Running:
    """A service at nine in the morning of the 1st of March, UTC, with an event of the night before."""
    service.memory.user("anna").events.log("Owls called", occurred_at=LATE)
    return service


def found(answer: httpx2.Response) -> list[str]:
    assert answer.status_code == 200, answer.text
    body = answer.json()
    return [item["content"] for item in body.get("items", body.get("hits", ()))]


def test_a_header_names_the_time_zone(said: Running, anna: httpx2.Client) -> None:
    prague = {"X-Recollect-Zone": "Europe/Prague"}
    utc = {"X-Recollect-Zone": "UTC"}
    assert found(anna.get("/api/events?when=today", headers=prague)) == ["Owls called"]
    assert found(anna.get("/api/events?when=today", headers=utc)) == []
    assert found(anna.get("/api/memories/search?query=owls&since=today", headers=prague)) == ["Owls called"]
    assert found(anna.get("/api/memories/search?query=owls&since=today", headers=utc)) == []
    body = {"query": "owls", "when": "last night"}
    assert found(anna.post("/api/context/search", json=body, headers=prague)) == ["Owls called"]
    assert anna.get("/api/events?when=today", headers={"X-Recollect-Zone": "Mars"}).status_code == 422
    refused = anna.get("/api/events?when=soon", headers=utc)
    assert refused.status_code == 422
    assert refused.json()["detail"].startswith("when is 'soon'; expected today, yesterday, last night")


def test_a_client_has_the_time_zone_of_its_user(said: Running) -> None:
    with Client.open(said.url, key=said.key()) as client:
        there, here = client.user(zone="Europe/Prague"), client.user(zone="UTC")
        assert [event.content for event in there.events(when="today")] == ["Owls called"]
        assert here.events(when="today") == ()
        assert [event.content for event in here.events(since="1d", until=datetime(2026, 3, 1, tzinfo=UTC))]
        with pytest.raises(InvalidInput, match="since is 'soon'"):
            here.recall("owls", since="soon")


def test_the_agent_protocol_has_it_too(said: Running) -> None:
    call = {"name": "memory_recall", "arguments": {"query": "owls", "when": "today"}}
    asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    accept = {"Accept": "application/json, text/event-stream"}
    for zone, count in (("Europe/Prague", 1), ("UTC", 0)):
        with said.client(said.key(), **accept, **{"X-Recollect-Zone": zone}) as client:
            answer = client.post("/mcp", json=asked).json()
            assert answer["result"]["structuredContent"]["count"] == count, answer
