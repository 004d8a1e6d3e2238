"""Compaction of conversations: old turns are folded into one summary; nothing is deleted. A session that ends leaves
its summary as a memory.

Optimistic concurrency: a summary is made outside of any transaction, because a model may take its time, and the
transaction that saves it first checks that all of its sources are unchanged. So however many processes compact a
conversation at once, it has one live summary.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import NamedTuple

from recollect import ids
from recollect.dialogue import exchanges as planning
from recollect.dialogue.exchanges import CompactionPlan
from recollect.engine.base.context import SUMMARIZER, Engine
from recollect.engine.conversations import message_drafts
from recollect.engine.memories import decisions, remember
from recollect.errors import LlmError, SummaryError
from recollect.model.literals import MessageStatus
from recollect.model.memories import MessageDraft, NewMemory, Remembered, Scope
from recollect.model.messages import Compaction, Message, Summarized, SummaryPoints, SummaryTask, Usage
from recollect.ports import Summarizer
from recollect.storage.base import Derivation, StoreReader, StoreWriter
from recollect.text.summary.format import as_memory, fit, parse, render

_ALL = 2**31
_MIN_SUMMARY_TOKENS = 60
_RECENT_SHARE = 0.5  # of the trigger: recent messages must leave room to grow before the next compaction
_MAX_CHARACTERS_PER_TOKEN = 40  # a longer text is not a long summary but none
_PURPOSE = "summary"
_SPENT = "Today's budget for the language model is spent."


class MadeSummary(NamedTuple):
    """A summary, the name of its summarizer, and why it is not the chosen one."""

    summary: Summarized
    summarizer: str
    reason: str = ""


def due(engine: Engine, scope: Scope, conversation: str) -> bool:
    """Say whether a conversation has outgrown its window."""
    settings = engine.settings.compaction
    size = engine.store.read(scope, lambda reader: reader.active_size(conversation, tools=not settings.keep_tools))
    trigger = settings.window_tokens * settings.trigger_share
    return planning.is_due(size.messages, size.tokens, most_messages=settings.max_messages, most_tokens=trigger)


def if_due(engine: Engine, scope: Scope, conversation: str) -> Compaction | None:
    """Compact a conversation that has outgrown its window, unless the settings forbid it."""
    if not engine.settings.compaction.auto or not due(engine, scope, conversation):
        return None
    return compact(engine, scope, conversation)


def compact(engine: Engine, scope: Scope, conversation: str, *, keep_recent: int | None = None) -> Compaction:
    """Fold old turns into the summary. Idempotent."""
    return _fold(engine, scope, conversation, keep_recent, "compacted")


def archive(engine: Engine, scope: Scope, conversation: str) -> Compaction:
    """Fold a whole conversation and archive its turns."""
    return _fold(engine, scope, conversation, 0, "archived")


def foldable(rows: StoreReader, conversation: str) -> Sequence[Message]:
    """Give the messages that `archive` would fold."""
    planned = planning.plan_compaction(rows.active_messages(conversation, _ALL), 0, 0)
    return planned.folded if planned else ()


def _fold(
    engine: Engine, scope: Scope, conversation: str, keep_recent: int | None, status: MessageStatus
) -> Compaction:
    settings = engine.settings.compaction
    keep = settings.keep_recent if keep_recent is None else keep_recent
    room = settings.window_tokens * settings.trigger_share * _RECENT_SHARE
    active = engine.store.read(scope, lambda reader: reader.active_messages(conversation, _ALL))
    keep_tools = settings.keep_tools and status == "compacted"  # what is archived is no longer shown
    planned = planning.plan_compaction(active, keep, room, keep_tools=keep_tools)
    if planned is None:
        return Compaction("unchanged")
    summarizer = _choose_summarizer(engine)
    if summarizer.costs and not _claim(engine, scope, conversation):
        reason = "another process is making a summary; try again in a few minutes"
        return Compaction("busy", summarizer=summarizer.name, reason=reason)
    try:
        made = _make_summary(engine, scope, planned, summarizer)
    except LlmError as error:
        if summarizer.costs:
            _release(engine, scope, conversation)
        return Compaction("failed", summarizer=summarizer.name, reason=str(error))
    draft = _draft(engine, conversation, planned, made)
    folded_tokens = sum(message.tokens for message in planned.sources)
    saved = _save_summary(engine, scope, planned, draft, status)
    if summarizer.costs:
        _release(engine, scope, conversation)
    outcome = Compaction(
        "unchanged",
        summarizer=made.summarizer,
        usage=made.summary.usage,
        reason=made.reason,
        degraded=() if made.summarizer == engine.summarizers.chosen.name else (SUMMARIZER,),
    )
    if saved is None:
        return replace(outcome, reason="another process was faster")
    before = sum(message.tokens for message in active)
    return replace(
        outcome,
        action="compacted",
        summary=draft.message,
        folded=len(planned.folded),
        tokens_before=before,
        tokens_after=before - folded_tokens + draft.message.tokens,
    )


def _choose_summarizer(engine: Engine) -> Summarizer:
    """Choose the summarizer; when the day's budget is spent, the one that costs nothing."""
    if engine.summarizers.chosen.costs and not engine.has_tokens_left():
        return engine.summarizers.local
    return engine.summarizers.chosen


def _make_summary(engine: Engine, scope: Scope, planned: CompactionPlan, summarizer: Summarizer) -> MadeSummary:
    """Make a summary and record its cost; with the local summarizer when the chosen one fails."""
    local = engine.summarizers.local
    try:
        summary = _summarize(engine, summarizer, planned)
    except LlmError as error:
        if summarizer.costs:
            engine.record_usage(scope, _PURPOSE, summarizer.name, Usage(output_tokens=error.usage_tokens))
        if summarizer is local:
            raise
        return MadeSummary(_summarize(engine, local, planned), local.name, str(error))
    if summarizer.costs:
        engine.record_usage(scope, _PURPOSE, summarizer.name, summary.usage)
    spent = "" if summarizer is engine.summarizers.chosen else _SPENT
    return MadeSummary(summary, summarizer.name, spent)


def _summarize(engine: Engine, summarizer: Summarizer, planned: CompactionPlan) -> Summarized:
    previous = parse(planned.previous.content) if planned.previous else SummaryPoints()
    source_tokens = sum(message.tokens for message in planned.sources)
    settings = engine.settings.compaction
    limit = min(settings.summary_tokens, settings.window_tokens // 4)
    max_tokens = min(limit, max(_MIN_SUMMARY_TOKENS, source_tokens // 2))
    summary = summarizer.summarize(SummaryTask(planned.folded, previous, max_tokens))
    sections = (summary.points.key_points, summary.points.actions, summary.points.open_items)
    size = sum(len(point) for section in sections for point in section)
    if size > max_tokens * _MAX_CHARACTERS_PER_TOKEN:
        raise SummaryError(f"{summarizer.name} gave {size:,} characters as a summary.", summary.usage.tokens)
    cleaned = (tuple(message_drafts.clean_text(engine, point) for point in section) for section in sections)
    points = fit(SummaryPoints(*cleaned), max_tokens, engine.tokenizer.count)
    if not points:
        raise SummaryError(f"{summarizer.name} gave a summary without a single point.", summary.usage.tokens)
    return replace(summary, points=points)


def _draft(engine: Engine, conversation: str, planned: CompactionPlan, made: MadeSummary) -> MessageDraft:
    """Draft the summary: it stands where the earliest of its sources stood, with the least trust among them."""
    now = engine.clock.now()
    first = planned.sources[0]
    start = min(message.said_at for message in planned.sources)
    end = max(message.said_at for message in planned.folded)
    message = Message(
        id=ids.new(now), conversation=conversation, external_id="", sequence=first.sequence, role="summary", speaker="",
        content=message_drafts.clean_text(engine, render(made.summary.points, start, end)), blocks=(), tool_calls=(),
        tool_call_id="", tokens=0, status="active", trust=min(message.trust for message in planned.sources), model="",
        input_tokens=None, output_tokens=None, thinking_tokens=None, feedback=None,
        metadata={"summarizer": made.summarizer}, said_at=start, created_at=now,
    )  # fmt: skip
    return message_drafts.finish(engine, message)


def _save_summary(
    engine: Engine, scope: Scope, planned: CompactionPlan, draft: MessageDraft, status: MessageStatus
) -> Message | None:
    """Write the summary and mark its sources, unless any of them has changed meanwhile."""
    source_ids = [message.id for message in planned.sources]
    summary, space = draft.message, engine.space  # read before the write, which must not wait for another connection

    def work(writer: StoreWriter) -> Message | None:
        sources = writer.get_messages(source_ids)
        live = [message for message in writer.active_messages(summary.conversation, 1) if message.role == "summary"]
        expected = [planned.previous.id] if planned.previous else []
        unchanged = len(sources) == len(source_ids) and all(message.status == "active" for message in sources)
        if not unchanged or [message.id for message in live] != expected:
            return None
        if planned.previous:
            writer.set_status([planned.previous.id], "compacted")
        writer.set_status([message.id for message in planned.folded], status)
        writer.insert_messages([draft], space)
        derived = [Derivation("message", summary.id, "message", source_id) for source_id in source_ids]
        writer.derive(derived, summary.created_at)
        return summary

    return engine.write(scope, work)


def _claim(engine: Engine, scope: Scope, conversation: str) -> bool:
    """Take the lease for a paid summary; it lapses by itself if this process dies."""
    now, llm = engine.clock.now(), engine.settings.llm
    until = now + timedelta(seconds=60 + llm.timeout_s * (llm.retries + 1))

    def work(writer: StoreWriter) -> bool:
        record = writer.conversation(conversation)
        if record is None or (record.compacting_until is not None and record.compacting_until > now):
            return False
        writer.save_conversation(record._replace(compacting_until=until))
        return True

    return engine.write(scope, work)


def _release(engine: Engine, scope: Scope, conversation: str) -> None:
    def work(writer: StoreWriter) -> None:
        record = writer.conversation(conversation)
        if record is not None and record.compacting_until is not None:
            writer.save_conversation(record._replace(compacting_until=None))

    engine.write(scope, work)


def end_session(engine: Engine, scope: Scope, session: str) -> Remembered | None:
    """Store a summary of a session as a memory, and change nothing of it; None when it is empty. Idempotent.

    Raises SummaryError when no summary can be made.
    """
    active = engine.store.read(scope, lambda reader: reader.active_messages(session, _ALL))
    planned = planning.plan_compaction(active, 0, 0)
    if planned is None:
        return None
    summary = _make_summary(engine, scope, planned, _choose_summarizer(engine)).summary
    ended_at = max(message.said_at for message in planned.folded)
    sources = [message.id for message in planned.sources]
    memory = NewMemory(
        as_memory(summary.points),
        type="session_summary",
        source="learned",
        trust=min(message.trust for message in planned.sources),
        session=session,
        occurred_at=ended_at,
        importance=0.5,
        metadata={"messages": len(sources)},
    )
    (prepared,), degraded = remember.prepare_many(engine, scope, [memory])

    def work(writer: StoreWriter) -> Remembered:
        for record in writer.get(writer.of_session(session)):
            if record.type == "session_summary" and record.occurred_at == ended_at and record.superseded_by is None:
                return Remembered("duplicate", record.id, record.id)
        remembered = decisions.decide(writer, engine, prepared)
        if remembered.action == "created":
            derived = [Derivation("memory", remembered.id, "message", source) for source in sources]
            writer.derive(derived, prepared.draft.record.created_at)
        return remembered

    return replace(engine.write(scope, work), degraded=degraded)
