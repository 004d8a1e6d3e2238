"""The text of an item whose meaning is embedded."""

from recollect.engine import drafting
from recollect.messages import Message
from recollect.types import MemoryRecord


def passage_of(item: MemoryRecord | Message) -> str:
    """Give what a memory or a message says, as one text."""
    return message_passage(item) if isinstance(item, Message) else drafting.passage(item)


def message_passage(message: Message) -> str:
    """Give the words of a message; of one that only calls tools, what it calls them with."""
    calls = " ".join(f"{call.name} {call.arguments}" for call in message.tool_calls)
    return message.content or calls
