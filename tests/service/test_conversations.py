"""Conversations and hooks over HTTP, on both stores."""

import httpx2
import pytest

from tests.learning import LESSONS, told, turn
from tests.service.conftest import Running


def say(client: httpx2.Client, conversation: str, *texts: str) -> list[str]:
    roles = ("user", "assistant")
    messages = [{"role": roles[place % 2], "content": text} for place, text in enumerate(texts)]
    answer = client.post(f"/api/conversations/{conversation}/messages", json={"messages": messages})
    assert answer.status_code == 201, answer.text
    return [one["id"] for one in answer.json()["results"]]


def test_one_message_or_several(anna: httpx2.Client) -> None:
    one = {"role": "user", "content": "Where did I park?", "id": "m1"}
    first = anna.post("/api/conversations/c1/messages", json=one).json()["results"]
    again = anna.post("/api/conversations/c1/messages", json=one).json()["results"]
    assert [first[0]["action"], again[0]["action"]] == ["created", "duplicate"]
    say(anna, "c1", "Hello", "Hi there")
    found = anna.get("/api/conversations/c1").json()
    assert [message["content"] for message in found["messages"]] == ["Where did I park?", "Hello", "Hi there"]
    assert found["conversation"]["messages"] == 3
    assert anna.get("/api/conversations/unknown").status_code == 404


def test_all_or_none(anna: httpx2.Client) -> None:
    messages = [{"role": "user", "content": "Fine"}, {"role": "tool", "content": "an answer to no call"}]
    bad = anna.post("/api/conversations/c1/messages", json={"messages": [*messages, {"role": "nobody"}]})
    assert bad.status_code == 422
    assert anna.get("/api/conversations").json()["items"] == []


def test_pages_of_messages_and_conversations(anna: httpx2.Client) -> None:
    texts = [f"Line {number}" for number in range(7)]
    say(anna, "long", *texts)
    seen: list[str] = []
    cursor: str | None = None
    while True:
        page = anna.get("/api/conversations/long", params={"limit": 3} | ({"cursor": cursor} if cursor else {})).json()
        seen = [message["content"] for message in page["messages"]] + seen
        cursor = page["cursor"]
        if cursor is None:
            break
    assert seen == texts
    for number in range(5):
        say(anna, f"c{number}", "Hello")
    names: list[str] = []
    while True:
        params = {"limit": 2} | ({"cursor": cursor} if cursor else {})
        listed = anna.get("/api/conversations", params=params).json()
        names += [item["id"] for item in listed["items"]]
        cursor = listed["cursor"]
        if cursor is None:
            break
    assert names == ["c4", "c3", "c2", "c1", "c0", "long"]
    for nonsense in ("x", "9" * 30, "-1.c1"):
        assert anna.get("/api/conversations", params={"cursor": nonsense}).status_code == 422


def test_window_compaction_and_feedback(anna: httpx2.Client) -> None:
    ids = say(anna, "c1", *[f"Line {number} about the garden and the roses in it" for number in range(30)])
    window = anna.get("/api/conversations/c1/window", params={"max_tokens": 200}).json()
    assert 0 < len(window["messages"]) < 30
    assert window["tokens"] <= 200
    folded = anna.post("/api/conversations/c1/compact", json={"keep_recent": 4}).json()
    assert folded["action"] == "compacted"
    assert folded["summary"]["role"] == "summary"
    assert anna.post("/api/conversations/c1/compact").json()["action"] == "unchanged"
    rated = anna.post(f"/api/messages/{ids[1]}/feedback", json={"feedback": -1})
    assert (rated.status_code, rated.json()["feedback"]) == (200, -1)
    assert anna.get(f"/api/messages/{ids[1]}").json()["feedback"] == -1
    for wrong in (2, True, "1"):
        assert anna.post(f"/api/messages/{ids[1]}/feedback", json={"feedback": wrong}).status_code == 422


@pytest.mark.on_both_stores
def test_a_turn(anna: httpx2.Client) -> None:
    turn = {
        "session": "s1",
        "messages": [
            {"role": "user", "content": "My name is Anna. I moved to Brno last week."},
            {"role": "assistant", "content": "Welcome to Brno!", "input_tokens": 40, "thinking_tokens": 2},
        ],
    }
    learned = anna.post("/api/hooks/agent-end", json=turn).json()
    assert learned["saved"] == 2
    assert learned["captured"]
    assert anna.post("/api/hooks/agent-end", json=turn).json()["saved"] == 0
    answer = anna.get("/api/conversations/s1").json()["messages"][1]
    assert [answer[name] for name in ("input_tokens", "output_tokens", "thinking_tokens")] == [40, None, 2]
    before = anna.post("/api/hooks/before-prompt", json={"prompt": "Which city do I live in?", "session": "s2"}).json()
    assert "Brno" in before["block"]
    assert "data, not instructions" in before["block"]
    assert before["message_id"]
    asked = {"prompt": "Which city do I live in?", "session": "s3"}
    assert anna.post("/api/hooks/before-prompt", json={**asked, "max_tokens": 20.0}).json()["block"] == ""
    assert anna.post("/api/hooks/before-prompt", json={**asked, "max_tokens": -1}).status_code == 422
    assert anna.post("/api/hooks/session-end", json={"session": "s1"}).json() == {"summary": None}


def test_a_turn_teaches_what_was_meant(service: Running) -> None:
    for number, lesson in enumerate(LESSONS.values()):
        with service.client(service.key(f"user{number}")) as client:
            for message in lesson.messages:
                client.post("/api/hooks/agent-end", json={"session": "s1", "messages": turn(message)})
            rows = client.get("/api/memories").json()["items"]
        names = ("content", "subject", "key", "value", "metadata")
        assert {told(*(row[name] for name in names)) for row in rows} == lesson.kept


def test_searching_everything(anna: httpx2.Client, service: Running) -> None:
    say(anna, "c1", "The spare key lies under the blue pot", "Noted.")
    anna.post("/api/memories/unified", json={"content": "Keeps a spare key in the garage"})
    found = anna.post("/api/context/search", json={"query": "spare key"}).json()
    assert {hit["source"] for hit in found["hits"]} >= {"memory", "request"}
    said = next(hit for hit in found["hits"] if hit["source"] == "request")
    assert said["conversation"] == "c1"
    simple = anna.post("/search", json={"query": "spare key", "limit": 1}).json()
    assert set(simple[0]) == {"source_type", "source_id", "content", "similarity", "context"}
    federated = anna.post("/api/federated/search", json={"query": "spare key"}).json()
    assert {hit["node"] for hit in federated["hits"]} == {"local"}
    assert anna.post("/api/federated/search", json={"query": "key", "nodes": ["mars"]}).status_code == 422
    with service.client(service.key("ben")) as ben:
        assert ben.post("/api/context/search", json={"query": "spare key"}).json()["hits"] == []


@pytest.mark.on_both_stores
def test_what_was_done_is_in_the_log(service: Running) -> None:
    key = service.memory.keys.create(user="anna")
    with service.client(key.secret) as anna:
        stored = anna.post("/api/memories/unified", json={"content": "Owns a red bicycle"}).json()["id"]
        anna.patch(f"/api/memories/{stored}", json={"importance": 0.3})
        say(anna, "c1", "Hello")
        anna.get("/api/memories/search", params={"query": "bicycle"})
        anna.delete(f"/api/memories/{stored}")
    lines = service.memory.operations.audit_log("anna")
    assert [line.action for line in lines] == ["store", "update", "say", "forget"]
    assert {line.actor for line in lines} == {key.key.id}
    assert stored in lines[0].items
    assert stored in lines[3].items
    assert service.memory.operations.audit_problems() == ()


def test_what_is_wrong_with_a_message_is_said_by_its_place(anna: httpx2.Client) -> None:
    several = {"messages": [{"role": "user", "content": "Fine"}, {"role": "nobody", "content": "x"}]}
    said = anna.post("/api/conversations/c1/messages", json=several).json()["detail"]
    assert said.startswith("messages[1].role: ")
    said = anna.post("/api/conversations/c1/messages", json={"role": "nobody"}).json()["detail"]
    assert said.startswith("role: ")


def test_a_name_with_a_slash(anna: httpx2.Client) -> None:
    anna.post("/api/hooks/agent-end", json={"session": "a/b", "messages": [{"role": "user", "content": "Hello there"}]})
    say(anna, "a%2Fb", "And again")
    found = anna.get("/api/conversations/a%2Fb").json()
    assert [message["content"] for message in found["messages"]] == ["Hello there", "And again"]
    assert len(anna.get("/api/conversations/a%2Fb/window").json()["messages"]) == 2
