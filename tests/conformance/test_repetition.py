"""What is said again: one memory, with what is new in the repetition, or two where both must stand. On both stores."""

from datetime import datetime, timedelta
from typing import Any

from recollect import Memory, NewMemory, UserMemory
from tests.fixtures import SteppingClock
from tests.text.same.pairs import MESSAGES, differing, styled

PRAGUE: dict[str, Any] = {"lat": 50.087, "lng": 14.421}
BRNO: dict[str, Any] = {"lat": 49.195, "lng": 16.607}


def capture(me: UserMemory, text: str, session: str = "talk") -> Any:
    return me.after_turn([{"role": "user", "content": text}], session=session).captured


def test_a_difference_in_meaning_is_never_a_duplicate(me: UserMemory) -> None:
    pairs = [*differing()][::16]
    assert [action.action for action in me.remember_many([text for pair in pairs for text in pair])] == [
        "created"
    ] * 2 * len(pairs)


def test_restyled_words_are_known_again(me: UserMemory) -> None:
    pairs = [*styled()][::16]
    first = me.remember_many([one for one, _ in pairs])
    again = me.remember_many([other for _, other in pairs])
    assert [answer.id for answer in again] == [answer.id for answer in first]


def test_captured_and_stored_are_one_memory(memory: Memory) -> None:
    kinds: list[dict[str, Any]] = [{}, {"type": "preference"}, {"type": "fact", "subject": "user"}]
    for number, (text, fields) in enumerate(zip(MESSAGES[::6], kinds * 2, strict=False)):
        me = memory.user(f"stored{number}")
        stored = me.remember(text, **fields)
        (captured,) = capture(me, text)
        assert (captured.id, me.count()) == (stored.id, 1), text
        kept = me.get(stored.id)
        assert kept.metadata["captured_by"]
        assert kept.value
        me.forget(session="talk")
        assert me.count() == 1, "what was stored by hand depends on no message"


def test_stored_after_it_was_captured_is_the_same_memory(memory: Memory) -> None:
    for number, text in enumerate(MESSAGES[::6]):
        me = memory.user(f"captured{number}")
        (captured,) = capture(me, text)
        old = me.get(captured.id)
        stored = me.remember(text)
        assert (stored.action, stored.id, me.count()) == ("duplicate", captured.id, 1), text
        kept = me.get(captured.id)
        assert (kept.type, kept.subject, kept.key, kept.value) == (old.type, old.subject, old.key, old.value)
        me.forget(session="talk")
        assert me.count() == 1


def test_slots_and_bare_values_stand_side_by_side(memory: Memory, clock: SteppingClock) -> None:
    # bare values of two things stand
    me = memory.user("user 0")
    me.remember("on", type="fact", subject="light.office", key="state", value="on")
    assert me.remember("on", type="fact", subject="light.kitchen", key="state", value="on").action == "created"
    assert me.remember("on").action == "created"
    assert me.remember("Likes tea", subject="Jana").action == "created"
    assert me.remember("Likes tea", subject="Tom").action == "created"
    assert me.remember("Likes tea").action == "created"

    # a repetition takes no slot that another holds
    me = memory.user("user 1")
    me.remember("The door is green", subject="door", key="state")
    holder = me.remember("Gamma", type="preference", subject="door", key="state").id
    assert me.remember("The door is green", type="preference").action == "created"
    held = [row.id for row in me.list().items if row.type == "preference" and row.key]
    assert held == [holder]

    # what ends before the repeated begins holds from now
    me = memory.user("user 2")
    now = clock.now()
    first = me.remember("Alpha", valid_from=now + timedelta(hours=50)).id
    me.remember("Alpha", valid_until=now + timedelta(hours=5))
    (row,) = me.list().items
    assert row.id == first
    assert row.valid_until is not None
    assert row.valid_from < row.valid_until

    # a captured slot supersedes through the stored words
    me = memory.user("user 3")
    (old,) = capture(me, "Remember that I live in Prague")
    stored = me.remember("I live in Brno")
    (moved,) = capture(me, "Remember that I live in Brno", "later")
    assert (moved.action, moved.id, moved.existing_id) == ("superseded", stored.id, old.id)
    assert "key" in moved.taken_over
    assert [record.content for record in me.list().items] == ["I live in Brno"]


def test_a_place_is_taken_over_and_a_second_one_is_a_memory_of_its_own(me: UserMemory) -> None:
    first = me.remember("The bakery has good bread")
    placed = me.remember("The bakery has good bread!", **PRAGUE)
    assert (placed.action, placed.id, placed.taken_over) == ("duplicate", first.id, ("place",))
    assert me.remember("The bakery has good bread", **PRAGUE).taken_over == ()
    elsewhere = me.remember("The bakery has good bread", **BRNO)
    assert elsewhere.action == "created"
    for where, memory_id in ((PRAGUE, first.id), (BRNO, elsewhere.id)):
        hits = me.recall("bakery", location=(where["lat"], where["lng"]), radius_km=5).hits
        assert [hit.id for hit in hits] == [memory_id]
    assert [version.lat for version in me.history(first.id)] == [None, PRAGUE["lat"]]
    assert me.update(elsewhere.id, importance=0.9).importance == 0.9


def test_what_else_is_new_in_a_repetition_is_taken_over(memory: Memory, clock: SteppingClock) -> None:
    me = memory.user("user 0")
    first = me.remember("Dinner with Jana was great", importance=0.4, metadata={"mood": "good", "people": 2})
    again = me.remember(
        "dinner with Jana was great.",
        type="experience",
        importance=0.9,
        metadata={"people": 3, "participants": ["Jana"]},
        source="calendar",
        trust=1,
    )
    assert again.id == first.id
    assert set(again.taken_over) == {"type", "importance", "participants", "metadata"}
    kept = me.get(first.id)
    assert (kept.type, kept.importance, kept.source, kept.trust) == ("experience", 0.9, "user_stated", 3)
    assert kept.metadata == {"mood": "good", "people": 3, "participants": ["Jana"], "also_from": ["calendar"]}
    assert me.remember("Dinner with Jana was great", importance=0.1).taken_over == ()

    # a better source is taken and the other noted
    me = memory.user("user 1")
    first = me.remember("The bridge is closed", source="web", trust=0)
    me.remember("The bridge is closed")
    kept = me.get(first.id)
    assert (kept.source, kept.trust, kept.metadata["also_from"]) == ("user_stated", 3, ["web"])

    # two times are two memories
    me = memory.user("user 2")
    now = clock.now()
    first = me.remember("Watered the plants")
    dated = me.remember("Watered the plants", occurred_at=now)
    assert (dated.id, dated.taken_over) == (first.id, ("occurred_at",))
    assert me.remember("Watered the plants", occurred_at=now + timedelta(days=1)).action == "created"
    assert me.remember("Watered the plants", occurred_at=now).id == first.id

    # the newest word about expiry counts
    me = memory.user("user 3")
    soon = clock.now() + timedelta(days=1)
    first = me.remember("The key is under the mat", expires_at=soon)
    again = me.remember("The key is under the mat")
    assert (again.id, again.taken_over) == (first.id, ("expires_at",))
    assert me.get(first.id).expires_at is None
    assert me.remember("The key is under the mat", expires_at=soon).taken_over == ("expires_at",)
    assert me.get(first.id).expires_at == soon
    assert me.import_memories(["The key is under the mat"])[0].taken_over == ()
    clock.advance(days=2)
    assert me.remember("The key is under the mat").action == "created"


def test_many_at_once_decide_as_one_by_one(me: UserMemory, clock: SteppingClock) -> None:
    soon: datetime = clock.now() + timedelta(days=1)
    offered = [
        NewMemory("Tea at four", expires_at=soon),
        NewMemory("tea at four"),
        NewMemory("Tea at four!", **PRAGUE),
        NewMemory("Tea at four", **BRNO),
        NewMemory("Tea at four", type="fact", subject="user", key="teatime", value="four"),
        NewMemory("Tea at five", type="fact", subject="user", key="teatime", value="five"),
    ]
    answers = me.remember_many(offered)
    assert [answer.action for answer in answers] == [
        "created", "duplicate", "duplicate", "created", "duplicate", "superseded",
    ]  # fmt: skip
    assert [answer.taken_over for answer in answers[1:3]] == [("expires_at",), ("place",)]
    assert me.count() == 2
