"""What a query to forget means. It forgets at once only if one thing is meant; otherwise it shows what there is."""

from collections.abc import Iterable, Sequence
from functools import cache, partial
from typing import NamedTuple

from recollect.engine.base.context import Engine
from recollect.engine.forgetting import forget
from recollect.engine.forgetting.mentions import Mentions, find_mentions
from recollect.engine.forgetting.receipt import ReceiptDraft
from recollect.engine.search import recall
from recollect.engine.search.hits import TIME
from recollect.engine.search.prepared_query import SearchOptions
from recollect.model.filters import Filters
from recollect.model.memories import MemoryRecord, Scope
from recollect.model.search import Forgotten, Hit
from recollect.text.language import function_words
from recollect.text.mentions import Wording
from recollect.text.tables import read_words
from recollect.text.terms import every_form, telling_words

_SHOWN = 5
_MOST_ITEMS = 20  # that say it beside the memory that is meant; more are hardly one thing


class _Meant(NamedTuple):
    """What a query means: memories, and words that say the same. `clear` when it is one thing."""

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
    receipt: ReceiptDraft | None = None,
) -> Forgotten:
    """Forget what a query says, wherever it is said; several things only with `all_found`."""
    thresholds = engine.settings.forget
    options = SearchOptions(_SHOWN, thresholds.min_score / 2, rerank_s=0.0)  # less is no candidate for anything
    filters = [Filters(now=engine.clock.now())]
    # not in the search log: what a user wants forgotten should be written nowhere
    hits = recall.recall(engine, scope, query, item_filters=filters, options=options).hits
    asked = Wording.of([query]) if _is_telling(query) else Wording(())
    found = engine.store.read(scope, lambda reader: find_mentions(reader, asked))
    match = clear_match(hits, thresholds.min_score, thresholds.margin)
    meant = _meant(asked, found, hits, match, min_score=thresholds.min_score, asks=query.rstrip().endswith("?"))
    if not meant.memory_ids and not meant.wording.ways:
        return Forgotten("candidates" if hits else "not_found", candidates=hits, dry_run=dry_run)
    if meant.clear or all_found:
        said = (meant.memory_ids, meant.wording)
        return forget.forget_said(engine, scope, *said, dry_run=dry_run, receipt=receipt)
    planned = forget.forget_said(engine, scope, meant.memory_ids, meant.wording, dry_run=True)
    return Forgotten("candidates", candidates=hits, dry_run=dry_run, items=planned.items)


def _is_telling(query: str) -> bool:
    """Tell whether a query has a word that carries meaning; "the one I told you" says nothing to look for."""
    return bool(every_form(query) - _empty_forms())


@cache
def _empty_forms() -> frozenset[str]:
    return every_form(" ".join(function_words() | read_words("query", "anything") | read_words("query", "talk")))


def _meant(
    asked: Wording, found: Mentions, hits: Sequence[Hit], match: Hit | None, *, min_score: float, asks: bool
) -> _Meant:
    literal = bool(found.memories or found.messages or found.chunks)
    elsewhere = match is not None and match.id not in _ids(found.memories)
    if match is not None and elsewhere and (asks or not literal):  # said in other words: what a question asks for
        return _Meant((match.id,), Wording.of([match.content]), clear=True)
    if not literal or (asks and match is None):  # a question that was asked before is no answer
        return _Meant((), Wording(()), clear=False)
    one_thing = match is not None or (bool(hits) and hits[0].score >= min_score and hits[0].id in _ids(found.live))
    others = len(found.messages) + len(found.chunks)
    clear = (one_thing or not found.live) and not elsewhere and _say_the_same(found.live) and others <= _MOST_ITEMS
    wording = Wording(tuple(dict.fromkeys((*asked.ways, *Wording.of(_contents(found.live)).ways)))) if clear else asked
    return _Meant(_ids(found.live), wording, clear)


def _ids(records: Sequence[MemoryRecord]) -> tuple[str, ...]:
    return tuple(record.id for record in records)


def _contents(records: Sequence[MemoryRecord]) -> list[str]:
    return [record.content for record in records]


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
