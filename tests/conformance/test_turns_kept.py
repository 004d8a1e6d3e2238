"""What never reaches the disk: private conversations, private text, and secrets, on both stores."""

import json
from pathlib import Path
from typing import Any

from recollect import Memory, UserMemory
from tests.fixtures import OpenMemory
from tests.storage.catalogue import is_server, plain

KEY = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCDEF"
CARD = "4111 1111 1111 1111"
WORD = "xylophonist"  # said in private, and nowhere else
HIDDEN = f"<private>I am a {WORD}.</private>"


def stored(database: str) -> str:
    """Give everything that the store holds, as one text; of a file, its bytes too."""
    tables = ("messages", "memories", "conversations", "derivations", "jobs")
    with plain(database) as store:
        rows = [store.rows(f"SELECT * FROM {table}") for table in tables]  # noqa: S608 - our own names
    text = json.dumps(rows, default=str, ensure_ascii=False)
    if not is_server(database):
        for path in sorted(Path(database).parent.glob(f"{Path(database).name}*")):
            text += path.read_bytes().decode("latin-1")
    return text


def deliver(me: UserMemory, text: str, name: str) -> None:
    """Say a text in every way there is."""
    me.before_prompt(f"Before: {text}", session=f"{name}1")
    picture = {"type": "image", "source": {"caption": f"Nested {text}"}}
    me.after_turn(
        [
            {"role": "system", "content": f"Prompt {text}"},
            {"role": "user", "content": f"I prefer tea. {text}", "metadata": {"raw": {"text": [f"Raw {text}"]}}},
            {"role": "user", "content": [{"type": "text", "text": f"Block {text}"}, picture]},
            {
                "role": "assistant",
                "content": [{"type": "thinking", "thinking": f"Hmm {text}"}, {"type": "text", "text": f"Yes {text}"}],
                "tool_calls": [
                    {"id": "t", "name": "send", "arguments": {"entity_id": "light.a", "text": f"Arg {text}"}}
                ],
            },
            {"role": "tool", "tool_call_id": "t", "content": f"Result {text}"},
        ],
        session=f"{name}2",
    )
    me.conversation(f"{name}3").append("user", f"Appended {text}", metadata={"raw": f"Raw {text}"})
    me.messages.capture(f"I prefer coffee in the morning. {text}", session=f"{name}4")
    me.remember(f"Remembered {text}", value=f"Value {text}", address=f"Address {text}", metadata={"raw": f"Raw {text}"})
    me.conversation(f"{name}2").compact(keep_recent=0)


def test_secrets_are_redacted_wherever_they_stand(me: UserMemory, database: str) -> None:
    deliver(me, f"The password: hunter2Secret {KEY}, and my card is {CARD}", "s")
    found = stored(database)
    for word in (KEY, CARD, "hunter2Secret"):
        assert word not in found
    for kept in ("Before", "Prompt", "I prefer tea", "Block", "Nested", "Hmm", "Arg", "Result", "Appended", "Value"):
        assert kept in found
    assert "redacted" in found
    assert me.recall("prefer tea").hits


def test_redaction_can_be_switched_off(open_memory: OpenMemory, database: str) -> None:
    me = open_memory(redact_secrets=False).user("me")
    deliver(me, f"My key is {KEY}", "s")
    found = stored(database)
    assert found.count(KEY) >= 10
    assert "redacted" not in found


def test_private_text_is_never_kept(me: UserMemory, database: str) -> None:
    deliver(me, HIDDEN, "s")
    picture = {"type": "image", "source": {"url": "https://x"}}
    content: list[Any] = ["Hello <private>I am", picture, f"a {WORD}.</private> Bye"]  # on into the next block
    me.conversation("c").append("user", content)
    assert "Bye" in me.conversation("c").messages()[0].content
    found = stored(database)
    assert WORD not in found
    for kept in ("Before", "Prompt", "I prefer tea", "Block", "Nested", "Hmm", "Arg", "Result", "Appended", "Value"):
        assert kept in found


def test_a_message_of_nothing_but_private_text_is_skipped(me: UserMemory, database: str) -> None:
    chat = me.conversation("c")
    assert [one.action for one in (chat.append("user", HIDDEN), chat.append("user", [HIDDEN]))] == ["skipped"] * 2
    context = me.before_prompt(HIDDEN, session="c")
    assert (context.message_id, context.degraded) == (None, ())
    assert me.after_turn([{"role": "user", "content": HIDDEN}], session="c").saved == 0
    assert WORD not in stored(database)


def test_of_a_private_conversation_nothing_is_kept(memory: Memory, me: UserMemory, database: str) -> None:
    names = [f"s{number}" for number in (1, 2, 3)]
    for name in names:
        me.conversation(name).set_private()
    me.remember("The pump is in the attic")
    text = f"I prefer being a {WORD}. I live in Brno."
    assert me.before_prompt(f"Where is the pump? {text}", session="s1").hits
    outcome = me.after_turn(
        [
            {"role": "user", "content": text},
            {"role": "assistant", "content": text, "tool_calls": [_call(text)]},
        ],
        session="s2",
    )
    assert (outcome.saved, outcome.captured, outcome.events) == (0, (), ())
    assert me.conversation("s3").append("user", text).action == "skipped"
    assert me.messages.capture(text, session="s3") == ()
    assert me.count() == 1
    assert memory.stats().messages == 0
    assert WORD not in stored(database)
    assert {info.id: info.private for info in me.conversations()} == dict.fromkeys(names, True)


def _call(text: str) -> dict[str, Any]:
    return {"id": "t", "name": "turn_on", "arguments": json.dumps({"entity_id": "light.garage", "text": text})}


def test_a_private_conversation_begins_and_ends(memory: Memory) -> None:
    # what was said before stays and what is said after is kept again
    me = memory.user("user 0")
    chat = me.conversation("c")
    chat.append("user", "before")
    chat.set_private()
    chat.append("user", "meanwhile")
    chat.set_private(False)
    chat.append("user", "after")
    assert [message.content for message in chat.messages()] == ["before", "after"]

    # a turn that was private does not teach when it is delivered again
    me = memory.user("user 1")
    chat = me.conversation("c")
    chat.append("user", "Hello")
    chat.set_private()
    turn = [{"role": "user", "content": "I live in Brno."}, {"role": "assistant", "content": "Nice."}]
    for _ in range(2):
        me.after_turn([{"role": "user", "content": "Hello"}, *turn], session="c")
    assert me.count() == 0
    assert [message.content for message in chat.messages()] == ["Hello"]
