"""A request that comes twice is carried out once, whatever happens between the two; on both stores."""

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import uuid4

import httpx2
import pytest

from recollect.api.memory import IdempotentRequest
from recollect.api.operations import StoreOperations
from tests.fixtures import SteppingClock
from tests.rows import every
from tests.service.conftest import Running

ON_SQLITE = pytest.mark.parametrize("database", ["sqlite"], indirect=True)  # what does not depend on the store
BODY = {"content": "Runs every Sunday morning", "type": "fact"}


def name() -> dict[str, str]:
    return {"Idempotency-Key": str(uuid4())}


def contents(client: httpx2.Client) -> list[str]:
    return [item["content"] for item in client.get("/api/memories").json()["items"]]


@ON_SQLITE
def test_another_request_under_the_same_name(anna: httpx2.Client) -> None:
    key = name()
    anna.post("/api/memories/unified", json=BODY, headers=key)
    other = anna.post("/api/memories/unified", json={"content": "Something else"}, headers=key)
    elsewhere = anna.post("/api/forget", json={"everything": True}, headers=key)
    assert (other.status_code, elsewhere.status_code) == (422, 422)
    assert "Idempotency-Key" in other.json()["detail"]
    assert contents(anna) == [BODY["content"]]


@pytest.mark.on_both_stores
def test_names_belong_to_a_user(service: Running, anna: httpx2.Client) -> None:
    key = name()
    anna.post("/api/memories/unified", json=BODY, headers=key)
    with service.client(service.key("ben")) as ben:
        assert ben.post("/api/memories/unified", json=BODY, headers=key).json()["action"] == "created"
        assert contents(ben) == [BODY["content"]]


def test_a_day_later_it_is_a_new_request(anna: httpx2.Client, clock: SteppingClock) -> None:
    key = name()
    anna.post("/api/memories/unified", json=BODY, headers=key)
    clock.advance(hours=25)
    assert anna.post("/api/memories/unified", json=BODY, headers=key).json()["action"] == "duplicate"


def test_every_kind_of_write(anna: httpx2.Client) -> None:
    kept = anna.post("/api/memories/unified", json=BODY).json()["id"]
    other = anna.post("/api/memories/unified", json={"content": "Owns a red bicycle"}).json()["id"]
    said = {"role": "user", "content": "I moved to Brno last week.", "id": "m1"}
    message = anna.post("/api/conversations/c1/messages", json=said).json()["results"][0]["id"]
    turn = {"session": "s2", "messages": [{"role": "user", "content": "I always prefer window seats on trains."}]}
    writes = [
        ("POST", "/api/memories/bulk", {"memories": [{"content": "One"}, {"content": "Two"}]}),
        ("PATCH", f"/api/memories/{kept}", {"importance": 0.25}),
        ("POST", "/api/conversations/c1/messages", {"messages": [{"role": "assistant", "content": "How is it?"}]}),
        ("POST", f"/api/messages/{message}/feedback", {"feedback": 1}),
        ("POST", "/api/hooks/before-prompt", {"prompt": "Which city do I live in?", "session": "s1"}),
        ("POST", "/api/hooks/agent-end", turn),
        ("POST", "/api/hooks/session-end", {"session": "s1"}),
        ("POST", "/api/conversations/c1/compact", {"keep_recent": 0}),
        ("DELETE", f"/api/memories/{kept}", None),
        ("POST", "/api/forget", {"id": other}),
    ]
    for method, path, body in writes:
        key = name()
        first = anna.request(method, path, json=body, headers=key)
        before = state(anna)
        again = anna.request(method, path, json=body, headers=key)
        assert first.status_code in (200, 201), first.text
        assert (again.status_code, again.json()) == (first.status_code, wordless(first)), path
        assert state(anna) == before, path


def wordless(answer: httpx2.Response) -> dict[str, Any]:
    """Give an answer as it is repeated: without the words of what was forgotten."""
    body: dict[str, Any] = answer.json()
    for item in body.get("items", ()) if body.get("action") == "deleted" else ():
        item["text"] = ""
    return body


def state(client: httpx2.Client) -> object:
    return (
        client.get("/api/memories").json(),
        client.get("/api/conversations").json(),
        client.get("/api/conversations/c1").json(),
    )


@pytest.mark.on_both_stores
def test_many_at_the_same_moment(service: Running, anna: httpx2.Client) -> None:
    key = name()

    def send(_: int) -> httpx2.Response:
        return anna.post("/api/memories/unified", json=BODY, headers=key)

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(send, range(16)))
    assert len({answer.content for answer in answers}) == 1
    assert len(service.memory.operations.audit_log("anna")) == 1


@pytest.mark.on_both_stores
def test_an_answer_that_got_lost_was_kept_with_the_write(
    service: Running, anna: httpx2.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def died(*_: object) -> None:
        raise RuntimeError("the process is gone")

    key = name()
    with monkeypatch.context() as patched:
        patched.setattr(StoreOperations, "save_reply", died)
        assert anna.post("/api/memories/unified", json=BODY, headers=key).status_code == 500
    again = anna.post("/api/memories/unified", json=BODY, headers=key)
    assert (again.status_code, again.json()["action"]) == (201, "created")
    assert contents(anna) == [BODY["content"]]


@pytest.mark.on_both_stores
def test_forgetting_takes_the_answers_along(service: Running, anna: httpx2.Client) -> None:
    kept = anna.post("/api/memories/unified", json=BODY).json()["id"]
    key = name()
    changed = anna.patch(f"/api/memories/{kept}", json={"content": "Canary-7431 in the answer"}, headers=key)
    assert "Canary-7431" in changed.text
    anna.post("/api/forget", json={"id": kept})
    again = anna.patch(f"/api/memories/{kept}", json={"content": "Canary-7431 in the answer"}, headers=key)
    assert again.status_code == 410
    assert "Canary-7431" not in again.text
    if service.memory.status().backend == "sqlite":
        service.memory.maintain()
        with open(service.memory.status().location, "rb") as file:  # noqa: PTH123 - raw bytes
            assert b"Canary-7431" not in file.read()


@ON_SQLITE
def test_bad_names(anna: httpx2.Client) -> None:
    for bad in ("", "x" * 201, "with blank"):
        answer = anna.post("/api/memories/unified", json=BODY, headers={"Idempotency-Key": bad})
        assert answer.status_code == 422
    headers = {**name(), "Content-Type": "application/json"}
    broken = b'{"content": "Fine", "metadata": {"\\ud800": "\\udfff"}}'
    assert anna.post("/api/memories/unified", content=broken, headers=headers).status_code == 422
    twice = [("Idempotency-Key", "one"), ("Idempotency-Key", "two"), ("Content-Type", "application/json")]
    answer = anna.post("/api/memories/unified", content=b'{"content": "x"}', headers=twice)
    assert answer.status_code == 400
    assert contents(anna) == []


@pytest.mark.on_both_stores
def test_what_was_forgotten_meanwhile_is_not_kept_in_an_answer(
    service: Running, anna: httpx2.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Something is forgotten after a request has searched and before its answer is kept."""
    anna.post("/api/memories/unified", json={"content": "Canary-9912 lives in Brno, the city"})
    usual = StoreOperations.save_reply

    def late(operations: StoreOperations, user_id: str, once: IdempotentRequest, answer: str) -> None:
        service.memory.user("anna").forget(everything=True)
        usual(operations, user_id, once, answer)

    key = name()
    body = {"prompt": "What did I tell you about who lives in the city of Brno?", "session": "s1"}
    with monkeypatch.context() as patched:
        patched.setattr(StoreOperations, "save_reply", late)
        assert "Canary-9912" in anna.post("/api/hooks/before-prompt", json=body, headers=key).text
    again = anna.post("/api/hooks/before-prompt", json=body, headers=key)
    assert (again.status_code, "Canary-9912" in again.text) == (410, False)


def test_forgetting_nothing_takes_no_answers_along(anna: httpx2.Client) -> None:
    kept = anna.post("/api/memories/unified", json=BODY).json()["id"]
    key = name()
    first = anna.patch(f"/api/memories/{kept}", json={"importance": 0.2}, headers=key)
    assert anna.post("/api/forget", json={"id": "01a1dfdf-9755-700c-8ecf-655f449c5cac"}).json()["action"] == "not_found"
    assert anna.patch(f"/api/memories/{kept}", json={"importance": 0.2}, headers=key).content == first.content


@every("verb", ["delete", "patch", "forget", "before-prompt"])
def test_twice_at_once_is_answered_alike(anna: httpx2.Client, verb: str) -> None:
    stored = anna.post("/api/memories/unified", json=BODY).json()["id"]
    etag = anna.get(f"/api/memories/{stored}").headers["etag"]
    key = name()

    def send(_: int) -> httpx2.Response:
        match verb:
            case "delete":
                return anna.delete(f"/api/memories/{stored}", headers=key)
            case "patch":
                given = {**key, "If-Match": etag}
                return anna.patch(f"/api/memories/{stored}", json={"importance": 0.1}, headers=given)
            case "forget":
                return anna.post("/api/forget", json={"query": BODY["content"]}, headers=key)
        said = {"prompt": "What do I do on Sundays?", "session": "s1"}
        return anna.post("/api/hooks/before-prompt", json=said, headers=key)

    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(send, range(12)))
    assert {answer.status_code for answer in answers} == {200}
    assert len({json.dumps(wordless(answer)) for answer in answers}) == 1


@every("way", ["query", "delete"])
def test_a_repeated_forgetting_has_the_same_receipt(service: Running, anna: httpx2.Client, way: str) -> None:
    stored = anna.post("/api/memories/unified", json=BODY).json()["id"]
    key = name()

    def send() -> httpx2.Response:
        if way == "delete":
            return anna.delete(f"/api/memories/{stored}", params={"receipt": True}, headers=key)
        return anna.post("/api/forget", json={"query": BODY["content"], "receipt": True}, headers=key)

    first, again = send(), send()
    assert again.json() == wordless(first)
    assert [item["text"] for item in first.json()["items"]] == [BODY["content"]]
    receipt = first.json()["receipt"]
    assert receipt["places"]["caches"] == "erased", "signed after the files were erased"
    assert "Sunday" not in again.text
    assert "Sunday" not in json.dumps(receipt)
    assert service.memory.verify_erasure(receipt).erased


def test_a_receipt_is_kept_with_the_forgetting(
    service: Running, anna: httpx2.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def died(*_: object) -> None:
        raise RuntimeError("the process is gone")

    anna.post("/api/memories/unified", json=BODY)
    key, body = name(), {"everything": True, "receipt": True}
    with monkeypatch.context() as patched:
        patched.setattr(StoreOperations, "save_reply", died)
        assert anna.post("/api/forget", json=body, headers=key).status_code == 500
    receipt = anna.post("/api/forget", json=body, headers=key).json()["receipt"]
    assert "before the database's files were erased" in receipt["pending"]
    assert service.memory.verify_erasure(receipt).erased


def test_what_waited_while_everything_was_forgotten_is_not_stored(anna: httpx2.Client, clock: SteppingClock) -> None:
    given = {**name(), "X-Recollect-Given-At": clock.now().isoformat()}
    anna.post("/api/memories/unified", json={"content": "The pump is in the attic"})
    anna.post("/api/forget", json={"everything": True})
    refused = anna.post("/api/memories/unified", json=BODY, headers=given)
    assert (refused.status_code, contents(anna)) == (410, [])
    later = {**name(), "X-Recollect-Given-At": clock.now().isoformat()}
    assert anna.post("/api/memories/unified", json=BODY, headers=later).json()["action"] == "created"
    wrong = anna.post("/api/memories/unified", json=BODY, headers={**name(), "X-Recollect-Given-At": "x"})
    assert wrong.status_code == 422
