"""A conversation that goes on and on stays within its window, all the way."""

import random

from recollect import Message, NewMessage, UserMemory
from recollect.api.conversation import Conversation
from recollect.model.messages import ToolCall
from tests.fixtures import OpenMemory
from tests.sizes import sized

TURNS = sized(80, 1_000)
WINDOW = 2_000
MOST = 40


def turn(number: int, dice: random.Random) -> list[NewMessage]:
    """Make a turn: mostly small, sometimes with tools, thoughts or a very long text, a few without an answer."""
    asked = f"Please plant {number} tulips in bed {dice.randrange(50)}." + " And water them." * dice.randrange(8)
    if dice.random() < 0.02:
        asked += " Here is the whole catalogue:" + " tulip, yellow, early;" * 800
    made = [NewMessage("user", asked)]
    if dice.random() < 0.2:
        made.append(NewMessage("reasoning", f"Bed {number} is far away."))
    if dice.random() < 0.2:
        ids = [f"{number}.{part}" for part in range(dice.randrange(1, 4))]
        made.append(NewMessage("assistant", tool_calls=[ToolCall(call_id, "plant", '{"bed": 3}') for call_id in ids]))
        made += [NewMessage("tool", "planted " * dice.randrange(1, 40), tool_call_id=call_id) for call_id in ids]
    if dice.random() < 0.01:
        made.append(NewMessage("assistant", tool_calls=[ToolCall(f"{number}.lost", "wait", "{}")]))
    return [*made, NewMessage("assistant", f"Done: {number} tulips.")]


def check(me: UserMemory, chat: Conversation, room: int) -> None:
    """Look at what a model would be shown."""
    window = chat.window(room)
    assert window.tokens == sum(message.tokens for message in window.messages) <= room
    shown = {call.id for message in window.messages for call in message.tool_calls}
    assert shown == {message.tool_call_id for message in window.messages if message.role == "tool"}
    assert sum(message.role == "summary" for message in window.messages) <= 1
    assert window.messages[0].role == "system"


def test_many_turns_stay_within_the_window(open_memory: OpenMemory) -> None:
    memory = open_memory(
        embedding__provider="none",
        compaction__window_tokens=WINDOW,
        compaction__summary_tokens=300,
        compaction__max_messages=MOST,
        compaction__keep_recent=8,
    )
    me = memory.user("me")
    chat = me.conversation("c")
    dice = random.Random(1)
    chat.append("system", "You are a gardener.")
    sent = 1
    for number in range(TURNS):
        made = turn(number, dice)
        chat.extend(made)
        sent += len(made)
        (info,) = me.conversations()
        assert info.messages == sent
        assert info.active_messages <= MOST + len(made) + 5  # and what waits for an answer
        check(me, chat, WINDOW)
        if number % 50 == 0:
            check(me, chat, 300)
    summary = chat.summary()
    assert summary is not None
    assert summary.said_at == min(message.said_at for message in chat.originals(summary.id))
    told = {message.id for message in chat.originals(summary.id)}
    folded = {message.id for message in _all(chat) if message.status == "compacted"}
    assert told == folded
    assert len(_all(chat)) == sent
    assert memory.doctor() == ()


def _all(chat: Conversation) -> list[Message]:
    """Give the whole conversation, page by page."""
    found: list[Message] = []
    before = None
    while page := chat.messages(limit=1_000, before=before):
        found = [*page, *found]
        before = page[0].sequence
    return found
