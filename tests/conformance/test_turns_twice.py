"""A turn that is delivered more than once has one effect, however its host names its messages, on both stores."""

from threading import Barrier, Thread
from typing import Any

import pytest

from recollect import Memory, TurnOutcome, UserMemory

Said = dict[str, Any]

TURNS: list[list[Said]] = [
    [
        {"role": "user", "content": "I prefer oat milk in my coffee."},
        {
            "role": "assistant",
            "content": [{"type": "thinking", "thinking": "Note it."}, {"type": "text", "text": "Noted."}],
        },
    ],
    [
        {"role": "user", "content": "yes"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "t1", "function": {"name": "turn_on", "arguments": '{"entity_id": "light.garage"}'}}],
        },
        {"role": "tool", "tool_call_id": "t1", "content": "done"},
        {"role": "assistant", "content": "It is on."},
    ],
    [{"role": "user", "content": "yes"}, {"role": "assistant", "content": "It is on."}],
    [{"role": "user", "content": "I live in Brno."}, {"role": "assistant", "content": "Nice."}],
]
EXPECTED = [
    ("user", "I prefer oat milk in my coffee."), ("reasoning", "Note it."), ("assistant", "Noted."),
    ("user", "yes"), ("assistant", ""), ("tool", "done"), ("assistant", "It is on."),
    ("user", "yes"), ("assistant", "It is on."),
    ("user", "I live in Brno."), ("assistant", "Nice."),
]  # fmt: skip
NAMING = ("all", "none", "users", "second")


def named(naming: str, delivery: int = 0) -> list[list[Said]]:
    """Give the turns with ids on all messages, on none, on the user's, or from the second delivery on."""
    number, turns = 0, []
    for turn in TURNS:
        made = []
        for message in turn:
            number += 1
            wanted = {"all": True, "none": False, "users": message["role"] == "user", "second": delivery > 0}[naming]
            made.append({**message, "id": f"m{number}"} if wanted else message)
        turns.append(made)
    return turns


def check(memory: Memory, me: UserMemory) -> None:
    """See that everything is there once."""
    kept = me.conversation("s1").messages(limit=1_000)
    assert [(message.role, message.content) for message in kept] == EXPECTED
    assert sorted(record.content for record in me.list().items) == [
        "I live in Brno",
        "I prefer oat milk in my coffee",
        "turn_on light.garage",
    ]
    once = memory.user("who said it once")
    once.after_turn(TURNS[0], session="s1")
    assert [record.confidence for record in me.preferences()] == [record.confidence for record in once.preferences()]
    assert memory.doctor() == ()


@pytest.mark.parametrize("naming", NAMING)
def test_each_turn_twice(memory: Memory, me: UserMemory, naming: str) -> None:
    for number in range(len(TURNS)):
        outcomes = [me.after_turn(named(naming, delivery)[number], session="s1") for delivery in (0, 1)]
        assert [outcome.saved for outcome in outcomes][1:] == [0]
        assert (outcomes[1].captured, outcomes[1].events) == ((), ())
    check(memory, me)


@pytest.mark.parametrize("naming", NAMING)
def test_the_whole_conversation_each_time(memory: Memory, me: UserMemory, naming: str) -> None:
    for number in range(len(TURNS)):
        for delivery in (0, 1):
            history = [message for turn in named(naming, delivery)[: number + 1] for message in turn]
            me.after_turn(history, session="s1")
    check(memory, me)


@pytest.mark.parametrize("naming", NAMING)
def test_with_the_request_saved_before_each_prompt(memory: Memory, me: UserMemory, naming: str) -> None:
    for number in range(len(TURNS)):
        for delivery in (0, 1):
            request = named(naming, delivery)[number][0]
            me.before_prompt(request["content"], session="s1", id=request.get("id", ""))
        for delivery in (0, 1):
            history = [message for turn in named(naming, delivery)[: number + 1] for message in turn]
            me.after_turn(history, session="s1")
    check(memory, me)


@pytest.mark.parametrize("prompt", ["You are kind.", "You are kind. It is {number} o'clock."])
def test_a_system_prompt_in_front_does_not_make_known_messages_new(memory: Memory, me: UserMemory, prompt: str) -> None:
    for number, turn in enumerate(TURNS):
        me.before_prompt(turn[0]["content"], session="s1")
        history = [message for turn in TURNS[: number + 1] for message in turn]
        for _ in range(2):
            me.after_turn([{"role": "system", "content": prompt.format(number=number)}, *history], session="s1")
    kept = [message for message in me.conversation("s1").messages(limit=1_000) if message.role != "system"]
    assert [(message.role, message.content) for message in kept] == EXPECTED
    prompts = [message for message in me.conversation("s1").messages(limit=1_000) if message.role == "system"]
    assert len(prompts) == (1 if "o'clock" not in prompt else len(TURNS))


def test_a_host_that_forgets_the_beginning(memory: Memory, me: UserMemory) -> None:
    for number in range(len(TURNS)):
        history = [message for turn in TURNS[max(0, number - 1) : number + 1] for message in turn]
        me.after_turn(history, session="s1")
    check(memory, me)


def test_after_a_compaction(memory: Memory, me: UserMemory) -> None:
    history: list[Said] = []
    for turn in TURNS:
        history += turn
        me.after_turn(history, session="s1")
        me.conversation("s1").compact(keep_recent=0)
    check(memory, me)


def test_a_named_turn_that_comes_late_brings_its_unnamed_answer_to_mind(memory: Memory, me: UserMemory) -> None:
    turns = named("users")
    for number, turn in enumerate(turns):
        me.after_turn(turn, session="s1")
        me.after_turn(turns[0], session="s1")
        me.after_turn(turns[number // 2], session="s1")
    check(memory, me)


def test_an_answer_in_the_same_words_as_the_one_before_is_new(me: UserMemory) -> None:
    for number in range(3):
        me.before_prompt(f"Question {number}", session="s1", id=f"u{number}")
        turn = [
            {"role": "user", "content": f"Question {number}", "id": f"u{number}"},
            {"role": "assistant", "content": "ok"},
        ]
        assert [me.after_turn(turn, session="s1").saved for _ in range(2)] == [1, 0]
    assert [message.content for message in me.conversation("s1").messages()].count("ok") == 3


def test_a_turn_that_ended_in_a_thought(me: UserMemory) -> None:
    turn = [{"role": "user", "content": "Where is it?"}, {"role": "reasoning", "content": "Hmm."}]
    assert [me.after_turn(turn, session="s1").saved for _ in range(3)] == [2, 0, 0]


@pytest.mark.parametrize("naming", ["all", "none", "users"])
def test_from_two_threads_at_once(memory: Memory, me: UserMemory, naming: str) -> None:
    for number in range(len(TURNS)):
        history = [message for turn in named(naming)[: number + 1] for message in turn]
        start = Barrier(2)
        outcomes: list[TurnOutcome] = []

        def deliver(delivered: list[Said] = history, start: Barrier = start) -> None:
            start.wait()
            outcomes.append(me.after_turn(delivered, session="s1"))  # noqa: B023 - joined below

        threads = [Thread(target=deliver) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        saved = len(TURNS[number]) + (1 if number == 0 else 0)
        assert sorted(outcome.saved for outcome in outcomes) == [0, saved]
        assert sum(len(outcome.captured) + len(outcome.events) for outcome in outcomes) == (number != 2)
    check(memory, me)


def test_an_id_that_is_told_later_names_the_message_and_not_its_neighbour(me: UserMemory) -> None:
    for delivery in (0, 1):
        me.after_turn(named("second", delivery)[0], session="s1")
    names = {message.role: message.external_id for message in me.conversation("s1").messages()}
    assert (names["user"], names["assistant"]) == ("m1", "m2")


def test_one_id_for_a_whole_turn_does_not_break_it(memory: Memory, me: UserMemory) -> None:
    me.after_turn(TURNS[3], session="s1")
    me.after_turn([{**message, "id": "turn"} for message in TURNS[3]], session="s1")
    assert len(me.conversation("s1").messages()) == 2
    assert memory.doctor() == ()


def test_the_same_words_in_another_conversation_are_another_turn(me: UserMemory) -> None:
    for session in ("s1", "s2"):
        assert me.after_turn(TURNS[3], session=session).saved == 2
