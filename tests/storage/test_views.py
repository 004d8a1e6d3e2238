"""The views that people find when they open the store with their own tools."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from recollect import Memory, NewMessage, UserMemory
from tests.fixtures import OpenMemory, SteppingClock
from tests.storage.catalogue import is_server, plain

_MOMENT = datetime(2026, 2, 27, 21, 30, 5, 250_000, tzinfo=UTC)


@pytest.fixture
def memory(open_memory: OpenMemory) -> Memory:
    """A store without vectors: the views do not show any."""
    return open_memory(embedding__provider="none")


@pytest.fixture
def me(memory: Memory) -> UserMemory:
    """One user of it."""
    return memory.user("me")


def _view(database: str, name: str, columns: str) -> list[dict[str, Any]]:
    """Read a view with the driver alone; times become moments, whatever the store gives."""
    with plain(database) as store:
        rows = store.rows(f"SELECT {columns} FROM {name} ORDER BY id")  # noqa: S608 - our own names
    names = columns.split(", ")
    return [{name: _moment(name, value) for name, value in zip(names, row, strict=True)} for row in rows]


def _moment(name: str, value: Any) -> Any:
    if not name.endswith(("_at", "_until", "timestamp")) or value is None:
        return value
    if isinstance(value, str):
        assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}", value), "people must be able to read it"
        return datetime.fromisoformat(value).replace(tzinfo=UTC)
    assert isinstance(value, datetime)
    return value.astimezone(UTC)


def test_facts(me: UserMemory, database: str, clock: SteppingClock) -> None:
    clock.moment = _MOMENT - timedelta(milliseconds=1)
    fields: dict[str, Any] = {"type": "fact", "subject": "light.office", "key": "location", "value": "garage"}
    kept = me.remember(
        "The office light is in the garage", confidence=0.5, valid_until=_MOMENT + timedelta(days=9), **fields
    )
    me.remember("A fact about nothing in particular", type="fact")
    columns = (
        "user_id, id, entity_id, fact_type, content, value, source, confidence, created_at, updated_at, valid_until"
    )
    assert _view(database, "entity_facts", columns) == [
        {
            "user_id": "me",
            "id": _stored_id(database, kept.id),
            "entity_id": "light.office",
            "fact_type": "location",
            "content": "The office light is in the garage",
            "value": "garage",
            "source": "user_stated",
            "confidence": 0.5,
            "created_at": _MOMENT,
            "updated_at": _MOMENT,
            "valid_until": _MOMENT + timedelta(days=9),
        }
    ]


def _stored_id(database: str, memory_id: str) -> Any:
    """An id as the driver gives it."""
    with plain(database) as store:
        (found,) = [row[0] for row in store.rows("SELECT id FROM memories") if str(row[0]) == memory_id]
    return found


def test_preferences(me: UserMemory, database: str) -> None:
    slot: dict[str, Any] = {"type": "preference", "subject": "lighting", "key": "brightness", "context": "evening"}
    me.remember("Evening light at 40 %", value="40%", source="learned", confidence=0.75, **slot)
    columns = "category, key, value, context, content, confidence, learned_from"
    with plain(database) as store:
        rows = store.rows(f"SELECT {columns} FROM preferences")  # noqa: S608 - our own names
    assert rows == [("lighting", "brightness", "40%", "evening", "Evening light at 40 %", 0.75, "learned")]


def test_events_show_when_they_happened(me: UserMemory, database: str, clock: SteppingClock) -> None:
    fields: dict[str, Any] = {"type": "event", "subject": "front_door", "key": "state_change", "value": "open"}
    me.remember("The front door was opened", occurred_at=_MOMENT, importance=0.25, **fields)
    stored = clock.moment = clock.moment + timedelta(seconds=1)
    me.remember("Something happened", type="event")
    found = _view(database, "events", "id, event_type, entity_id, summary, details, importance, timestamp")
    assert [{**event, "id": None} for event in found] == [
        {
            "id": None,
            "event_type": "state_change",
            "entity_id": "front_door",
            "summary": "The front door was opened",
            "details": "open",
            "importance": 0.25,
            "timestamp": _MOMENT,
        },
        {
            "id": None,
            "event_type": "",
            "entity_id": "",
            "summary": "Something happened",
            "details": "",
            "importance": 0.7,
            "timestamp": stored + timedelta(milliseconds=1),
        },
    ]


def test_times_compare_as_people_type_them(me: UserMemory, database: str) -> None:
    me.events.log("Lunch", occurred_at=datetime(2024, 1, 15, 9, tzinfo=UTC))
    me.events.log("Dinner", occurred_at=datetime(2024, 1, 15, 20, tzinfo=UTC), participants=["Ingrid"])
    zone = "+00" if is_server(database) else ""
    with plain(database) as store:
        for bound, summaries in {
            f">= '2024-01-15 20:00{zone}'": ["Dinner"],
            f"< '2024-01-15 20:00{zone}'": ["Lunch"],
            f"> '2024-01-15 20:00:30{zone}'": [],
        }.items():
            rows = store.rows(f"SELECT summary FROM events WHERE timestamp {bound}")  # noqa: S608 - our own names
            assert [row[0] for row in rows] == summaries, bound
        rows = store.rows("SELECT participants FROM events ORDER BY timestamp")
    assert rows == [(None,), (["Ingrid"] if is_server(database) else '["Ingrid"]',)]


def test_what_is_no_number_is_no_id_of_telegram(me: UserMemory, database: str) -> None:
    for kept in ("", "abc", "12a", "007", 1.5, None, [1]):
        me.conversation("s1").append("user", f"Hello {kept}", metadata={"telegram_chat_id": kept})
    rows = _view(database, "requests", "id, telegram_chat_id")
    assert [row["telegram_chat_id"] for row in rows] == [None] * 7


def test_lessons(me: UserMemory, database: str) -> None:
    me.remember("Check the oven before leaving", type="lesson", context="home", confidence=0.5, source="learned")
    with plain(database) as store:
        rows = store.rows("SELECT user_id, lesson, context, confidence, source FROM lessons")
    assert rows == [("me", "Check the oven before leaving", "home", 0.5, "learned")]


@pytest.mark.parametrize(
    ("view", "column", "type"),
    [("entity_facts", "content", "fact"), ("preferences", "content", "preference"), ("lessons", "lesson", "lesson")],
)
def test_only_what_is_live(memory: Memory, database: str, view: str, column: str, type: Any) -> None:
    me = memory.user("me")
    slot: dict[str, Any] = {"type": type, "subject": "thing", "key": "name"}
    me.remember("The first name", **slot)
    second = me.remember("The second name", **slot)
    me.update(second.id, content="The second name, spelled well")
    gone = me.remember("Forgotten", type=type, subject="other")
    me.forget(gone.id)
    memory.user("you").remember("Of another user", type=type, subject="thing")
    with plain(database) as store:
        rows = store.rows(f"SELECT user_id, {column} FROM {view} ORDER BY user_id")  # noqa: S608 - our own names
    assert rows == [("me", "The second name, spelled well"), ("you", "Of another user")]


def test_views_run_with_the_rights_of_whoever_asks(database: str) -> None:
    if not is_server(database):
        pytest.skip("a file has no roles")
    with plain(database) as store:
        rows = store.rows(
            "SELECT relname, reloptions FROM pg_class WHERE relkind = 'v' AND relnamespace = 'public'::regnamespace"
        )
    assert dict(rows) == {
        name: ["security_invoker=true"]
        for name in (
            "conversation_stats",
            "entity_facts",
            "events",
            "file_chunks",
            "lessons",
            "preferences",
            "reasoning",
            "requests",
            "responses",
        )
    }


def _talk(memory: Memory) -> tuple[UserMemory, list[str]]:
    """Let a user ask twice and get answers; another says something too. Gives the ids in order."""
    me = memory.user("me")
    chat = me.conversation("s1")
    kept = chat.extend(
        [
            NewMessage("system", "Be brief."),
            NewMessage("assistant", "Good day."),
            NewMessage(
                "user",
                "Where is it?",
                id="u1",
                speaker="Jana",
                said_at=_MOMENT,
                metadata={"telegram_message_id": 17, "telegram_chat_id": "-100"},
            ),
            NewMessage("reasoning", "The attic?", model="claude", thinking_tokens=9, said_at=_MOMENT),
            NewMessage("assistant", "In the attic.", model="claude", input_tokens=50, output_tokens=5, said_at=_MOMENT),
            NewMessage("user", "And now?"),
            NewMessage("assistant", "Still there.", speaker="Butler"),
        ]
    )
    ids = [str(one.id) for one in kept]
    me.messages.rate(ids[4], -1)
    me.remember("The pump is in the attic")
    you = memory.user("you")
    you.conversation("s1").append("user", "Hello")
    return me, ids


def test_requests(memory: Memory, database: str) -> None:
    _, ids = _talk(memory)
    columns = (
        "user_id, id, session_id, speaker, message_text, external_id, tokens, telegram_message_id, telegram_chat_id, "
        "created_at"
    )
    first, second, other = _view(database, "requests", columns)
    assert [str(row["id"]) for row in (first, second)] == [ids[2], ids[5]]
    assert (first["user_id"], first["session_id"], first["message_text"]) == ("me", "s1", "Where is it?")
    assert (first["external_id"], first["created_at"]) == ("u1", _MOMENT)
    assert (first["telegram_message_id"], first["telegram_chat_id"]) == (17, -100)
    assert first["tokens"] > 4
    assert (first["speaker"], second["speaker"]) == ("Jana", "")
    assert (second["telegram_message_id"], second["telegram_chat_id"]) == (None, None)
    assert (other["user_id"], other["message_text"]) == ("you", "Hello")


def test_responses_know_what_they_answer(memory: Memory, database: str) -> None:
    _, ids = _talk(memory)
    columns = (
        "user_id, id, session_id, request_id, speaker, response_text, feedback, model_used, input_tokens, output_tokens"
    )
    rows = _view(database, "responses", columns)
    assert [str(row["id"]) for row in rows] == [ids[1], ids[4], ids[6]]
    assert [row["request_id"] and str(row["request_id"]) for row in rows] == [None, ids[2], ids[5]]
    assert [row["feedback"] for row in rows] == [None, -1, None]
    assert [row["speaker"] for row in rows] == ["", "", "Butler"]
    answer = rows[1]
    assert (answer["response_text"], answer["model_used"]) == ("In the attic.", "claude")
    assert (answer["input_tokens"], answer["output_tokens"]) == (50, 5)


def test_reasoning(memory: Memory, database: str) -> None:
    _, ids = _talk(memory)
    columns = "user_id, id, session_id, request_id, reasoning_text, thinking_model, thinking_tokens, created_at"
    (row,) = _view(database, "reasoning", columns)
    assert (str(row["id"]), str(row["request_id"]), row["created_at"]) == (ids[3], ids[2], _MOMENT)
    assert (row["reasoning_text"], row["thinking_model"], row["thinking_tokens"]) == ("The attic?", "claude", 9)


def test_figures_of_conversations(memory: Memory, database: str) -> None:
    me, _ = _talk(memory)
    me.conversation("s2").append("user", "Good evening")
    tokens = sum(message.tokens for name in ("s1", "s2") for message in me.conversation(name).messages())
    columns = "user_id, conversations, total_memories, total_requests, total_responses, total_reasoning, total_tokens"
    with plain(database) as store:
        rows = store.rows(f"SELECT {columns} FROM conversation_stats ORDER BY user_id")  # noqa: S608 - our own names
    assert [tuple(map(str, row[:6])) for row in rows] == [
        ("me", "2", "1", "3", "3", "1"),
        ("you", "1", "0", "1", "0", "0"),
    ]
    assert rows[0][6] == tokens


def test_what_was_folded_is_shown_like_all_else(memory: Memory, database: str) -> None:
    me, ids = _talk(memory)
    me.conversation("s1").compact(keep_recent=0)
    me.forget(ids[5])
    rows = _view(database, "requests", "id, message_text")
    assert [row["message_text"] for row in rows] == ["Where is it?", "Hello"]
    assert len(_view(database, "responses", "id")) == 3
