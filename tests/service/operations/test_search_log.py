"""Figures about searches are kept if asked for, queries only if those are too; forgetting takes them along."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest

from recollect import UserMemory
from recollect.engine.search import recall
from tests.fixtures import OpenMemory
from tests.service.conftest import Running, Serve
from tests.storage.catalogue import plain

QUERY = "quokka sanctuary"
MEMORY = "Works at the zoo on weekends"


def queries(database: str) -> list[str]:
    with plain(database) as store:
        return [query for (query,) in store.rows("SELECT query FROM search_log ORDER BY id")]


def searched(service: Running, user: str = "anna") -> dict[str, Any]:
    """Search in each way there is, and give the figures about it by their verb."""
    with service.client(service.key(user)) as client:
        client.post("/api/memories/unified", json={"content": MEMORY})
        client.get("/api/memories/search", params={"query": QUERY})
        client.get("/api/memories/search", params={"query": f"{QUERY} -zoo"})
        client.post("/api/context/search", json={"query": QUERY})
        return figures(client)


def figures(client: httpx2.Client) -> dict[str, Any]:
    return {one["verb"]: one for one in client.get("/api/stats").json()["searches"]}


def test_counts_are_kept_without_queries_and_by_default_neither(serve: Serve, database: str) -> None:
    assert searched(serve()) == {}
    assert queries(database) == []
    service = serve(serve__search_log="counts")
    found = searched(service)
    assert {verb: one["searches"] for verb, one in found.items()} == {"recall": 2, "search": 1}
    assert found["recall"]["empty"] == 2
    assert found["recall"]["degraded"] == 0
    assert 0 < found["recall"]["mean_ms"] <= found["recall"]["most_ms"]
    assert queries(database) == ["", "", ""]
    with service.client(service.key("ben")) as ben:
        assert figures(ben) == {}
    searched(serve(serve__search_log="queries"), "cora")
    assert queries(database)[3:] == [QUERY, f"{QUERY} -zoo", QUERY]


def test_a_line_names_the_program_and_what_it_was_shown(serve: Serve, database: str) -> None:
    service = serve(serve__search_log="counts")
    with service.client(service.key("anna")) as anna:
        made = anna.post("/api/memories/unified", json={"content": MEMORY}).json()["id"]
        anna.get("/api/memories/search", params={"query": "zoo"}, headers={"User-Agent": "kitchen \x07" + "x" * 500})
        figures(anna)
    with plain(database) as store:
        ((agent, found),) = store.rows("SELECT user_agent, found FROM search_log")
    assert (agent, found) == ("kitchen " + "x" * 192, made)


def test_only_the_newest_searches_are_kept(open_memory: OpenMemory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recall, "MOST_LOGGED", 3)
    memory = open_memory(serve__search_log="queries")
    for number in range(5):
        memory.user("me").recall(f"{QUERY} {number}")
    memory.user("other").recall("zoo")
    assert [one.searches for one in memory.operations.search_stats("me")] == [3]
    assert [one.searches for one in memory.operations.search_stats("other")] == [1]


FORGETTING: dict[str, Callable[[UserMemory, str], object]] = {
    "id": lambda me, memory: me.forget(memory),
    "query": lambda me, _: me.forget(query=MEMORY),
    "session": lambda me, _: me.forget(session="talk"),
    "everything": lambda me, _: me.forget(everything=True),
}


@pytest.mark.parametrize("way", FORGETTING)
def test_whatever_is_forgotten_no_query_is_left(open_memory: OpenMemory, database: str, way: str) -> None:
    memory = open_memory(serve__search_log="queries")
    me, other = memory.user("me"), memory.user("other")
    kept = me.remember(MEMORY).id
    me.conversation("talk").append("user", "See you at the zoo")
    for _ in range(10):
        me.recall(QUERY)
    other.recall("something of my own")
    memory.operations.search_stats("me")  # which waits for what is not written yet
    assert database.startswith("postgresql") or QUERY.encode() in on_disk(database)
    FORGETTING[way](me, kept)
    assert database.startswith("postgresql") or QUERY.encode() not in on_disk(database)
    assert [query for query in queries(database) if query] == ["something of my own"]
    searches = sum(one.searches for one in memory.operations.search_stats("me"))
    assert searches == {"everything": 0}.get(way, 10)  # to forget by a query is no search


def on_disk(database: str) -> bytes:
    return b"".join(Path(database + ending).read_bytes() for ending in ("", "-wal") if Path(database + ending).exists())
