"""Answers one user's questions from one snapshot of the database."""

from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cached_property
from math import log
from typing import Any

import psycopg
from pgvector import HalfVector
from pgvector import Vector as PgVector

from recollect.model.filters import ChunkFilters, Filters, ItemFilters, MessageFilters, PlaceFilters
from recollect.model.literals import ITEM_KINDS, ItemKind, VectorKind
from recollect.model.memories import MemoryRecord, Scope, Space, Vector
from recollect.model.messages import Message
from recollect.model.stats import Stats
from recollect.ports import IndexedItem, MessagePosition, Neighbour, TextCandidate, TextCandidates
from recollect.storage import frequencies
from recollect.storage.postgres import codec, spaces
from recollect.storage.postgres.connection import Connection
from recollect.storage.postgres.files import FileReader
from recollect.storage.postgres.filters import conditions
from recollect.storage.postgres.ledgers import Ledgers
from recollect.storage.postgres.messages import MessageReader
from recollect.storage.postgres.places import PlaceReader
from recollect.storage.postgres.roles import Standing
from recollect.storage.postgres.rows import QUERIES, one
from recollect.storage.rows import of_kind
from recollect.storage.spaces import Listing

_ABOVE_ALL_IDS = "ffffffff-ffff-ffff-ffff-ffffffffffff"
_BELOW_ALL_IDS = "00000000-0000-0000-0000-000000000000"

# Up to here all of a user's rows are looked through faster than the index of words is asked.
_FEW_ROWS = 2_000


class PostgresReader(MessageReader, FileReader, PlaceReader, Ledgers):
    """One user's view of the database, for the length of one transaction.

    `standing` says whether the server has functions that look up words for us.
    """

    def __init__(self, connection: Connection, scope: Scope, standing: Standing) -> None:
        super().__init__(connection, scope)
        self._standing = standing

    @cached_property
    def _spaces(self) -> Listing:
        return spaces.listing(self._connection)

    @cached_property
    def _figures(self) -> tuple[int, int, int, int, int]:
        """The user's writes, resets, memories, messages and chunks."""
        found: tuple[int, int, int, int, int] | None = self._run("user_figures").fetchone()
        return found or (0, 0, 0, 0, 0)

    def searched_space(self) -> Space | None:
        """Give the space that is complete."""
        return self._spaces.active()

    def unrelated(self, space: Space) -> float | None:
        """Say what a cosine is worth."""
        return self._spaces.unrelated(space)

    def _filtered(
        self, name: str, filters: ItemFilters | PlaceFilters, values: dict[str, Any], *, space: int | None = None
    ) -> "psycopg.Cursor[tuple[Any, ...]]":
        condition, bound = conditions(filters)
        sql = of_kind(QUERIES[name], filters.kind).replace("{filters}", condition).replace("{space}", str(space))
        return self._connection.execute(sql.encode(), {"user_id": self._user, **bound, **values})

    def generation(self) -> int:
        """Count the user's writes."""
        return self._figures[0]

    def select(self, filters: Filters, limit: int, before: str | None = None) -> Sequence[MemoryRecord]:
        """List rows, newest first."""
        values = {"before": before or _ABOVE_ALL_IDS, "limit": limit}
        return [codec.from_row(row) for row in self._filtered("select_memories", filters, values)]

    def count(self, filters: Filters) -> int:
        """Count rows."""
        return int(one(self._filtered("count_memories", filters, {}))[0])

    def timeline(self, filters: Filters, limit: int) -> Sequence[MemoryRecord]:
        """Give the newest rows in the order in which they happened."""
        found = self._filtered("timeline", filters, {"limit": limit}).fetchall()
        return [codec.from_row(row) for row in reversed(found)]

    def subjects(self, filters: Filters) -> Sequence[str]:
        """Give the subjects there are."""
        return [row[0] for row in self._filtered("subjects", filters, {})]

    def around(self, ids: Sequence[str], reach: int, filters: MessageFilters) -> Sequence[MessagePosition]:
        """Give messages and what stands next to them."""
        found = self._filtered("around_messages", filters, {"ids": list(ids), "reach": reach})
        spots = (MessagePosition._make(row) for row in found)
        return list({spot.id: spot._replace(said_at=spot.said_at.astimezone(UTC)) for spot in spots}.values())

    def said_between(self, filters: MessageFilters, limit: int) -> Sequence[Message]:
        """Give the newest messages in the order in which they were said."""
        found = self._filtered("said_between", filters, {"limit": limit}).fetchall()
        return [codec.message_from_row(row) for row in reversed(found)]

    def chunks_in(self, file_ids: Sequence[str], filters: ChunkFilters, limit: int) -> Sequence[str]:
        """Give the first chunks of files."""
        return [row[0] for row in self._filtered("chunks_in_files", filters, {"files": list(file_ids), "limit": limit})]

    def text_candidates(self, terms: Sequence[str], filters: ItemFilters, limit: int) -> TextCandidates:
        """Find rows that hold any of the terms; when there are too many, those with the rarer ones."""
        every = self._figures[2 + ITEM_KINDS.index(filters.kind)]
        looked_up = self._standing.searches_files if filters.kind == "chunk" else self._standing.searches
        indexed = looked_up and every > _FEW_ROWS
        rows = self._sharing(terms, filters, limit, indexed=indexed)
        if len(rows) < limit:
            return TextCandidates(rows, frequencies.among(rows, terms), every)
        counts = {term: self._frequency(term, filters.kind, indexed=indexed) for term in terms}
        weights = [log(1 + every / (1 + counts[term])) for term in terms]
        values = {"terms": list(terms), "weights": weights, "limit": limit}
        found = self._filtered("ranked_matching" if indexed else "ranked_candidates", filters, values)
        return TextCandidates([TextCandidate(row[0], row[1]) for row in found], counts, every)

    def _sharing(self, terms: Sequence[str], filters: ItemFilters, limit: int, *, indexed: bool) -> list[TextCandidate]:
        """Give rows that share a term. When very many do, the first ones met are found without the index."""
        name, values = "text_candidates", {"terms": list(terms), "limit": limit}
        if indexed:
            ids = [row[0] for row in self._run("matching", values, kind=filters.kind)]
            if len(ids) < limit:
                name, values = "known_candidates", {"ids": ids, "limit": limit}
        return [TextCandidate(row[0], row[1]) for row in self._filtered(name, filters, values)]

    def _frequency(self, term: str, kind: ItemKind, *, indexed: bool) -> int:
        name = "matching_frequency" if indexed else "term_frequency"
        return int(one(self._run(name, {"terms": [term]}, kind=kind))[0])

    def nearest(
        self, space: Space, vector: Vector, filters: ItemFilters | PlaceFilters, limit: int
    ) -> Sequence[Neighbour]:
        """Let the database measure the distances."""
        number = self._spaces.number(filters.kind, space)
        if number is None:
            return []
        values = {"vector": _bound(space, vector), "limit": limit}
        if isinstance(filters, (Filters, MessageFilters)) and (filters.near or filters.places):
            found = self._filtered("nearest_inside", filters, values, space=number)
        else:
            self._run("prepare_nearest")
            found = self._filtered("nearest_vectors", filters, values, space=number)
        return [Neighbour(row[0], row[1]) for row in found]

    def cosines(self, kind: VectorKind, space: Space, vector: Vector, ids: Sequence[str]) -> dict[str, float]:
        """Give exact scores of known rows."""
        number = self._spaces.number(kind, space)
        if number is None or not ids:
            return {}
        values = {"vector": _bound(space, vector), "ids": list(ids)}
        return {row[0]: row[1] for row in self._run("cosines", values, space=number)}

    def indexed(self, kind: ItemKind, limit: int, after: str | None = None) -> Sequence[IndexedItem]:
        """Give items with their terms."""
        values = {"after": after or _BELOW_ALL_IDS, "limit": limit}
        if kind == "chunk":
            found = self._run("indexed_chunks", values)
            return [IndexedItem(codec.chunk_from_row(row[:-1]), tuple(row[-1])) for row in found]
        if kind == "message":
            found = self._run("indexed_messages", values)
            return [IndexedItem(codec.message_from_row(row[:-1]), tuple(row[-1])) for row in found]
        return [IndexedItem(codec.from_row(row[:-1]), tuple(row[-1])) for row in self._run("indexed_memories", values)]

    def stats(self, space: Space | None, now: datetime) -> Stats:
        """Count what the user has."""
        rows = self._run("type_counts", {"now": now}).fetchall()
        pending, parked = one(self._run("job_counts"))
        number = None if space is None else self._spaces.number("memory", space)
        vectors = 0 if number is None else one(self._run("count_vectors", space=number))[0]
        return Stats(
            memories=sum(row[1] for row in rows),
            by_type={row[0]: row[1] for row in rows if row[1]},
            superseded=sum(row[2] for row in rows),
            expired=sum(row[3] for row in rows),
            with_vector=vectors,
            messages=self._figures[3],
            files=sum(files for files, _ in self.folder_sizes().values()),
            chunks=self._figures[4],
            pending_jobs=pending,
            parked_jobs=parked,
            oldest=min(row[4] for row in rows).astimezone(UTC) if rows else None,
            newest=max(row[5] for row in rows).astimezone(UTC) if rows else None,
        )


def _bound(space: Space, vector: Vector) -> PgVector | HalfVector:
    return PgVector(vector) if spaces.column_type(space) == "vector" else HalfVector(vector)
