"""Conversations for the tests, from files in which each line starts with who speaks.

`call:` is a tool call of the assistant (a name and its arguments), `result:` what came back. An indented line goes on.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from recollect.model.literals import MessageRole
from recollect.model.messages import Message, ToolCall

FOLDER = Path(__file__).parent / "conversations"
START = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)

_ROLES: dict[str, MessageRole] = {"user": "user", "assistant": "assistant", "call": "assistant", "result": "tool"}


def count(text: str) -> int:
    """Count tokens roughly, as a tokenizer would: four letters of English, fewer of other languages."""
    return (len(text.encode()) + 3) // 4


def message(
    number: int, role: MessageRole, content: str, calls: tuple[ToolCall, ...] = (), answers: str = ""
) -> Message:
    """Make a turn."""
    said_at = START + timedelta(minutes=number)
    return Message(
        id=f"m{number}",
        conversation="c",
        external_id="",
        sequence=number,
        role=role,
        speaker="",
        content=content,
        blocks=(),
        tool_calls=calls,
        tool_call_id=answers,
        tokens=count(content),
        status="active",
        trust=3,
        model="",
        input_tokens=None,
        output_tokens=None,
        thinking_tokens=None,
        feedback=None,
        metadata={},
        said_at=said_at,
        created_at=said_at,
    )


def talk(*lines: str) -> list[Message]:
    """Make turns of lines like `user: hello`."""
    turns: list[Message] = []
    call_id = ""
    for number, line in enumerate(lines):
        speaker, _, text = line.partition(": ")
        calls: tuple[ToolCall, ...] = ()
        if speaker == "call":
            name, _, arguments = text.partition(" ")
            call_id, text = f"t{number}", ""
            calls = (ToolCall(call_id, name, arguments),)
        turns.append(message(number, _ROLES[speaker], text, calls, call_id if speaker == "result" else ""))
    return turns


def conversation(name: str) -> list[Message]:
    """Read a conversation from its file."""
    return talk(*_lines((FOLDER / f"{name}.txt").read_text(encoding="utf-8")))


def _lines(text: str) -> Iterator[str]:
    found = ""
    for line in text.splitlines():
        if line.startswith("  ") or not line:
            found += f"\n{line[2:]}"
        else:
            if found:
                yield found
            found = line
    if found:
        yield found
