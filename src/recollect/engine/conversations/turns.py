"""What runs around an agent's turn: recalling before it, learning after it.

Before the prompt the search comes first and the request is saved after it, so that a question is never its own answer.
Nothing here may keep an agent from answering: what fails is named in `degraded`, and the turn goes on without it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from queue import Empty, Queue
from secrets import token_hex
from threading import Thread
from typing import Any

from recollect.engine.base.context import MESSAGE, RECALL, SAVING, UPKEEP, Engine
from recollect.engine.conversations import compact, message_drafts, message_log, redelivery, turn_capture
from recollect.engine.search import all_sources
from recollect.engine.search.prepared_query import SearchOptions
from recollect.engine.vectors import embed_queue
from recollect.errors import AlreadyProcessed, InvalidInput, RecollectError
from recollect.model.files import Chunk
from recollect.model.filters import ChunkFilters, Filters, MessageFilters
from recollect.model.literals import Source, Trust
from recollect.model.memories import Remembered, Scope
from recollect.model.messages import Message, NewMessage
from recollect.model.places import Location, SearchLocation
from recollect.model.search import Hit, PromptContext, Recall, TurnOutcome
from recollect.ports import StoreReader, StoreWriter
from recollect.text.fence import Quoted, fenced, without_fences

_LONGEST_QUERY = 2_000
_LONGEST_GOODBYE_S = 2.0  # for a provider that does not answer
_RECALLED: tuple[Source, ...] = ("memory", "request", "response", "file")


def before_prompt(engine: Engine, scope: Scope, session: str, request: NewMessage) -> PromptContext:
    """Search with what the user says, then save it, then give the block of related information."""
    found = Recall(())
    if engine.settings.auto_recall:
        found = _within_budget(engine, scope, session, request)
    block = fenced([_quoted(hit) for hit in found.hits], token_hex(8)) if found.hits else ""
    answer = PromptContext(block, found.hits, None, found.degraded)
    try:
        answer = _save_request(engine, scope, session, request, answer)
    except AlreadyProcessed:
        raise
    except RecollectError:
        answer = replace(answer, degraded=(*found.degraded, SAVING))
    missing = (part for part in answer.degraded if part in (RECALL, SAVING))  # the search tells the rest
    engine.search.metrics.record_missing(missing)
    return answer


def _within_budget(engine: Engine, scope: Scope, session: str, request: NewMessage) -> Recall:
    """Search for as long as the agent can wait, and no longer."""
    answers: Queue[Recall] = Queue()

    def look() -> None:
        try:
            answers.put(_related(engine, scope, session, request))
        except Exception:  # noqa: BLE001 - the edge of the hook: whatever is broken, the agent answers
            answers.put(Recall((), (RECALL,)))

    search_on = Thread(target=look, name="recollect-recall")  # no daemon: a model must not be torn down while it works
    search_on.start()
    try:
        return answers.get(timeout=engine.settings.hooks.budget_s)
    except Empty:
        engine.search.leave_running(search_on)
        return Recall((), (RECALL,))


def settle(engine: Engine) -> None:
    """Wait for searches that nobody waited for, before what they use is closed."""
    for search_on in tuple(engine.search.overdue):
        search_on.join(_LONGEST_GOODBYE_S if search_on.daemon else None)
        engine.search.overdue.discard(search_on)


def _related(engine: Engine, scope: Scope, session: str, request: NewMessage) -> Recall:
    query = without_fences(message_drafts.plain_text(request.content))[:_LONGEST_QUERY].strip()
    if not query:
        return Recall(())
    hooks = engine.settings.hooks
    return all_sources.search(
        engine,
        scope,
        query,
        sources=_RECALLED,
        memories=Filters(now=engine.clock.now(), min_trust=Trust.FILE),
        messages=MessageFilters(beyond=session, min_trust=Trust.FILE),
        files=ChunkFilters(min_trust=Trust.FILE),
        options=SearchOptions(hooks.items, hooks.min_score, diverse=True, signs=False, location=_where(request)),
    )


def _where(request: NewMessage) -> SearchLocation | None:
    """Say where the user is, if the host does."""
    location = Location(request.lat, request.lng, request.address, request.place_label)
    return None if location == Location() else SearchLocation(location)


def _save_request(
    engine: Engine, scope: Scope, session: str, request: NewMessage, answer: PromptContext
) -> PromptContext:
    """Save what the user said; the answer is complete when that is done, in the same transaction."""
    now = engine.clock.now()
    spoken = [message_drafts.speak(engine, session, request, now)]

    def work(writer: StoreWriter) -> PromptContext:
        (appended,) = message_log.deliver(writer, engine, message_log.opened(writer, session, now), spoken, now)
        return replace(answer, message_id=appended.id)

    saved = engine.write(scope, work)
    engine.background.wake()
    return saved


def _quoted(hit: Hit) -> Quoted:
    if isinstance(hit.record, Chunk):
        return Quoted(f"file · {hit.record.place}", hit.content)
    day = (hit.occurred_at or hit.created_at).date().isoformat()
    kind = f"memory · {hit.type}" if hit.source == "memory" else hit.source
    return Quoted(f"{kind} · {day}", hit.content)


def after_turn(
    engine: Engine, scope: Scope, session: str, offered: Iterable[NewMessage | Mapping[str, Any]]
) -> TurnOutcome:
    """Save what was said, and keep what can be learned from it. Delivered again, the same turn has no effect."""
    now = engine.clock.now()
    spoken, refused = _heard(engine, session, offered, now)
    news = _to_learn_from(engine, scope, session, spoken) if engine.settings.auto_capture else ()
    learned = turn_capture.learn(engine, scope, news)

    def work(writer: StoreWriter) -> TurnOutcome:
        kept = redelivery.unburied(writer, session, spoken)
        said = message_log.deliver(writer, engine, message_log.opened(writer, session, now), kept, now)
        pairs = zip(kept, said, strict=True)
        kept_as = {one.draft.message.id: done.message.id for one, done in pairs if one.draft and done.message}
        delivered = list(kept_as.values())
        captured, events = turn_capture.keep(writer, engine, learned, kept_as, writer.unlearned(delivered))
        writer.mark_learned(delivered)
        return TurnOutcome(sum(one.action == "created" for one in said), captured, events)

    outcome = engine.write(scope, work)
    degraded = (*learned.degraded, *refused)
    compaction = None
    try:
        compaction = compact.if_due(engine, scope, session) if outcome.saved else None
        embed_queue.embed_waiting(engine, scope)
    except RecollectError:  # the turn is saved; maintenance does the rest
        degraded = (*degraded, UPKEEP)
    return replace(outcome, compaction=compaction, degraded=degraded)


def _heard(
    engine: Engine, session: str, offered: Iterable[NewMessage | Mapping[str, Any]], now: datetime
) -> tuple[list[message_drafts.DraftedMessage], tuple[str, ...]]:
    """Prepare the messages of a turn. One that cannot be kept does not cost the others; if none can, it is an error."""
    spoken: list[message_drafts.DraftedMessage] = []
    refused: list[InvalidInput] = []
    for message in offered:
        try:
            spoken += [message_drafts.speak(engine, session, part, now) for part in message_log.expand([message])]
        except InvalidInput as error:
            refused.append(error)
    if refused and not spoken:
        raise refused[0]
    return spoken, (MESSAGE,) if refused else ()


def capture(engine: Engine, scope: Scope, text: str, session: str) -> tuple[Remembered, ...]:
    """Keep what a text says about the user who said it."""
    record = engine.store.read(scope, lambda reader: reader.conversation(session))
    if record is not None and record.private:
        return ()
    spoken = message_drafts.speak(engine, session, NewMessage("user", text), engine.clock.now())
    return turn_capture.capture_text(engine, scope, spoken.draft.message) if spoken.draft else ()


def _to_learn_from(
    engine: Engine, scope: Scope, session: str, spoken: Sequence[message_drafts.DraftedMessage]
) -> Sequence[Message]:
    """Give the messages that nobody has learned from, as far as can be seen before the transaction that decides it.

    Each has the id of its draft: as which message it is kept is decided there, too.
    """

    def look(reader: StoreReader) -> Sequence[Message]:
        record = reader.conversation(session)
        if record is not None and record.private:
            return ()
        kept = redelivery.unburied(reader, session, spoken)
        known = redelivery.recognised(reader, session, kept)
        open_questions = set(reader.unlearned([message.id for message in known if message]))
        pairs = ((one.draft.message, old) for one, old in zip(kept, known, strict=True) if one.draft)
        return [
            old._replace(id=new.id) if old else new
            for new, old in pairs
            if not old or (old.id in open_questions and old.role == new.role)
        ]

    return engine.store.read(scope, look)
