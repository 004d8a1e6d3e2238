"""What is read late, or delivered late, has the time at which it was said, on both stores."""

from datetime import UTC, datetime, timedelta

from recollect import Memory, NewMessage, UserMemory
from tests.fixtures import OpenMemory, SteppingClock

HOME = "I live in {}."


def told(me: UserMemory, city: str, said_at: datetime | None = None, session: str = "s") -> tuple[str, ...]:
    """Tell where the user lives; gives what became of it."""
    done = me.after_turn([NewMessage("user", HOME.format(city), said_at=said_at)], session=session)
    return tuple(one.action for one in done.captured)


def homes(me: UserMemory, as_of: datetime | None = None) -> list[str]:
    """Give where the user lives, or lived."""
    return [row.value for row in me.list(as_of=as_of).items if row.key == "home"]


def year(number: int) -> datetime:
    return datetime(number, 6, 1, tzinfo=UTC)


def test_what_was_said_earlier_does_not_replace_what_was_said_later(me: UserMemory) -> None:
    assert told(me, "Prague", year(2024), "b") == ("created",)
    assert told(me, "Brno", year(2022), "a") == ("outranked",)
    assert homes(me) == ["Prague"]
    assert (homes(me, year(2023)), homes(me, year(2025)), homes(me, year(2021))) == (["Brno"], ["Prague"], [])
    assert told(me, "Ostrava", year(2023), "c") == ("outranked",)
    between = [homes(me, year(number) + timedelta(days=100)) for number in (2022, 2023, 2024)]
    assert between == [["Brno"], ["Ostrava"], ["Prague"]]
    assert told(me, "Vienna", year(2025), "d") == ("superseded",)
    assert (homes(me), homes(me, year(2024) + timedelta(days=100))) == (["Vienna"], ["Prague"])
    assert me.facts.doubts() == ()


def test_what_was_confirmed_or_corrected_since_stands(me: UserMemory, clock: SteppingClock) -> None:
    told(me, "Prague", year(2020), "a")
    told(me, "Prague", None, "b")
    assert told(me, "Brno", year(2022), "c") == ("outranked",)
    assert homes(me) == ["Prague"]
    (home,) = (row for row in me.list().items if row.key == "home")
    me.update(home.id, content="I live in Graz", value="Graz")
    clock.advance(hours=1)
    assert told(me, "Oslo", clock.moment - timedelta(days=1), "d") == ("outranked",)
    assert homes(me) == ["Graz"]
    assert told(me, "Linz", None, "e") == ("superseded",)


def test_what_was_told_before_casts_no_doubt_on_what_was_told_since(me: UserMemory, clock: SteppingClock) -> None:
    me.facts.set("user", "home", "Brno")
    clock.advance(days=1)
    guess = {"captured_by": "test", "property": "home"}
    me.remember(
        "Perhaps I live in Oslo", type="fact", subject="user", value="Oslo", metadata=guess, valid_from=year(2022)
    )
    assert me.facts.doubts() == ()
    me.remember("Perhaps I live in Rome", type="fact", subject="user", value="Rome", metadata=guess)
    assert [doubt.contradicted_by.value for doubt in me.facts.doubts()] == ["Rome"]


def test_what_held_again_held_from_then_on(me: UserMemory) -> None:
    for number, city in ((2020, "Prague"), (2022, "Brno"), (2024, "Prague")):
        told(me, city, year(number), f"s{number}")
    assert told(me, "Prague", year(2021), "late") == ("duplicate",)
    assert [homes(me, year(number) + timedelta(days=9)) for number in (2020, 2022, 2024)] == [
        ["Prague"],
        ["Brno"],
        ["Prague"],
    ]


def test_a_host_with_a_slow_clock_is_heard(me: UserMemory, clock: SteppingClock) -> None:
    me.facts.set("user", "home", "Prague")
    assert told(me, "Brno", clock.moment - timedelta(minutes=3)) == ("superseded",)
    assert homes(me) == ["Brno"]


def test_a_captured_memory_is_as_old_as_its_words(me: UserMemory) -> None:
    told(me, "Brno", year(2022))
    me.after_turn([NewMessage("user", "My sister Jana is a nurse.", said_at=year(2022))], session="t")
    records = me.list().items
    assert len(records) == 2
    assert {record.valid_from for record in records} == {record.occurred_at for record in records} == {year(2022)}
    assert min(record.created_at for record in records) > year(2025)
    assert me.list(since=year(2023)).items == ()
    assert len(me.list(until=year(2023)).items) == 2
    hits = me.recall("where do I live?", since=year(2022), until=year(2023)).hits
    assert [hit.occurred_at for hit in hits[:1]] == [year(2022)]
    assert [bucket.start.year for bucket in me.events.timeline(unit="year")] == [2022]
    assert "Wed 1 Jun 2022" in me.before_prompt("Where do I live?", session="u").block


def test_the_same_said_twice_is_one_memory_from_the_first_time_on(me: UserMemory) -> None:
    for number, session in ((2023, "a"), (2021, "b"), (2025, "c")):
        told(me, "Brno", year(number), session)
        me.after_turn([NewMessage("user", "My sister Jana is a nurse.", said_at=year(number))], session=f"t{number}")
    records = me.list().items
    assert len(records) == 2
    assert [record.valid_from for record in records if record.key == "home"] == [year(2021)]


def test_what_waits_for_a_worker_is_no_newer_than_when_it_was_said(
    open_memory: OpenMemory, clock: SteppingClock
) -> None:
    memory: Memory = open_memory(capture__when="worker")
    me = memory.user("anna")
    me.after_turn([{"role": "user", "content": HOME.format("Brno")}], session="s")
    said = clock.moment
    clock.advance(hours=1)
    me.facts.set("user", "home", "Prague")
    clock.advance(hours=1)
    memory.embed_waiting()
    assert homes(me) == ["Prague"]
    assert memory.status().unread.waiting == 0
    (past,) = (row for row in me.history(me.facts("user", key="home")[0].id) if row.value == "Brno")
    assert abs(past.valid_from - said) < timedelta(minutes=1)
