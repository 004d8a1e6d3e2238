"""What OpenClaw adds to the words of its users is neither kept nor searched for, and its message ids are known."""

from typing import Any

from recollect import Memory, UserMemory

CONTEXT = "<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>\nI prefer trains to planes.\n<<<END_OPENCLAW_INTERNAL_CONTEXT>>>"
STAMP = "[Sun 2026-11-15 06:00 UTC]"


def said(me: UserMemory, session: str) -> list[tuple[str, str, str]]:
    return [(each.role, each.content, each.external_id) for each in me.conversation(session).messages()]


def test_a_stamp_and_an_internal_context_are_neither_kept_nor_searched_with(memory: Memory) -> None:
    # a stamp and an internal context are not kept
    me = memory.user("user 0")
    turn: list[dict[str, Any]] = [
        {"role": "user", "content": f"{STAMP} I prefer oat milk in my coffee."},
        {"role": "user", "content": [{"type": "text", "text": CONTEXT}]},
        {"role": "assistant", "content": [{"type": "text", "text": "Noted."}]},
    ]
    outcome = me.after_turn(turn, session="s1")
    assert said(me, "s1") == [("user", "I prefer oat milk in my coffee.", ""), ("assistant", "Noted.", "")]
    assert [me.get(each.id).content for each in outcome.captured] == ["I prefer oat milk in my coffee"]
    assert not outcome.degraded

    # an internal context is neither saved nor searched with
    me = memory.user("user 1")
    me.remember("Prefers trains to planes", type="preference")
    answer = me.before_prompt(CONTEXT, session="s1")
    assert (answer.block, answer.message_id) == ("", None)
    assert said(me, "s1") == []


def test_ids_of_openclaw_tell_messages_apart(memory: Memory) -> None:
    # a request and its redelivery with a stamp are one message
    me = memory.user("user 0")
    me.before_prompt("Which milk do I like?", session="s1", id="run1:user")
    me.after_turn([{"role": "user", "content": f"{STAMP} Which milk do I like?", "id": "run1:user"}], session="s1")
    assert said(me, "s1") == [("user", "Which milk do I like?", "run1:user")]

    # ids of openclaw tell messages apart
    me = memory.user("user 1")
    history: list[dict[str, Any]] = [
        {"role": "user", "content": "yes", "idempotencyKey": "k1:user", "__openclaw": {"senderIsOwner": True}},
        {"role": "assistant", "content": "Done.", "__openclaw": {"id": "m2"}},
        {"role": "user", "content": "yes", "idempotencyKey": "k2:user"},
    ]
    assert me.after_turn(history, session="s1").saved == 3
    assert me.after_turn(history, session="s1").saved == 0
    assert [name for _, _, name in said(me, "s1")] == ["k1:user", "m2", "k2:user"]
