"""Memories over HTTP, on both stores: stored, found, changed, forgotten, and what a client gets wrong."""

import httpx2
import pytest

from recollect.client import Client
from tests.service.conftest import Running

ON_SQLITE = pytest.mark.parametrize("database", ["sqlite"], indirect=True)  # what never gets as far as the store


def store(client: httpx2.Client, content: str, **fields: object) -> str:
    answer = client.post("/api/memories/unified", json={"content": content, **fields})
    assert answer.status_code in (200, 201), answer.text
    return str(answer.json()["id"])


@ON_SQLITE
def test_a_secret_is_kept_and_shown_when_that_is_asked_for(service: Running, anna: httpx2.Client) -> None:
    key = {"Idempotency-Key": "k1"}
    made = anna.post(
        "/api/memories/unified", json={"content": "The gate code is 58203917", "keep_secret": True}, headers=key
    )
    path = f"/api/memories/{made.json()['id']}"
    shown = [made, anna.get(path), anna.get("/api/memories"), anna.get(f"{path}/history")]
    shown.append(anna.get("/api/memories/search", params={"query": "gate code", "whole": True}))
    assert made.json()["kept_secret"] == anna.get(path).json()["kept_secret"] == ["access code"]
    assert all(answer.is_success and "58203917" not in answer.text for answer in shown)
    revealed = anna.get(path, params={"reveal": True})
    assert (revealed.json()["content"], revealed.headers["Cache-Control"]) == ("The gate code is 58203917", "no-store")
    changed = anna.patch(path, json={"content": "The gate code is 58203918", "keep_secret": True})
    assert (changed.json()["kept_secret"], "58203918" in changed.text) == (["access code"], False)
    fact = {"subject": "safe", "key": "pin", "value": "9981", "keep_secret": True}
    safe = anna.post("/api/facts", json=fact).json()["id"]
    assert anna.get(f"/api/memories/{safe}", params={"reveal": True}).json()["value"] == "9981"
    with Client.open(service.url, key=service.key(user="anna")) as client:
        assert client.me.get(made.json()["id"], reveal=True).content == "The gate code is 58203918"
        assert client.me.remember("The PIN is 7712", keep_secret=True).kept_secret == ("PIN",)
        with service.client(service.key(user="bert")) as bert:
            assert bert.get(path, params={"reveal": True}).status_code == 404


def test_a_memory_is_rated_and_the_rating_undone(anna: httpx2.Client) -> None:
    kept = store(anna, "The blue pump is in the attic")
    for feedback, noted in ((-1, {"feedback": -1, "feedback_comment": "old"}), (None, {})):
        rated = anna.post(f"/api/memories/{kept}/feedback", json={"feedback": feedback, "comment": "old"})
        assert (rated.status_code, rated.json()["metadata"]) == (200, noted)
    for wrong in (0, True, "1"):
        assert anna.post(f"/api/memories/{kept}/feedback", json={"feedback": wrong}).status_code == 422


@pytest.mark.on_both_stores
def test_etags(anna: httpx2.Client) -> None:
    kept = store(anna, "Likes rye bread")
    first = anna.get(f"/api/memories/{kept}")
    etag = first.headers["etag"]
    assert anna.get(f"/api/memories/{kept}", headers={"If-None-Match": etag}).status_code == 304
    changed = anna.patch(f"/api/memories/{kept}", json={"importance": 0.9}, headers={"If-Match": etag})
    assert (changed.status_code, changed.json()["importance"]) == (200, 0.9)
    assert changed.headers["etag"] not in ("", etag)
    late = anna.patch(f"/api/memories/{kept}", json={"importance": 0.1}, headers={"If-Match": etag})
    assert late.status_code == 412
    assert anna.delete(f"/api/memories/{kept}", headers={"If-Match": etag}).status_code == 412
    assert anna.get(f"/api/memories/{kept}").json()["importance"] == 0.9
    gone = anna.delete(f"/api/memories/{kept}", headers={"If-Match": changed.headers["etag"]})
    assert gone.json()["action"] == "deleted"
    assert anna.get(f"/api/memories/{kept}").status_code == 404


def test_forget_by_query_offers_candidates(anna: httpx2.Client) -> None:
    ids = {store(anna, f"The garage code of {name} is written on a card") for name in ("Ella", "Tom")}
    offered = anna.post("/api/forget", json={"query": "garage code"}).json()
    assert offered["action"] == "candidates"
    assert {hit["id"] for hit in offered["candidates"]} == ids
    assert anna.post("/api/forget", json={"id": next(iter(ids))}).json()["action"] == "deleted"
    assert anna.post("/api/forget", json={"everything": True, "dry_run": True}).json()["dry_run"] is True
    assert anna.get("/api/stats").json()["memories"] == 1


def test_only_a_fresh_start_lets_a_forgotten_history_come_again(anna: httpx2.Client) -> None:
    turn = {"session": "s1", "messages": [{"role": "user", "content": "The garage code is 58203917.", "id": "m1"}]}
    for switches, saved in (({}, 0), ({"allow_again": True}, 1)):
        anna.post("/api/hooks/agent-end", json=turn)
        anna.post("/api/forget", json={"everything": True, **switches})
        assert anna.post("/api/hooks/agent-end", json=turn).json()["saved"] == saved
    assert anna.post("/api/forget", json={"session": "s1", "allow_again": True}).status_code == 422


def test_a_browser_gets_the_page_and_a_program_learns_where_the_routes_are(service: Running) -> None:
    with service.client() as stranger:
        page = stranger.get("/", headers={"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"})
        assert (page.status_code, page.headers["content-type"].partition(";")[0]) == (200, "text/html")
        assert "/page/main.js" in page.text
        assert stranger.get("/").json()["docs"] == "/docs"


def test_a_hit_carries_what_is_known(anna: httpx2.Client) -> None:
    fact = {"type": "fact", "subject": "violin", "key": "maker", "value": "Strnad", "confidence": 0.8}
    store(anna, "Strnad made the violin", **fact, source="inferred", lat=50.1, lng=14.4, place_label="workshop")
    store(anna, "Concert in the garden", type="event", participants=["Ingrid", "Marek"], metadata={"row": 1})
    said = {"role": "user", "content": "My violin is out of tune", "speaker": "Ingrid"}
    answer = anna.post("/api/conversations/c1/messages", json={**said, "metadata": {"channel": "telegram"}})
    assert answer.status_code < 300, answer.text
    hits = anna.get(
        "/api/memories/search", params={"query": "violin maker, garden concert", "only_related": False}
    ).json()["hits"]
    maker, concert = sorted(hits, key=lambda hit: hit["type"], reverse=True)
    expected = {**fact, "learned_from": "inferred", "place_label": "workshop", "lat": 50.1}
    assert {name: maker.get(name) for name in expected} == expected
    assert concert["participants"] == ["Ingrid", "Marek"]
    assert concert["metadata"] == {"row": 1, "participants": ["Ingrid", "Marek"]}
    assert not {"subject", "value", "channel", "speaker"} & concert.keys()
    simple = anna.post("/search", json={"query": "violin out of tune"}).json()
    context = next(hit["context"] for hit in simple if hit["source_type"] == "request")
    assert (context["channel"], context["speaker"], context["conversation"]) == ("telegram", "Ingrid", "c1")
    everything = anna.post("/api/context/search", json={"query": "violin out of tune"}).json()["hits"]
    message = next(hit for hit in everything if hit["source"] == "request")
    assert (message["channel"], message["speaker"], message["conversation"]) == ("telegram", "Ingrid", "c1")
    assert not {"confidence", "learned_from", "participants"} & message.keys()
    for nameless in ([""], ["Ingrid", " "], ["x" * 201]):
        answer = anna.post("/api/memories/unified", json={"content": "A concert", "participants": nameless})
        assert answer.status_code == 422
        assert "participants" in answer.json()["detail"]
