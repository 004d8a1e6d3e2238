"""Conversations and hooks over HTTP, on both stores."""

import httpx2
import pytest

from tests.service.conftest import Running


def say(client: httpx2.Client, conversation: str, *texts: str) -> list[str]:
    roles = ("user", "assistant")
    messages = [{"role": roles[place % 2], "content": text} for place, text in enumerate(texts)]
    answer = client.post(f"/api/conversations/{conversation}/messages", json={"messages": messages})
    assert answer.status_code == 201, answer.text
    return [one["id"] for one in answer.json()["results"]]


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
    for nonsense in ("x", "9" * 30, "--1.c1"):
        assert anna.get("/api/conversations", params={"cursor": nonsense}).status_code == 422


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
