"""Searches one user's rows from one snapshot of the database."""

from collections.abc import Mapping, Sequence
from math import log
from typing import Any

from pgvector import HalfVector
from pgvector import Vector as PgVector

from recollect.model.filters import ItemFilters, PlaceFilters
from recollect.model.literals import VectorKind
from recollect.model.memories import Scope, Space, TextCandidate, TextCandidates, Vector
from recollect.storage.base.filters import is_local
from recollect.storage.base.forgotten import TombstoneSecrets
from recollect.storage.base.reader import StoreReader, count_terms
from recollect.storage.base.session import ResultRow
from recollect.storage.base.values import Neighbour
from recollect.storage.postgres.schema import LoginRights
from recollect.storage.postgres.session import PostgresSession, column_type

# Up to here all of a user's rows are looked through faster than the index of words is asked.
_FEW_ROWS = 2_000
_WIDER = 4


class PostgresReader(StoreReader):
    """One user's view of the database, for the length of one transaction.

    `rights` says whether the server has a function that looks up words for us.
    """

    def __init__(
        self, session: PostgresSession, scope: Scope, rights: LoginRights, *, secrets: TombstoneSecrets
    ) -> None:
        super().__init__(session, scope, secrets=secrets)
        self._rights = rights
        self._distributed = session.distributed

    def text_candidates(self, terms: Sequence[str], filters: ItemFilters, limit: int) -> TextCandidates:
        """Find rows that hold any of the terms; when there are too many, those with the rarer ones."""
        total = self._figures.rows(filters.kind)
        if self._rights.searches and total > _FEW_ROWS:
            return self._looked_up(terms, filters, limit, total)
        rows = self._filtered("text_candidates", filters, {"terms": list(terms), "limit": limit})
        candidates = [TextCandidate(*row) for row in rows]
        if len(candidates) < limit:
            return TextCandidates(candidates, count_terms(candidates, terms), total)
        kind = filters.kind
        counts = {term: int(self._rows("term_frequency", {"terms": [term]}, kind=kind)[0][0]) for term in terms}
        weights = [log(1 + total / (1 + counts[term])) for term in terms]
        values = {"terms": list(terms), "weights": weights, "limit": limit}
        rows = self._filtered("ranked_candidates", filters, values)
        return TextCandidates([TextCandidate(*row) for row in rows], counts, total)

    def _looked_up(self, terms: Sequence[str], filters: ItemFilters, limit: int, total: int) -> TextCandidates:
        """Let the index of words count and rank: once, unless the filters let too few of the best rows pass."""
        most, asked = limit + limit // 2, {"terms": list(terms), "total": total}
        counts, ids, rows = self._best_known({**asked, "most": most}, filters)
        if len(rows) < limit and len(ids) == most:  # then all rows that hold any of the terms are looked at
            if self._distributed:  # several servers join no function with a table: ids first
                _, _, rows = self._best_known({**asked, "most": None}, filters)
            else:
                rows = self._filtered("ranked_matching", filters, {**asked, "limit": limit})
        rows = rows[:limit]
        candidates = [TextCandidate(*row) for row in rows]
        all_of_them = len(candidates) < limit
        frequencies = count_terms(candidates, terms) if all_of_them else dict(zip(terms, counts, strict=True))
        return TextCandidates(candidates, frequencies, total)

    def _best_known(
        self, asked: Mapping[str, Any], filters: ItemFilters
    ) -> tuple[Sequence[int], Sequence[str], list[ResultRow]]:
        """Give how many rows hold each term, the ids of the best, and those of them that pass, best first."""
        ((counts, ids),) = self._rows("ranked_words", asked, kind=filters.kind)
        rank = {row_id: place for place, row_id in enumerate(ids)}
        passing = self._filtered("known_candidates", filters, {"ids": ids, "limit": len(ids)})
        return counts, ids, sorted(passing, key=lambda row: rank[row[0]])

    def nearest(
        self, space: Space, vector: Vector, filters: ItemFilters | PlaceFilters, limit: int
    ) -> Sequence[Neighbour]:
        """Let the database measure the distances."""
        number = self._spaces.number(filters.kind, space)
        if number is None:
            return []
        values: dict[str, Any] = {"vector": _bound(space, vector), "limit": limit}
        if is_local(filters):
            rows = self._filtered("nearest_inside", filters, values, space=number)
            return [Neighbour(*row) for row in rows]
        self._execute("prepare_nearest")
        while True:
            rows = self._filtered("nearest_vectors", filters, values, space=number)
            best: dict[str, float] = {}
            for item_id, cosine in rows:
                best.setdefault(item_id, cosine)
            if len(best) >= limit or len(rows) < values["limit"]:
                return [Neighbour(*pair) for pair in best.items()][:limit]
            values["limit"] *= _WIDER  # items with several passages among the nearest

    def cosines(self, kind: VectorKind, space: Space, vector: Vector, ids: Sequence[str]) -> dict[str, float]:
        number = self._spaces.number(kind, space)
        if number is None or not ids:
            return {}
        values = {"vector": _bound(space, vector), "ids": list(ids)}
        return dict(self._rows("cosines", values, space=number))

    def wish_cosines(self, kind: VectorKind, space: Space, vector: Vector, ids: Sequence[str]) -> dict[str, float]:
        number = self._spaces.number(kind, space)
        if number is None or not ids:
            return {}
        rows = self._rows("wish_vectors", {"ids": list(ids)}, kind=kind, space=number)
        return {item_id: float(self._session.read_vector(stored) @ vector) for item_id, stored in rows}


def _bound(space: Space, vector: Vector) -> PgVector | HalfVector:
    return PgVector(vector) if column_type(space) == "vector" else HalfVector(vector)
