"""What a query to forget means. It forgets at once only if it says a memory itself; else it shows what there is."""

from collections.abc import Iterable, Sequence
from functools import cache, partial
from typing import NamedTuple

from recollect.engine.base.context import Engine
from recollect.engine.drafts import redaction
from recollect.engine.forgetting import forget
from recollect.engine.forgetting.mentions import Mentions, find_mentions
from recollect.engine.forgetting.receipt import ReceiptDraft
from recollect.engine.search import recall
from recollect.engine.search.hits import TIME
from recollect.engine.search.prepared_query import SearchOptions
from recollect.model.filters import Filters
from recollect.model.memories import MemoryRecord, Scope
from recollect.model.search import Forgotten, Hit
from recollect.storage.base import StoreReader
from recollect.text.language import function_words
from recollect.text.mentions import Wording, said_in
from recollect.text.near_duplicates import says_more
from recollect.text.tables import read_words
from recollect.text.terms import every_form, telling_words

_SHOWN = 5
_MOST_ITEMS = 20  # that say it beside the memory that is meant; more are hardly one thing
_FEWEST_WORDS = 3  # of a query that is hardly said by accident within a longer sentence


class _Meant(NamedTuple):
    """What a query means: memories, and words that say the same. `clear` when it says them itself."""

    memory_ids: tuple[str, ...]
    wording: Wording
    clear: bool


def forget_query(
    engine: Engine,
    scope: Scope,
    query: str,
    *,
    all_found: bool,
    dry_run: bool,
    whole_documents: bool = False,
    receipt: ReceiptDraft | None = None,
) -> Forgotten:
    """Forget what a query says, wherever it is said: at once if it says a memory itself, otherwise with `all_found`."""
    thresholds = engine.settings.forget
    options = SearchOptions(_SHOWN, thresholds.min_score / 2, rerank_s=0.0)  # less is no candidate for anything
    filters = [Filters(now=engine.clock.now())]
    # not in the search log: what a user wants forgotten should be written nowhere
    hits = recall.recall(engine, scope, query, item_filters=filters, options=options).hits
    queries = [query, redaction.public_text(engine, query)]  # what was kept of a secret is without it
    asked = Wording.of(queries) if _is_telling(query) else Wording(())
    found, at_once = engine.store.read(scope, lambda reader: _found(reader, queries, asked))
    match = clear_match(hits, thresholds.min_score, thresholds.margin)
    meant = _meant(asked, found, match, clear=at_once, asks=query.rstrip().endswith("?"))
    if not meant.memory_ids and not meant.wording.ways:
        return Forgotten("candidates" if hits else "not_found", candidates=hits, dry_run=dry_run)
    reach = partial(forget.forget_said, engine, scope, *meant[:2], whole_documents=whole_documents)
    if meant.clear or all_found:
        return reach(dry_run=dry_run, receipt=receipt)
    planned = reach(dry_run=True)
    return Forgotten("candidates", candidates=hits, dry_run=dry_run, items=planned.items)


def _is_telling(query: str) -> bool:
    """Tell whether a query has a word that carries meaning; "the one I told you" says nothing to look for."""
    return bool(every_form(query) - _empty_forms())


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
    named = partial(_is_named, queries)
    telling = found.memories and len(telling_words(queries[0])) >= _FEWEST_WORDS
    itself = all(named(record.content) for record in found.memories)
    return found, itself and bool(telling or all(map(named, sentences)))


def _sayings(text: str, wording: Wording) -> list[str]:
    """Give the sentences that say something; the whole text when that stands beside it, as in arguments of a tool."""
    return [sentence.of(text) for sentence in said_in(text, wording)] or [text]


def _is_named(queries: Iterable[str], text: str) -> bool:
    return any(says_itself(query, text) for query in queries)


def says_itself(query: str, text: str) -> bool:
    """Tell whether a query says a text itself: the same words with content, and no negation more or less."""
    return not (says_more(text, query) or says_more(query, text))


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
