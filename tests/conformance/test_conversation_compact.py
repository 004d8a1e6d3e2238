"""What compaction promises, on both stores: one live summary, nothing lost, and garbage changes nothing."""

import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from threading import Barrier, Thread
from typing import Any

import pytest

from recollect import Compaction, InvalidInput, LlmError, Memory, Message, NewMessage, ToolCall, UserMemory
from recollect.api.conversation import Conversation
from recollect.errors import SummaryError
from recollect.model.messages import SummaryPoints
from tests.dialogue.doubles import POINTS, Paid, opened
from tests.fixtures import OpenMemory, SteppingClock
from tests.sizes import sized


@pytest.fixture
def memory(open_memory: OpenMemory) -> Memory:
    return open_memory(embedding__provider="none")


@pytest.fixture
def paid() -> Paid:
    """A summariser to be told what to do."""
    return Paid()


@pytest.fixture
def paying(database: str, clock: SteppingClock, paid: Paid) -> Iterator[Memory]:
    with opened(database, clock, paid) as memory:
        yield memory


def turns(amount: int, start: int = 0) -> list[NewMessage]:
    """Make turns that have something to say."""
    made = []
    for number in range(start, start + amount):
        made += [
            NewMessage(
                "user", f"Please plant {number + 10} tulips in bed number {number} of the garden.", id=f"u{number}"
            ),
            NewMessage("assistant", f"I planted {number + 10} tulips in bed number {number}.", id=f"a{number}"),
        ]
    return made


def talk(me: UserMemory, amount: int = 30) -> Conversation:
    """Begin a conversation with so many turns."""
    chat = me.conversation("c")
    chat.append("system", "You are a gardener.")
    chat.extend(turns(amount))
    return chat


def state(chat: Conversation) -> tuple[tuple[Message, ...], Message | None]:
    return chat.messages(limit=1_000), chat.summary()


def statuses(chat: Conversation) -> list[str]:
    return [message.status for message in chat.messages(limit=1_000)]


def test_the_old_turns_are_folded_and_all_else_stays(memory: Memory, me: UserMemory) -> None:
    chat = talk(me)
    before = chat.messages(limit=1_000)
    outcome = chat.compact()
    summary = chat.summary()
    assert summary is not None
    assert (outcome.action, outcome.folded, outcome.summary) == ("compacted", 44, summary)
    assert (outcome.summarizer, outcome.reason, outcome.degraded) == ("extractive", "", ())
    after = chat.messages(limit=1_000)
    assert [message._replace(status="active") for message in after] == list(before)
    assert statuses(chat) == ["active", *["compacted"] * 44, *["active"] * 16]
    shown = chat.window().messages
    assert [message.role for message in shown[:3]] == ["system", "system", "user"]
    assert shown[1] == summary._replace(role="system", metadata={**summary.metadata, "stored_as": "summary"})
    assert chat.window().omitted == 44
    assert chat.window(10_000_000).messages == shown
    assert list(shown[2:]) == list(after[-16:])
    assert outcome.tokens_after == chat.window().tokens < outcome.tokens_before
    assert memory.doctor() == ()


def test_the_summary_stands_for_what_it_folds(me: UserMemory, clock: SteppingClock) -> None:
    chat = me.conversation("c")
    chat.extend(turns(3))
    early = clock.moment - timedelta(days=3)
    chat.append("user", "Somebody's clock is wrong, and this came from the past.", said_at=early)
    chat.extend(turns(20, start=3))
    summary = chat.compact().summary
    assert summary is not None
    assert (summary.role, summary.status, summary.said_at, summary.sequence) == ("summary", "active", early, 1)
    assert summary.content.startswith("[Conversation Summary - 2026-02-26 09:00 to 2026-03-01 09:00]\n\n")
    assert "tulips" in summary.content
    folded = [message for message in chat.messages(limit=1_000) if message.status == "compacted"]
    assert chat.originals(summary.id) == tuple(folded)


def test_compacting_again_changes_nothing_until_there_is_something_to_fold(memory: Memory) -> None:
    # doing it twice changes nothing
    me = memory.user("user 0")
    chat = talk(me)
    chat.compact()
    before = state(chat)
    assert chat.compact() == Compaction("unchanged")
    assert state(chat) == before

    # nothing to fold is no summary
    me = memory.user("user 1")
    chat = me.conversation("c")
    assert chat.compact().action == "unchanged"
    assert me.conversations() == ()
    chat.append("system", "You are a gardener.")
    chat.extend(turns(3))
    assert chat.compact().action == "unchanged"
    assert chat.summary() is None

    # everything is folded on request
    me = memory.user("user 2")
    chat = talk(me, 3)
    assert chat.compact(keep_recent=0).folded == 6
    assert [message.role for message in chat.window().messages] == ["system", "system"]
    for wrong in (-1, True):
        with pytest.raises(InvalidInput, match="keep_recent"):
            chat.compact(keep_recent=wrong)


def test_tool_calls_are_kept_on_request(open_memory: OpenMemory) -> None:
    kept = {"compaction__keep_tools": True, "compaction__max_messages": 12, "compaction__keep_recent": 2}
    me = open_memory(embedding__provider="none", **kept).user("me")
    chat = me.conversation("c")
    for number in range(20):
        call = ToolCall(f"call {number}", "look", json.dumps({"bed": number}))
        chat.append("user", f"Please look how many tulips are in bed number {number}.")
        chat.append("assistant", tool_calls=[call])
        chat.append("tool", f"{number + 10} tulips", tool_call_id=call.id)
        chat.append("assistant", f"There are {number + 10} tulips in bed number {number}.")
    messages = chat.messages(limit=100)
    assert {message.status for message in messages if message.role == "tool" or message.tool_calls} == {"active"}
    assert sum(message.status == "compacted" for message in messages) > 20
    # what is kept does not make it due again with every message
    summary = chat.summary()
    chat.append("user", "Thank you.")
    assert chat.summary() == summary
    shown = chat.window().messages
    assert [message.tool_call_id for message in shown if message.role == "tool"] == [f"call {n}" for n in range(20)]


def test_a_window_that_is_delivered_again_is_not_new(memory: Memory, me: UserMemory) -> None:
    chat = talk(me)
    chat.compact()
    shown = chat.window().messages
    again = [{"role": message.role, "content": message.content} for message in shown]
    assert me.after_turn(again, session="c").saved == 0
    assert chat.window().messages == shown


def test_the_next_summary_takes_the_place_of_the_one_before(memory: Memory) -> None:
    me = memory.user("user 0")
    chat = talk(me)
    first = chat.compact().summary
    chat.extend(turns(20, start=30))
    second = chat.compact().summary
    assert first is not None
    assert second is not None
    assert chat.summary() == second
    assert (second.said_at, second.sequence) == (first.said_at, first.sequence)
    shown = chat.window().messages
    assert [message.id for message in shown if "stored_as" in message.metadata] == [second.id]
    folded = [message for message in chat.messages(limit=1_000) if message.status == "compacted"]
    assert chat.originals(second.id) == tuple(folded)
    assert len(chat.originals(first.id)) == 44
    assert memory.doctor() == ()

    # a tool that has not answered keeps its call active
    me = memory.user("user 1")
    chat = me.conversation("c")
    chat.append("user", "Look into the shed.")
    call = chat.append("assistant", tool_calls=[{"id": "t", "name": "look", "arguments": "{}"}]).id
    chat.extend(turns(20))
    chat.compact(keep_recent=2)
    assert next(message.id for message in chat.messages(limit=1_000) if message.status == "active") == call
    result = chat.append("tool", "There is a rake.", tool_call_id="t").id
    assert {call, result} <= {message.id for message in chat.window().messages}
    chat.extend(turns(2, start=20))
    chat.compact(keep_recent=2)
    assert not {call, result} & {message.id for message in chat.window().messages}
    summary = chat.summary()
    assert summary is not None
    assert {call, result} <= {message.id for message in chat.originals(summary.id)}
    assert memory.doctor() == ()


def test_the_previous_summary_is_given_on_and_a_long_one_shortened(paying: Memory, paid: Paid) -> None:
    chat = talk(paying.user("one"))
    chat.compact()
    chat.extend(turns(5, start=30))
    chat.compact()
    assert [task.previous for task in paid.asked] == [SummaryPoints(), POINTS]
    assert [len(task.turns) for task in paid.asked] == [44, 10]
    assert all(message.role in ("user", "assistant") for message in paid.asked[0].turns)

    # points of a summary outlive a model that fails
    chat = talk(paying.user("two"))
    paid.points = SummaryPoints(("Decision: the roof stays green.",), ("Ordered 40 tiles.",), ("Who pays?",))
    chat.compact()
    chat.extend(turns(20, start=30))
    paid.fails = LlmError("The model is asleep.", 0)
    summary = chat.compact().summary
    assert summary is not None
    assert all(point in summary.content for point in ("the roof stays green", "40 tiles", "Who pays?"))

    # a summary that is somewhat too long is shortened
    paid.fails, paid.points = None, SummaryPoints(tuple(f"Point number {number} of many." for number in range(200)))
    summary = talk(paying.user("three")).compact().summary
    assert summary is not None
    assert summary.tokens <= paid.asked[-1].max_tokens + 10
    assert "Point number 0" in summary.content


def test_a_summary_is_trusted_as_the_least_of_its_sources(paying: Memory) -> None:
    me = paying.user("me")
    for name, expected in (("u", 3), ("a", 2), ("t", 0)):
        chat = me.conversation(name)
        chat.append("user", "Look into the shed.")
        if name != "u":
            chat.append("assistant", "I do.", tool_calls=[{"id": "t", "name": "look"}] if name == "t" else ())
        if name == "t":
            chat.append("tool", "There is a rake.", tool_call_id="t")
        summary = chat.compact(keep_recent=0).summary
        assert summary is not None
        assert summary.trust == expected
    chat.append("user", "Thank you.")
    again = chat.compact(keep_recent=0).summary
    assert again is not None
    assert again.trust == 0


@pytest.mark.parametrize(
    "settings",
    [
        {"compaction__max_messages": 20, "compaction__keep_recent": 4},
        {"compaction__window_tokens": 600, "compaction__summary_tokens": 100, "compaction__keep_recent": 4},
    ],
)
def test_it_comes_by_itself_when_a_conversation_has_grown(open_memory: OpenMemory, settings: dict[str, Any]) -> None:
    chat = open_memory(embedding__provider="none", **settings).user("me").conversation("c")
    for message in turns(9):
        chat.append(message.role, message.content)
    assert chat.summary() is None
    for message in turns(9, start=9):
        chat.append(message.role, message.content)
    assert chat.summary() is not None
    still = open_memory(embedding__provider="none", compaction__auto=False, **settings).user("me").conversation("d")
    still.extend(turns(30))
    assert still.summary() is None


def test_when_a_model_fails_the_local_summarizer_serves(paying: Memory, paid: Paid, subtests: pytest.Subtests) -> None:
    wrong: dict[str, SummaryPoints | Exception] = {
        "error": SummaryError("The model wrote a poem.", 70),
        "no answer": LlmError("The model is asleep.", 70),
        "nothing": SummaryPoints(),
        "blanks": SummaryPoints((" ", "\n"), ("",), ()),
        "private": SummaryPoints(("<private>All of it.</private>",)),
        "one enormous point": SummaryPoints(("x" * sized(50_000, 1_000_000),)),
        "enormously many points": SummaryPoints(
            tuple(f"Point number {number} of very many." for number in range(sized(1_500, 30_000)))
        ),
    }
    for name, answer in wrong.items():
        with subtests.test(answer=name):
            chat = talk(paying.user(name))
            paid.fails, paid.points = (answer, POINTS) if isinstance(answer, Exception) else (None, answer)
            outcome = chat.compact()
            found = (outcome.action, outcome.summarizer, outcome.degraded)
            assert found == ("compacted", "extractive", ("summarizer",))
            assert outcome.reason
            summary = chat.summary()
            assert summary is not None
            assert summary.metadata["summarizer"] == "extractive"
            paid.fails, paid.points = None, POINTS
            chat.extend(turns(20, start=30))
            again = chat.compact()  # the right to pay was given back
            assert (again.action, again.summarizer, again.degraded, again.reason) == (
                "compacted",
                "expensive-1",
                (),
                "",
            )
            assert again.summary is not None
            assert again.summary.metadata["summarizer"] == "expensive-1"
    assert paying.doctor() == ()


def test_a_window_shows_the_summary_that_fits_and_a_session_ends_without_the_model(
    database: str, clock: SteppingClock, paid: Paid
) -> None:
    with opened(database, clock, paid, session_summaries=True) as memory:
        me = memory.user("me")
        chat = talk(me)
        summary = chat.compact(keep_recent=2).summary
        assert summary is not None
        whole = chat.window(100_000)
        assert chat.window(whole.tokens) == replace(whole, max_tokens=whole.tokens)
        assert summary.id in [message.id for message in whole.messages]
        assert chat.window(whole.tokens - 1).tokens < whole.tokens
        paid.fails = LlmError("The model is asleep.", 0)
        ended = me.end_session(chat.id)
        assert ended is not None
        assert me.get(ended.id).type == "session_summary"


def test_only_one_pays_at_a_time_and_no_dead_one_forever(paying: Memory, paid: Paid, clock: SteppingClock) -> None:
    chat = talk(paying.user("one"))
    others: list[Compaction] = []
    paid.meanwhile = lambda: others.append(chat.compact()) if not others else None
    assert chat.compact().action == "compacted"
    assert [(other.action, other.summarizer) for other in others] == [("busy", "expensive-1")]
    assert len(paid.asked) == 1

    # the right to pay lapses when its holder died
    chat = talk(paying.user("two"))
    paid.fails = KeyboardInterrupt()  # type: ignore[assignment]
    with suppress(KeyboardInterrupt):
        chat.compact()
    paid.fails = None
    assert chat.compact().action == "busy"
    clock.advance(hours=1)
    assert chat.compact().action == "compacted"


def test_what_was_paid_counts_and_when_the_budget_is_spent_the_local_one_serves(
    database: str, clock: SteppingClock, paid: Paid
) -> None:
    with opened(database, clock, paid, llm__tokens_per_day=200) as memory:
        me = memory.user("me")
        chat = talk(me)
        first = chat.compact()
        assert (first.summarizer, first.usage.tokens, first.degraded) == ("expensive-1", 120, ())
        chat.extend(turns(5, start=30))
        paid.fails = SummaryError("A poem.", 80)
        assert chat.compact().summarizer == "extractive"
        paid.fails = None
        chat.extend(turns(20, start=35))
        again = chat.compact()
        assert (again.action, again.summarizer, again.degraded) == ("compacted", "extractive", ("summarizer",))
        assert (again.usage.tokens, again.reason) == (0, "Today's budget for the language model is spent.")
        assert len(paid.asked) == 2
        clock.advance(days=1)
        chat.extend(turns(5, start=55))
        assert chat.compact().summarizer == "expensive-1"


def test_what_changes_meanwhile_is_not_lost(paying: Memory, paid: Paid) -> None:
    me = paying.user("me")
    chat = talk(me)
    first = chat.messages(limit=1_000)[1]
    paid.meanwhile = lambda: me.forget(first.id)
    assert chat.compact().action == "unchanged"
    assert set(statuses(chat)) == {"active"}
    assert chat.summary() is None
    paid.meanwhile = lambda: chat.append("user", "One more thing.", id="late") and None
    assert chat.compact().action == "compacted"
    assert chat.window().messages[-1].content == "One more thing."
    assert paying.doctor() == ()


def test_whoever_compacts_at_once_there_is_one_live_summary(memory: Memory, me: UserMemory) -> None:
    chat = talk(me)
    start = Barrier(3)
    outcomes: list[Compaction] = []

    def work() -> None:
        start.wait()
        outcomes.append(me.conversation("c").compact())

    threads = [Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcome.action for outcome in outcomes) == ["compacted", "unchanged", "unchanged"]
    summary = chat.summary()
    assert summary is not None
    assert len(chat.originals(summary.id)) == 44
    assert memory.doctor() == ()


def test_appending_never_waits_for_a_model(paying: Memory, paid: Paid) -> None:
    paying.user("me").conversation("c").extend(turns(150))
    assert paid.asked == []
