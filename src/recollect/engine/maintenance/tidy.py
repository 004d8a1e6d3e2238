"""Tidying up: what could go is suggested, and goes only when the caller names it.

The rules go by form and age alone, so a suggestion is no judgement of worth. What is in a slot, was rated up, or has
taught something is never suggested. Conversations of long ago are archived: a summary takes their place in the window,
and their messages stay.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from functools import partial
from itertools import islice
from typing import Final, Literal, NamedTuple

from recollect.engine.base.context import Engine
from recollect.engine.conversations import compact, message_log
from recollect.engine.forgetting import forget
from recollect.model.insights import TIDY_RULES, Tidying, TidyRule, TidySuggestion
from recollect.model.memories import MemoryRecord, Scope
from recollect.model.messages import Message
from recollect.model.readings import STANDING
from recollect.storage.base import StoreReader, StoreWriter
from recollect.text.noise import SHORT, noise_rule

_SETTLED: Final = timedelta(days=30)  # a message that is younger may be part of what is going on
_OLD: Final = timedelta(days=365)
_CANDIDATES: Final = 5_000
_EXCERPT: Final = 300
_CONVERSATIONS: Final = 1_000


class TidyRequest(NamedTuple):
    """What to look for, how much of it, and the ids of what is to go."""

    rules: tuple[TidyRule, ...] = TIDY_RULES
    limit: int = 100
    apply: frozenset[str] = frozenset()


def tidy(engine: Engine, scope: Scope, request: TidyRequest) -> Tidying:
    """Suggest what could go; of what is named, forget or archive what is suggested still."""
    now = engine.clock.now()
    if not request.apply:
        return Tidying(tuple(islice(_suggested(engine, scope, request.rules, now), request.limit)))
    suggested = [one for one in _suggested(engine, scope, request.rules, now) if one.id in request.apply]
    chats = [one.id for one in suggested if one.action == "archive"]
    archived = tuple(chat for chat in chats if compact.archive(engine, scope, chat).action == "compacted")
    ids = [one.id for one in suggested if one.action == "forget"]
    if not ids:
        return Tidying((), archived=archived)

    def choose(rows: StoreReader | StoreWriter) -> Sequence[str]:
        """Leave out what was changed a moment ago."""
        found: list[MemoryRecord | Message] = [*rows.get(ids), *rows.get_messages(ids)]
        return [item.id for item in found if noise_rule(item.content)]

    gone = forget.forget_chosen(engine, scope, choose)
    return Tidying((), gone.ids, archived, gone.pending)


def _suggested(engine: Engine, scope: Scope, rules: Sequence[TidyRule], now: datetime) -> Iterator[TidySuggestion]:
    yield from engine.store.read(scope, lambda reader: _empty_texts(reader, rules, now))
    if "old_chat" in rules:
        yield from _old_chats(engine, scope, now)


def _empty_texts(rows: StoreReader, rules: Sequence[TidyRule], now: datetime) -> list[TidySuggestion]:
    """Give memories and messages that say nothing, the oldest first."""
    found = []
    for memory in rows.untidy_memories(SHORT, _CANDIDATES):
        rule = noise_rule(memory.content)
        if rule is not None and rule in rules and not _is_in_slot(memory):
            found.append(_suggestion(rule, "memory", memory.id, memory.content, memory.created_at))
    messages = rows.untidy_messages(SHORT, _CANDIDATES, now - _SETTLED)
    taught = {made.source_id for made in rows.made_from([message.id for message in messages])}
    for message in messages:
        rule = noise_rule(message.content)
        if rule is not None and rule in rules and message.id not in taught:
            found.append(_suggestion(rule, "message", message.id, message.content, message.said_at))
    return found


def _is_in_slot(memory: MemoryRecord) -> bool:
    return bool(memory.subject or memory.key or memory.metadata.get(STANDING))


def _suggestion(
    rule: TidyRule, source: Literal["memory", "message"], item_id: str, content: str, created_at: datetime
) -> TidySuggestion:
    return TidySuggestion(rule, "forget", source, item_id, content[:_EXCERPT], created_at)


def _old_chats(engine: Engine, scope: Scope, now: datetime) -> Iterator[TidySuggestion]:
    """Give conversations in which nothing was said for long, and whose messages are still active."""
    for known in message_log.listing(engine, scope, _CONVERSATIONS, (now - _OLD, "")):
        messages = engine.store.read(scope, partial(compact.foldable, conversation=known.id))
        if messages:
            excerpt = messages[0].content[:_EXCERPT]
            yield TidySuggestion("old_chat", "archive", "conversation", known.id, excerpt, known.updated_at)
