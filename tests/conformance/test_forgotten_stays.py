"""The forgotten stays forgotten: no import, sync, redelivery or late reading brings it back, what is said anew does."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from recollect import InvalidInput, Memory, NewMemory, NewMessage, UserMemory
from recollect.engine.base import embedders
from recollect.engine.conversations import capture
from recollect.errors import StaleVersion
from recollect.model.files import TextPiece
from recollect_connect.importing.deliver import importing
from tests.fixtures import OpenMemory, SteppingClock

MAY = datetime(2024, 5, 1, 10, tzinfo=UTC)
CODE = "The code of the cellar door is 4711"
BRNO: Any = {"type": "fact", "subject": "me", "key": "city", "value": "Brno"}
OLD = [
    NewMemory(CODE),
    NewMemory("Lives in Brno", **BRNO),
    NewMemory("My home is Brno", **BRNO),  # in other words, but of the same slot and value
    NewMemory("Met Anna", type="event", occurred_at=MAY),
]
TALK = [NewMessage("user", "I prefer oat milk in my coffee.", id="m1"), NewMessage("assistant", "Noted.", id="m2")]


def _actions(me: UserMemory) -> list[str]:
    return [result.action for result in me.import_memories(OLD)]


def _contents(me: UserMemory) -> set[str]:
    return {record.content for record in me.list().items}


@pytest.fixture
def memory(open_memory: OpenMemory) -> Memory:
    return open_memory(embedding__provider="none")


def _one_by_one(me: UserMemory) -> None:
    for record in me.list().items:
        me.forget(record.id)


WAYS: dict[str, Callable[[UserMemory], object]] = {
    "one by one": _one_by_one,
    "by session": lambda me: me.forget(session="s"),
    "by source": lambda me: me.forget(source="notebook"),
    "everything": lambda me: me.forget(everything=True),
}


def test_no_import_brings_a_forgotten_memory_back(memory: Memory, subtests: pytest.Subtests) -> None:
    for way, forget in WAYS.items():
        with subtests.test(way=way):
            me = memory.user(way)
            me.remember(CODE.upper() + ".", session="s", source="notebook")
            me.remember("Lives in Brno", session="s", source="notebook", **BRNO)
            me.remember("Met Anna", type="event", occurred_at=MAY, session="s", source="notebook")
            forget(me)
            assert _actions(me) == ["forgotten"] * 4
            other_day = NewMemory("Met Anna", type="event", occurred_at=MAY + timedelta(days=31))
            assert [result.action for result in me.import_memories([other_day, "The pump is in the attic"])] == [
                "created"
            ] * 2
            assert _contents(me) == {"Met Anna", "The pump is in the attic"}
            assert memory.user(f"not {way}").import_memories([CODE])[0].action == "created", (
                "others forget for themselves"
            )
            assert memory.doctor() == ()


def test_an_edited_memory_is_forgotten_in_all_its_versions(me: UserMemory) -> None:
    stored = me.remember("The safe is blue")
    me.update(stored.id, content="The safe is green")
    me.forget(stored.id)
    assert [one.action for one in me.import_memories(["The safe is blue", "The safe is green"])] == ["forgotten"] * 2


def test_what_is_stored_anew_is_accepted_and_known_from_then_on(me: UserMemory) -> None:
    for many in (False, True):
        kept = me.remember_many([CODE])[0] if many else me.remember(CODE)
        assert kept.action == "created"
        assert me.import_memories([CODE])[0].action == "duplicate"
        me.forget(kept.id)
        assert me.import_memories([CODE])[0].action == "forgotten"


def test_what_expires_may_come_again(me: UserMemory, memory: Memory, clock: SteppingClock) -> None:
    me.remember(CODE, expires_at=clock.now())
    memory.maintain()
    assert me.import_memories([CODE])[0].action == "created"


def test_a_fresh_start_lets_everything_come_again(me: UserMemory) -> None:
    me.import_memories(OLD)
    me.conversation("c").import_messages(TALK)
    me.forget(everything=True)
    assert {one.action for one in me.conversation("c").import_messages(TALK)} == {"forgotten"}
    assert me.conversations() == (), "not even an empty conversation comes back"
    with pytest.raises(InvalidInput, match="allow_again goes with everything"):
        me.forget(session="c", allow_again=True)
    me.forget(everything=True, allow_again=True)
    assert "forgotten" not in _actions(me)
    assert {one.action for one in me.conversation("c").import_messages(TALK)} == {"created"}


def test_a_redelivered_history_is_not_read_again(me: UserMemory) -> None:
    (learned,) = me.after_turn(TALK, session="c").captured
    me.forget(learned.id)
    for _ in range(2):
        assert me.after_turn(TALK, session="c").captured == ()
    old = [NewMessage("user", TALK[0].content, said_at=MAY)]
    assert me.after_turn(old, session="a copy of it").captured == ()
    assert _contents(me) == set()
    (again,) = me.after_turn([NewMessage("user", TALK[0].content)], session="today").captured
    assert again.action == "created"


def test_a_message_that_waits_to_be_read_does_not_bring_back_what_is_forgotten(open_memory: OpenMemory) -> None:
    memory = open_memory(embedding__provider="none", capture__when="worker")
    me = memory.user("me")
    me.after_turn(TALK, session="c")
    memory.maintain()
    (record,) = me.list().items
    me.after_turn([NewMessage("user", TALK[0].content)], session="d")
    me.forget(record.id)
    memory.maintain()
    assert _contents(me) == set()
    me.after_turn([NewMessage("user", TALK[0].content)], session="e")
    memory.maintain()
    assert _contents(me) == {record.content}


def test_a_message_that_is_dated_after_the_forgetting_is_new(me: UserMemory, clock: SteppingClock) -> None:
    me.after_turn(TALK, session="c")
    me.forget(session="c")
    assert me.after_turn(TALK, session="c").saved == 0
    later = NewMessage("user", TALK[0].content, said_at=clock.now())
    clock.advance(minutes=1)
    assert me.after_turn([later], session="c").saved == 1


def test_an_import_stops_when_everything_is_forgotten_meanwhile(me: UserMemory) -> None:
    coming = importing(me)
    coming.import_memories([CODE])
    me.forget(everything=True)
    piece = TextPiece("The boiler hums.", "", 1, 1)
    writes: tuple[Callable[[], object], ...] = (
        lambda: coming.import_memories(["The pump is in the attic"]),
        lambda: coming.conversation("c").import_messages(TALK),
        lambda: coming.files.add_pieces("boiler.md", [piece]),
    )
    for write in writes:
        with pytest.raises(StaleVersion, match="Everything was forgotten meanwhile"):
            write()
    assert (me.count(), me.conversations(), me.files.list().items) == (0, (), ())
    assert importing(me).import_memories(["The pump is in the attic"])[0].action == "created"


@pytest.mark.parametrize("everything", [True, False])
def test_no_vector_is_written_for_what_is_forgotten_while_it_is_embedded(
    open_memory: OpenMemory, monkeypatch: pytest.MonkeyPatch, *, everything: bool
) -> None:
    memory = open_memory()
    me = memory.user("me")
    gone = me.remember_many([CODE, "The pump is in the attic"], wait=False)[0]
    embed = embedders.embed

    def forget_meanwhile(*asked: Any) -> Any:
        vectors = embed(*asked)
        me.forget(everything=True) if everything else me.forget(gone.id)
        return vectors

    monkeypatch.setattr(embedders, "embed", forget_meanwhile)
    memory.embed_waiting()
    assert (memory.stats().vectors, memory.stats().pending_jobs) == (0 if everything else 1, 0)
    assert memory.doctor() == ()


def test_a_message_teaches_nothing_that_is_forgotten_while_it_is_read(
    open_memory: OpenMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = open_memory(embedding__provider="none", capture__when="worker")
    me = memory.user("me")
    me.after_turn(TALK, session="c")
    memory.maintain()
    (record,) = me.list().items
    learn = capture.learn

    def forget_meanwhile(*asked: Any) -> Any:
        learned = learn(*asked)
        assert learned.findings
        me.forget(record.id)
        return learned

    me.after_turn([NewMessage("user", TALK[0].content)], session="d")
    monkeypatch.setattr(capture, "learn", forget_meanwhile)
    memory.maintain()
    assert _contents(me) == set()
