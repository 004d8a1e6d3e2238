"""Compaction: old turns are folded into one summary; nothing is deleted.

A summary is made outside of any transaction, because it may take a model's time. What it was made from is named
exactly, and the transaction that puts it in place first looks whether all of that is still as it was. So however many
processes compact a conversation at once, it has one live summary, and one that dies leaves it as it was or as it should
be.
"""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import NamedTuple

from recollect import ids
from recollect.dialogue import compaction as planning
from recollect.dialogue.compaction import CompactionPlan
from recollect.engine.base import token_usage
from recollect.engine.base.context import SUMMARIZER, Engine
from recollect.engine.conversations import message_drafts
from recollect.errors import LlmError, SummaryError
from recollect.model.literals import MessageStatus
from recollect.model.memories import MessageDraft, Scope
from recollect.model.messages import Compaction, Message, Summarized, SummaryPoints, SummaryTask
from recollect.ports import Derivation, StoreWriter, Summarizer
from recollect.text.summary.format import fit, parse, render

_EVERYTHING = 2**31
_SHORTEST_SUMMARY = 60
_RECENT_SHARE = 0.5  # of the trigger: what is kept must leave room to grow before the next compaction
_ENORMOUS = 40  # characters for each token asked for: what is longer is not a long summary but none
_COOL_DOWN = timedelta(minutes=5)  # a model that has failed must not keep the user waiting after every single turn
_PURPOSE = "summary"


class ConversationDigest(NamedTuple):
    """What a whole conversation says, what that was made from, when it ended, and how far it is to be trusted."""

    points: SummaryPoints
    sources: tuple[str, ...]
    ended_at: datetime
    trust: int


def due(engine: Engine, scope: Scope, conversation: str) -> bool:
    """Say whether a conversation has outgrown its window."""
    wanted = engine.settings.compaction
    size = engine.store.read(scope, lambda reader: reader.active_size(conversation))
    trigger = wanted.window_tokens * wanted.trigger_share
    return planning.is_due(size.messages, size.tokens, most_messages=wanted.max_messages, most_tokens=trigger)


def if_due(engine: Engine, scope: Scope, conversation: str) -> Compaction | None:
    """Compact a conversation that has outgrown its window, if that is wanted."""
    if not engine.settings.compaction.auto or not due(engine, scope, conversation):
        return None
    outcome = compact(engine, scope, conversation)
    if outcome.action == "failed" and engine.summarizers.chosen.costs:
        _lease(engine, scope, conversation, engine.clock.now() + _COOL_DOWN)
    return outcome


def compact(engine: Engine, scope: Scope, conversation: str, *, keep_recent: int | None = None) -> Compaction:
    """Fold what is old into the summary. Doing it twice changes nothing."""
    return _fold(engine, scope, conversation, keep_recent, "compacted")


def archive(engine: Engine, scope: Scope, conversation: str) -> Compaction:
    """Fold a conversation whole and put its turns away."""
    return _fold(engine, scope, conversation, 0, "archived")


def whole(engine: Engine, scope: Scope, conversation: str) -> ConversationDigest | None:
    """Summarise all of a conversation without changing it. Raises SummaryError when no summary can be made."""
    active = engine.store.read(scope, lambda reader: reader.active_messages(conversation, _EVERYTHING))
    planned = planning.plan_compaction(active, 0, 0)
    if planned is None:
        return None
    summarizer, _ = _affordable(engine)
    made = _summarize(engine, summarizer, planned)
    if summarizer.costs:
        token_usage.record(engine, scope, _PURPOSE, summarizer.name, made.usage)
    ended_at = max(message.said_at for message in planned.folded)
    trust = min(message.trust for message in planned.sources)
    return ConversationDigest(made.points, tuple(message.id for message in planned.sources), ended_at, trust)


def _fold(
    engine: Engine, scope: Scope, conversation: str, keep_recent: int | None, status: MessageStatus
) -> Compaction:
    settings = engine.settings.compaction
    keep = settings.keep_recent if keep_recent is None else keep_recent
    room = settings.window_tokens * settings.trigger_share * _RECENT_SHARE
    active = engine.store.read(scope, lambda reader: reader.active_messages(conversation, _EVERYTHING))
    planned = planning.plan_compaction(active, keep, room)
    if planned is None:
        return Compaction("unchanged")
    summarizer, degraded = _affordable(engine)
    if summarizer.costs and not _claim(engine, scope, conversation):
        reason = "another process is making a summary, or one failed a moment ago; try again in a few minutes"
        return Compaction("busy", summarizer=summarizer.name, reason=reason)
    try:
        made = _summarize(engine, summarizer, planned)
    except LlmError as error:
        _settle(engine, scope, conversation, summarizer, error.usage_tokens)
        return Compaction("failed", summarizer=summarizer.name, reason=str(error), degraded=degraded)
    draft = _draft(engine, conversation, planned, made.points)
    folded = sum(message.tokens for message in planned.sources)
    if summarizer.costs:
        token_usage.record(engine, scope, _PURPOSE, summarizer.name, made.usage)
    done = _put_in_place(engine, scope, planned, draft, status)
    if summarizer.costs:
        _lease(engine, scope, conversation, None)
    if done is None:
        reason = "another process was faster"
        return Compaction("unchanged", summarizer=summarizer.name, usage=made.usage, reason=reason, degraded=degraded)
    before = sum(message.tokens for message in active)
    return Compaction(
        "compacted",
        summary=draft.message,
        folded=len(planned.folded),
        tokens_before=before,
        tokens_after=before - folded + draft.message.tokens,
        summarizer=summarizer.name,
        usage=made.usage,
        degraded=degraded,
    )


def _affordable(engine: Engine) -> tuple[Summarizer, tuple[str, ...]]:
    """Choose the summarizer; when the day's budget is spent, the one that costs nothing."""
    if engine.summarizers.chosen.costs and not token_usage.affordable(engine):
        return engine.summarizers.local, (SUMMARIZER,)
    return engine.summarizers.chosen, ()


def _summarize(engine: Engine, summarizer: Summarizer, planned: CompactionPlan) -> Summarized:
    previous = parse(planned.previous.content) if planned.previous else SummaryPoints()
    folded = sum(message.tokens for message in planned.sources)
    settings = engine.settings.compaction
    most = min(settings.summary_tokens, settings.window_tokens // 4)
    longest = min(most, max(_SHORTEST_SUMMARY, folded // 2))
    made = summarizer.summarize(SummaryTask(planned.folded, previous, longest))
    sections = (made.points.key_points, made.points.actions, made.points.open_items)
    size = sum(len(point) for section in sections for point in section)
    if size > longest * _ENORMOUS:
        raise SummaryError(f"{summarizer.name} gave {size:,} characters as a summary.", made.usage.tokens)
    kept = (tuple(message_drafts.kept_text(engine, point) for point in section) for section in sections)
    points = fit(SummaryPoints(*kept), longest, engine.tokenizer.count)
    if not points:
        raise SummaryError(f"{summarizer.name} gave a summary without a single point.", made.usage.tokens)
    return replace(made, points=points)


def _draft(engine: Engine, conversation: str, planned: CompactionPlan, points: SummaryPoints) -> MessageDraft:
    """Make the message: it stands where the earliest of what it tells stood, and is trusted as the least of it."""
    now = engine.clock.now()
    first = planned.sources[0]
    start = min(message.said_at for message in planned.sources)
    end = max(message.said_at for message in planned.folded)
    message = Message(
        id=ids.new(now), conversation=conversation, external_id="", sequence=first.sequence, role="summary", speaker="",
        content=message_drafts.kept_text(engine, render(points, start, end)), blocks=(), tool_calls=(), tool_call_id="",
        tokens=0, status="active", trust=min(message.trust for message in planned.sources), model="",
        input_tokens=None, output_tokens=None, thinking_tokens=None, feedback=None, metadata={}, said_at=start,
        created_at=now,
    )  # fmt: skip
    return message_drafts.finished(engine, message)


def _put_in_place(
    engine: Engine, scope: Scope, planned: CompactionPlan, draft: MessageDraft, status: MessageStatus
) -> Message | None:
    """Write the summary and mark what it tells, unless any of that has changed meanwhile."""
    wanted = [message.id for message in planned.sources]
    made, space = draft.message, engine.space  # asked before the write, which must not wait for another connection

    def work(writer: StoreWriter) -> Message | None:
        found = writer.get_messages(wanted)
        live = [message for message in writer.active_messages(made.conversation, 1) if message.role == "summary"]
        expected = [planned.previous.id] if planned.previous else []
        unchanged = len(found) == len(wanted) and all(message.status == "active" for message in found)
        if not unchanged or [message.id for message in live] != expected:
            return None
        if planned.previous:
            writer.set_status([planned.previous.id], "compacted")
        writer.set_status([message.id for message in planned.folded], status)
        writer.insert_messages([draft], space)
        writer.derive([Derivation("message", made.id, "message", source) for source in wanted], made.created_at)
        return made

    return engine.write(scope, work)


def _claim(engine: Engine, scope: Scope, conversation: str) -> bool:
    """Take the right to pay for a summary; it lapses by itself should this process die."""
    now = engine.clock.now()
    llm = engine.settings.llm
    until = now + timedelta(seconds=60 + llm.timeout_s * (llm.retries + 1))
    return engine.write(scope, lambda writer: _set_lease(writer, conversation, now, until))


def _set_lease(writer: StoreWriter, conversation: str, now: datetime, until: datetime) -> bool:
    record = writer.conversation(conversation)
    if record is None or (record.compacting_until is not None and record.compacting_until > now):
        return False
    writer.save_conversation(record._replace(compacting_until=until))
    return True


def _lease(engine: Engine, scope: Scope, conversation: str, until: datetime | None) -> None:
    """Give the right back, or keep everybody from asking again until then."""

    def work(writer: StoreWriter) -> None:
        record = writer.conversation(conversation)
        if record is not None and record.compacting_until != until:
            writer.save_conversation(record._replace(compacting_until=until))

    engine.write(scope, work)


def _settle(engine: Engine, scope: Scope, conversation: str, summarizer: Summarizer, tokens: int) -> None:
    """After a failure: note what it cost, and let the next one try."""
    if summarizer.costs:
        token_usage.record_tokens(engine, scope, _PURPOSE, summarizer.name, tokens)
        _lease(engine, scope, conversation, None)
