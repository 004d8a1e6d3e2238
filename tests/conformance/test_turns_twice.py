"""A turn that is delivered more than once has one effect, however its host names its messages, on both stores."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

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
    kept = me.conversation("s1").messages(limit=1_000)
    assert [(message.role, message.content) for message in kept] == EXPECTED, me.user_id
    learned = ["I live in Brno", "I prefer oat milk in my coffee", "turn_on light.garage"]
    assert sorted(record.content for record in me.list().items) == learned, me.user_id
    once = memory.user("who said it once")
    once.after_turn(TURNS[0], session="s1")
    assert [one.confidence for one in me.preferences()] == [one.confidence for one in once.preferences()], me.user_id
    assert memory.doctor() == ()


def test_each_turn_twice(memory: Memory) -> None:
    for naming in NAMING:
        me = memory.user(naming)
        for number in range(len(TURNS)):
            outcomes = [me.after_turn(named(naming, delivery)[number], session="s1") for delivery in (0, 1)]
            assert outcomes[1].saved == 0, naming
            assert (outcomes[1].captured, outcomes[1].events) == ((), ()), naming
        check(memory, me)


def test_the_whole_conversation_each_time(memory: Memory) -> None:
    for naming in NAMING:
        for saved_before in (False, True):
            me = memory.user(f"{naming}, the request {'' if saved_before else 'not '}saved before each prompt")
            for number in range(len(TURNS)):
                for delivery in (0, 1) if saved_before else ():
                    request = named(naming, delivery)[number][0]
                    me.before_prompt(request["content"], session="s1", id=request.get("id", ""))
                for delivery in (0, 1):
                    history = [message for turn in named(naming, delivery)[: number + 1] for message in turn]
                    me.after_turn(history, session="s1")
            check(memory, me)


def test_a_system_prompt_in_front_does_not_make_known_messages_new(memory: Memory) -> None:
    for prompt, kept_prompts in (("You are kind.", 1), ("You are kind. It is {number} o'clock.", len(TURNS))):
        me = memory.user(prompt)
        for number, turn in enumerate(TURNS):
            me.before_prompt(turn[0]["content"], session="s1")
            history = [message for turn in TURNS[: number + 1] for message in turn]
            for _ in range(2):
                me.after_turn([{"role": "system", "content": prompt.format(number=number)}, *history], session="s1")
        messages = me.conversation("s1").messages(limit=1_000)
        assert [(one.role, one.content) for one in messages if one.role != "system"] == EXPECTED
        assert sum(one.role == "system" for one in messages) == kept_prompts


def test_a_history_that_lacks_its_beginning_was_folded_or_comes_late(memory: Memory) -> None:
    # a host that forgets the beginning
    me = memory.user("user 0")
    for number in range(len(TURNS)):
        history = [message for turn in TURNS[max(0, number - 1) : number + 1] for message in turn]
        me.after_turn(history, session="s1")
    check(memory, me)

    # after a compaction
    me = memory.user("user 1")
    told: list[Said] = []
    for turn in TURNS:
        told += turn
        me.after_turn(told, session="s1")
        me.conversation("s1").compact(keep_recent=0)
    check(memory, me)

    # a named turn that comes late brings its unnamed answer to mind
    me = memory.user("user 2")
    turns = named("users")
    for number, turn in enumerate(turns):
        me.after_turn(turn, session="s1")
        me.after_turn(turns[0], session="s1")
        me.after_turn(turns[number // 2], session="s1")
    check(memory, me)


def test_words_that_repeat_and_ids_that_come_late_tell_turns_apart(memory: Memory) -> None:
    # an answer in the same words as the one before is new
    me = memory.user("user 0")
    for number in range(3):
        me.before_prompt(f"Question {number}", session="s1", id=f"u{number}")
        turn = [
            {"role": "user", "content": f"Question {number}", "id": f"u{number}"},
            {"role": "assistant", "content": "ok"},
        ]
        assert [me.after_turn(turn, session="s1").saved for _ in range(2)] == [1, 0]
    assert [message.content for message in me.conversation("s1").messages()].count("ok") == 3

    # a turn that ended in a thought
    me = memory.user("user 1")
    turn = [{"role": "user", "content": "Where is it?"}, {"role": "reasoning", "content": "Hmm."}]
    assert [me.after_turn(turn, session="s1").saved for _ in range(3)] == [2, 0, 0]

    # an id that is told later names the message and not its neighbour
    me = memory.user("user 2")
    for delivery in (0, 1):
        me.after_turn(named("second", delivery)[0], session="s1")
    names = {message.role: message.external_id for message in me.conversation("s1").messages()}
    assert (names["user"], names["assistant"]) == ("m1", "m2")

    # one id for a whole turn does not break it
    me = memory.user("user 3")
    me.after_turn(TURNS[3], session="s1")
    me.after_turn([{**message, "id": "turn"} for message in TURNS[3]], session="s1")
    assert len(me.conversation("s1").messages()) == 2
    assert memory.doctor() == ()

    # the same words in another conversation are another turn
    me = memory.user("user 4")
    for session in ("s1", "s2"):
        assert me.after_turn(TURNS[3], session=session).saved == 2


def test_from_two_threads_at_once(memory: Memory) -> None:
    for naming in ("all", "none", "users"):
        me = memory.user(naming)
        for number in range(len(TURNS)):
            history = [message for turn in named(naming)[: number + 1] for message in turn]
            start = Barrier(2)

            def deliver(_: int, me: UserMemory = me, said: list[Said] = history, start: Barrier = start) -> TurnOutcome:
                start.wait()
                return me.after_turn(said, session="s1")

            with ThreadPoolExecutor(2) as threads:
                outcomes = [*threads.map(deliver, range(2))]
            saved = len(TURNS[number]) + (1 if number == 0 else 0)
            assert sorted(outcome.saved for outcome in outcomes) == [0, saved], naming
            learned = sum(len(outcome.captured) + len(outcome.events) for outcome in outcomes)
            assert learned == (number != 2), naming
        check(memory, me)
