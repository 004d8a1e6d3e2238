"""Forgetting what was said, with all that was made from it, on both stores."""

from typing import Any

import pytest

from recollect import Memory, NotFound, UserMemory
from recollect.api.conversation import Conversation
from tests.fixtures import OpenMemory, SteppingClock
from tests.rows import every

TEA = "I prefer green tea."


def turn(text: str, answer: str = "I see.") -> list[dict[str, Any]]:
    return [{"role": "user", "content": text}, {"role": "assistant", "content": answer}]


def tulips(me: UserMemory, amount: int = 12) -> Conversation:
    chat = me.conversation("c")
    for number in range(amount):
        chat.append("user", f"Please plant {number + 10} tulips in bed number {number} of the garden.")
    return chat


def active(chat: Conversation) -> list[str]:
    return [message.content for message in chat.messages(limit=1_000) if message.status == "active"]


def test_a_conversation_goes_with_what_was_learned_and_stored_in_it(memory: Memory, me: UserMemory) -> None:
    me.after_turn(turn(TEA), session="s1")
    me.after_turn([{"role": "assistant", "tool_calls": [_action()]}], session="s1")
    me.conversation("s1").compact(keep_recent=0)
    me.remember("The pump is in the attic", session="s1")
    kept = me.remember("Grandmother was born in Olomouc", session="s2")
    me.after_turn(turn("I live in Brno."), session="s2")
    answer = me.forget(session="s1")
    assert answer.action == "deleted"
    assert len(answer.ids) == 4 + 3  # three messages and their summary; a preference, an event, a memory
    assert me.conversation("s1").messages() == ()
    assert [info.id for info in me.conversations()] == ["s2"]
    assert {record.content for record in me.list().items} == {"Grandmother was born in Olomouc", "I live in Brno"}
    assert me.get(kept.id)
    assert not any("tea" in hit.content for hit in me.search_context("green tea", limit=50, only_related=False).hits)
    assert me.forget(session="s1").action == "not_found"
    assert memory.doctor() == ()


def _action() -> dict[str, Any]:
    return {"id": "t", "name": "turn_on", "arguments": {"entity_id": "light.garage"}}


def test_a_memory_goes_with_the_last_message_that_taught_it(memory: Memory) -> None:
    # a memory heard in two conversations survives the first
    me = memory.user("user 0")
    for session in ("s1", "s2"):
        me.after_turn(turn(TEA), session=session)
    (kept,) = me.list().items
    me.forget(session="s1")
    assert [record.id for record in me.list().items] == [kept.id]
    assert memory.doctor() == ()
    me.forget(session="s2")
    assert me.count() == 0
    assert memory.doctor() == ()

    # a memory that was stored by hand does not depend on who repeats it
    me = memory.user("user 1")
    me.remember(TEA[:-1], type="preference", subject="user", value="green tea")
    (again,) = me.after_turn(turn(TEA), session="s1").captured
    assert again.action == "duplicate"
    me.forget(session="s1")
    assert me.count() == 1

    # a message takes along what only it taught
    me = memory.user("user 2")
    me.after_turn(turn(TEA), session="s1")
    me.after_turn(turn("I live in Brno."), session="s1")
    said = me.conversation("s1").messages()
    answer = me.forget(said[0].id)
    assert answer.id == said[0].id
    assert len(answer.ids) == 2
    assert [record.content for record in me.list().items] == ["I live in Brno"]
    assert [message.id for message in me.conversation("s1").messages()] == [message.id for message in said[1:]]
    assert memory.doctor() == ()

    # whoever says it again is heard
    me = memory.user("user 3")
    me.after_turn(turn(TEA), session="s1")
    me.forget(session="s1")
    assert me.before_prompt(TEA, session="s1").message_id is not None
    assert len(me.after_turn(turn(TEA), session="s1").captured) == 1
    chat = me.conversation("c")
    first = chat.append("user", "Hello", id="m1")
    assert first.id is not None
    me.forget(first.id)
    assert chat.append("user", "Hello", id="m1").action == "created"


def test_a_folded_message_takes_its_summary_along_and_the_rest_becomes_active(memory: Memory) -> None:
    me = memory.user("user 0")
    chat = tulips(me)
    summary = chat.compact(keep_recent=4).summary
    assert summary is not None
    said = chat.messages()
    answer = me.forget(said[2].id)
    assert set(answer.ids) == {said[2].id, summary.id}
    assert chat.summary() is None
    assert active(chat) == [message.content for message in said if message.id != said[2].id]
    assert memory.doctor() == ()
    again = chat.compact(keep_recent=4)
    assert (again.action, again.folded) == ("compacted", 7)
    assert "12 tulips" not in again.summary.content  # type: ignore[union-attr]
    assert memory.doctor() == ()

    # a summary alone can be forgotten and its originals are active again
    me = memory.user("user 1")
    chat = tulips(me)
    summary = chat.compact(keep_recent=0).summary
    assert summary is not None
    assert me.forget(summary.id).ids == (summary.id,)
    assert chat.summary() is None
    assert len(active(chat)) == 12
    assert memory.doctor() == ()

    # a message that belongs to an exchange leaves the rest standing
    me = memory.user("user 2")
    chat = me.conversation("c")
    chat.append("user", "Look.")
    chat.append("assistant", tool_calls=[{"id": "t", "name": "look"}])
    result = chat.append("tool", "a rake", tool_call_id="t")
    assert result.id is not None
    me.forget(result.id)
    assert [message.content for message in chat.window().messages] == ["Look."]
    assert chat.window().omitted == 1
    assert memory.doctor() == ()


def test_only_the_summaries_that_told_it_go(memory: Memory, me: UserMemory) -> None:
    chat = tulips(me, 8)
    first = chat.compact(keep_recent=0).summary
    for number in range(3):
        chat.append("user", f"Please plant {number + 50} roses behind the house.")
    second = chat.compact(keep_recent=0).summary
    chat.append("user", "Please mow the lawn on Friday.")
    third = chat.compact(keep_recent=0).summary
    assert first and second and third  # noqa: PT018 - for mypy
    rose = next(message for message in chat.messages() if "50 roses" in message.content)
    answer = me.forget(rose.id)
    assert set(answer.ids) == {rose.id, second.id, third.id}
    assert chat.summary() == first
    assert active(chat) == [
        "Please plant 51 roses behind the house.",
        "Please plant 52 roses behind the house.",
        "Please mow the lawn on Friday.",
    ]
    assert memory.doctor() == ()
    tulip = chat.messages()[0]
    me.forget(tulip.id)
    assert chat.summary() is None
    assert len(active(chat)) == 7 + 3
    assert memory.doctor() == ()


def test_the_summary_of_a_session_does_not_outlive_what_it_tells(open_memory: OpenMemory) -> None:
    memory = open_memory(session_summaries=True)
    me = memory.user("me")
    chat = tulips(me, 4)
    chat.append("user", "Please tell nobody about the treasure under bed number 9.")
    kept = me.end_session("c")
    assert kept is not None
    secret = chat.messages()[-1]
    me.forget(secret.id)
    with pytest.raises(NotFound):
        me.get(kept.id)
    assert memory.doctor() == ()


def test_all_from_one_source(memory: Memory, me: UserMemory) -> None:
    gone = [me.remember(f"Page {number} says so", source="web", trust=0).id for number in range(3)]
    kept = me.remember("The pump is in the attic")
    answer = me.forget(source="web")
    assert set(answer.ids) == set(gone)
    assert [record.id for record in me.list().items] == [kept.id]
    assert me.forget(source="web").action == "not_found"
    assert memory.doctor() == ()


def test_everything(memory: Memory, me: UserMemory, clock: SteppingClock) -> None:
    me.after_turn(turn(TEA), session="s1")
    tulips(me).compact(keep_recent=2)
    me.conversation("private").set_private()
    you = memory.user("you")
    you.after_turn(turn(TEA), session="s1")
    answer = me.forget(everything=True)
    assert len(answer.ids) == 2 + 1 + 12 + 1
    assert (me.conversations(), me.count(), me.stats().messages, me.stats().pending_jobs) == ((), 0, 0, 0)
    assert (you.count(), you.stats().messages, len(you.conversations())) == (1, 2, 1)
    assert me.forget(everything=True).action == "not_found"
    assert memory.doctor() == ()
    assert me.after_turn(turn(TEA), session="s1").saved == 0, "a history that is delivered again brings nothing back"
    assert me.conversations() == ()
    assert me.forget(everything=True, allow_again=True).action == "not_found"
    assert me.after_turn(turn(TEA), session="s1").saved == 2


def test_a_dry_run_changes_nothing(me: UserMemory) -> None:
    me.after_turn(turn(TEA), session="c")
    chat = tulips(me)
    chat.compact(keep_recent=2)
    before = (chat.messages(), chat.summary(), me.list().items)
    first = chat.messages()[0].id
    for asked in ({"session": "c"}, {"id": first}, {"everything": True}):
        answer = me.forget(**asked, dry_run=True)
        assert (answer.action, answer.dry_run) == ("would_delete", True)
        assert first in answer.ids
    assert (chat.messages(), chat.summary(), me.list().items) == before


def test_a_value_that_was_learned_elsewhere_holds_again(memory: Memory) -> None:
    me = memory.user("user 0")
    me.after_turn(turn("My name is Anna."), session="s1")
    me.after_turn(turn("My name is Hana."), session="s2")
    (name,) = me.list(subject="user", key="name").items
    assert name.value == "Hana"
    me.forget(session="s2")
    (name,) = me.list(subject="user", key="name").items
    assert (name.value, len(me.history(name.id))) == ("Anna", 1)
    assert memory.doctor() == ()

    # what a forgotten message taught gives its place back
    me = memory.user("user 1")
    me.remember("Home is Graz", type="fact", subject="user", key="home", value="Graz")
    me.after_turn(turn("I live in Brno."), session="s1")
    (home,) = me.list(subject="user", key="home").items
    assert home.value == "Brno"
    edited = me.update(home.id, importance=0.2)
    me.forget(me.conversation("s1").messages()[0].id)
    (home,) = me.list(subject="user", key="home").items
    assert (home.value, [record.id for record in me.history(home.id)]) == ("Graz", [home.id])
    assert edited.id != home.id
    assert memory.doctor() == ()

    # forgetting a source takes back what it had replaced
    me = memory.user("user 2")
    me.facts.set("light.office", "location", "the office")
    me.facts.set("light.office", "location", "the attic", source="user:phone")
    me.facts.set("light.office", "location", "the cellar", source="user:phone")
    assert len(me.forget(source="user:phone").ids) == 2
    (fact,) = me.facts("light.office")
    assert (fact.value, len(me.history(fact.id))) == ("the office", 1)
    assert memory.doctor() == ()


@every("named", [True, False])
def test_what_was_forgotten_does_not_come_back_with_the_history(memory: Memory, *, named: bool) -> None:
    me = memory.user(f"named {named}")
    history: list[dict[str, Any]] = []
    for number, text in enumerate([TEA, "I live in Brno.", "The roof is done."]):
        history += turn(text, f"Answer {number}.")
        if named:
            history[-2]["id"], history[-1]["id"] = f"u{number}", f"a{number}"
        me.after_turn(history, session="s1")
    me.forget(me.conversation("s1").messages()[0].id)
    outcome = me.after_turn([*history, *turn("And the door is blue.", "Fine.")], session="s1")
    assert (outcome.saved, outcome.captured) == (2, ())
    said = [message.content for message in me.conversation("s1").messages()]
    assert said == [
        "Answer 0.",
        "I live in Brno.",
        "Answer 1.",
        "The roof is done.",
        "Answer 2.",
        "And the door is blue.",
        "Fine.",
    ]
    assert TEA[:-1] not in [record.content for record in me.list().items]
