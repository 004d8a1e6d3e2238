"""A request to forget: what is named, what a query means, and how far it reaches.

A query forgets at once only if it says a memory itself; else it shows what there is.
"""

import json
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import Literal, NamedTuple, TypeAlias

from recollect import ids
from recollect.engine.base.context import Engine
from recollect.engine.drafts import redaction
from recollect.engine.forgetting import forget, plan
from recollect.engine.forgetting.plan import ForgetPlan
from recollect.engine.forgetting.receipt import ReceiptDraft, settled
from recollect.engine.forgetting.rewriting import Mentions, find_mentions
from recollect.engine.search import recall
from recollect.engine.search.hits import TIME
from recollect.engine.search.prepared_query import SearchOptions
from recollect.errors import InvalidInput, StoreFull
from recollect.model.filters import Filters
from recollect.model.literals import DocumentsFate
from recollect.model.memories import MemoryRecord, Scope
from recollect.model.search import Forgotten, Hit
from recollect.model.stats import Purged
from recollect.storage.base import StepListener, StoreReader, UserRows
from recollect.text.clean import clean
from recollect.text.language import function_words
from recollect.text.repetition import Wording, said_in, says_more
from recollect.text.tables import read_words
from recollect.text.terms import every_form, telling_words

ForgetTarget: TypeAlias = Literal["id", "query", "session", "source", "folder", "everything"]
_SHOWN = 5
_MOST_ITEMS = 20  # that say it beside the memory that is meant; more are hardly one thing
_FEWEST_WORDS = 3  # of a query that is hardly said by accident within a longer sentence


class ForgetRequest(NamedTuple):
    """One of `id`, `query`, `session`, `source`, `folder` and `everything`, and what goes with it."""

    id: str | None = None
    query: str | None = None
    session: str | None = None
    source: str | None = None
    folder: str | None = None
    everything: bool = False
    all: bool = False
    sources: bool = False
    allow_again: bool = False
    purge: bool = False
    receipt: bool = False
    dry_run: bool = False
    documents: DocumentsFate = "ask"

    @property
    def target(self) -> ForgetTarget:
        """What is named. Raises InvalidInput when several things are, or none, or options do not fit."""
        if self.allow_again and not self.everything:
            raise InvalidInput("allow_again goes with everything: only a fresh start lets the forgotten come again.")
        named: list[ForgetTarget] = []
        for name in ("id", "query", "session", "source", "folder"):
            named += [name] if getattr(self, name) is not None else []
        named += ["everything"] if self.everything else []
        if len(named) != 1:
            raise InvalidInput(
                "Say what to forget with exactly one of: id, query, session, source, folder, everything."
            )
        if self.all and self.query is None:
            raise InvalidInput("`all` belongs to a query: it forgets everything that the query finds.")
        if self.sources and self.id is None:
            raise InvalidInput("`sources` belongs to an id; a query reaches the messages anyway.")
        if self.documents not in ("ask", "forget", "keep"):
            raise InvalidInput(f"documents is {self.documents!r:.80}; it must be ask, forget or keep.")
        if self.documents != "ask" and self.query is None:
            raise InvalidInput("`documents` belongs to a query: a document named by its id is forgotten whole.")
        if self.receipt and self.dry_run:
            raise InvalidInput("A dry run forgets nothing, so there is no receipt. Leave out one of the two.")
        return named[0]


def run(engine: Engine, scope: Scope, request: ForgetRequest) -> Forgotten:
    """Forget what was named."""
    target = request.target
    engine.search.notes.flush()  # so that no query comes after what it asked for is gone
    draft = _draft(engine, scope, target, request) if request.receipt else None
    try:
        forgotten = _forget_named(engine, scope, request, draft)
    except StoreFull:
        if request.query is not None and not request.all:  # what it means is decided anew by what is left
            raise
        try:
            forgotten = _forget_in_parts(engine, scope, request, draft)
        finally:
            engine.store.restock_reserve()
    if not request.purge or forgotten.action != "deleted":
        return forgotten
    pending = " ".join(purge(engine).failed)
    receipt = forgotten.receipt and settled(engine, forgotten.receipt, pending, purged=True)
    return replace(forgotten, pending=pending, receipt=receipt)


def _draft(engine: Engine, scope: Scope, target: ForgetTarget, request: ForgetRequest) -> ReceiptDraft:
    """Begin a receipt. The first one gives the store its number, for which a full disk may have no room."""
    begin = partial(ReceiptDraft, engine, scope, target, allow_again=request.allow_again, documents=request.documents)
    try:
        return begin()
    except StoreFull:
        with engine.store.released_reserve():
            draft = begin()
        engine.store.restock_reserve()
        return draft


def _forget_in_parts(engine: Engine, scope: Scope, request: ForgetRequest, draft: ReceiptDraft | None) -> Forgotten:
    """Forget what does not fit on a full disk at once. Raises StoreFull where there is no reserve to begin with."""
    with engine.store.released_reserve() as released:
        if not released:
            raise StoreFull("The disk is full, and no room is kept to forget in: nothing was forgotten. Make room.")
        noted = request._replace(purge=False, receipt=False)
        note = json.dumps({"user": scope.user_id, **noted._asdict()}, ensure_ascii=False)
        try:
            return _forget_named(replace(engine, forgetting=note), scope, noted, draft)
        except StoreFull as error:
            begun = note in engine.store.unfinished_forgetting()
            done = "the rest goes with `recollect maintain`" if begun else "nothing was forgotten"
            raise StoreFull(f"The disk is too full to forget all of it: {done}. Make room.") from error


def finish(engine: Engine) -> None:
    """Forget the rest of what a full disk or a crash has interrupted."""
    for note in engine.store.unfinished_forgetting():
        noted = json.loads(note)
        scope = Scope(noted.pop("user"))
        with engine.store.released_reserve():
            _forget_named(replace(engine, forgetting=note, audit=None), scope, ForgetRequest(**noted), None)


def _forget_named(engine: Engine, scope: Scope, request: ForgetRequest, draft: ReceiptDraft | None) -> Forgotten:
    reach = partial(forget.forget, engine, scope, dry_run=request.dry_run, receipt=draft)
    conversations: Sequence[str] | None = ()
    match request:
        case ForgetRequest(query=str(query)):
            return _forget_query(engine, scope, query, request, reach)
        case ForgetRequest(session=str(session)):
            conversations = [clean(session)]
            choose = partial(plan.plan_session, session=clean(session))
        case ForgetRequest(source=str(source)):
            choose = partial(plan.plan_source, source=clean(source))
        case ForgetRequest(folder=str(path)):
            # as it was synced, even if that is a link by now, or by where a path leads
            known = {folder.root for folder in engine.store.read(scope, lambda reader: reader.folders())}
            root = path if path in known else os.path.realpath(os.path.expanduser(path))  # noqa: PTH111
            choose = partial(plan.plan_folder, root=root)
        case ForgetRequest(id=str(given)):
            known_id = ids.canonical(given)
            if known_id is None:
                return Forgotten("not_found", dry_run=request.dry_run)
            choose = partial(plan.plan_id, item_id=known_id, now=engine.clock.now(), sources=request.sources)
        case _:
            conversations = None
            choose = partial(plan.plan_everything, buried=not request.allow_again)
    return reach(choose, conversations=conversations)


class _Meant(NamedTuple):
    """What a query means: memories, and words that say the same. `clear` when it says them itself."""

    memory_ids: tuple[str, ...]
    wording: Wording
    clear: bool


def _forget_query(
    engine: Engine, scope: Scope, query: str, request: ForgetRequest, reach: Callable[..., Forgotten]
) -> Forgotten:
    """Forget what a query says, wherever it is said: at once if it says a memory itself, otherwise with `all`."""
    thresholds, now = engine.settings.forget, engine.clock.now()
    options = SearchOptions(_SHOWN, thresholds.min_score / 2, rerank="off")  # less is no candidate for anything
    # not in the search log: what a user wants forgotten should be written nowhere
    hits = recall.recall(engine, scope, query, item_filters=[Filters(now)], options=options).hits
    queries = [query, redaction.public_text(engine, query)]  # what was kept of a secret is without it
    # A query without a word that carries meaning, such as "the one I told you", says nothing to look for.
    asked = Wording.of(queries) if every_form(query) - _empty_forms() else Wording(())
    found, at_once = engine.store.read(scope, lambda reader: _found(reader, queries, asked))
    match = clear_match(hits, thresholds.min_score, thresholds.margin)
    meant = _meant(asked, found, match, clear=at_once, asks=query.rstrip().endswith("?"))
    if not meant.memory_ids and not meant.wording.ways:
        return Forgotten("candidates" if hits else "not_found", candidates=hits, dry_run=request.dry_run)
    whole = request.documents == "forget"

    def choose(rows: UserRows) -> ForgetPlan:
        return plan.plan_said(rows, meant.memory_ids, meant.wording, now, sources=True, whole_documents=whole)

    if meant.clear or request.all:
        return reach(choose)
    planned = forget.forget(engine, scope, choose, dry_run=True)
    return Forgotten("candidates", candidates=hits, dry_run=request.dry_run, items=planned.items)


@cache
def _empty_forms() -> frozenset[str]:
    return every_form(" ".join(function_words() | read_words("query", "anything") | read_words("query", "talk")))


def _found(rows: StoreReader, queries: Sequence[str], asked: Wording) -> tuple[Mentions, bool]:
    """Give what says it, and whether a query says all of that itself, so that nothing else goes with it.

    Messages that a memory was captured from belong to it, and summaries are made again. Longer sentences belong to it
    if the words are so many that hardly a sentence has them by accident.
    """
    found = find_mentions(rows, asked)
    origins = {note.source_id for note in rows.sources(_ids(found.memories))} if found.memories else set()
    messages = [said for said in found.messages if said.role != "summary" and said.id not in origins]
    contents = (*(message.content for message in messages), *(chunk.content for chunk in found.chunks))
    sentences = [said for content in contents for said in _sayings(content, asked)]
    if not (found.memories or sentences) or len(sentences) > _MOST_ITEMS or not _say_the_same(found.live):
        return found, False

    def named(text: str) -> bool:
        """Tell whether a query says it itself: the same words with content, and no negation more or less."""
        return any(not (says_more(text, query) or says_more(query, text)) for query in queries)

    telling = found.memories and len(telling_words(queries[0])) >= _FEWEST_WORDS
    itself = all(named(record.content) for record in found.memories)
    return found, itself and bool(telling or all(map(named, sentences)))


def _sayings(text: str, wording: Wording) -> list[str]:
    """Give the sentences that say something; the whole text when that stands beside it, as in arguments of a tool."""
    return [sentence.of(text) for sentence in said_in(text, wording)] or [text]


def _meant(asked: Wording, found: Mentions, match: Hit | None, *, clear: bool, asks: bool) -> _Meant:
    literal = bool(found.memories or found.messages or found.chunks)
    elsewhere = match is not None and match.id not in _ids(found.memories)
    if match is not None and elsewhere and (asks or not literal):  # said in other words: what a question asks for
        return _Meant((match.id,), Wording.of([match.content]), clear=False)
    if not literal or (asks and match is None):  # a question that was asked before is no answer
        return _Meant((), Wording(()), clear=False)
    return _Meant(_ids(found.live), asked, clear)


def _ids(records: Sequence[MemoryRecord]) -> tuple[str, ...]:
    return tuple(record.id for record in records)


def _say_the_same(records: Sequence[MemoryRecord]) -> bool:
    """Tell whether one of the memories says all that the others do, in the same order of words."""
    told = [telling_words(record.content) for record in records]
    return not told or any(all(map(partial(_holds, words), told)) for words in told)


def _holds(words: Iterable[frozenset[str]], others: Iterable[frozenset[str]]) -> bool:
    """Tell whether words come among others in this order."""
    left = iter(words)
    return all(any(not word.isdisjoint(other) for word in left) for other in others)


def clear_match(hits: Sequence[Hit], min_score: float, margin: float) -> Hit | None:
    """Give the hit that is meant beyond doubt: good in itself, and well ahead of the next.

    A hit with near-duplicates does not qualify, nor one that matches only the time.
    """
    if not hits or hits[0].score < min_score or hits[0].folded or TIME in hits[0].parts.channels:
        return None
    if len(hits) > 1 and hits[0].score - hits[1].score < margin:
        return None
    return hits[0]


def purge(engine: Engine, tell: StepListener | None = None) -> Purged:
    """Remove it all. Safe to interrupt: another purge goes on where this one ended."""
    if not engine.store.away():
        engine.originals.sweep(lambda name: name in engine.store.known_originals([name]))
    return engine.store.purge(tell or (lambda _doing, _done, _total: None))
