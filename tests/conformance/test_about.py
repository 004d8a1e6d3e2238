"""What `about` gathers, on both stores."""

from datetime import timedelta

import pytest

from recollect import InvalidInput, Memory, UserMemory
from tests.fixtures import SteppingClock


@pytest.fixture
def home(me: UserMemory, clock: SteppingClock) -> UserMemory:
    """A user who has a garage, and other things."""
    me.facts.set("light.garage", "location", "ceiling")
    me.facts.set("cover.garage_door", "purpose", "car entrance")
    me.facts.set("light.office", "location", "home office")
    me.facts.set("lock.front", "nickname", "Cerberus")
    me.facts.set("lock.front", "location", "entrance hall")
    me.preferences.set("light.garage", "brightness", "40%", confidence=0.5)
    me.preferences.set("light.garage", "colour", "warm", confidence=0.9)
    me.events.log("The garage door was opened", entity="cover.garage_door", kind="state_change")
    me.events.log(
        "The garage door was closed", entity="cover.garage_door", occurred_at=clock.moment + timedelta(hours=1)
    )
    me.lessons.add("The garage freezes in January", confidence=0.8)
    me.remember("The ladder hangs on the garage wall")
    me.remember("Grandmother was born in Olomouc")
    return me


def test_a_place_gathers_its_things(home: UserMemory, clock: SteppingClock) -> None:
    found = home.about("garage")
    assert set(found.subjects) == {"light.garage", "cover.garage_door"}
    assert {record.value for record in found.facts} == {"ceiling", "car entrance"}
    assert [record.value for record in found.preferences] == ["warm", "40%"]
    assert [record.content for record in found.events] == ["The garage door was opened", "The garage door was closed"]
    assert {hit.content for hit in found.hits} == {
        "The garage freezes in January",
        "The ladder hangs on the garage wall",
    }
    assert found.degraded == ()
    assert found

    # what is recorded is not repeated among the hits
    found = home.about("garage", limit=100)
    recorded = {record.id for group in (found.facts, found.preferences, found.events) for record in group}
    assert recorded.isdisjoint(hit.id for hit in found.hits)

    # more words mean fewer things
    assert home.about("garage door").subjects == ("cover.garage_door",)
    assert home.about("the garage doors").subjects == ("cover.garage_door",)
    assert home.about("cover.garage_door").subjects == ("cover.garage_door",)
    assert "light.office" not in home.about("light.garage").subjects

    # a nickname finds the thing and all about it
    found = home.about("cerberus")
    assert found.subjects == ("lock.front",)
    assert {record.key for record in found.facts} == {"nickname", "location"}
    home.facts.set("lock.front", "nickname", "Fluffy")
    assert home.about("cerberus").subjects == ()
    assert home.about("Fluffy").subjects == ("lock.front",)

    # only what holds now
    home.facts.set("light.garage", "location", "wall")
    home.events.log("A mouse", entity="garage.mouse", expires_at=clock.moment + timedelta(hours=2))
    assert "garage.mouse" in home.about("garage").subjects
    clock.advance(hours=3)
    found = home.about("garage")
    assert {record.value for record in found.facts} == {"wall", "car entrance"}
    assert "garage.mouse" not in found.subjects


def test_topics_of_other_languages_and_of_very_many_events(memory: Memory, clock: SteppingClock) -> None:
    # the newest events when there are very many
    me = memory.user("user 0")
    for number in range(25):
        me.events.log(f"Ring {number}", entity="bell.door", occurred_at=clock.moment + timedelta(minutes=number))
    assert [event.content for event in me.about("bell").events] == [f"Ring {number}" for number in range(5, 25)]

    # other languages
    me = memory.user("user 1")
    me.facts.set("свет.гараж", "location", "потолок")
    me.facts.set("světlo_garáž", "location", "strop")
    assert me.about("гараже").subjects == ("свет.гараж",)
    assert me.about("garáže").subjects == ("světlo_garáž",)

    # a topic must be named
    me = memory.user("user 2")
    with pytest.raises(InvalidInput, match="topic is empty"):
        me.about("  ")
    assert not me.about("nothing at all")


def test_a_question_is_about_its_topic(home: UserMemory) -> None:
    plain = home.about("garage")
    for asked in (
        "What do I know about the garage?",
        "tell me everything about the garage",
        "Was weißt du über garage?",
    ):
        found = home.about(asked)
        assert (found.subjects, found.facts, found.lessons) == (plain.subjects, plain.facts, plain.lessons)
        assert {hit.id for hit in found.hits} == {hit.id for hit in plain.hits}
    assert home.about("What do I know about the garage?").topic == "the garage"
    home.facts.set("garáž", "umístění", "za domem")
    assert home.about("Co vím o garáži?").subjects == ("garáž",)
