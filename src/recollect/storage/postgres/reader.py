"""Searches one user's rows from one snapshot of the database."""

from collections.abc import Sequence
from math import log
from typing import Any

from pgvector import HalfVector
from pgvector import Vector as PgVector

from recollect.model.filters import ItemFilters, PlaceFilters
from recollect.model.literals import ItemKind, VectorKind
from recollect.model.memories import Scope, Space, Vector
from recollect.ports import Neighbour, TextCandidate, TextCandidates
from recollect.storage.filters import is_local
from recollect.storage.postgres.codec import column_type
from recollect.storage.postgres.roles import LoginRights
from recollect.storage.postgres.session import PostgresSession
from recollect.storage.shared.reader import SharedReader, count_terms
from recollect.storage.tombstones import TombstoneSecrets

# Up to here all of a user's rows are looked through faster than the index of words is asked.
_FEW_ROWS = 2_000
_WIDER = 4


class PostgresReader(SharedReader):
    """One user's view of the database, for the length of one transaction.

    `rights` says whether the server has functions that look up words for us.
    """

    def __init__(
        self, session: PostgresSession, scope: Scope, rights: LoginRights, *, secrets: TombstoneSecrets
    ) -> None:
        super().__init__(session, scope, secrets=secrets)
        self._rights = rights

    def text_candidates(self, terms: Sequence[str], filters: ItemFilters, limit: int) -> TextCandidates:
        """Find rows that hold any of the terms; when there are too many, those with the rarer ones."""
        total = self._figures.rows(filters.kind)
        looked_up = self._rights.searches_files if filters.kind == "chunk" else self._rights.searches
        indexed = looked_up and total > _FEW_ROWS
        candidates = self._sharing(terms, filters, limit, indexed=indexed)
        if len(candidates) < limit:
            return TextCandidates(candidates, count_terms(candidates, terms), total)
        counts = {term: self._frequency(term, filters.kind, indexed=indexed) for term in terms}
        weights = [log(1 + total / (1 + counts[term])) for term in terms]
        values = {"terms": list(terms), "weights": weights, "limit": limit}
        rows = self._filtered("ranked_matching" if indexed else "ranked_candidates", filters, values)
        return TextCandidates([TextCandidate(*row) for row in rows], counts, total)

    def _sharing(self, terms: Sequence[str], filters: ItemFilters, limit: int, *, indexed: bool) -> list[TextCandidate]:
        """Give rows that share a term. When very many do, the first ones met are found without the index."""
        name, values = "text_candidates", {"terms": list(terms), "limit": limit}
        if indexed:
            ids = self._ids("matching", values, kind=filters.kind)
            if len(ids) < limit:
                name, values = "known_candidates", {"ids": ids, "limit": limit}
        return [TextCandidate(*row) for row in self._filtered(name, filters, values)]

    def _frequency(self, term: str, kind: ItemKind, *, indexed: bool) -> int:
        name = "matching_frequency" if indexed else "term_frequency"
        return int(self._rows(name, {"terms": [term]}, kind=kind)[0][0])

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
        """Give exact scores of known rows."""
        number = self._spaces.number(kind, space)
        if number is None or not ids:
            return {}
        values = {"vector": _bound(space, vector), "ids": list(ids)}
        return dict(self._rows("cosines", values, space=number))


def _bound(space: Space, vector: Vector) -> PgVector | HalfVector:
    return PgVector(vector) if column_type(space) == "vector" else HalfVector(vector)
