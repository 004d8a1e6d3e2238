"""A time is said in words at every door, on the clock of the user or of the request."""

from datetime import UTC, datetime

import pytest

from recollect import InvalidInput, UserMemory
from tests.fixtures import OpenMemory, SteppingClock
from tests.rows import every


def told(me: UserMemory) -> None:
    """Let three things happen: on Saturday at noon, in the night before Sunday the 1st of March, and at its dawn."""
    for day, hour, said in ((28, 12, "The roof was mended"), (28, 23, "Owls called"), (1, 6, "The postman came")):
        month = 2 if day == 28 else 3
        me.events.log(said, occurred_at=datetime(2026, month, day, hour, tzinfo=UTC))


@pytest.fixture
def me(open_memory: OpenMemory) -> UserMemory:
    me = open_memory(embedding__provider="none", timezone="UTC").user("anna")
    told(me)
    return me


def contents(found: object) -> list[str]:
    return sorted(one.content for one in found)  # type: ignore[attr-defined]


@every(
    ("words", "expected"),
    [
        ("last night", ["Owls called"]),
        ("v noci", ["Owls called"]),
        ("yesterday", ["Owls called", "The roof was mended"]),
        ("вчера", ["Owls called", "The roof was mended"]),
        ("2026-03-01", ["The postman came"]),
    ],
)
def test_when_is_said_in_words(me: UserMemory, words: str, expected: list[str]) -> None:
    assert contents(me.events(when=words)) == expected
    assert contents(me.list(when=words).items) == expected
    assert me.count(when=words) == len(expected)
    assert sum(bucket.events for bucket in me.events.timeline(when=words)) == len(expected)


def test_searches_take_words(me: UserMemory) -> None:
    query = "roof owls postman"
    assert contents(me.recall(query, when="last night").hits) == ["Owls called"]
    assert contents(me.search_context(query, when="last night").hits) == ["Owls called"]
    assert contents(me.recall(query, since="today").hits) == ["The postman came"]
    assert contents(me.search_context(query, until="8h").hits) == ["Owls called", "The roof was mended"]
    assert contents(me.recall(query, since="2026-02-28T20:00", until="2026-03-01").hits) == ["Owls called"]


def test_messages_and_files_take_words(me: UserMemory) -> None:
    me.conversation("c").append("user", "Hello", said_at=datetime(2026, 2, 27, 12, tzinfo=UTC))
    assert [message.content for message in me.messages.between(since="7d", until="yesterday")] == ["Hello"]
    assert me.messages.between(since="yesterday") == ()
    me.files.add(b"# Bells\n", name="bells.md")
    assert [file.path for file in me.files.list(since="today").items] == ["bells.md"]
    assert me.files.list(until="today").items == ()


def test_what_was_held_true_then(me: UserMemory, clock: SteppingClock) -> None:
    me.facts.set("cat", "name", "Mourek")
    clock.advance(days=2)
    me.facts.set("cat", "name", "Kulka")
    assert [fact.value for fact in me.list(subject="cat", as_of="yesterday").items] == ["Mourek"]


def test_what_is_no_time_is_refused(me: UserMemory) -> None:
    with pytest.raises(InvalidInput, match="since is 'soon'; expected 7d, yesterday, last week, or a date or time"):
        me.recall("roof", since="soon")
    with pytest.raises(InvalidInput, match="when is 'soon'; expected today, yesterday, last night"):
        me.events(when="soon")
    with pytest.raises(InvalidInput, match="when already says from when to when"):
        me.search_context("roof", when="today", until="today")
    with pytest.raises(InvalidInput, match="has no time zone"):
        me.recall("roof", since=datetime(2026, 3, 1))  # noqa: DTZ001 - that is the point


def test_each_user_and_each_request_has_a_clock(open_memory: OpenMemory) -> None:
    zones = ("anna: Asia/Tokyo", "team: a: Europe/Prague")
    memory = open_memory(embedding__provider="none", timezone="UTC", timezones=zones)
    for name in ("anna", "ben"):
        told(memory.user(name))
    # at nine in the morning in Greenwich it is six in the evening in Tokyo, and a day has other hours
    since_midnight_there, since_midnight_here = ["Owls called", "The postman came"], ["The postman came"]
    assert contents(memory.user("anna").events(when="today")) == since_midnight_there
    assert contents(memory.user("ben").events(when="today")) == since_midnight_here
    assert contents(memory.user("ben", zone="Asia/Tokyo").events(when="today")) == since_midnight_there
    assert contents(memory.user("anna", zone="UTC").events(when="today")) == since_midnight_here
    assert memory.user("team: a").zone == "Europe/Prague"
    # what was answered a moment ago is not the answer on another clock
    asked = (memory.user("ben", zone=zone).recall("who called or came yesterday?") for zone in ("UTC", "Asia/Tokyo"))
    here, there = ({hit.content: hit.score for hit in found.hits} for found in asked)
    assert here["Owls called"] > there["Owls called"]
    with pytest.raises(InvalidInput, match="Unknown time zone 'Mars'"):
        memory.user("ben", zone="Mars")
