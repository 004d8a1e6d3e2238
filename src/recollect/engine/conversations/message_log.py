"""Conversations: adding to them, and showing them. A message is kept once, in its place, or not at all."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import chain
from typing import Any

from recollect.dialogue import blocks, window
from recollect.dialogue.overlap import fingerprints
from recollect.engine.base.context import Engine
from recollect.engine.conversations import message_drafts, redelivery
from recollect.engine.drafts import memory_drafts, redaction
from recollect.errors import InvalidInput, InvalidMessage, NotFound
from recollect.model.filters import MessageFilters
from recollect.model.memories import MessageDraft, Scope
from recollect.model.messages import Appended, ConversationInfo, ConversationRecord, Message, NewMessage, Window
from recollect.ports import MessagePosition, StoreReader, StoreWriter

_MOST_SHOWN = 10_000


def append(engine: Engine, scope: Scope, conversation: str, offered: Sequence[NewMessage]) -> tuple[Appended, ...]:
    """Add messages to a conversation, all or none. It is durable when this returns."""
    now = engine.clock.now()
    spoken = [message_drafts.speak(engine, conversation, message, now) for message in offered]

    def work(writer: StoreWriter) -> tuple[Appended, ...]:
        return add(writer, engine, opened(writer, conversation, now), spoken, now)

    added = engine.write(scope, work)
    engine.background.wake()
    return added


def bring(
    engine: Engine, scope: Scope, conversation: str, offered: Sequence[NewMessage], trust: int
) -> tuple[Appended, ...]:
    """Add what was said elsewhere, trusted no more than `trust`; what was forgotten does not come back."""
    now = engine.clock.now()
    spoken = [_less_trusted(message_drafts.speak(engine, conversation, message, now), trust) for message in offered]

    def work(writer: StoreWriter) -> tuple[Appended, ...]:
        kept = redelivery.unburied(writer, conversation, spoken)
        return add(writer, engine, opened(writer, conversation, now), kept, now)

    added = engine.write(scope, work)
    engine.background.wake()
    return added


def _less_trusted(spoken: message_drafts.DraftedMessage, trust: int) -> message_drafts.DraftedMessage:
    if spoken.draft is None or spoken.draft.message.trust <= trust:
        return spoken
    return replace(spoken, draft=spoken.draft._replace(message=spoken.draft.message._replace(trust=trust)))


def opened(writer: StoreWriter, conversation: str, now: datetime) -> ConversationRecord:
    """Find a conversation, or begin it."""
    known = writer.conversation(conversation)
    if known is None:
        known = ConversationRecord(conversation, False, 0, None, {}, now, now)  # noqa: FBT003 - not private
        writer.save_conversation(known)
    return known


def add(
    writer: StoreWriter,
    engine: Engine,
    record: ConversationRecord,
    spoken: Sequence[message_drafts.DraftedMessage],
    now: datetime,
) -> tuple[Appended, ...]:
    """Write what is new of these messages, in the running transaction."""
    if record.private:
        return tuple(Appended("skipped") for _ in spoken)
    named = [one.draft.message.external_id for one in spoken if one.draft and one.draft.message.external_id]
    known = dict(writer.delivered(record.id, named)) if named else {}
    answers, drafts, last = [], [], record.last_sequence
    for one in spoken:
        if one.draft is None:
            answers.append(Appended("skipped"))
            continue
        external = one.draft.message.external_id
        if external and external in known:
            answers.append(Appended("duplicate", known[external]))
            continue
        sequence = last + 1 if one.sequence is None else one.sequence
        last = max(last, sequence)
        draft = one.draft._replace(message=one.draft.message._replace(sequence=sequence))
        known[external] = draft.message
        drafts.append(draft)
        answers.append(Appended("created", draft.message))
    _write(writer, engine, record._replace(last_sequence=last, updated_at=now), drafts)
    return tuple(answers)


def _write(writer: StoreWriter, engine: Engine, record: ConversationRecord, drafts: Sequence[MessageDraft]) -> None:
    if drafts:
        writer.save_conversation(record)
        writer.insert_messages(drafts, engine.models.latest)
        writer.exhume([mark for draft in drafts for mark in fingerprints(draft.message)])


def deliver(
    writer: StoreWriter,
    engine: Engine,
    record: ConversationRecord,
    spoken: Sequence[message_drafts.DraftedMessage],
    now: datetime,
) -> tuple[Appended, ...]:
    """Add what a host delivers, which may contain what it has delivered before, with ids or without."""
    known = redelivery.recognised(writer, record.id, spoken)
    told: set[str] = set()
    for one, message in zip(spoken, known, strict=True):
        if message and one.draft and redelivery.may_be_named(message, one.draft.message, told):
            writer.name_message(message.id, one.draft.message.external_id)  # by this it is known from now on
            told.add(one.draft.message.external_id)
    fresh = iter(add(writer, engine, record, [one for one, old in zip(spoken, known, strict=True) if not old], now))
    return tuple(Appended("duplicate", message) if message else next(fresh) for message in known)


def expand(offered: Iterable[NewMessage | Mapping[str, Any]]) -> list[NewMessage]:
    """Read messages in any host's manner."""
    return list(chain.from_iterable(blocks.messages_of(message) for message in offered))


def show(engine: Engine, scope: Scope, conversation: str, max_tokens: int, *, reasoning: bool) -> Window:
    """Choose what a model is shown."""
    if isinstance(max_tokens, bool) or not isinstance(max_tokens, int) or max_tokens < 1:
        raise InvalidInput(f"max_tokens is {max_tokens!r}; it must be a whole number, at least 1.")
    active = engine.store.read(scope, lambda reader: reader.active_messages(conversation, _MOST_SHOWN))
    return window.choose_window(active, max_tokens, reasoning=reasoning)


def messages(engine: Engine, scope: Scope, conversation: str, limit: int, before: int | None) -> tuple[Message, ...]:
    """Give the last messages of a conversation in order, whatever their status."""
    found = engine.store.read(scope, lambda reader: reader.last_messages(conversation, limit, before))
    return tuple(found)


def summary(engine: Engine, scope: Scope, conversation: str) -> Message | None:
    """Give the live summary."""
    active = engine.store.read(scope, lambda reader: reader.active_messages(conversation, 1))
    return next((message for message in active if message.role == "summary"), None)


def originals(engine: Engine, scope: Scope, message_id: str) -> tuple[Message, ...]:
    """Give the messages that a summary was made from, through all summaries that it took the place of."""

    def work(reader: StoreReader) -> Sequence[Message]:
        found: dict[str, Message] = {}
        wanted = [message_id]
        while wanted:
            made = reader.sources(wanted)
            fresh = [one.source_id for one in made if one.source_id not in found]
            sources = reader.get_messages(fresh)
            found.update((message.id, message) for message in sources)
            wanted = [message.id for message in sources if message.role == "summary"]
        return [message for message in found.values() if message.role != "summary"]

    return tuple(sorted(engine.store.read(scope, work), key=_place))


def info(engine: Engine, scope: Scope, conversation: str) -> ConversationInfo | None:
    """Give a conversation with its figures."""
    found = engine.store.read(scope, lambda reader: reader.conversations(1, conversation))
    return found[0] if found else None


def message(engine: Engine, scope: Scope, message_id: str) -> Message:
    """Give one message."""
    found = engine.store.read(scope, lambda reader: reader.get_messages([message_id]))
    if not found:
        raise _no_message(message_id)
    return found[0]


def _no_message(message_id: str) -> NotFound:
    return NotFound(f"No message {message_id}. See what was said with `messages`.")


def surroundings(engine: Engine, scope: Scope, message_id: str, before: int, after: int) -> tuple[Message, ...]:
    """Give a message with what was said before and after it, in order, whatever the status."""

    def work(reader: StoreReader) -> Sequence[Message]:
        found = reader.get_messages([message_id])
        if not found:
            raise _no_message(message_id)
        return reader.get_messages(_nearby(reader, found[0], before, after))

    return tuple(sorted(engine.store.read(scope, work), key=_place))


def _nearby(reader: StoreReader, message: Message, before: int, after: int) -> list[str]:
    """Find what stands next to a message. Where sequences have gaps, it looks further, until there is enough."""
    record = reader.conversation(message.conversation)
    farthest = max(message.sequence, record.last_sequence - message.sequence if record else 0)
    reach = max(before, after)
    while True:
        spots = reader.around([message.id], reach, MessageFilters())
        spots = sorted((spot for spot in spots if spot.role != "summary" or spot.id == message.id), key=_place)
        here = next(place for place, spot in enumerate(spots) if spot.id == message.id)
        if (here >= before and len(spots) - here > after) or reach >= farthest:
            return [spot.id for spot in spots[max(0, here - before) : here + after + 1]]
        reach = min(4 * reach, farthest)


def _place(said: Message | MessagePosition) -> tuple[int, datetime, str]:
    return said.sequence, said.said_at, said.id


def listing(
    engine: Engine, scope: Scope, limit: int, before: tuple[datetime, str] | None = None
) -> tuple[ConversationInfo, ...]:
    """List a user's conversations."""
    return tuple(engine.store.read(scope, lambda reader: reader.conversations(limit, before=before)))


def set_private(engine: Engine, scope: Scope, conversation: str, *, private: bool) -> None:
    """Say whether what is said from now on may be kept."""
    _change(engine, scope, conversation, lambda record: record._replace(private=private))


def describe(engine: Engine, scope: Scope, conversation: str, metadata: Mapping[str, Any]) -> None:
    """Note what a host knows about a conversation: its channel, its title."""
    kept = memory_drafts.checked_mapping("metadata", redaction.public_values(engine, metadata))
    _change(engine, scope, conversation, lambda record: record._replace(metadata={**record.metadata, **kept}))


def _change(
    engine: Engine, scope: Scope, conversation: str, change: Callable[[ConversationRecord], ConversationRecord]
) -> None:
    now = engine.clock.now()

    def work(writer: StoreWriter) -> None:
        writer.save_conversation(change(opened(writer, conversation, now)))  # nobody has spoken

    engine.write(scope, work)


def rate(engine: Engine, scope: Scope, message_id: str, feedback: int | None) -> Message:
    """Note what the user thought of a message."""
    if feedback not in (None, 1, -1) or isinstance(feedback, bool):
        raise InvalidMessage(f"feedback is {feedback!r}; it must be 1, -1 or None.")

    def work(writer: StoreWriter) -> Message:
        found = writer.get_messages([message_id])
        if not found:
            raise NotFound(f"No message {message_id}.")
        writer.set_feedback(message_id, feedback)
        return found[0]._replace(feedback=feedback)

    return engine.write(scope, work)
