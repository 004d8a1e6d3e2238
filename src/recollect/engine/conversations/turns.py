"""Hooks around an agent's turn: recall before it, capture after it.

The search comes before the request is saved, so that a question is never its own answer. No failure here may keep an
agent from answering: it is named in `degraded`, and the turn goes on.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import takewhile
from secrets import token_hex
from typing import Any, NamedTuple

from recollect.dialogue import blocks, exchanges
from recollect.engine.base.context import MESSAGE, READER, RECALL, SAVING, UPKEEP, Engine
from recollect.engine.conversations import (
    capture,
    compact,
    message_drafts,
    message_log,
    passages,
    read_queue,
    silence,
)
from recollect.engine.search import browsing, corrections, hits, recall
from recollect.engine.search.prepared_query import MAX_QUERY, SearchOptions
from recollect.engine.vectors import embed_queue
from recollect.errors import AlreadyProcessed, InvalidInput, RecollectError
from recollect.model.filters import ChunkFilters, Filters, MessageFilters
from recollect.model.literals import MemoryType, Source, Trust
from recollect.model.memories import Scope
from recollect.model.messages import Appended, Message, NewMessage
from recollect.model.places import Location, SearchLocation
from recollect.model.search import PromptContext, Recall, TurnOutcome
from recollect.storage.base import StoreReader, StoreWriter, UserRows
from recollect.text.clean import clean
from recollect.text.fence import fenced, without_fences
from recollect.text.repetition import asks_again

_MAX_QUERY = 2_000
_SPARE = 5  # hits beyond those that are shown, because some repeat others
_FAR = 0.2  # share of the best score below which a hit does not help
_MAX_JOIN_S = 2.0  # for a provider that does not answer
_RECALL_SOURCES: tuple[Source, ...] = ("memory", "request", "response", "file")
MOST_ITEMS = 12
_MOST_PREFERENCES = 6
_TOPIC_HITS = 8
_JUDGED = 10  # best hits that say whether anything is worth showing
_ABOUT_USER: tuple[MemoryType, ...] = ("preference",)


def before_prompt(
    engine: Engine, scope: Scope, session: str, request: NewMessage, *, max_tokens: int | None = None
) -> PromptContext:
    """Search with the request, save it, and give the block of related information, of at most so many tokens."""
    budget = _token_budget(engine, max_tokens)
    wanted = engine.settings.auto_recall
    related = _within_budget(engine, lambda: _related(engine, scope, session, request)) if wanted else _Related()
    answer = _block_of(engine, related, budget, most=engine.settings.hooks.items)
    try:
        answer = _save_request(engine, scope, session, request, answer)
    except AlreadyProcessed:
        raise
    except RecollectError:
        answer = replace(answer, degraded=(*answer.degraded, SAVING))
    missing = (part for part in answer.degraded if part in (READER, RECALL, SAVING))  # the search reports the others
    engine.search.metrics.record_missing(missing)
    return answer


def session_context(engine: Engine, scope: Scope, project: str, *, max_tokens: int | None = None) -> PromptContext:
    """Give what to show an agent when a session begins: preferences of the user, and what is known about a project."""
    budget = _token_budget(engine, max_tokens)
    wanted = engine.settings.auto_recall
    known = _within_budget(engine, lambda: _Related(_known(engine, scope, project))) if wanted else _Related()
    answer = _block_of(engine, known, budget, most=MOST_ITEMS)
    engine.search.metrics.record_missing(part for part in answer.degraded if part == RECALL)
    return answer


def _token_budget(engine: Engine, max_tokens: int | None) -> int:
    budget = engine.settings.hooks.max_tokens if max_tokens is None else max_tokens
    if isinstance(budget, bool) or not isinstance(budget, int) or budget < 0:
        raise InvalidInput(f"max_tokens is {budget!r}; it must be a whole number, at least 0.")
    return budget


class _Related(NamedTuple):
    """What was found, and the turns beside the messages among it."""

    recall: Recall = Recall(())
    turns: Mapping[str, passages.Beside] = {}


def _block_of(engine: Engine, related: _Related, budget: int, *, most: int) -> PromptContext:
    """Fence the lines that say something new: of so many hits, and standing instructions, within a budget of tokens."""
    zone = engine.timezone
    lines = passages.lines_of(related.recall.hits, related.turns, most)
    quotes = [passages.quote(line, zone) for line in lines]
    block = fenced(quotes, token_hex(8), most=budget, count=engine.tokenizer.count)
    return PromptContext(block.text, tuple(lines[number].hit for number in block.shown), None, related.recall.degraded)


def _within_budget(engine: Engine, work: Callable[[], _Related]) -> _Related:
    """Search within the time budget of the hook; a thread that is late runs on."""
    failed = _Related(Recall((), (RECALL,)))

    def search(answer: Callable[[_Related], None]) -> None:
        try:
            answer(work())
        except Exception:  # noqa: BLE001 - the edge of the hook: whatever is broken, the agent answers
            answer(failed)

    # No daemon: a model must not be torn down while it works.
    found = engine.search.answer_within(engine.settings.hooks.budget_s, search, "recollect-recall", daemon=False)
    return failed if found is None else found


def settle(engine: Engine) -> None:
    """Wait for overdue searches, before the ports that they use are closed."""
    for thread in tuple(engine.search.overdue):
        thread.join(_MAX_JOIN_S if thread.daemon else None)
        engine.search.overdue.discard(thread)


def _related(engine: Engine, scope: Scope, session: str, request: NewMessage) -> _Related:
    """Search with a request that needs memory; what applies always is there in any case."""
    text = blocks.without_named_blocks(blocks.read_content(request.content).text)
    query = without_fences(text)[:_MAX_QUERY].strip()
    if not query:
        return _Related()
    judged = silence.judge(engine, scope, text, _turn_before(engine, scope, session, request))
    found = Recall(()) if judged.is_silent else _gated(judged, _search(engine, scope, session, request, query))
    found = _with_present(engine, scope, found)
    turns = engine.store.read(scope, lambda reader: passages.beside(reader, found.hits, session)) if found.hits else {}
    return _Related(silence.with_standing(engine, scope, found), turns)


def _gated(judged: silence.RequestNeed, found: Recall) -> Recall:
    """Show nothing when the best that was found is not worth it."""
    gated = judged.gate(replace(found, hits=found.hits[:_JUDGED]))
    return replace(gated, hits=found.hits if gated.hits else ())


def _with_present(engine: Engine, scope: Scope, found: Recall) -> Recall:
    """Show what holds now before what was corrected, and nothing of what was forgotten where it had been learned."""
    if not any(hit.corrected for hit in found.hits):
        return found
    shown = engine.store.read(scope, lambda reader: corrections.with_present(reader, found.hits, Trust.FILE))
    return replace(found, hits=tuple(shown))


def _turn_before(engine: Engine, scope: Scope, session: str, request: NewMessage) -> str:
    """Give what another said last in the session: a reply needs no memory that its question does not need."""
    if not engine.settings.hooks.silence:
        return ""
    said = engine.store.read(scope, lambda reader: reader.last_messages(session, capture.LOOKED_BACK))
    before = exchanges.turn_before(blocks.role_of(request.role), " ".join(request.speaker.split()), said)
    return before.content if before else ""


def _search(engine: Engine, scope: Scope, session: str, request: NewMessage, query: str) -> Recall:
    """Search for related items, some more than are shown: asked again, a question is no answer to itself."""
    hooks = engine.settings.hooks
    found = recall.recall_sources(
        engine,
        scope,
        query,
        sources=_RECALL_SOURCES,
        memories=Filters(now=engine.clock.now(), min_trust=Trust.FILE),
        messages=MessageFilters(beyond=session, min_trust=Trust.FILE),
        files=ChunkFilters(min_trust=Trust.FILE),
        options=SearchOptions(
            hooks.items + _SPARE,
            hooks.min_score,
            signs=False,
            location=_location(request),
            scopes=engine.settings.recall.scopes,
            answers=True,
            rerank=hooks.rerank,
        ),
    )
    least = _FAR * max((hit.score for hit in found.hits), default=0.0)
    near = (hit for hit in found.hits if hit.score >= least)
    others = [hit for hit in near if hit.source != "request" or not asks_again(query, hit.content, hit.similarity)]
    return replace(found, hits=tuple(others))


def _location(request: NewMessage) -> SearchLocation | None:
    location = Location(request.lat, request.lng, request.address, request.place_label)
    return None if location == Location() else SearchLocation(location)


def _save_request(
    engine: Engine, scope: Scope, session: str, request: NewMessage, answer: PromptContext
) -> PromptContext:
    """Save the request; the answer is complete in the same transaction."""
    now = engine.clock.now()
    drafted = [message_drafts.draft_message(engine, scope, session, request, now)]

    def work(writer: StoreWriter) -> PromptContext:
        (appended,) = message_log.deliver(
            writer, engine, message_log.open_conversation(writer, session, now), drafted, now
        )
        return replace(answer, message_id=appended.id)

    saved = engine.write(scope, work)
    engine.background.wake()
    return saved


def after_turn(
    engine: Engine, scope: Scope, session: str, offered: Iterable[NewMessage | Mapping[str, Any]]
) -> TurnOutcome:
    """Save the messages of a turn, and capture memories from them. Idempotent for a turn that is delivered again.

    With `capture.when` set to `worker` the messages are queued, and a worker captures what they teach. What
    `before_prompt` saved teaches with its answer, also when a host hands over only that.
    """
    now, later = engine.clock.now(), read_queue.is_used(engine)
    drafted, refused = _draft_turn(engine, scope, session, offered, now)
    reads = engine.settings.auto_capture and not later
    unlearned, turns_before = _find_unlearned(engine, scope, session, drafted) if reads else ((), {})
    learned = capture.learn(engine, scope, unlearned, turns_before)

    def work(writer: StoreWriter) -> TurnOutcome:
        new = message_log.without_forgotten(writer, session, drafted)
        if not any(message.draft for message in new) and writer.conversation(session) is None:
            return TurnOutcome(0)  # a forgotten conversation does not come back, not even empty
        conversation = message_log.open_conversation(writer, session, now)
        appended = message_log.deliver(writer, engine, conversation, new, now)
        saved = sum(done.action == "created" for done in appended)
        if later:
            of_turn = [done.message for done in appended if done.message]
            asked = _request_of(writer, session, appended)
            read_queue.queue(writer, conversation, [*asked, *of_turn], now)
            return TurnOutcome(saved, left_out=_left_out(appended))
        pairs = zip(new, appended, strict=True)
        stored_ids = {message.id: message.id for message in unlearned}  # the request may not be among the drafts
        stored_ids |= {draft.draft.message.id: done.message.id for draft, done in pairs if draft.draft and done.message}
        delivered = list(stored_ids.values())
        unlearned_ids = writer.unlearned(delivered)
        captured, events = capture.keep(writer, engine, learned, stored_ids, unlearned_ids)
        writer.mark_learned(delivered)
        return TurnOutcome(saved, captured, events, left_out=_left_out(appended, unlearned_ids))

    outcome = engine.write(scope, work)
    degraded = (*learned.degraded, *refused)
    compaction = None
    try:
        compaction = compact.if_due(engine, scope, session) if outcome.saved else None
        if later:
            engine.background.wake()
        else:
            embed_queue.embed_waiting(engine, scope)
    except RecollectError:  # the turn is saved; maintenance does the rest
        degraded = (*degraded, UPKEEP)
    return replace(outcome, compaction=compaction, degraded=degraded)


def _left_out(appended: Sequence[Appended], of_turn: Sequence[str] = ()) -> tuple[str, ...]:
    """Name what was left out of the messages that are new, and of those that `before_prompt` saved in this turn."""
    new = (done for done in appended if done.action == "created" or done.id in of_turn)
    return tuple(dict.fromkeys(kind for done in new for kind in done.left_out))


def _draft_turn(
    engine: Engine, scope: Scope, session: str, offered: Iterable[NewMessage | Mapping[str, Any]], now: datetime
) -> tuple[list[message_drafts.DraftedMessage], tuple[str, ...]]:
    """Draft the messages of a turn. An invalid one does not cost the others; if all are invalid, it is an error."""
    drafted: list[message_drafts.DraftedMessage] = []
    refused: list[InvalidInput] = []
    for message in offered:
        try:
            parts = message_log.expand([message])
            drafted += [_draft_leniently(engine, scope, session, part, now) for part in parts]
        except InvalidInput as error:
            refused.append(error)
    if refused and not drafted:
        raise refused[0]
    return drafted, (MESSAGE,) if refused else ()


def _draft_leniently(
    engine: Engine, scope: Scope, session: str, offered: NewMessage, now: datetime
) -> message_drafts.DraftedMessage:
    """Draft a message of a host; what it calls media and is none does not cost its words."""
    try:
        return message_drafts.draft_message(engine, scope, session, offered, now)
    except InvalidInput:
        if not offered.media:
            raise
        return message_drafts.draft_message(engine, scope, session, replace(offered, media=()), now)


def _find_unlearned(
    engine: Engine, scope: Scope, session: str, drafted: Sequence[message_drafts.DraftedMessage]
) -> tuple[Sequence[Message], Mapping[str, capture.TurnBefore]]:
    """Give the messages from which nothing was captured yet, each with the id of its draft, and the turns before them.

    This only saves work: the transaction that stores them decides.
    """

    def find(reader: StoreReader) -> tuple[Sequence[Message], Mapping[str, capture.TurnBefore]]:
        record = reader.conversation(session)
        if record is not None and record.private:
            return (), {}
        new_drafts = message_log.without_forgotten(reader, session, drafted)
        stored = message_log.find_stored(reader, session, new_drafts)
        unlearned = set(reader.unlearned([message.id for message in stored if message]))
        known = {message.id for message in stored if message}
        last = reader.last_messages(session, capture.LOOKED_BACK)
        said = [message for message in last if message.id not in known]
        pairs = list(zip(new_drafts, stored, strict=True))
        fresh = _unanswered(reader, said, [(new.draft.message, not old) for new, old in pairs if new.draft])
        turns = {message.id: capture.turn_before(message, said[: said.index(message)]) for message in fresh}
        for offered, (draft, old) in zip(drafted, pairs, strict=True):
            if draft.draft is None:
                if offered.draft and offered.draft.message.role == "assistant":
                    said.clear()  # it was forgotten: the next message does not answer what was said before it
                continue
            new = draft.draft.message
            if not old or (old.id in unlearned and old.role == new.role):
                fresh.append(old._replace(id=new.id) if old else new)
                turns[new.id] = capture.turn_before(new, said)
            said.append(old or new)
        return fresh, {message_id: turn for message_id, turn in turns.items() if turn}

    return engine.store.read(scope, find)


def _request_of(writer: StoreWriter, session: str, appended: Sequence[Appended]) -> list[Message]:
    """Give the request that a stored turn answers, if its host has not handed it over, and it is still to be read."""
    told = [(done.message, done.action == "created") for done in appended if done.message]
    if not told:
        return []
    before = min(message.sequence for message, _ in told)
    return _unanswered(writer, writer.last_messages(session, capture.LOOKED_BACK, before), told)


def _unanswered(rows: UserRows, said: Sequence[Message], told: Sequence[tuple[Message, bool]]) -> list[Message]:
    """Give what the user said last and is still to be read, if all that is told after it is an answer, and new."""
    first, is_new = next(((told, new) for told, new in told if told.role in ("user", "assistant")), (None, False))
    if first is None or first.role != "assistant" or not is_new:
        return []
    own = takewhile(lambda message: message.role == "user" and message.trust >= Trust.STATED, reversed(said))
    asked = {message.id: message for message in own}
    unlearned = set(rows.unlearned([*asked]))
    return [message for message_id, message in asked.items() if message_id in unlearned][::-1]


def _known(engine: Engine, scope: Scope, project: str) -> Recall:
    """Give what is known about a project, then the weightiest preferences, then standing instructions."""
    named = clean(project)[:MAX_QUERY]
    topic = browsing.about(engine, scope, named, limit=_TOPIC_HITS) if named else None
    records = (*topic.facts, *topic.preferences, *topic.lessons) if topic else ()
    related = [*map(hits.unmeasured, records), *(topic.hits if topic else ())]
    filters = Filters(now=engine.clock.now(), types=_ABOUT_USER, min_trust=Trust.FILE)
    preferences = engine.store.read(scope, lambda reader: reader.select(filters, 10 * _MOST_PREFERENCES))
    weightiest = sorted(preferences, key=lambda record: -record.importance)[:_MOST_PREFERENCES]
    trusted = [hit for hit in related if hit.trust >= Trust.FILE][: MOST_ITEMS - len(weightiest)]
    chosen = {hit.id: hit for hit in (*trusted, *map(hits.unmeasured, weightiest))}
    found = Recall(tuple(chosen.values()), topic.degraded if topic else ())
    return silence.with_standing(engine, scope, found)
