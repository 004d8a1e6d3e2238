"""Conversations made at random: users, answers, tools that answer or do not, prompts, thoughts and a summary."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import strategies as st

from recollect.model.literals import MessageRole
from recollect.model.messages import Message, ToolCall

START = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)


def said(role: MessageRole, content: str = "", *, number: int = 0, tokens: int = 10, **fields: Any) -> Message:
    """Make a message as a store would give it."""
    blank = Message(
        id=f"message {number}", conversation="c", external_id="", sequence=number, role=role, speaker="",
        content=content,
        blocks=(), tool_calls=(), tool_call_id="", tokens=tokens, status="active", trust=3, model="",
        input_tokens=None, output_tokens=None, thinking_tokens=None, feedback=None, metadata={},
        said_at=START + timedelta(seconds=number), created_at=START,
    )  # fmt: skip
    return blank._replace(**fields)


def called(*ids: str, number: int = 0, tokens: int = 10) -> Message:
    """Make an answer that asks for tools."""
    calls = tuple(ToolCall(call_id, "look") for call_id in ids)
    return said("assistant", number=number, tokens=tokens, tool_calls=calls)


def answered(call_id: str, *, number: int = 0, tokens: int = 10) -> Message:
    """Make the result of a tool."""
    return said("tool", "found it", number=number, tokens=tokens, tool_call_id=call_id)


_KINDS = ("user", "user", "assistant", "assistant", "system", "reasoning", "call", "result", "result", "summary")
_SIZES = st.one_of(st.integers(5, 60), st.sampled_from([5, 300, 10_000]))


@st.composite
def talks(draw: st.DrawFn) -> list[Message]:
    """Draw an active conversation in order. Results come late, out of order, twice, or never; one summary at most."""
    made: list[Message] = []
    calls: list[str] = []
    for number, kind in enumerate(draw(st.lists(st.sampled_from(_KINDS), max_size=40)), 1):
        tokens = draw(_SIZES)
        if kind == "call":
            ids = [f"call {number}.{part}" for part in range(draw(st.integers(1, 3)))]
            calls += ids
            made.append(called(*ids, number=number, tokens=tokens))
        elif kind == "result":
            made.append(answered(draw(st.sampled_from([*calls, "nobody's"])), number=number, tokens=tokens))
        elif kind != "summary" or not any(message.role == "summary" for message in made):
            made.append(said(kind, f"text {number}", number=number, tokens=tokens))  # type: ignore[arg-type]
    return made


def in_order(messages: Sequence[Message]) -> bool:
    """Tell whether messages come as they were said."""
    places = [(message.sequence, message.said_at) for message in messages]
    return places == sorted(places)


def open_calls(messages: Sequence[Message]) -> set[str]:
    """Give the ids of the calls that no result among these answers."""
    waiting: set[str] = set()
    for message in messages:
        waiting |= {call.id for call in message.tool_calls}
        waiting.discard(message.tool_call_id)
    return waiting


def lost_results(messages: Sequence[Message]) -> list[Message]:
    """Give the results that no call among these asked for, or that another has answered already."""
    waiting: set[str] = set()
    lost = []
    for message in messages:
        waiting |= {call.id for call in message.tool_calls}
        if message.role == "tool" and message.tool_call_id not in waiting:
            lost.append(message)
        waiting.discard(message.tool_call_id)
    return lost
