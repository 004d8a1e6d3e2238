"""`timeline`: what there is about each hour, day, month and year of a time zone, alike on both stores."""

from datetime import UTC, datetime

import pytest

from recollect import Memory
from recollect.errors import InvalidInput
from tests.rows import every

PRAGUE = "Europe/Prague"


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def test_everything_is_counted_where_it_belongs(memory: Memory) -> None:
    me = memory.user("anna")
    me.events.log("The bell rang", occurred_at=at("2025-03-29T23:30"))  # in Prague the 30th, which has 23 hours
    me.remember("The bell is loud", occurred_at=at("2025-03-30T21:59"))
    me.remember("Older than the epoch", occurred_at=at("1969-12-31T23:50"))
    me.conversation("c").append("user", "Who rang?", said_at=at("2025-03-30T22:00"))
    me.files.add(b"# Bells\n", name="bells.md")
    memory.user("ben").remember("Not mine", occurred_at=at("2025-03-30T12:00"))

    days = me.events.timeline(zone=PRAGUE, since=at("2025-03-01T00:00"), until=at("2025-04-01T00:00"))
    assert [(day.start, day.until, day.events, day.memories, day.messages) for day in days] == [
        (at("2025-03-29T23:00"), at("2025-03-30T22:00"), 1, 1, 0),
        (at("2025-03-30T22:00"), at("2025-03-31T22:00"), 0, 0, 1),
    ]
    assert [hour.start for hour in me.events.timeline(unit="hour", zone="UTC", until=at("2025-04-01T00:00"))] == [
        at("1969-12-31T23:00"),
        at("2025-03-29T23:00"),
        at("2025-03-30T21:00"),
        at("2025-03-30T22:00"),
    ]
    months = me.events.timeline(unit="month", zone=PRAGUE, until=at("2025-04-01T00:00"))
    assert [(month.start, month.until) for month in months] == [
        (at("1969-12-31T23:00"), at("1970-01-31T23:00")),
        (at("2025-02-28T23:00"), at("2025-03-31T22:00")),
    ]
    years = me.events.timeline(unit="year", zone="UTC")
    assert sum(year.files for year in years) == 1
    assert years[0].until == at("1970-01-01T00:00")
    assert [file.path for file in me.files.list(since=at("1970-01-01T00:00")).items] == ["bells.md"]
    assert me.files.list(until=at("1970-01-01T00:00")).items == ()
    assert [chunk.heading for chunk in me.files.chunks(me.files.list().items[0].id)] == ["Bells"]
    assert [said.content for said in me.messages.between(since=at("2025-03-30T22:00"))] == ["Who rang?"]
    assert me.messages.between(until=at("2025-03-30T22:00")) == ()


@every("zone", ["Asia/Tokyo", "America/New_York"])
def test_the_first_and_the_last_day_of_time_are_shown(memory: Memory, zone: str) -> None:
    for moment in (datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)):
        memory.me.remember(f"At {moment}", occurred_at=moment)
    for unit in ("hour", "day", "month", "year"):
        first, last = memory.me.events.timeline(unit=unit, zone=zone)
        assert first.start < first.until < last.start < last.until


def test_what_cannot_be_shown_is_refused(memory: Memory) -> None:
    for given in ({"unit": "week"}, {"zone": "Mars/Olympus"}, {"since": datetime(2026, 1, 1)}):  # noqa: DTZ001 - as given
        with pytest.raises(InvalidInput):
            memory.me.events.timeline(**given)


def test_what_a_conversation_taught(memory: Memory) -> None:
    me = memory.user("anna")
    me.after_turn([{"role": "user", "content": "My sister is Marta."}], session="trip")
    ((learned, sources),) = me.conversation("trip").learned()
    (said,) = me.conversation("trip").messages()
    assert ("Marta" in learned.content, sources) == (True, (said.id,))
    assert me.conversation("other").learned() == ()
