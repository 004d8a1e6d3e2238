"""Which memories answer a query, and not only have to do with it, where a search wants to know no more."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from heapq import nlargest
from itertools import chain

from recollect.engine.search.kind_ranking import KIND, SUBJECT, KindRanking, RankedRow
from recollect.engine.search.prepared_query import PreparedQuery
from recollect.model.literals import ItemKind
from recollect.model.memories import MemoryRecord
from recollect.model.readings import PROPERTY, USER
from recollect.ranking import cutoff
from recollect.text.query import asks_for_list
from recollect.text.questions import request_form
from recollect.text.tables import read_words
from recollect.text.terms import index_terms, query_terms, query_words

_MOST_READ = 300  # characters of a memory
_ESTIMATED = 10  # rows from which it is told how likely an answer is


def only_answers(
    prepared: PreparedQuery, rankings: Mapping[ItemKind, KindRanking]
) -> tuple[Mapping[ItemKind, KindRanking], bool]:
    """Leave out memories that do not answer a query, if the search wants that; the second value says if there are any.

    What is asked for by its time, place or words, as a list or as a wish is looked for whole.
    """
    query, ranking = prepared.query, rankings.get("memory")
    if ranking is None or not ranking.rows or not prepared.options.answers or _is_whole(prepared):
        return rankings, False
    rows = sorted(ranking.rows, key=lambda row: -row.content)
    words = [frozenset(forms) for forms in query.words if _user_terms().isdisjoint(forms)]
    read = [cutoff.RatedMemory(row.id, min(1.0, row.content), _terms(row)) for row in rows[: cutoff.DEPTH]]
    likely = max(ranking.answerable(row.id) for row in rows[:_ESTIMATED])
    kept = {row.id for row in cutoff.kept(words, read, likely, _background(ranking))} | ranking.answers.keys()
    kept |= _of_the_kind(prepared, rows)
    slots = {_slot(row) for row in rows if row.id in kept} - {None}  # what contradicts an answer is shown beside it
    left = [row for row in ranking.rows if row.id in kept or _slot(row) in slots]
    if len(left) == len(read):
        return rankings, False
    return {**rankings, "memory": replace(ranking, rows=left, cut=False)}, True


def _of_the_kind(prepared: PreparedQuery, rows: Sequence[RankedRow]) -> frozenset[str]:
    """Give memories of a kind that is asked for: of one whom the query names, or of users who ask for their own."""
    own = bool(prepared.query.kinds) and request_form(prepared.query.text).own
    of_kind = [row for row in rows if KIND in row.factors]
    return frozenset(row.id for row in of_kind if SUBJECT in row.factors or (own and _subject(row) == USER))


def _subject(row: RankedRow) -> str:
    return row.source.subject if isinstance(row.source, MemoryRecord) else ""


def _slot(row: RankedRow) -> tuple[str, object] | None:
    record = row.source
    if not isinstance(record, MemoryRecord) or not (name := record.key or record.metadata.get(PROPERTY)):
        return None
    return record.subject, name


def _is_whole(prepared: PreparedQuery) -> bool:
    query, form = prepared.query, request_form(prepared.query.text)
    if query.spans or query.strict or query.parties or prepared.location is not None or asks_for_list(query.text):
        return True
    return query.request or (form.command and not form.asks)


def _background(ranking: KindRanking) -> float:
    relevance = nlargest(cutoff.DEPTH, ranking.fused.relevance.values())
    return relevance[-1] if len(relevance) == cutoff.DEPTH else 0.0


def _terms(row: RankedRow) -> frozenset[str]:
    record = row.source
    if not isinstance(record, MemoryRecord):
        return frozenset()
    about = (record.subject, record.key) if record.subject != USER else (record.key,)
    return frozenset(index_terms(" ".join((record.content[:_MOST_READ], *about))))


@cache
def _user_terms() -> frozenset[str]:
    """Give the terms by which an agent calls its user: they are in many memories, and tell nothing."""
    return frozenset(query_terms(chain.from_iterable(map(query_words, read_words("query", "user")))))
