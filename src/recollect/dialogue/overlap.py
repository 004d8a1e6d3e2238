"""Finds what is new in what a host delivers, when it delivers things again and does not name all of them.

Some hosts deliver each turn once, some the whole conversation each time, some both. So the delivery is laid over the
end of the known ones: the longest beginning of the delivery that is the end of the known is not new.
"""

import hashlib
from collections.abc import Sequence

from recollect.model.media import media_names
from recollect.model.messages import Message


def count_redelivered(known_messages: Sequence[Message], delivered: Sequence[Message]) -> int:
    """Say how many messages at the start of the delivery are the end of the known ones."""
    for length in range(min(len(known_messages), len(delivered)), 0, -1):
        if all(map(is_same_message, known_messages[-length:], delivered)):
            return length
    return 0


def is_same_message(known_message: Message, delivered: Message) -> bool:
    """Tell whether two messages are one: by their ids, or, when one of them has none, by what they say.

    Two people may say the same; a name that only one of the two has says nothing.
    """
    if known_message.external_id and delivered.external_id:
        return known_message.external_id == delivered.external_id
    if is_dated(known_message) and is_dated(delivered) and known_message.said_at != delivered.said_at:
        return False
    if known_message.speaker and delivered.speaker and known_message.speaker != delivered.speaker:
        return False
    if known_message.media and delivered.media and known_message.media != delivered.media:
        return False
    return _likeness(known_message) == _likeness(delivered)


def is_dated(message: Message) -> bool:
    """Tell whether the host said when it was said; otherwise that is the moment it was kept."""
    return message.said_at != message.created_at


def fingerprints(message: Message) -> tuple[str, ...]:
    """Identify a message in its conversation without telling what it says: by its words, and by its host's id."""
    shown = () if message.content else media_names(message.media)
    said = ("said", *_likeness(message)[:3], *shown, *(call.id for call in message.tool_calls))
    named = [("named", message.external_id)] if message.external_id else []
    texts = ("\x1f".join((message.conversation, *parts)) for parts in (said, *named))
    return tuple(hashlib.blake2b(text.encode(), digest_size=16).hexdigest() for text in texts)


def _likeness(message: Message) -> tuple[str, str, str, tuple[str, ...]]:
    return message.role, message.content, message.tool_call_id, tuple(call.id for call in message.tool_calls)
