"""What was said around a message, on both stores."""

from typing import Any

import pytest

from recollect import InvalidInput, Memory, NewMessage, NotFound, UserMemory
from tests.fixtures import OpenMemory


@pytest.fixture
def memory(open_memory: OpenMemory) -> Memory:
    return open_memory(embedding__provider="none")


@pytest.fixture
def said(me: UserMemory) -> list[str]:
    """The ids of ten messages, between which another conversation goes on."""
    ids = []
    for number in range(10):
        made = me.conversation("c").append("user" if number % 2 == 0 else "assistant", f"Turn number {number}.")
        me.conversation("other").append("user", f"Elsewhere {number}.")
        ids.append(made.id or "")
    return ids


def around(me: UserMemory, id: str, **reach: int) -> list[str]:
    return [message.content.removeprefix("Turn number ").rstrip(".") for message in me.messages.around(id, **reach)]


def test_a_message_comes_with_two_turns_to_each_side(
    me: UserMemory, said: list[str], subtests: pytest.Subtests
) -> None:
    assert around(me, said[5]) == ["3", "4", "5", "6", "7"]
    assert around(me, said[5], before=0, after=1) == ["5", "6"]
    assert around(me, said[5], before=3, after=0) == ["2", "3", "4", "5"]
    assert around(me, said[5], before=0, after=0) == ["5"]
    assert around(me, said[5].upper()) == ["3", "4", "5", "6", "7"]

    # a conversation has two ends
    assert around(me, said[0]) == ["0", "1", "2"]
    assert around(me, said[9]) == ["7", "8", "9"]
    assert around(me, said[4], before=50, after=50) == [str(number) for number in range(10)]

    # the id of a hit will do
    hit = me.search_context('"number 6"').hits[0]
    assert hit.id == said[6]
    assert around(me, hit.id, before=1, after=1) == ["5", "6", "7"]

    # nobody looks further than fifty turns
    wrong: tuple[Any, ...] = (-1, 51, 1.5, True, "2")
    for amount in wrong:
        with subtests.test(amount=amount):
            with pytest.raises(InvalidInput, match=r"before is .*; it must be from 0 to 50\."):
                me.messages.around(said[0], before=amount)
            with pytest.raises(InvalidInput, match=r"after is .*; it must be from 0 to 50\."):
                me.messages.around(said[0], after=amount)

    # what is folded is given and the summary is not
    made = me.conversation("c").compact(keep_recent=2)
    assert made.action == "compacted"
    assert around(me, said[1]) == ["0", "1", "2", "3"]
    summary = me.conversation("c").summary()
    assert summary is not None
    found = me.messages.around(summary.id, before=1, after=1)
    assert [message.role for message in found].count("summary") == 1
    assert summary in found


def test_what_is_forgotten_leaves_no_gap(me: UserMemory, said: list[str]) -> None:
    for number in (3, 4, 6, 7, 8):
        me.forget(said[number])
    assert around(me, said[5]) == ["1", "2", "5", "9"]
    assert around(me, said[9], before=1) == ["5", "9"]


def test_messages_of_a_host_may_have_any_sequence(memory: Memory) -> None:
    me = memory.user("user 0")
    ids = [
        me.conversation("c").append("user", f"Turn number {number}.", sequence=number**9).id or ""
        for number in range(1, 9)
    ]
    assert around(me, ids[6]) == ["5", "6", "7", "8"]
    assert around(me, ids[0]) == ["1", "2", "3"]

    # messages of one sequence keep their order
    me = memory.user("user 1")
    made = me.conversation("c").extend(NewMessage("user", f"Turn number {number}.", sequence=7) for number in range(5))
    assert around(me, made[2].id or "", before=1, after=1) == ["1", "2", "3"]


def test_what_is_unknown_is_not_found(memory: Memory, me: UserMemory, said: list[str]) -> None:
    memory_id = me.remember("No message at all").id
    for unknown in (memory_id, "nobody", "01a1dea8-db60-7912-8e1b-f1c648661807"):
        with pytest.raises(NotFound, match="No message"):
            me.messages.around(unknown)
    with pytest.raises(NotFound, match="No message"):
        memory.user("you").messages.around(said[5])
