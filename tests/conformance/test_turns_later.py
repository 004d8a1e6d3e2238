"""Turns whose messages a worker reads later: the same memories, once, in order, on both stores."""

import json
from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta
from functools import partial
from threading import Event
from typing import Any

import pytest

from recollect import Memory, UserMemory
from recollect.engine.base import threads
from recollect.engine.base.context import Engine
from recollect.engine.conversations import capture, read_queue
from recollect.engine.conversations.capture import TurnLessons
from recollect.errors import StoreDamaged, StoreUnavailable
from recollect.model.memories import Scope
from recollect.model.messages import Message
from recollect.storage.base import ReadJob
from tests.fixtures import OpenMemory, SteppingClock
from tests.llm.server import ChatServer, completion
from tests.waiting import until

TURN: list[dict[str, Any]] = [
    {"role": "user", "content": "I prefer oat milk in my coffee."},
    {"role": "assistant", "content": "Noted.", "tool_calls": [
        {"id": "1", "name": "turn_on", "arguments": '{"entity_id": "light.kitchen"}'}]},
    {"role": "tool", "content": "done", "tool_call_id": "1"},
]  # fmt: skip
LEARNED = ["I prefer oat milk in my coffee", "turn_on light.kitchen"]


@pytest.fixture
def memory(open_memory: OpenMemory) -> Memory:
    return open_memory(capture__when="worker")


def said(text: str) -> list[dict[str, str]]:
    return [{"role": "user", "content": text}, {"role": "assistant", "content": "Noted."}]


def contents(me: UserMemory) -> list[str]:
    return sorted(record.content for record in me.list(limit=100).items)


class Spy:
    """Notes what is read; may fail, or let something happen before what was read is stored."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.read: list[str] = []
        self.errors: dict[str, BaseException] = {}
        self.meanwhile: dict[str, Callable[[], None]] = {}
        self._learn = capture.learn
        monkeypatch.setattr(capture, "learn", self._reading)

    def _reading(
        self, engine: Engine, scope: Scope, messages: list[Message], turns_before: Mapping[str, capture.TurnBefore]
    ) -> TurnLessons:
        for message in messages:
            self.read.append(message.content)
            if message.content in self.errors:
                raise self.errors[message.content]
        learned = self._learn(engine, scope, messages, turns_before)
        for message in messages:
            self.meanwhile.pop(message.content, lambda: None)()
        return learned


@pytest.fixture
def spy(monkeypatch: pytest.MonkeyPatch) -> Spy:
    return Spy(monkeypatch)


def test_a_turn_is_read_by_a_worker(memory: Memory, me: UserMemory, spy: Spy) -> None:
    outcome = me.after_turn(TURN, session="s1")
    assert (outcome.saved, outcome.captured, outcome.events, outcome.degraded) == (3, (), (), ())
    assert (spy.read, contents(me)) == ([], [])
    status = memory.status()
    assert (status.unread.waiting, status.unread.parked) == (2, 0)
    assert [line for line in status.advice if "to be read" in line] == [
        "2 messages wait to be read: run `recollect worker` or `recollect maintain`."
    ]
    worked = memory.embed_waiting()
    assert (worked.read, worked.parked) == (2, 0)
    assert contents(me) == LEARNED
    assert spy.read == ["I prefer oat milk in my coffee.", "Noted."]
    assert memory.status().unread.waiting == 0
    assert memory.embed_waiting().read == 0
    assert memory.doctor() == ()


def test_what_a_worker_captures_is_what_a_turn_captures(open_memory: OpenMemory) -> None:
    one, other = open_memory().user("one"), open_memory(capture__when="worker").user("other")
    for me in (one, other):
        me.after_turn(TURN, session="s1")
    open_memory().embed_waiting()
    plain = [
        [
            (record.content, record.type, record.session, record.source, record.trust, record.confidence, record.key)
            for record in sorted(me.list(limit=100).items, key=lambda record: record.content)
        ]
        for me in (one, other)
    ]
    assert plain[0] == plain[1]
    assert [hit.content for hit in other.recall("What do I drink?").hits][:1] == LEARNED[:1]


def test_a_question_that_is_forgotten_while_its_answer_is_read_stays_forgotten(
    memory: Memory, me: UserMemory, spy: Spy
) -> None:
    me.after_turn([*said("Hello!")[:1], {"role": "assistant", "content": "What's your sister's name?"}], session="s1")
    me.after_turn(said("Jana"), session="s1")

    def forget() -> None:
        me.forget(me.conversation("s1").messages()[1].id)

    spy.meanwhile["Jana"] = forget
    assert memory.embed_waiting().read == 2
    assert (contents(me), memory.doctor()) == ([], ())


def test_a_turn_is_read_once_and_only_if_it_can_teach(memory: Memory, spy: Spy) -> None:
    # a turn that is delivered twice is read once
    me = memory.user("user 0")
    turn = [dict(message, id=f"m{number}") for number, message in enumerate(said("I prefer oat milk."))]
    me.after_turn(turn, session="s1")
    assert me.after_turn(turn, session="s1").saved == 0
    assert memory.embed_waiting().read == 1
    me.after_turn(turn, session="s1")
    assert memory.embed_waiting().read == 0
    assert spy.read == ["I prefer oat milk."]
    spy.read.clear()

    # messages that cannot teach are not queued
    me = memory.user("user 1")
    me.after_turn([{"role": "assistant", "content": "I prefer oat milk."}], session="s1")
    assert memory.status().unread.waiting == 0
    assert memory.embed_waiting().read == 0
    assert spy.read == []

    # a captured memory goes with its message
    me = memory.user("user 2")
    me.after_turn(said("I prefer oat milk in my coffee."), session="s1")
    memory.embed_waiting()
    spy.read.clear()
    me.forget(me.conversation("s1").messages()[0].id)
    assert contents(me) == []

    # what was said later holds
    me = memory.user("user 3")
    me.after_turn(said("My name is Anna."), session="s1")
    me.after_turn(said("My name is Eve."), session="s2")
    me.after_turn(said("My name is Zoe."), session="s1")
    memory.embed_waiting()
    assert spy.read == ["My name is Anna.", "My name is Eve.", "My name is Zoe."]
    assert [record.value for record in me.list().items if record.key == "name"] == ["Zoe"]


def test_many_messages_are_read_in_one_pass(memory: Memory) -> None:
    amount = read_queue._BATCH + 1
    for number in range(amount):
        memory.user(f"user {number % 3}").after_turn(said(f"I prefer tea number {number}."), session="s1")
    assert memory.embed_waiting().read == amount
    assert sum(memory.user(f"user {number}").count() for number in range(3)) == amount


def test_a_worker_that_is_asked_to_stop_gives_back_what_it_has(memory: Memory, me: UserMemory, spy: Spy) -> None:
    stop = Event()
    me.after_turn(said("I prefer tea."), session="s1")
    me.after_turn(said("I prefer coffee."), session="s2")
    spy.meanwhile["I prefer tea."] = stop.set
    assert memory.embed_waiting(stop=stop).read == 1
    assert memory.embed_waiting().read == 1
    assert spy.read == ["I prefer tea.", "I prefer coffee."]


def test_what_is_taken_back_is_not_read(memory: Memory, spy: Spy) -> None:
    for how in ("message", "everything", "private"):
        me = memory.user(how)
        me.after_turn(said("I prefer oat milk."), session="s1")
        me.after_turn(said("I prefer coffee."), session="s2")
        _take_back(me, how)
        spy.read.clear()
        read = memory.embed_waiting().read
        assert spy.read == ([] if how == "everything" else ["I prefer coffee."]), how
        assert read == len(spy.read), how
    assert memory.doctor() == ()


def test_what_is_taken_back_while_it_is_read_teaches_nothing(memory: Memory, spy: Spy) -> None:
    for how in ("message", "everything", "private"):
        me = memory.user(how)
        me.after_turn(said("I prefer oat milk."), session="s1")
        spy.read.clear()
        spy.meanwhile["I prefer oat milk."] = partial(_take_back, me, how)
        memory.embed_waiting()
        assert spy.read == ["I prefer oat milk."], how
        assert contents(me) == [], how
        assert memory.status().unread.waiting == 0, how
    assert memory.doctor() == ()


def _take_back(me: UserMemory, how: str) -> None:
    if how == "private":
        me.conversation("s1").set_private()
    elif how == "everything":
        me.forget(everything=True)
    else:
        me.forget(me.conversation("s1").messages()[0].id)


def test_what_is_delivered_again_to_a_private_conversation_is_not_read(
    memory: Memory, me: UserMemory, spy: Spy
) -> None:
    turn = [dict(message, id=f"m{number}") for number, message in enumerate(said("I prefer oat milk."))]
    me.after_turn(turn, session="s1")
    me.before_prompt("I prefer coffee.", session="s2")
    for session, again in (("s1", turn), ("s2", said("I prefer coffee."))):
        me.conversation(session).set_private()
        me.after_turn(again, session=session)
        me.conversation(session).set_private(private=False)
        me.after_turn(again, session=session)
    assert memory.embed_waiting().read == 0
    assert spy.read == []


def test_a_lease_that_has_ended_lets_another_worker_read_and_has_one_effect(
    memory: Memory, me: UserMemory, spy: Spy, clock: SteppingClock
) -> None:
    me.after_turn(said("I prefer oat milk."), session="s1")
    me.after_turn(said("I prefer coffee."), session="s2")

    def overtaken() -> None:
        clock.advance(seconds=301)
        assert memory.embed_waiting().read == 2

    spy.meanwhile["I prefer oat milk."] = overtaken
    memory.embed_waiting()
    assert spy.read == ["I prefer oat milk.", "I prefer oat milk.", "I prefer coffee."]
    other = memory.user("other")
    other.after_turn(said("I prefer oat milk."), session="s1")
    memory.embed_waiting()
    (once,) = other.list().items
    assert [one.confidence for one in me.list().items if one.content == once.content] == [once.confidence]
    assert me.count() == 2


def test_a_worker_that_died_left_nothing_undone(memory: Memory, me: UserMemory, spy: Spy, clock: SteppingClock) -> None:
    me.after_turn(said("I prefer oat milk."), session="s1")
    spy.errors["I prefer oat milk."] = KeyboardInterrupt()
    with pytest.raises(KeyboardInterrupt):
        memory.embed_waiting()
    spy.errors.clear()
    assert memory.embed_waiting().read == 0
    clock.advance(seconds=301)
    assert memory.embed_waiting().read == 1
    assert contents(me) == ["I prefer oat milk"]


def test_a_message_that_cannot_be_read_is_tried_again_then_set_aside(
    memory: Memory, me: UserMemory, spy: Spy, clock: SteppingClock
) -> None:
    me.after_turn(said("I prefer oat milk."), session="s1")
    me.after_turn(said("I prefer coffee."), session="s1")
    memory.user("other").after_turn(said("I prefer tea."), session="s1")
    spy.errors["I prefer oat milk."] = StoreDamaged("My secret is 1234.")
    worked = memory.embed_waiting()
    assert (worked.read, worked.parked) == (1, 0)
    for minutes in (2, 4, 8):
        assert memory.embed_waiting().read == 0
        clock.advance(minutes=minutes)
        worked = memory.embed_waiting()
        assert (worked.read, worked.parked) == (0, 0)
    clock.advance(minutes=16)
    worked = memory.embed_waiting()
    assert (worked.read, worked.parked) == (1, 1)
    assert contents(me) == ["I prefer coffee"]
    status = memory.status()
    assert (status.unread.waiting, status.unread.parked) == (0, 1)
    assert status.unread.reason == "Reading it failed: StoreDamaged."
    assert [line for line in status.advice if "not be read" in line] == [
        "1 message could not be read after several tries; `recollect worker --retry-parked` tries again."
    ]
    assert [problem.check for problem in memory.doctor()] == ["messages_given_up_on"]
    spy.errors.clear()
    assert memory.retry_parked() == 1
    assert memory.embed_waiting().read == 1
    assert contents(me) == ["I prefer coffee", "I prefer oat milk"]
    assert memory.doctor() == ()


def test_a_store_that_cannot_be_reached_blames_no_message(memory: Memory, me: UserMemory, spy: Spy) -> None:
    me.after_turn(said("I prefer oat milk."), session="s1")
    spy.errors["I prefer oat milk."] = StoreUnavailable("It is away.")
    with pytest.raises(StoreUnavailable):
        memory.embed_waiting()
    (waiting,) = _jobs(memory)
    assert (waiting.attempts, memory.status().unread.parked) == (0, 0)


def _jobs(memory: Memory) -> list[ReadJob]:
    now = memory._engine.clock.now() + timedelta(hours=1)
    return [*memory._engine.store.claim_readings(10, now=now, lease_until=now)]


def test_what_was_read_within_a_turn_meanwhile_is_not_read_again(
    open_memory: OpenMemory, memory: Memory, me: UserMemory, spy: Spy
) -> None:
    turn = [dict(message, id=f"m{number}") for number, message in enumerate(said("I prefer oat milk."))]
    me.after_turn(turn, session="s1")
    (kept,) = open_memory().user("me").after_turn(turn, session="s1").captured
    assert kept.action == "created"
    assert memory.embed_waiting().read == 0
    assert spy.read == ["I prefer oat milk."]
    assert memory.status().unread.waiting == 0


def test_nothing_is_queued_or_read_when_capturing_is_switched_off(
    open_memory: OpenMemory, memory: Memory, me: UserMemory
) -> None:
    me.after_turn(said("I prefer oat milk."), session="s1")
    off = open_memory(capture__when="worker", auto_capture=False)
    off.user("me").after_turn(said("I prefer coffee."), session="s2")
    assert off.embed_waiting().read == 0
    assert off.status().unread.waiting == 1
    assert any("capturing is switched off here" in line for line in off.status().advice)
    assert memory.embed_waiting().read == 1
    assert contents(me) == ["I prefer oat milk"]


def test_the_thread_of_the_process_reads(open_memory: OpenMemory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "_IDLE_S", 0.05)
    memory = open_memory(capture__when="worker", embedding__worker=True, embedding__provider="none")
    me = memory.user("me")
    me.after_turn(said("I prefer oat milk."), session="s1")
    until(lambda: contents(me) == ["I prefer oat milk"])


def test_a_thread_reads_what_another_process_has_left(open_memory: OpenMemory, me: UserMemory) -> None:
    me.after_turn(said("I prefer oat milk."), session="s1")
    other = open_memory(capture__when="worker", embedding__worker=True, embedding__provider="none")
    until(lambda: contents(other.user("me")) == ["I prefer oat milk"])


@pytest.fixture
def model() -> Iterator[ChatServer]:
    with ChatServer().running() as running:
        yield running


PREFERRED = [
    {"type": "preference", "key": "prefer", "span": f"I prefer {what}", "value": what, "who": "", "confidence": 0.95}
    for what in ("oat milk", "coffee", "tea")
]
UNDERSTOOD = completion(json.dumps({"statements": PREFERRED}))  # what a message does not say is dropped


@pytest.fixture
def with_model(open_memory: OpenMemory, model: ChatServer) -> Memory:
    return open_memory(
        capture__when="worker", capture__reader="llm", llm__base_url=model.url, llm__model="m", llm__retries=0
    )


def test_a_model_that_is_away_blames_no_message(with_model: Memory, model: ChatServer, clock: SteppingClock) -> None:
    for user in ("one", "other"):
        with_model.user(user).after_turn(said("I prefer oat milk."), session="s1")
    model.replies = [completion("Out of order.")]
    for _ in range(10):
        assert with_model.embed_waiting().read == 0
        asked = len(model.requests)
        assert with_model.embed_waiting().read == 0
        assert len(model.requests) == asked
        clock.advance(minutes=1)
    status = with_model.status()
    assert (status.unread.waiting, status.unread.parked) == (2, 0)
    model.replies = [UNDERSTOOD]
    assert with_model.embed_waiting().read == 2
    assert contents(with_model.user("one")) == contents(with_model.user("other")) == ["I prefer oat milk"]


def test_a_message_that_the_model_does_not_read_is_to_blame(
    with_model: Memory, model: ChatServer, clock: SteppingClock
) -> None:
    one, other = with_model.user("one"), with_model.user("other")
    one.after_turn(said("I prefer oat milk."), session="s1")
    one.after_turn(said("I prefer coffee."), session="s1")
    other.after_turn(said("I prefer tea."), session="s1")
    model.replies = [completion("I cannot say."), UNDERSTOOD]
    assert with_model.embed_waiting().read == 1
    assert (contents(one), contents(other)) == ([], ["I prefer tea"])
    clock.advance(minutes=2)
    assert [(job.message.content, job.attempts) for job in _jobs(with_model)] == [
        ("I prefer oat milk.", 1),
        ("I prefer coffee.", 0),
    ]
    clock.advance(hours=2)
    assert with_model.embed_waiting().read == 2
    assert contents(one) == ["I prefer coffee", "I prefer oat milk"]
