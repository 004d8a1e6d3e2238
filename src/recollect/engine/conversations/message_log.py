"""The message log of conversations: append and read. A message is stored once, in its place, or not at all.

Some hosts deliver the whole conversation after each turn. A message that is delivered again is known by its id, its
position, or its tombstone: a stored one is not new, and a forgotten one must not come back that way.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import chain, pairwise, takewhile
from typing import Any

from recollect.dialogue import blocks, exchanges
from recollect.dialogue.exchanges import fingerprints
from recollect.engine.base.context import Engine
from recollect.engine.conversations import message_drafts
from recollect.engine.conversations.message_drafts import DraftedMessage
from recollect.engine.drafts import items, memory_drafts, redaction, tombstones
from recollect.errors import InvalidInput
from recollect.model.filters import MessageFilters
from recollect.model.memories import MessageDraft, Scope
from recollect.model.messages import (
    Appended,
    ConversationInfo,
    ConversationRecord,
    Message,
    MessagePosition,
    NewMessage,
    Window,
)
from recollect.model.readings import TaughtMemory
from recollect.storage.base import OpenedConversation, StoreReader, StoreWriter, UserRows
from recollect.text.titles import title_of

_MAX_UNCOMPARED = 50  # messages at the end that are not compared
_NEVER_COMPARED = frozenset({"reasoning", "summary", "system"})  # hosts may or may not deliver these
_MAX_SHOWN = 10_000


def without_forgotten(
    rows: UserRows, conversation: str, drafted: Sequence[DraftedMessage], *, imported: bool = False
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


def _find_forgotten(rows: UserRows, messages: Sequence[Message], older: Sequence[str] = ()) -> Mapping[str, datetime]:
    """Give the ids of messages with a tombstone, and when they were forgotten. One that is dated later is new.

    What is dated earlier than the forgetting of its conversation, or than one of the `older` tombstones, was forgotten,
    whether it had arrived then or not.
    """
    marks = {message.id: (*exchanges.fingerprints(message), *_wholes(message, older)) for message in messages}
    found = tombstones.forgotten_at(rows, marks)
    return {
        message.id: moment
        for message in messages
        for moment in found.get(message.id, ())
        if not (exchanges.is_dated(message) and message.said_at > moment)
    }


def _wholes(message: Message, older: Sequence[str]) -> tuple[str, ...]:
    return (tombstones.of_session(message.conversation), *older) if exchanges.is_dated(message) else ()


def may_take_id(stored: Message, delivered: Message, used_ids: set[str]) -> bool:
    """Tell whether a stored message may take the external id of a delivered one: same role, and each id once."""
    unused = bool(delivered.external_id) and delivered.external_id not in used_ids
    return unused and not stored.external_id and stored.role == delivered.role


def find_stored(rows: UserRows, conversation: str, drafted: Sequence[DraftedMessage]) -> list[Message | None]:
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
    repeated = exchanges.count_redelivered(tail, compared)
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
        if stored is None and follower and exchanges.is_same_message(follower, message):
            stored = by_position[message.id] = follower
        before = stored


def _stored_thoughts(last: Sequence[Message], delivered: Sequence[Message | None]) -> dict[str, Message]:
    """Match the thoughts at the end by their words, when all other messages are stored."""
    at_end = takewhile(lambda message: message.role == "reasoning", reversed(last))
    by_content = {message.content: message for message in at_end}
    uncompared = takewhile(lambda message: message is None or message.role in _NEVER_COMPARED, reversed(delivered))
    thoughts = [message for message in uncompared if message and message.role == "reasoning"]
    return {message.id: by_content[message.content] for message in thoughts if message.content in by_content}


def _stored_prompts(rows: UserRows, conversation: str, prompts: Sequence[Message]) -> dict[str, Message]:
    """Match system prompts by their words; stored ones are always active. Windows have the summary among them."""
    if not prompts:
        return {}
    active = rows.active_messages(conversation, 1)
    by_content = {message.content: message for message in active if message.role in ("system", "summary")}
    return {prompt.id: by_content[prompt.content] for prompt in prompts if prompt.content in by_content}


def append(engine: Engine, scope: Scope, conversation: str, offered: Sequence[NewMessage]) -> tuple[Appended, ...]:
    """Add messages to a conversation, all or none. It is durable when this returns."""
    now = engine.clock.now()
    drafted = [message_drafts.draft_message(engine, scope, conversation, message, now) for message in offered]

    def work(writer: StoreWriter) -> tuple[Appended, ...]:
        return add(writer, engine, open_conversation(writer, conversation, now), drafted, now)

    added = engine.write(scope, work)
    engine.background.wake()
    return added


def bring(
    engine: Engine, scope: Scope, conversation: str, offered: Sequence[NewMessage], trust: int
) -> tuple[Appended, ...]:
    """Import messages, trusted no more than `trust`; forgotten ones do not come back."""
    now = engine.clock.now()
    drafted = [
        _cap_trust(message_drafts.draft_message(engine, scope, conversation, message, now), trust)
        for message in offered
    ]

    def work(writer: StoreWriter) -> tuple[Appended, ...]:
        new = without_forgotten(writer, conversation, drafted, imported=True)
        if not any(message.draft for message in new):  # nor does a conversation of which nothing is left
            return tuple(_left_out(*pair) for pair in zip(drafted, new, strict=True))
        added = add(writer, engine, open_conversation(writer, conversation, now), new, now)
        return tuple(
            done if left.draft else _left_out(one, left) for one, left, done in zip(drafted, new, added, strict=True)
        )

    added = engine.write(scope, work)
    engine.background.wake()
    return added


def _left_out(offered: message_drafts.DraftedMessage, left: message_drafts.DraftedMessage) -> Appended:
    return Appended("forgotten" if offered.draft and not left.draft else "skipped")


def _cap_trust(drafted: message_drafts.DraftedMessage, trust: int) -> message_drafts.DraftedMessage:
    if drafted.draft is None or drafted.draft.message.trust <= trust:
        return drafted
    return replace(drafted, draft=drafted.draft._replace(message=drafted.draft.message._replace(trust=trust)))


def open_conversation(writer: StoreWriter, conversation: str, now: datetime) -> ConversationRecord:
    """Find a conversation, or begin it."""
    record = writer.conversation(conversation)
    if record is None:
        record = ConversationRecord(conversation, False, 0, None, {}, now, now)  # noqa: FBT003 - not private
        writer.save_conversation(record)
    return record


def add(
    writer: StoreWriter,
    engine: Engine,
    record: ConversationRecord,
    drafted: Sequence[message_drafts.DraftedMessage],
    now: datetime,
) -> tuple[Appended, ...]:
    """Write the messages that are new, in the running transaction."""
    if record.private:
        return tuple(Appended("skipped") for _ in drafted)
    external_ids = [new.draft.message.external_id for new in drafted if new.draft and new.draft.message.external_id]
    stored = dict(writer.delivered(record.id, external_ids)) if external_ids else {}
    results, drafts, last = [], [], record.last_sequence
    for new in drafted:
        if new.draft is None:
            results.append(Appended("skipped"))
            continue
        external_id = new.draft.message.external_id
        if external_id and external_id in stored:
            results.append(Appended("duplicate", stored[external_id]))
            continue
        sequence = last + 1 if new.sequence is None else new.sequence
        last = max(last, sequence)
        draft = new.draft._replace(message=new.draft.message._replace(sequence=sequence))
        stored[external_id] = draft.message
        drafts.append(draft)
        results.append(Appended("created", draft.message))
    said = max((min(draft.message.said_at, now) for draft in drafts), default=now)
    spoken = said if not record.last_sequence else max(said, record.updated_at)
    _write(writer, engine, record._replace(last_sequence=last, updated_at=spoken), drafts)
    return tuple(results)


def _write(writer: StoreWriter, engine: Engine, record: ConversationRecord, drafts: Sequence[MessageDraft]) -> None:
    if drafts:
        writer.save_conversation(record)
        writer.insert_messages(drafts, engine.models.latest)
        writer.exhume([mark for draft in drafts for mark in fingerprints(draft.message)])


def deliver(
    writer: StoreWriter,
    engine: Engine,
    record: ConversationRecord,
    drafted: Sequence[message_drafts.DraftedMessage],
    now: datetime,
) -> tuple[Appended, ...]:
    """Add the messages of a host, which may have delivered some of them before, with ids or without."""
    stored = find_stored(writer, record.id, drafted)
    used_ids: set[str] = set()
    for new, message in zip(drafted, stored, strict=True):
        if message and new.draft and may_take_id(message, new.draft.message, used_ids):
            writer.name_message(message.id, new.draft.message.external_id)
            used_ids.add(new.draft.message.external_id)
    if not record.private:
        stored = _with_late_media(writer, engine, stored, drafted)
    fresh = iter(add(writer, engine, record, [new for new, old in zip(drafted, stored, strict=True) if not old], now))
    return tuple(Appended("duplicate", message) if message else next(fresh) for message in stored)


def _with_late_media(
    writer: StoreWriter,
    engine: Engine,
    stored: Sequence[Message | None],
    drafted: Sequence[message_drafts.DraftedMessage],
) -> list[Message | None]:
    """Give messages that were stored without media those that their host delivers after the turn."""
    given: list[Message | None] = []
    for message, new in zip(stored, drafted, strict=True):
        media = new.draft.message.media if new.draft else ()
        if message is None or message.media or not media:
            given.append(message)
            continue
        learned = not writer.unlearned([message.id])
        changed = items.message(writer, message.id)._replace(media=media)  # it may have got its host's id just now
        writer.delete_messages([message.id])
        writer.insert_messages([message_drafts.finish(engine, changed)], engine.models.latest)
        if learned:
            writer.mark_learned([message.id])
        given.append(changed)
    return given


def expand(offered: Iterable[NewMessage | Mapping[str, Any]]) -> list[NewMessage]:
    """Parse messages in any host's format."""
    return list(chain.from_iterable(blocks.messages_of(message) for message in offered))


def show(engine: Engine, scope: Scope, conversation: str, max_tokens: int, *, reasoning: bool) -> Window:
    """Choose the context window of a model."""
    if isinstance(max_tokens, bool) or not isinstance(max_tokens, int) or max_tokens < 1:
        raise InvalidInput(f"max_tokens is {max_tokens!r}; it must be a whole number, at least 1.")

    def work(reader: StoreReader) -> tuple[Sequence[Message], int]:
        return reader.active_messages(conversation, _MAX_SHOWN), reader.folded(conversation, reasoning=reasoning)

    active, folded = engine.store.read(scope, work)
    window = exchanges.choose_window(active, max_tokens, reasoning=reasoning)
    shown = tuple(map(exchanges.for_model, window.messages))
    return replace(window, messages=shown, omitted=window.omitted + folded)


def messages(engine: Engine, scope: Scope, conversation: str, limit: int, before: int | None) -> tuple[Message, ...]:
    """Give the last messages of a conversation in order, whatever their status."""
    return tuple(engine.store.read(scope, lambda reader: reader.last_messages(conversation, limit, before)))


def summary(engine: Engine, scope: Scope, conversation: str) -> Message | None:
    """Give the live summary."""
    active = engine.store.read(scope, lambda reader: reader.active_messages(conversation, 1))
    return next((message for message in active if message.role == "summary"), None)


def originals(engine: Engine, scope: Scope, message_id: str) -> tuple[Message, ...]:
    """Give the messages that a summary was made from, through all earlier summaries."""

    def work(reader: StoreReader) -> Sequence[Message]:
        by_id: dict[str, Message] = {}
        summaries = [message_id]
        while summaries:
            fresh = [made.source_id for made in reader.sources(summaries) if made.source_id not in by_id]
            sources = reader.get_messages(fresh)
            by_id.update((message.id, message) for message in sources)
            summaries = [message.id for message in sources if message.role == "summary"]
        return [message for message in by_id.values() if message.role != "summary"]

    return tuple(sorted(engine.store.read(scope, work), key=_order))


def learned(engine: Engine, scope: Scope, conversation: str) -> tuple[TaughtMemory, ...]:
    """Give the memories that were captured from the messages of a conversation, oldest first."""

    def work(reader: StoreReader) -> tuple[TaughtMemory, ...]:
        sources: dict[str, list[str]] = {}
        for made in reader.made_from(reader.message_ids(conversation)):
            if made.made_kind == "memory":
                sources.setdefault(made.made_id, []).append(made.source_id)
        records = sorted(reader.get(list(sources)), key=lambda record: record.id)
        return tuple(TaughtMemory(record, tuple(sorted(sources[record.id]))) for record in records)

    return engine.store.read(scope, work)


def between(
    engine: Engine, scope: Scope, since: datetime | None, until: datetime | None, limit: int
) -> tuple[Message, ...]:
    """Give the newest messages of a time, in the order in which they were said."""
    filters = MessageFilters(since=since, until=until)
    return tuple(engine.store.read(scope, lambda reader: reader.said_between(filters, limit)))


def info(engine: Engine, scope: Scope, conversation: str) -> ConversationInfo | None:
    """Give a conversation with its figures."""
    found = engine.store.read(scope, lambda reader: reader.conversations(1, conversation))
    return _titled(found[0]) if found else None


def message(engine: Engine, scope: Scope, message_id: str) -> Message:
    """Give one message. Raises NotFound."""
    return engine.store.read(scope, lambda reader: items.message(reader, message_id))


def surroundings(engine: Engine, scope: Scope, message_id: str, before: int, after: int) -> tuple[Message, ...]:
    """Give a message with its neighbours, in order, whatever their status."""

    def work(reader: StoreReader) -> Sequence[Message]:
        return reader.get_messages(_nearby(reader, items.message(reader, message_id), before, after))

    return tuple(sorted(engine.store.read(scope, work), key=_order))


def _nearby(reader: StoreReader, message: Message, before: int, after: int) -> list[str]:
    """Find the ids around a message; where sequences have gaps, the reach grows until there are enough."""
    record = reader.conversation(message.conversation)
    farthest = max(message.sequence, record.last_sequence - message.sequence if record else 0)
    reach = max(before, after)
    while True:
        around = reader.around([message.id], reach, MessageFilters())
        ordered = sorted((row for row in around if row.role != "summary" or row.id == message.id), key=_order)
        index = next(position for position, row in enumerate(ordered) if row.id == message.id)
        if (index >= before and len(ordered) - index > after) or reach >= farthest:
            return [row.id for row in ordered[max(0, index - before) : index + after + 1]]
        reach = min(4 * reach, farthest)


def _order(message: Message | MessagePosition) -> tuple[int, datetime, str]:
    return message.sequence, message.said_at, message.id


def listing(
    engine: Engine, scope: Scope, limit: int, before: tuple[datetime, str] | None = None
) -> tuple[ConversationInfo, ...]:
    """List a user's conversations."""
    found = engine.store.read(scope, lambda reader: reader.conversations(limit, before=before))
    return tuple(map(_titled, found))


def _titled(opened: OpenedConversation) -> ConversationInfo:
    return opened.info._replace(title=title_of(opened.info.metadata, opened.openings))


def set_private(engine: Engine, scope: Scope, conversation: str, *, private: bool) -> None:
    """Switch the storing of further messages off or on. What was not read yet of a private conversation never is."""
    now = engine.clock.now()

    def work(writer: StoreWriter) -> None:
        writer.save_conversation(open_conversation(writer, conversation, now)._replace(private=private))
        if private:
            writer.mark_learned(writer.finish_readings(writer.message_ids(conversation)))

    engine.write(scope, work)


def describe(engine: Engine, scope: Scope, conversation: str, metadata: Mapping[str, Any]) -> None:
    """Add to the metadata of a conversation: its channel, its title."""
    added = memory_drafts.checked_mapping("metadata", redaction.public_values(engine, metadata))
    now = engine.clock.now()

    def work(writer: StoreWriter) -> None:
        record = open_conversation(writer, conversation, now)
        writer.save_conversation(record._replace(metadata={**record.metadata, **added}))

    engine.write(scope, work)
