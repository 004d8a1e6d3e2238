"""Memories over HTTP, on both stores: stored, found, changed, forgotten, and what a client gets wrong."""

import httpx2
import pytest

from recollect.client import Client
from tests.rows import every
from tests.service.conftest import Running

ON_SQLITE = pytest.mark.parametrize("database", ["sqlite"], indirect=True)  # what never gets as far as the store
DARK = {"content": "Prefers dark mode in all applications", "type": "preference", "importance": 0.8}


def store(client: httpx2.Client, content: str, **fields: object) -> str:
    answer = client.post("/api/memories/unified", json={"content": content, **fields})
    assert answer.status_code in (200, 201), answer.text
    return str(answer.json()["id"])


def test_store_and_find(anna: httpx2.Client) -> None:
    stored = anna.post("/api/memories/unified", json=DARK)
    assert stored.status_code == 201
    created = {
        "action": "created",
        "id": stored.json()["id"],
        "existing_id": None,
        "degraded": [],
        "left_out": [],
        "taken_over": [],
        "kept_secret": [],
    }
    assert stored.json() == created
    found = anna.get("/api/memories/search", params={"query": "which theme do I like?"}).json()
    assert [hit["content"] for hit in found["hits"]] == [DARK["content"]]
    assert found["hits"][0]["id"] == stored.json()["id"]
    assert found["degraded"] == []
    again = anna.post("/api/memories/unified", json=DARK)
    assert (again.status_code, again.json()["action"]) == (200, "duplicate")


def test_an_answer_names_what_was_left_out(anna: httpx2.Client) -> None:
    sent, kinds = {"content": "The gate code is 58203917"}, ["access code"]
    created = anna.post("/api/memories/unified", json=sent)
    known = anna.post("/api/memories/bulk", json={"memories": [{"content": "The gate code is 58203918"}]})
    said = anna.post("/api/conversations/c1/messages", json={"role": "user", **sent})
    turn = anna.post("/api/hooks/agent-end", json={"session": "s1", "messages": [{"role": "user", **sent}]})
    changed = anna.patch(f"/api/memories/{created.json()['id']}", json={"content": "The door code is 4713"})
    file = anna.post("/api/files", files={"file": ("house.md", b"The gate code is 58203917\n")})
    told = (created.json(), *known.json()["results"], *said.json()["results"], turn.json(), changed.json(), file.json())
    assert [answer["left_out"] for answer in told] == [kinds] * 6
    assert not any("471" in answer.text for answer in (created, known, said, turn, changed, file))


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


def test_a_new_value_supersedes(anna: httpx2.Client) -> None:
    slot = {"type": "fact", "subject": "light.office", "key": "location"}
    old = store(anna, "The lamp stands in the office", **slot)
    new = anna.post("/api/memories/unified", json={"content": "The lamp stands in the hall", **slot}).json()
    assert (new["action"], new["existing_id"]) == ("superseded", old)
    versions = anna.get(f"/api/memories/{new['id']}/history").json()["items"]
    assert [version["content"] for version in versions] == [
        "The lamp stands in the office",
        "The lamp stands in the hall",
    ]
    facts = anna.get("/api/facts", params={"subject": "light.office"}).json()["items"]
    assert [fact["id"] for fact in facts] == [new["id"]]


def test_a_source_of_less_trust_replaces_nothing(anna: httpx2.Client) -> None:
    slot = {"type": "fact", "subject": "user", "key": "home"}
    stated = store(anna, "Lives in Brno", **slot)
    for number, source in enumerate(("inferred", "learned", "agent", "external", "tool")):
        claim = {"content": f"Lives in place {number}", **slot, "source": source}
        (bulk,) = anna.post("/api/memories/bulk", json={"memories": [claim]}).json()["results"]
        single = anna.post("/api/memories/unified", json={**claim, "content": "Lives in Rome", "trust": 3}).json()
        assert (bulk["action"], single["action"], single["existing_id"]) == ("outranked", "outranked", stated)
        refused = anna.patch(f"/api/memories/{stated}", json={"content": "Lives in Rome", "source": source})
        assert refused.status_code == 422
    assert [one["content"] for one in anna.get("/api/facts").json()["items"]] == ["Lives in Brno"]


def test_a_key_has_many_values(anna: httpx2.Client) -> None:
    slot = {"type": "fact", "subject": "user", "key": "language", "many": True}
    ids = [store(anna, f"Speaks {value}", value=value, **slot) for value in ("Czech", "German", "Czech")]
    assert ids[0] == ids[2]
    anna.request("DELETE", f"/api/memories/{ids[0]}")
    facts = anna.get("/api/facts", params={"key": "language"}).json()["items"]
    assert [(one["value"], one["metadata"]) for one in facts] == [("German", {"many": True})]
    assert anna.post("/api/memories/unified", json={"content": "Speaks", "many": True}).status_code == 422


def test_a_memory_is_rated_and_the_rating_undone(anna: httpx2.Client) -> None:
    kept = store(anna, "The blue pump is in the attic")
    for feedback, noted in ((-1, {"feedback": -1, "feedback_comment": "old"}), (None, {})):
        rated = anna.post(f"/api/memories/{kept}/feedback", json={"feedback": feedback, "comment": "old"})
        assert (rated.status_code, rated.json()["metadata"]) == (200, noted)
    for wrong in (0, True, "1"):
        assert anna.post(f"/api/memories/{kept}/feedback", json={"feedback": wrong}).status_code == 422


def test_a_memory_is_merged_into_one_that_says_the_same(anna: httpx2.Client) -> None:
    kept, again = (
        store(anna, "The blue pump is in the attic", subject="pump"),
        store(anna, "The blue pump is in the attic.", subject="attic"),
    )
    assert set(anna.get("/api/memories/clusters").json()) >= {"clusters", "duplicates", "memories", "found_at"}
    assert anna.get("/api/memories/clusters", params={"limit": 201}).status_code == 422
    for _ in range(2):
        merged = anna.post(f"/api/memories/{again}/merge", json={"into": kept})
        assert (merged.status_code, merged.json()["id"]) == (200, kept)
    versions = anna.get(f"/api/memories/{kept}/history").json()["items"]
    assert [one["id"] for one in versions] == [again, kept]
    assert anna.post(f"/api/memories/{kept}/merge", json={"into": kept}).status_code == 422


def test_bulk(anna: httpx2.Client) -> None:
    memories = [{"content": f"Fact number {number}"} for number in range(100)]
    results = anna.post("/api/memories/bulk", json={"memories": memories}).json()["results"]
    assert [one["action"] for one in results] == ["created"] * 100
    too_many = anna.post("/api/memories/bulk", json={"memories": [*memories, *memories[:1]]})
    assert too_many.status_code == 422
    assert anna.get("/api/stats").json()["memories"] == 100


def test_pages(anna: httpx2.Client) -> None:
    ids = [store(anna, f"Fact number {number}") for number in range(7)]
    seen: list[str] = []
    cursor: str | None = None
    while True:
        params = {"limit": 3} | ({"cursor": cursor} if cursor else {})
        page = anna.get("/api/memories", params=params).json()
        seen += [item["id"] for item in page["items"]]
        cursor = page["cursor"]
        if cursor is None:
            break
    assert seen == ids[::-1]
    assert anna.get("/api/memories", params={"cursor": "nonsense"}).status_code == 422


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


@ON_SQLITE
@every(
    ("asked", "body", "status", "words"),
    [
        ("POST /api/memories/unified", {}, 422, "content"),
        ("POST /api/memories/unified", {"content": " \n "}, 422, "content"),
        ("POST /api/memories/unified", {"content": "x", "kind": "fact"}, 422, "kind"),
        ("POST /api/memories/unified", {"content": "x", "importance": 2}, 422, "importance"),
        ("POST /api/memories/unified", {"content": "x", "importance": "0.5"}, 422, "importance"),
        ("POST /api/memories/unified", {"content": "x", "occurred_at": 5}, 422, "occurred_at"),
        ("POST /api/memories/unified", {"content": "x", "occurred_at": "-1.5e-279"}, 422, "occurred_at"),
        ("POST /api/memories/unified", {"content": "x", "occurred_at": "2026-01-01T00:00:00"}, 422, "time zone"),
        ("POST /api/memories/unified", {"content": "x", "lat": 50.0}, 422, "lng"),
        ("POST /api/memories/unified", {"content": "x", "user_id": "ben"}, 422, "user_id"),
        ("POST /api/forget", {}, 422, "exactly one"),
        ("POST /api/forget", {"id": "a", "everything": True}, 422, "exactly one"),
        ("PATCH /api/memories/01a1dfdf-9755-700c-8ecf-655f449c5cac", {}, 422, "Nothing to change"),
        ("PATCH /api/memories/01a1dfdf-9755-700c-8ecf-655f449c5cac", {"importance": 1}, 404, "No memory"),
        ("DELETE /api/memories/nonsense", None, 404, "No memory"),
        ("GET /api/memories/search", None, 422, "query"),
        ("GET /api/memories/search?query=x&limt=1", None, 422, "'limt' is no query parameter"),
        ("GET /api/memories?limt=1", None, 422, "It takes"),
        ("GET /api/nothing", None, 404, "/docs"),
        ("PUT /api/memories/unified", {}, 405, "/docs"),
    ],
)
def test_what_a_client_gets_wrong(anna: httpx2.Client, asked: str, body: object, status: int, words: str) -> None:
    method, _, path = asked.partition(" ")
    answer = anna.request(method, path, json=body) if body is not None else anna.request(method, path)
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"
    assert words in answer.json()["detail"]
    assert answer.json()["status"] == status


@ON_SQLITE
def test_unreadable_bodies(anna: httpx2.Client) -> None:
    headers = {"Content-Type": "application/json"}
    assert anna.post("/api/memories/unified", content=b"{", headers=headers).status_code == 400
    assert anna.post("/api/memories/unified", content=b"\xff\xfe", headers=headers).status_code == 400
    assert anna.post("/api/memories/unified", data={"content": "x"}).status_code == 415
    long = b'{"content": "' + b"x" * 2**20 + b'"}'
    assert anna.post("/api/memories/unified", content=long, headers=headers).status_code == 413


@pytest.mark.on_both_stores
def test_a_foreign_id_is_not_found(service: Running, anna: httpx2.Client) -> None:
    kept = store(anna, "Anna's secret garden")
    with service.client(service.key("ben")) as ben:
        answers = [
            ben.get(f"/api/memories/{kept}"),
            ben.get(f"/api/memories/{kept}/history"),
            ben.patch(f"/api/memories/{kept}", json={"importance": 0.1}),
            ben.delete(f"/api/memories/{kept}"),
        ]
        assert {answer.status_code for answer in answers} == {404}
        assert ben.post("/api/forget", json={"id": kept}).json()["action"] == "not_found"
    assert anna.get(f"/api/memories/{kept}").json()["importance"] == 0.7


def test_a_browser_gets_the_page_and_a_program_learns_where_the_routes_are(service: Running) -> None:
    with service.client() as stranger:
        page = stranger.get("/", headers={"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"})
        assert (page.status_code, page.headers["content-type"].partition(";")[0]) == (200, "text/html")
        assert "/page/main.js" in page.text
        assert stranger.get("/").json()["docs"] == "/docs"


def test_complaints_are_in_plain_words(anna: httpx2.Client) -> None:
    for body in (
        {"content": "x", "metadata": "no"},
        {"content": "x", "lat": 50.0},
        {"content": "x", "occurred_at": "soon"},
    ):
        detail = anna.post("/api/memories/unified", json=body).json()["detail"]
        assert "Value error" not in detail
        assert ".." not in detail


def test_a_hit_carries_what_is_known(anna: httpx2.Client) -> None:
    fact = {"type": "fact", "subject": "violin", "key": "maker", "value": "Strnad", "confidence": 0.8}
    store(anna, "Strnad made the violin", **fact, source="inferred", lat=50.1, lng=14.4, place_label="workshop")
    store(anna, "Concert in the garden", type="event", participants=["Ingrid", "Marek"], metadata={"row": 1})
    said = {"role": "user", "content": "My violin is out of tune", "speaker": "Ingrid"}
    answer = anna.post("/api/conversations/c1/messages", json={**said, "metadata": {"channel": "telegram"}})
    assert answer.status_code < 300, answer.text
    hits = anna.get("/api/memories/search", params={"query": "violin maker, garden concert"}).json()["hits"]
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


def test_a_piece_of_a_file_is_taken_for_other(anna: httpx2.Client) -> None:
    made = anna.post("/api/memories/unified", json={"content": "The pump hums", "type": "file_chunk"}).json()["id"]
    patched = anna.patch(f"/api/memories/{made}", json={"content": "The pump leaks", "type": "file_chunk"})
    assert (patched.status_code, patched.json()["type"]) == (200, "other")
    asked = {"query": "pump", "type": "file_chunk"}
    assert [hit["id"] for hit in anna.get("/api/memories/search", params=asked).json()["hits"]] == [made]
    listed = anna.get("/api/memories", params={"type": "file_chunk"}).json()["items"]
    assert [item["id"] for item in listed] == [made]
    searched = anna.post("/api/context/search", json={"query": "pump", "prefer": ["file_chunk"]})
    assert [hit["id"] for hit in searched.json()["hits"]] == [made]
    assert anna.post("/api/memories/unified", json={"content": "It hums", "type": "file"}).status_code == 422


def test_a_receipt_of_forgetting_is_checked_by_an_admin(service: Running, anna: httpx2.Client) -> None:
    for number in range(2):
        anna.post("/api/memories/unified", json={"content": f"The boat number {number} has a green hull"})
    forgotten = anna.post("/api/forget", json={"query": "boat green hull", "all": True, "receipt": True}).json()
    receipt = forgotten["receipt"]
    assert receipt["counts"] == {"memories": 2}
    assert receipt["actor"] == service.memory.operations.audit_log("anna")[-1].actor != "local"
    assert anna.post("/api/verify-erasure", json={"receipt": receipt}).status_code == 403
    with service.client(service.key(scopes=("admin",))) as admin:
        checked = admin.post("/api/verify-erasure", json={"receipt": receipt})
        assert (checked.status_code, checked.json()["erased"], checked.json()["left"]) == (200, True, []), checked.text
        forged = admin.post("/api/verify-erasure", json={"receipt": {**receipt, "user": "eve"}})
        assert (forged.status_code, "signature" in forged.text) == (422, True)
    assert anna.post("/api/forget", json={"everything": True, "receipt": True, "dry_run": True}).status_code == 422
    assert anna.post("/api/forget", json={"everything": True, "receipt": True}).json()["receipt"] is None
