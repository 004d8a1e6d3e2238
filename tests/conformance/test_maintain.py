"""What a round of maintenance does with what is old, on both stores."""

from datetime import timedelta

import pytest

from recollect import Memory, NotFound, UserMemory
from recollect.api.conversation import Conversation
from recollect.errors import SummaryError
from recollect.model.messages import SummaryPoints
from tests.dialogue.doubles import Paid, opened
from tests.fixtures import OpenMemory, SteppingClock


def tulips(me: UserMemory, name: str = "c", amount: int = 30) -> Conversation:
    chat = me.conversation(name)
    chat.append("system", "You are a gardener.")
    for number in range(amount):
        chat.append("user", f"Please plant {number + 10} tulips in bed number {number} of the garden.")
    return chat


@pytest.fixture
def memory(open_memory: OpenMemory) -> Memory:
    return open_memory(embedding__provider="none")


def test_what_is_past_its_time_is_forgotten(memory: Memory, me: UserMemory, clock: SteppingClock) -> None:
    soon = clock.moment + timedelta(hours=1)
    gone = me.remember("The gate code is posted on the door", expires_at=soon)
    version = me.remember("The gate is green", type="fact", subject="gate", key="colour")
    new = me.remember("The gate is red", type="fact", subject="gate", key="colour", expires_at=soon)
    kept = me.remember("The pump is in the attic", expires_at=soon + timedelta(days=1))
    ended = me.remember("The shop is open", valid_until=soon)
    memory.user("you").remember("Milk for tonight", expires_at=soon)
    assert memory.maintain().expired == 0
    clock.advance(hours=2)
    assert memory.maintain().expired == 3
    assert memory.maintain().expired == 0
    assert me.get(version.id).superseded_by is None  # what it had replaced for a while holds again
    for memory_id in (gone.id, new.id):
        with pytest.raises(NotFound):
            me.get(memory_id)
    assert me.get(kept.id)
    assert me.get(ended.id)  # it is history, not rubbish
    assert (memory.stats().memories, memory.stats().expired) == (2, 1)
    assert memory.doctor() == ()


def test_silent_conversations_are_compacted(memory: Memory, me: UserMemory, clock: SteppingClock) -> None:
    silent = tulips(me, "silent")
    yours = tulips(memory.user("you"), "silent")
    tulips(me, "short", 3)
    clock.advance(hours=23)
    lively = tulips(me, "lively")
    assert memory.maintain().compacted == 0
    clock.advance(hours=2)
    done = memory.maintain()
    assert (done.compacted, done.archived, done.failed) == (2, 0, ())
    assert silent.summary() is not None
    assert yours.summary() is not None
    assert lively.summary() is None
    assert [message.status for message in silent.messages()].count("active") == 1 + 16
    assert memory.maintain().compacted == 0
    assert memory.doctor() == ()


def test_very_old_conversations_are_put_away(memory: Memory, me: UserMemory, clock: SteppingClock) -> None:
    old, short = tulips(me, "old"), tulips(me, "short", 3)
    clock.advance(days=2)
    memory.maintain()
    clock.advance(days=89)
    done = memory.maintain()
    assert (done.archived, done.compacted, done.failed) == (2, 0, ())
    for chat in (old, short):
        assert [message.metadata.get("stored_as", message.role) for message in chat.window().messages] == [
            "system",
            "summary",
        ]
        assert chat.messages()[-1].status == "archived"
    summary = old.summary()
    assert summary is not None
    assert len(old.originals(summary.id)) == 30
    again = memory.maintain()
    assert (again.archived, again.compacted) == (0, 0)
    assert memory.doctor() == ()


def test_a_conversation_that_goes_on_is_put_away_again_later(
    memory: Memory, me: UserMemory, clock: SteppingClock
) -> None:
    chat = tulips(me, amount=3)
    clock.advance(days=91)
    assert memory.maintain().archived == 1
    chat.append("user", "Please mow the lawn on Friday.")
    assert [message.role for message in chat.window().messages] == ["system", "system", "user"]
    assert chat.window().messages[1].metadata["stored_as"] == "summary"
    assert memory.maintain().archived == 0
    clock.advance(days=91)
    assert memory.maintain().archived == 1
    summary = chat.summary()
    assert summary is not None
    assert len(chat.originals(summary.id)) == 4
    assert memory.doctor() == ()


def test_what_was_put_away_is_found_and_forgotten_like_all_else(
    memory: Memory, me: UserMemory, clock: SteppingClock
) -> None:
    chat = tulips(me, amount=3)
    clock.advance(days=91)
    memory.maintain()
    assert me.search_context("which tulips in bed number 2").hits
    first = next(message for message in chat.messages() if message.role == "user")
    me.forget(first.id)
    assert chat.summary() is None
    assert [message.status for message in chat.messages()] == ["active"] * 3
    assert memory.doctor() == ()
    assert memory.maintain().archived == 1


def test_putting_away_can_be_switched_off(open_memory: OpenMemory, clock: SteppingClock) -> None:
    memory = open_memory(embedding__provider="none", compaction__archive_days="never")
    chat = tulips(memory.user("me"), amount=3)
    clock.advance(days=1_000)
    assert memory.maintain().archived == 0
    assert {message.status for message in chat.messages()} == {"active"}


def test_a_failure_is_reported_and_the_others_go_on(database: str, clock: SteppingClock) -> None:
    paid = Paid()
    with opened(database, clock, paid) as memory:
        me = memory.user("me")
        first, second = tulips(me, "first"), tulips(me, "second")
        clock.advance(hours=25)

        def poem_for_the_first() -> None:
            paid.fails = SummaryError("The model wrote a poem.") if len(paid.asked) == 1 else None

        paid.meanwhile = poem_for_the_first
        done = memory.maintain()
        assert done.compacted == 2
        assert done.failed == ("the local summarizer served: The model wrote a poem.",)
        summaries = [summary for chat in (first, second) if (summary := chat.summary())]
        assert [summary.metadata["summarizer"] for summary in summaries] == ["extractive", "expensive-1"]
        paid.points = SummaryPoints()
        assert memory.maintain().failed == ()
        assert memory.doctor() == ()
