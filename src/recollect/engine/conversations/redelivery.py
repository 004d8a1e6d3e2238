"""Deduplication of messages that a host delivers again: by their ids, their position, and tombstones.

Some hosts deliver the whole conversation after each turn. A stored message is not new, and a forgotten one must not
come back that way.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import pairwise, takewhile

from recollect.dialogue import overlap
from recollect.engine.conversations.message_drafts import DraftedMessage
from recollect.engine.drafts import tombstones
from recollect.model.messages import Message
from recollect.storage.base import StoreReader, StoreWriter

_MAX_UNCOMPARED = 50  # messages at the end that are not compared
_NEVER_COMPARED = frozenset({"reasoning", "summary", "system"})  # hosts may or may not deliver these


def without_forgotten(
    rows: StoreReader | StoreWriter, conversation: str, drafted: Sequence[DraftedMessage], *, imported: bool = False
) -> list[DraftedMessage]:
    """Replace forgotten messages that are delivered again by empty drafts.

    What follows a message that was stored after the forgetting is no redelivery: people say the same thing twice. What
    is `imported` may be older than the moment at which everything was forgotten: it need not have been here then.
    """
    offered = [new.draft.message for new in drafted if new.draft]
    forgotten = _find_forgotten(rows, offered, () if imported else (tombstones.OLDER,))
    if not forgotten:
        return list(drafted)
    reduced = [
        DraftedMessage(None, None) if new.draft and new.draft.message.id in forgotten else new for new in drafted
    ]
    result: list[DraftedMessage] = []
    newest: datetime | None = None
    for new, left, stored in zip(drafted, reduced, find_stored(rows, conversation, reduced), strict=True):
        if stored and (newest is None or stored.created_at > newest):
            newest = stored.created_at
        since = forgotten.get(new.draft.message.id) if new.draft else None
        result.append(new if since and newest and newest > since else left)
    return result


def _find_forgotten(
    rows: StoreReader | StoreWriter, messages: Sequence[Message], older: Sequence[str] = ()
) -> Mapping[str, datetime]:
    """Give the ids of messages with a tombstone, and when they were forgotten. One that is dated later is new.

    What is dated earlier than the forgetting of its conversation, or than one of the `older` tombstones, was forgotten,
    whether it had arrived then or not.
    """
    marks = {message.id: (*overlap.fingerprints(message), *_wholes(message, older)) for message in messages}
    buried = rows.buried([mark for several in marks.values() for mark in several]) if marks else {}
    pairs = ((message, mark) for message in messages for mark in marks[message.id] if mark in buried)
    return {
        message.id: buried[mark]
        for message, mark in pairs
        if not (overlap.is_dated(message) and message.said_at > buried[mark])
    }


def _wholes(message: Message, older: Sequence[str]) -> tuple[str, ...]:
    return (tombstones.of_session(message.conversation), *older) if overlap.is_dated(message) else ()


def may_take_id(stored: Message, delivered: Message, used_ids: set[str]) -> bool:
    """Tell whether a stored message may take the external id of a delivered one: same role, and each id once."""
    unused = bool(delivered.external_id) and delivered.external_id not in used_ids
    return unused and not stored.external_id and stored.role == delivered.role


def find_stored(
    rows: StoreReader | StoreWriter, conversation: str, drafted: Sequence[DraftedMessage]
) -> list[Message | None]:
    """Give for each delivered message the stored one that it repeats, if any.

    A thought is stored when the message after it is. A system prompt is recognised by its words: hosts put it in front
    of whatever they deliver.
    """
    delivered = [new.draft.message if new.draft else None for new in drafted]
    external_ids = [message.external_id for message in delivered if message and message.external_id]
    by_id = rows.delivered(conversation, external_ids) if external_ids else {}
    last = rows.last_messages(conversation, 2 * len(drafted) + _MAX_UNCOMPARED)
    tail = [message for message in last if message.role not in _NEVER_COMPARED]
    forgotten = _find_forgotten(rows, tail)
    tail = [message for message in tail if message.id not in forgotten]  # its twin is left out of the delivery, too
    compared = [message for message in delivered if message and message.role not in _NEVER_COMPARED]
    repeated = overlap.count_redelivered(tail, compared)
    by_position = {new.id: old for new, old in zip(compared[:repeated], tail[len(tail) - repeated :], strict=True)}
    _match_followers(tail, compared, by_id, by_position)
    prompts = [message for message in delivered if message and message.role == "system"]
    by_position |= _stored_prompts(rows, conversation, prompts)
    if all(message.external_id in by_id or message.id in by_position for message in compared):
        by_position |= _stored_thoughts(last, delivered)
    stored: list[Message | None] = []
    following: Message | None = None
    for message in reversed(delivered):
        twin = message and (by_id.get(message.external_id) or by_position.get(message.id))
        if message and message.role == "reasoning":
            twin = twin or following
        stored.append(twin or None)
        following = twin or None
    return stored[::-1]


def _match_followers(
    tail: Sequence[Message], compared: Sequence[Message], by_id: Mapping[str, Message], by_position: dict[str, Message]
) -> None:
    """Match messages without an id by their position: right after a stored message."""
    after = {message.id: follower for message, follower in pairwise(tail)}
    before: Message | None = None
    for message in compared:
        stored = by_id.get(message.external_id) or by_position.get(message.id)
        follower = after.get(before.id) if before else None
        if stored is None and follower and overlap.is_same_message(follower, message):
            stored = by_position[message.id] = follower
        before = stored


def _stored_thoughts(last: Sequence[Message], delivered: Sequence[Message | None]) -> dict[str, Message]:
    """Match the thoughts at the end by their words, when all other messages are stored."""
    at_end = takewhile(lambda message: message.role == "reasoning", reversed(last))
    by_content = {message.content: message for message in at_end}
    uncompared = takewhile(lambda message: message is None or message.role in _NEVER_COMPARED, reversed(delivered))
    thoughts = [message for message in uncompared if message and message.role == "reasoning"]
    return {message.id: by_content[message.content] for message in thoughts if message.content in by_content}


def _stored_prompts(
    rows: StoreReader | StoreWriter, conversation: str, prompts: Sequence[Message]
) -> dict[str, Message]:
    """Match system prompts by their words; stored ones are always active."""
    if not prompts:
        return {}
    active = rows.active_messages(conversation, 1)
    by_content = {message.content: message for message in active if message.role == "system"}
    return {prompt.id: by_content[prompt.content] for prompt in prompts if prompt.content in by_content}
