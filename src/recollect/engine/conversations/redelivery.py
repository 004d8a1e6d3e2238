"""Recognises what a host delivers again: by its ids, by its place, and by what was forgotten.

Some hosts deliver the whole conversation after each turn. What is known is not new, and what was forgotten must not
come back that way.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import pairwise, takewhile

from recollect.dialogue import overlap
from recollect.engine.conversations.message_drafts import DraftedMessage
from recollect.model.messages import Message
from recollect.ports import StoreReader, StoreWriter

_THOUGHTS = 50  # so many messages at the end may be ones that are not compared
_NEVER_COMPARED = frozenset({"reasoning", "summary", "system"})  # hosts deliver these or not, as they like


def unburied(
    rows: StoreReader | StoreWriter, conversation: str, spoken: Sequence[DraftedMessage]
) -> list[DraftedMessage]:
    """Leave out, as nothing that may be kept, what was forgotten in this conversation and is delivered again.

    What follows a message that was kept after the forgetting is no repetition: people say the same thing twice.
    """
    forgotten = _buried(rows, [one.draft.message for one in spoken if one.draft])
    if not forgotten:
        return list(spoken)
    without = [DraftedMessage(None, None) if one.draft and one.draft.message.id in forgotten else one for one in spoken]
    kept: list[DraftedMessage] = []
    newest: datetime | None = None
    for one, left, known in zip(spoken, without, recognised(rows, conversation, without), strict=True):
        if known and (newest is None or known.created_at > newest):
            newest = known.created_at
        since = forgotten.get(one.draft.message.id) if one.draft else None
        kept.append(one if since and newest and newest > since else left)
    return kept


def _buried(rows: StoreReader | StoreWriter, messages: Sequence[Message]) -> Mapping[str, datetime]:
    """Give the ids of those that were forgotten, and when."""
    marks = {message.id: overlap.fingerprints(message) for message in messages}
    buried = rows.buried([mark for several in marks.values() for mark in several]) if marks else {}
    pairs = ((message_id, mark) for message_id, several in marks.items() for mark in several)
    return {message_id: buried[mark] for message_id, mark in pairs if mark in buried}


def may_be_named(known: Message, delivered: Message, told: set[str]) -> bool:
    """A thought that is known by what follows it must not give its name to that, nor two messages share one."""
    new = bool(delivered.external_id) and delivered.external_id not in told
    return new and not known.external_id and known.role == delivered.role


def recognised(
    rows: StoreReader | StoreWriter, conversation: str, spoken: Sequence[DraftedMessage]
) -> list[Message | None]:
    """Give for each delivered message the one that is known already, if it is.

    A thought belongs to what follows it: it is known when that is. A system prompt is known by its words: hosts put it
    in front of whatever they deliver.
    """
    drafted = [one.draft.message if one.draft else None for one in spoken]
    named = [message.external_id for message in drafted if message and message.external_id]
    by_id = rows.delivered(conversation, named) if named else {}
    last = rows.last_messages(conversation, 2 * len(spoken) + _THOUGHTS)
    tail = [message for message in last if message.role not in _NEVER_COMPARED]
    forgotten = _buried(rows, tail)
    tail = [message for message in tail if message.id not in forgotten]  # its twin is not delivered to us either
    compared = [message for message in drafted if message and message.role not in _NEVER_COMPARED]
    known_at_end = overlap.count_redelivered(tail, compared)
    by_place = {new.id: old for new, old in zip(compared[:known_at_end], tail[len(tail) - known_at_end :], strict=True)}
    _follow(tail, compared, by_id, by_place)
    by_place |= _known_prompts(rows, conversation, [one for one in drafted if one and one.role == "system"])
    if all(message.external_id in by_id or message.id in by_place for message in compared):
        by_place |= _known_thoughts(last, drafted)
    known: list[Message | None] = []
    following: Message | None = None
    for message in reversed(drafted):
        found = message and (by_id.get(message.external_id) or by_place.get(message.id))
        if message and message.role == "reasoning":
            found = found or following
        known.append(found or None)
        following = found or None
    return known[::-1]


def _follow(
    tail: Sequence[Message], compared: Sequence[Message], by_id: Mapping[str, Message], by_place: dict[str, Message]
) -> None:
    """Recognise what has no id by standing where it stood: right after a message that is known."""
    after = {message.id: follower for message, follower in pairwise(tail)}
    before: Message | None = None
    for message in compared:
        known = by_id.get(message.external_id) or by_place.get(message.id)
        follower = after.get(before.id) if before else None
        if known is None and follower and overlap.is_same_message(follower, message):
            known = by_place[message.id] = follower
        before = known


def _known_thoughts(last: Sequence[Message], drafted: Sequence[Message | None]) -> dict[str, Message]:
    """Give the thoughts at the end that are known, when all the rest is: nothing follows them that could tell."""
    kept = {message.content: message for message in takewhile(lambda one: one.role == "reasoning", reversed(last))}
    delivered = takewhile(lambda one: one is None or one.role in _NEVER_COMPARED, reversed(drafted))
    thoughts = [message for message in delivered if message and message.role == "reasoning"]
    return {message.id: kept[message.content] for message in thoughts if message.content in kept}


def _known_prompts(
    rows: StoreReader | StoreWriter, conversation: str, prompts: Sequence[Message]
) -> dict[str, Message]:
    """Give the kept system prompts by the ids of the delivered ones that say the same; they are always active."""
    if not prompts:
        return {}
    active = rows.active_messages(conversation, 1)
    kept = {message.content: message for message in active if message.role == "system"}
    return {prompt.id: kept[prompt.content] for prompt in prompts if prompt.content in kept}
