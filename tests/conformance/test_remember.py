"""What `remember` promises, on both stores."""

from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest

from recollect import Memory, NewMemory, UserMemory
from recollect.errors import InvalidMemory, InvalidVector
from tests.fixtures import SteppingClock
from tests.rows import every


def test_everything_that_goes_in_comes_out(me: UserMemory, clock: SteppingClock) -> None:
    moment = datetime(2026, 2, 27, 21, 30, 0, 123456, tzinfo=UTC)
    offered: dict[str, Any] = {
        "type": "event",
        "importance": 0.25,
        "confidence": 0.5,
        "subject": "cover.garage_door",
        "key": "state_change",
        "value": "open",
        "context": "night",
        "source": "learned",
        "trust": 2,
        "session": "s-17",
        "occurred_at": moment,
        "valid_from": moment,
        "valid_until": moment + timedelta(days=900),
        "expires_at": moment + timedelta(days=1000),
        "lat": 50.08,
        "lng": 14.42,
        "address": "Náměstí 1, Praha",
        "place_label": "home",
        "metadata": {"tags": ["дом", "🚪"], "nested": {"n": 1.5, "none": None}},
    }
    kept = me.get(me.remember("Garage door opened\r\nat night", **offered).id)
    assert kept.content == "Garage door opened\nat night"
    assert {name: getattr(kept, name) for name in offered} == offered
    assert kept.created_at == kept.updated_at
    assert kept.superseded_by is None


def test_the_same_is_kept_once_in_whatever_style(memory: Memory, clock: SteppingClock) -> None:
    # the same text is kept once
    me = memory.user("user 0")
    first = me.remember("Anna's birthday is on the 14th of March", type="fact")
    again = me.remember("  anna's birthday is on  the 14th of march. ", type="fact")
    assert (first.action, again.action) == ("created", "duplicate")
    assert again.existing_id == again.id == first.id
    assert me.count() == 1

    # the same words in another style are a duplicate
    me = memory.user("user 1")
    first = me.remember("On Tuesdays, I don't eat meat", type="preference")
    again = me.remember("on Tuesdays, I do not eat meat!", type="preference")
    assert (again.action, again.existing_id) == ("duplicate", first.id)

    # the same text of another type is another memory
    me = memory.user("user 2")
    me.remember("Coffee without sugar", type="preference")
    assert me.remember("Coffee without sugar", type="decision").action == "created"

    # a better source raises the trust of what is known
    me = memory.user("user 3")
    heard = me.remember("The landlord is Mr. Novak", trust=0, source="mail")
    me.remember("The landlord is Mr. Novak", trust=3, source="user_stated")
    kept = me.get(heard.id)
    assert (kept.trust, kept.source) == (3, "user_stated")

    # what has expired can be learned anew
    me = memory.user("user 4")
    first = me.remember("The gate code is 1204", expires_at=clock.moment + timedelta(days=1))
    clock.advance(days=2)
    assert me.recall("gate code").hits == ()
    again = me.remember("The gate code is 1204")
    assert again.action == "created"
    assert again.id != first.id
    assert [hit.id for hit in me.recall("gate code").hits] == [again.id]


def test_a_piece_of_a_file_is_of_no_type_of_its_own(me: UserMemory) -> None:
    typed: Any = "file_chunk"
    made = me.remember("Coffee without sugar", type=typed)
    me.remember_many([{"content": "Tea without milk", "type": typed}])
    me.remember("Milk without tea", type="fact")
    assert me.get(made.id).type == "other"
    assert me.remember("Coffee without sugar", type="other").action == "duplicate"
    assert me.update(made.id, content="Coffee without milk", type=typed).type == "other"
    assert me.count(type=typed) == me.count(type="other") == 2
    assert {hit.type for hit in me.recall("without", type=[typed], prefer=typed).hits} == {"other"}
    unknown: Any = "file"
    with pytest.raises(InvalidMemory, match="Unknown memory type 'file'"):
        me.remember("Coffee", type=unknown)


@every(
    ("one", "other"),
    [
        ("The code of locker 17 is 4711", "The code of locker 18 is 4712"),
        ("I like olives on pizza", "I do not like olives on pizza"),
        ("My sister's name is Anna", "My sister's name is Hana"),
        ("The medicine is safe for children", "The medicine is dangerous for children"),
    ],
)
def test_what_differs_in_a_number_a_name_or_a_not_is_no_duplicate(memory: Memory, one: str, other: str) -> None:
    me = memory.user(one)
    me.remember(one, type="fact")
    assert me.remember(other, type="fact").action == "created"
    assert me.count() == 2


def test_a_new_value_supersedes_the_old_one(me: UserMemory, clock: SteppingClock) -> None:
    slot: Any = {"type": "fact", "subject": "light.office", "key": "location"}
    old = me.remember("The office light is in the home office", **slot)
    clock.advance(days=10)
    between = clock.now()
    clock.advance(days=10)
    new = me.remember("The office light is in the garage now", **slot)
    assert (new.action, new.existing_id) == ("superseded", old.id)
    assert [record.content for record in me.list().items] == ["The office light is in the garage now"]
    then = me.recall("where is the office light?", as_of=between).hits
    assert [hit.content for hit in then] == ["The office light is in the home office"]
    versions = me.history(old.id)
    assert [version.id for version in versions] == [old.id, new.id]
    assert versions[0].superseded_by == new.id
    assert versions[0].valid_until == versions[1].valid_from


def test_a_slot_has_one_value_at_a_time(memory: Memory, clock: SteppingClock) -> None:
    # the same value in other words changes nothing
    me = memory.user("user 0")
    slot: Any = {"type": "preference", "subject": "lighting", "key": "evening_brightness", "value": "40%"}
    first = me.remember("Evening lights at 40%", **slot)
    again = me.remember("In the evening the light should be 40 percent", **slot)
    assert (again.action, again.existing_id) == ("duplicate", first.id)

    # what was true may become true again
    me = memory.user("user 1")
    slot = {"type": "fact", "subject": "me", "key": "city"}
    me.remember("Lives in Prague", **slot)
    me.remember("Lives in Brno", **slot)
    back = me.remember("Lives in Prague", **slot)
    assert back.action == "superseded"
    assert [version.content for version in me.history(back.id)] == [
        "Lives in Prague",
        "Lives in Brno",
        "Lives in Prague",
    ]

    # another context is another slot
    me = memory.user("user 2")
    slot = {"type": "preference", "subject": "climate", "key": "temperature"}
    me.remember("68F", context="night", **slot)
    assert me.remember("72F", context="day", **slot).action == "created"
    assert me.count() == 2

    # events stand side by side
    me = memory.user("user 3")
    slot = {"type": "event", "subject": "front_door", "key": "state_change"}
    moment = clock.now()
    assert me.remember("Front door opened", occurred_at=moment, **slot).action == "created"
    assert me.remember("Front door opened", occurred_at=moment + timedelta(hours=1), **slot).action == "created"
    assert me.remember("Front door opened", occurred_at=moment, **slot).action == "duplicate"
    assert me.count() == 2


def test_higher_trust_is_never_overwritten_by_lower(me: UserMemory) -> None:
    slot: Any = {"type": "fact", "subject": "me", "key": "employer"}
    stated = me.remember("Works at Initech", **slot)
    rumour = me.remember("Works at Globex", trust=0, source="web", **slot)
    assert (rumour.action, rumour.existing_id) == ("outranked", stated.id)
    assert [record.content for record in me.list().items] == ["Works at Initech"]
    assert me.remember("Works at Globex", trust=0, source="web", **slot).id == rumour.id
    assert {version.content for version in me.history(stated.id)} == {"Works at Initech", "Works at Globex"}


def test_a_value_of_the_past_does_not_hide_the_present_one(me: UserMemory, clock: SteppingClock) -> None:
    slot: Any = {"type": "fact", "subject": "me", "key": "city"}
    now = clock.now()
    present = me.remember("Lives in Prague", **slot)
    spell: Any = {"valid_from": now - timedelta(days=900), "valid_until": now - timedelta(days=500)}
    past = me.remember("Lived in Brno", **spell, **slot)
    assert (past.action, past.existing_id) == ("outranked", present.id)
    assert [record.content for record in me.list().items] == ["Lives in Prague"]
    then = me.recall("where did I live?", as_of=now - timedelta(days=600)).hits
    assert [hit.content for hit in then] == ["Lived in Brno"]


def test_many_are_stored_in_order_or_none_of_them(memory: Memory) -> None:
    # many are answered in order
    me = memory.user("user 0")
    slot = {"type": "fact", "subject": "me", "key": "city"}
    answers = me.remember_many(
        [
            "The bicycle is blue",
            {"content": "Lives in Prague", **slot},
            NewMemory("The bicycle is blue"),
            {"content": "Lives in Brno", **slot},
            "The bicycle is blue!",
        ]
    )
    assert [answer.action for answer in answers] == ["created", "created", "duplicate", "superseded", "duplicate"]
    assert answers[2].existing_id == answers[4].existing_id == answers[0].id
    assert answers[3].existing_id == answers[1].id
    assert me.count() == 2

    # a large batch with duplicates inside
    me = memory.user("user 1")
    vectors = np.random.default_rng(1).standard_normal((60, 384)).astype(np.float32)
    items = [NewMemory(f"Fact number {n % 50}", vector=vectors[n]) for n in range(60)]
    answers = me.remember_many(items)
    assert [answer.action for answer in answers] == ["created"] * 50 + ["duplicate"] * 10
    assert me.count() == 50
    assert me.stats().with_vector == 50

    # a wrong item is named and nothing of its batch is kept
    me = memory.user("user 2")
    with pytest.raises(InvalidMemory, match="Item 1: The content is empty"):
        me.remember_many(["fine", " ", "fine too"])
    assert me.count() == 0


@every(
    ("fields", "message"),
    [
        ({"content": ""}, "content is empty"),
        ({"content": "\0\0"}, "content is empty"),
        ({"content": "x" * 100_001}, "100,001 characters"),
        ({"content": "half \ud83d"}, "surrogate"),
        ({"content": "x", "type": "opinion"}, "Unknown memory type 'opinion'"),
        ({"content": "x", "importance": 1.5}, "importance is 1.5"),
        ({"content": "x", "confidence": float("nan")}, "confidence is nan"),
        ({"content": "x", "trust": 9}, "trust is 9"),
        ({"content": "x", "lat": 50.0}, "lng is missing"),
        ({"content": "x", "lat": 91.0, "lng": 0.0}, "lat is 91.0"),
        ({"content": "x", "subject": "s" * 200}, "subject has 200 characters"),
        ({"content": "x", "occurred_at": datetime(2026, 1, 1)}, "has no time zone"),  # noqa: DTZ001
        ({"content": "x", "metadata": {"a": {1, 2}}}, "metadata cannot be written as JSON"),
        ({"content": "x", "metadata": {"a": float("inf")}}, "metadata cannot be written as JSON"),
        ({"content": "x", "metadata": {"a": "\0"}}, "metadata holds a NUL"),
    ],
)
def test_bad_input_gets_a_clear_error(me: UserMemory, fields: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidMemory, match=message):
        me.remember_many([fields])
    assert me.count() == 0


@every("vector", [[0.0] * 384, [float("nan")] + [1.0] * 383, [float("inf")] + [1.0] * 383, [1.0] * 383, [[1.0] * 384]])
def test_vectors_that_make_no_sense_are_refused(me: UserMemory, vector: Any) -> None:
    with pytest.raises(InvalidVector):
        me.remember("x", vector=vector)
    with pytest.raises(InvalidVector):
        me.recall("x", vector=vector)
    assert me.count() == 0


def test_users_do_not_see_each_other(memory: Memory) -> None:
    ann, bob = memory.user("ann"), memory.user("bob")
    secret = ann.remember("The safe is behind the picture", subject="safe", key="code").id
    bob.remember("The safe is in the cellar", subject="safe", key="place")
    assert bob.remember("The safe is behind the picture", subject="safe", key="code").action == "created"
    assert [hit.content for hit in bob.recall("safe", limit=10).hits if hit.id == secret] == []
    assert bob.forget(secret).action == "not_found"
    assert ann.get(secret).content == "The safe is behind the picture"
