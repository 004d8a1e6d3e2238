"""Conversations: adding to them, and showing them. A message is kept once, in its place, or not at all."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from itertools import chain, pairwise, takewhile
from typing import Any

from recollect.dialogue import blocks, overlap, window
from recollect.engine import drafting, keeping, saying
from recollect.engine.context import Engine
from recollect.errors import InvalidInput, InvalidMessage, NotFound
from recollect.messages import Appended, ConversationInfo, ConversationRecord, Message, NewMessage, Window
from recollect.ports import Reader, Writer
from recollect.types import MessageDraft, Scope

_MOST_SHOWN = 10_000
_THOUGHTS = 50  # so many messages at the end may be ones that are not compared
_NEVER_COMPARED = frozenset({"reasoning", "summary", "system"})  # hosts deliver these or not, as they like


def append(engine: Engine, scope: Scope, conversation: str, offered: Sequence[NewMessage]) -> tuple[Appended, ...]:
    """Add messages to a conversation, all or none. It is durable when this returns."""
    now = engine.clock.now()
    spoken = [saying.speak(engine, conversation, message, now) for message in offered]

    def work(writer: Writer) -> tuple[Appended, ...]:
        return add(writer, engine, opened(writer, conversation, now), spoken, now)

    return engine.store.write(scope, work)


def opened(writer: Writer, conversation: str, now: datetime) -> ConversationRecord:
    """Find a conversation, or begin it."""
    known = writer.conversation(conversation)
    if known is None:
        known = ConversationRecord(conversation, False, 0, None, {}, now, now)  # noqa: FBT003 - not private
        writer.save_conversation(known)
    return known


def add(
    writer: Writer, engine: Engine, record: ConversationRecord, spoken: Sequence[saying.Spoken], now: datetime
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


def _write(writer: Writer, engine: Engine, record: ConversationRecord, drafts: Sequence[MessageDraft]) -> None:
    if drafts:
        writer.save_conversation(record)
        writer.insert_messages(drafts, engine.space)


def deliver(
    writer: Writer, engine: Engine, record: ConversationRecord, spoken: Sequence[saying.Spoken], now: datetime
) -> tuple[Appended, ...]:
    """Add what a host delivers, which may contain what it has delivered before, with ids or without."""
    known = recognised(writer, record.id, spoken)
    told: set[str] = set()
    for one, message in zip(spoken, known, strict=True):
        if message and one.draft and _may_be_named(message, one.draft.message, told):
            writer.name_message(message.id, one.draft.message.external_id)  # by this it is known from now on
            told.add(one.draft.message.external_id)
    fresh = iter(add(writer, engine, record, [one for one, old in zip(spoken, known, strict=True) if not old], now))
    return tuple(Appended("duplicate", message) if message else next(fresh) for message in known)


def _may_be_named(known: Message, delivered: Message, told: set[str]) -> bool:
    """A thought that is known by what follows it must not give its name to that, nor two messages share one."""
    new = bool(delivered.external_id) and delivered.external_id not in told
    return new and not known.external_id and known.role == delivered.role


def recognised(rows: Reader | Writer, conversation: str, spoken: Sequence[saying.Spoken]) -> list[Message | None]:
    """Give for each delivered message the one that is known already, if it is.

    A thought belongs to what follows it: it is known when that is. A system prompt is known by its words: hosts put it
    in front of whatever they deliver.
    """
    drafted = [one.draft.message if one.draft else None for one in spoken]
    named = [message.external_id for message in drafted if message and message.external_id]
    by_id = rows.delivered(conversation, named) if named else {}
    last = rows.last_messages(conversation, 2 * len(spoken) + _THOUGHTS)
    tail = [message for message in last if message.role not in _NEVER_COMPARED]
    compared = [message for message in drafted if message and message.role not in _NEVER_COMPARED]
    known_at_end = overlap.overlap(tail, compared)
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
        if known is None and follower and overlap.same(follower, message):
            known = by_place[message.id] = follower
        before = known


def _known_thoughts(last: Sequence[Message], drafted: Sequence[Message | None]) -> dict[str, Message]:
    """Give the thoughts at the end that are known, when all the rest is: nothing follows them that could tell."""
    kept = {message.content: message for message in takewhile(lambda one: one.role == "reasoning", reversed(last))}
    delivered = takewhile(lambda one: one is None or one.role in _NEVER_COMPARED, reversed(drafted))
    thoughts = [message for message in delivered if message and message.role == "reasoning"]
    return {message.id: kept[message.content] for message in thoughts if message.content in kept}


def _known_prompts(rows: Reader | Writer, conversation: str, prompts: Sequence[Message]) -> dict[str, Message]:
    """Give the kept system prompts by the ids of the delivered ones that say the same; they are always active."""
    if not prompts:
        return {}
    active = rows.active_messages(conversation, 1)
    kept = {message.content: message for message in active if message.role == "system"}
    return {prompt.id: kept[prompt.content] for prompt in prompts if prompt.content in kept}


def expand(offered: Iterable[NewMessage | object]) -> list[NewMessage]:
    """Read messages in any host's manner."""
    return list(chain.from_iterable(blocks.messages_of(message) for message in offered))  # type: ignore[arg-type]


def show(engine: Engine, scope: Scope, conversation: str, max_tokens: int, *, reasoning: bool) -> Window:
    """Choose what a model is shown."""
    if isinstance(max_tokens, bool) or not isinstance(max_tokens, int) or max_tokens < 1:
        raise InvalidInput(f"max_tokens is {max_tokens!r}; it must be a whole number, at least 1.")
    active = engine.store.read(scope, lambda reader: reader.active_messages(conversation, _MOST_SHOWN))
    return window.choose(active, max_tokens, reasoning=reasoning)


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

    def work(reader: Reader) -> Sequence[Message]:
        found: dict[str, Message] = {}
        wanted = [message_id]
        while wanted:
            made = reader.sources(wanted)
            fresh = [one.source_id for one in made if one.source_id not in found]
            sources = reader.get_messages(fresh)
            found.update((message.id, message) for message in sources)
            wanted = [message.id for message in sources if message.role == "summary"]
        return [message for message in found.values() if message.role != "summary"]

    return tuple(sorted(engine.store.read(scope, work), key=lambda said: (said.sequence, said.said_at, said.id)))


def info(engine: Engine, scope: Scope, conversation: str) -> ConversationInfo | None:
    """Give a conversation with its figures."""
    found = engine.store.read(scope, lambda reader: reader.conversations(1, conversation))
    return found[0] if found else None


def message(engine: Engine, scope: Scope, message_id: str) -> Message:
    """Give one message."""
    found = engine.store.read(scope, lambda reader: reader.get_messages([message_id]))
    if not found:
        raise NotFound(f"No message {message_id}. See what was said with `messages`.")
    return found[0]


def listing(engine: Engine, scope: Scope, limit: int) -> tuple[ConversationInfo, ...]:
    """List a user's conversations."""
    return tuple(engine.store.read(scope, lambda reader: reader.conversations(limit)))


def set_private(engine: Engine, scope: Scope, conversation: str, *, private: bool) -> None:
    """Say whether what is said from now on may be kept."""
    _change(engine, scope, conversation, lambda record: record._replace(private=private))


def describe(engine: Engine, scope: Scope, conversation: str, metadata: Mapping[str, Any]) -> None:
    """Note what a host knows about a conversation: its channel, its title."""
    kept = drafting.checked_mapping("metadata", keeping.public_values(engine, metadata))
    _change(engine, scope, conversation, lambda record: record._replace(metadata={**record.metadata, **kept}))


def _change(
    engine: Engine, scope: Scope, conversation: str, change: Callable[[ConversationRecord], ConversationRecord]
) -> None:
    now = engine.clock.now()

    def work(writer: Writer) -> None:
        writer.save_conversation(change(opened(writer, conversation, now)))  # nobody has spoken

    engine.store.write(scope, work)


def rate(engine: Engine, scope: Scope, message_id: str, feedback: int | None) -> Message:
    """Note what the user thought of a message."""
    if feedback not in (None, 1, -1) or isinstance(feedback, bool):
        raise InvalidMessage(f"feedback is {feedback!r}; it must be 1, -1 or None.")

    def work(writer: Writer) -> Message:
        found = writer.get_messages([message_id])
        if not found:
            raise NotFound(f"No message {message_id}.")
        writer.set_feedback(message_id, feedback)
        return found[0]._replace(feedback=feedback)

    return engine.store.write(scope, work)
