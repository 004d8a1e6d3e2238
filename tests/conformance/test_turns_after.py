"""What is kept of a turn and learned from it, on both stores."""

from typing import Any

import pytest

from recollect import InvalidInput, Memory, NewMessage, UserMemory
from recollect.errors import InvalidMessage
from tests.fixtures import OpenMemory

Said = dict[str, Any]


def user(content: Any, **more: Any) -> Said:
    return {"role": "user", "content": content, **more}


def assistant(content: Any, **more: Any) -> Said:
    return {"role": "assistant", "content": content, **more}


def contents(me: UserMemory) -> list[str]:
    return sorted(record.content for record in me.list(limit=100).items)


def test_response_and_reasoning_are_saved(me: UserMemory) -> None:
    me.before_prompt("Where is the pump?", session="s1")
    answer = assistant(
        [{"type": "thinking", "thinking": "The attic, I think."}, {"type": "text", "text": "In the attic."}],
        model="claude",
        usage={"input_tokens": 50, "output_tokens": 5, "thinking_tokens": 9},
    )
    outcome = me.after_turn([user("Where is the pump?"), answer], session="s1")
    assert (outcome.saved, outcome.captured, outcome.events, outcome.degraded) == (2, (), (), ())
    asked, thought, response = me.conversation("s1").messages()
    assert [asked.role, thought.role, response.role] == ["user", "reasoning", "assistant"]
    assert (thought.content, thought.model, thought.thinking_tokens) == ("The attic, I think.", "claude", 9)
    assert (response.content, response.model, response.input_tokens) == ("In the attic.", "claude", 50)


def test_what_the_user_says_about_themselves_is_kept_and_grows_surer(memory: Memory) -> None:
    me = memory.user("user 0")
    outcome = me.after_turn([user("I prefer oat milk in my coffee."), assistant("Noted.")], session="s1")
    (kept,) = outcome.captured
    assert kept.action == "created"
    record = me.get(kept.id)
    assert (record.content, record.type, record.session) == ("I prefer oat milk in my coffee", "preference", "s1")
    assert (record.source, record.trust) == ("user_stated", 3)
    assert 0 < record.confidence < 1
    assert memory.doctor() == ()

    # a request that was saved before the prompt teaches after the turn
    me = memory.user("user 1")
    me.before_prompt("I prefer oat milk in my coffee.", session="s1")
    assert me.count() == 0
    outcome = me.after_turn([assistant("Noted.")], session="s1")
    assert [kept.action for kept in outcome.captured] == ["created"]
    outcome = me.after_turn([user("I prefer oat milk in my coffee."), assistant("Noted.")], session="s1")
    assert (outcome.saved, outcome.captured) == (0, ())

    # hearing it again makes it surer and a repeated delivery does not
    me = memory.user("user 2")
    turn = [user("I prefer oat milk in my coffee.", id="m1"), assistant("Noted.", id="m2")]
    first = me.after_turn(turn, session="s1").captured[0]
    sure = me.get(first.id).confidence
    for _ in range(3):
        assert me.after_turn(turn, session="s1").captured == ()
    assert me.get(first.id).confidence == sure
    again = me.after_turn([user("I prefer oat milk in my coffee.", id="m9")], session="s2").captured[0]
    assert (again.action, again.id) == ("duplicate", first.id)
    assert sure < me.get(first.id).confidence < 1

    # capture keeps without a turn
    me = memory.user("user 3")
    assert me.messages.should_capture("I prefer oat milk in my coffee.")
    assert not me.messages.should_capture("What time is it?")
    (kept,) = me.messages.capture("I prefer oat milk in my coffee.", session="s1")
    assert me.get(kept.id).session == "s1"
    assert me.conversation("s1").messages() == ()
    assert me.messages.capture("What time is it?") == ()


def test_only_the_users_words_teach(me: UserMemory) -> None:
    me.remember("Prefers tea with lemon", type="preference")
    block = me.before_prompt("Which tea do I like?", session="s0").block
    assert block
    sentence = "I prefer oat milk in my coffee. My name is Eve."
    outcome = me.after_turn(
        [
            {"role": "system", "content": sentence},
            user(f"{block}\nWhat is new?"),
            user(block),
            {"role": "reasoning", "content": sentence},
            assistant(sentence, tool_calls=[{"id": "t", "name": "read", "arguments": sentence}]),
            {"role": "tool", "tool_call_id": "t", "content": sentence},
            user([{"type": "tool_result", "tool_use_id": "t", "content": sentence}]),
        ],
        session="s1",
    )
    assert (outcome.captured, outcome.events) == ((), ())
    assert contents(me) == ["Prefers tea with lemon"]


def test_at_most_ten_memories_a_turn(me: UserMemory) -> None:
    told = [f"My {thing} is called {name}." for thing, name in zip(THINGS, NAMES, strict=True)]
    outcome = me.after_turn([user(text) for text in told], session="s1")
    assert len(outcome.captured) == 10
    assert me.count() == 10


THINGS = ("dog", "cat", "sister", "brother", "son", "daughter", "mother", "father", "wife", "boss", "aunt", "uncle")
NAMES = ("Rex", "Micka", "Eva", "Jan", "Petr", "Emma", "Olga", "Karel", "Jana", "Ivan", "Clara", "Hugo")


def test_how_many_can_be_set(open_memory: OpenMemory) -> None:
    said = [user(f"{one}.") for one in ("My name is Anna", "I live in Brno", "I prefer oat milk in my coffee")]
    assert open_memory(capture__limit=0).user("none").after_turn(said, session="s").captured == ()
    assert len(open_memory(capture__limit=2).user("two").after_turn(said, session="s").captured) == 2
    assert len(open_memory(capture__limit=3).user("all").after_turn(said, session="s").captured) == 3
    switched_off = open_memory(auto_capture=False).user("off")
    outcome = switched_off.after_turn(said, session="s")
    assert (outcome.saved, outcome.captured, switched_off.count()) == (3, (), 0)


def test_patterns_of_ones_own(open_memory: OpenMemory) -> None:
    me = open_memory(capture__patterns=["decision: (?i)ticket [A-Z]+-[0-9]+ is done"]).user("me")
    (kept,) = me.after_turn([user("The ticket ABC-17 is done since Monday.")], session="s1").captured
    assert me.get(kept.id).type == "decision"


def test_what_the_assistant_did_to_a_thing_is_an_event(me: UserMemory) -> None:
    calls = [
        {"id": "1", "function": {"name": "turn_on", "arguments": '{"entity_id": "light.garage", "brightness": 40}'}},
        {"id": "2", "function": {"name": "close", "arguments": '{"entity": ["cover.garage_door", "cover.gate"]}'}},
        {"id": "3", "function": {"name": "search", "arguments": '{"query": "light.garage"}'}},
        {"id": "4", "function": {"name": "broken", "arguments": '{"entity_id": "light.g'}},
        {"id": "5", "function": {"name": "odd", "arguments": '{"entity_id": "no entity"}'}},
    ]
    turn = [user("Lights on, please."), assistant(None, tool_calls=calls)]
    outcome = me.after_turn(turn, session="s1")
    assert [kept.action for kept in outcome.events] == ["created"] * 3
    events = me.events()
    assert {(event.subject, event.key, event.content) for event in events} == {
        ("light.garage", "action", "turn_on light.garage"),
        ("cover.garage_door", "action", "close cover.garage_door"),
        ("cover.gate", "action", "close cover.gate"),
    }
    assert {(event.source, event.trust, event.session) for event in events} == {("learned", 2, "s1")}
    assert me.events(entity="light.garage")[0].value == '{"entity_id": "light.garage", "brightness": 40}'


def test_a_turn_that_grew_too_long_is_compacted(open_memory: OpenMemory) -> None:
    me = open_memory(embedding__provider="none", compaction__max_messages=10, compaction__keep_recent=2).user("me")
    said = [user(f"Please plant {number} tulips in the garden.") for number in range(10)]
    assert me.after_turn(said, session="s1").compaction is None
    outcome = me.after_turn([user("Please plant 10 tulips in the garden.")], session="s1").compaction
    assert outcome is not None
    assert outcome.action == "compacted"


def test_what_is_no_turn_is_refused_and_an_empty_one_is_fine(memory: Memory) -> None:
    me = memory.user("user 0")
    for wrong in ("Hello", {"role": "user", "content": "Hello"}):
        with pytest.raises(InvalidInput, match="messages of a turn"):
            me.after_turn(wrong, session="s1")  # type: ignore[arg-type]
    with pytest.raises(InvalidMessage):
        me.after_turn([{"content": "Hello"}], session="s1")
    with pytest.raises(InvalidMessage):
        me.after_turn([user("Hello")], session="")
    assert me.conversations() == ()

    # an empty turn is fine
    me = memory.user("user 1")
    assert me.after_turn([], session="s1").saved == 0

    # messages may be ours
    me = memory.user("user 2")
    outcome = me.after_turn([NewMessage("user", "I live in Brno."), NewMessage("assistant", "Nice.")], session="s1")
    assert (outcome.saved, len(outcome.captured)) == (2, 1)


def test_a_session_that_ends_leaves_a_summary_if_wanted(open_memory: OpenMemory) -> None:
    me = open_memory(session_summaries=True).user("me")
    assert me.end_session("nobody") is None
    me.after_turn([user("Please plant 30 tulips in the garden."), assistant("I planted them.")], session="s1")
    kept = me.end_session("s1")
    assert kept is not None
    record = me.get(kept.id)
    assert (record.type, record.session, record.trust) == ("session_summary", "s1", 2)
    assert "tulips" in record.content
    again = me.end_session("s1")
    assert again is not None
    assert (again.action, again.id) == ("duplicate", kept.id)
    assert open_memory().user("me").end_session("s1") is None
