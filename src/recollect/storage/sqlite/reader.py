"""Answers one user's questions from one snapshot of the file."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any, NamedTuple

import apsw
import numpy as np

from recollect.errors import StoreDamaged
from recollect.model.filters import ChunkFilters, Filters, ItemFilters, MessageFilters, PlaceFilters
from recollect.model.literals import ItemKind, VectorKind
from recollect.model.memories import MemoryRecord, Scope, Space, Vector
from recollect.model.messages import Message
from recollect.model.stats import Stats
from recollect.ports import IndexedItem, MessagePosition, Neighbour, TextCandidate, TextCandidates
from recollect.storage import frequencies
from recollect.storage.rows import of_kind
from recollect.storage.spaces import Listing
from recollect.storage.sqlite import codec, spaces
from recollect.storage.sqlite.codes import CodeCache, CodeView, Seqs, UserCodes, as_codes, rescored
from recollect.storage.sqlite.connection import rows
from recollect.storage.sqlite.files import FileReader
from recollect.storage.sqlite.filters import conditions
from recollect.storage.sqlite.ledgers import Ledgers
from recollect.storage.sqlite.matching import EVERYTHING, MANY_ROWS, any_of, promising
from recollect.storage.sqlite.messages import MessageReader
from recollect.storage.sqlite.places import PlaceReader
from recollect.storage.sqlite.rows import QUERIES, id_array, seq_array
from recollect.storage.sqlite.small import (
    FEW_INSIDE,
    FEW_ROWS,
    Inside,
    SmallUser,
    SmallUsers,
    as_matrix,
    small_user,
    sound_cosines,
)

_ABOVE_ALL_IDS = "\U0010ffff"
_LATE_REACH = 1024
_WIDER = 8
_MOST_TIMES = 8  # as many times as many rows are looked at before all are that pass


@dataclass(frozen=True, slots=True)
class Kept:
    """What a process keeps in memory about a file, shared by all its readers."""

    codes: CodeCache = field(default_factory=CodeCache)
    small_users: SmallUsers = field(default_factory=SmallUsers)


class _Figures(NamedTuple):
    generation: int
    resets: int
    memories: int
    messages: int
    chunks: int

    def rows(self, kind: ItemKind) -> int:
        """How many rows of a kind the user has."""
        return {"memory": self.memories, "message": self.messages, "chunk": self.chunks}[kind]


class SqliteReader(MessageReader, FileReader, PlaceReader, Ledgers):
    """One user's view of the file, for the length of one transaction."""

    def __init__(self, connection: apsw.Connection, scope: Scope, kept: Kept) -> None:
        super().__init__(connection, scope)
        self._codes = kept.codes
        self._small_users = kept.small_users
        self._whole: SmallUser | None = None
        self._found_inside: dict[Filters | MessageFilters, Inside | None] = {}

    def _filtered(
        self,
        name: str,
        filters: ItemFilters | PlaceFilters,
        values: dict[str, Any] | None = None,
        *,
        space: int | None = None,
    ) -> list[Any]:
        condition, bound = conditions(filters)
        sql = of_kind(QUERIES[name].replace("{filters}", condition), filters.kind).replace("{space}", str(space))
        return rows(self._connection, sql, {"user_id": self._user, **bound, **(values or {})})

    def generation(self) -> int:
        """Count the user's writes."""
        return self._figures.generation

    @cached_property
    def _spaces(self) -> Listing:
        return spaces.listing(self._connection)

    def searched_space(self) -> Space | None:
        """Give the space that is complete."""
        return self._spaces.active()

    def unrelated(self, space: Space) -> float | None:
        """Say what a cosine is worth."""
        return self._spaces.unrelated(space)

    def select(self, filters: Filters, limit: int, before: str | None = None) -> Sequence[MemoryRecord]:
        """List rows, newest first."""
        values = {"before": before or _ABOVE_ALL_IDS, "limit": limit}
        return [codec.from_row(row) for row in self._filtered("select_memories", filters, values)]

    def count(self, filters: Filters) -> int:
        """Count rows."""
        return int(self._filtered("count_memories", filters)[0][0])

    def timeline(self, filters: Filters, limit: int) -> Sequence[MemoryRecord]:
        """Give the newest rows in the order in which they happened."""
        return [codec.from_row(row) for row in reversed(self._filtered("timeline", filters, {"limit": limit}))]

    def subjects(self, filters: Filters) -> Sequence[str]:
        """Give the subjects there are."""
        return [row[0] for row in self._filtered("subjects", filters)]

    def around(self, ids: Sequence[str], reach: int, filters: MessageFilters) -> Sequence[MessagePosition]:
        """Give messages and what stands next to them."""
        found = self._filtered("around_messages", filters, {"ids": id_array(ids), "reach": reach})
        spots = (MessagePosition._make((*row[:7], codec.from_micros(row[7]), bool(row[8]), *row[9:])) for row in found)
        return list({spot.id: spot for spot in spots}.values())

    def said_between(self, filters: MessageFilters, limit: int) -> Sequence[Message]:
        """Give the newest messages in the order in which they were said."""
        return [
            codec.message_from_row(row) for row in reversed(self._filtered("said_between", filters, {"limit": limit}))
        ]

    def chunks_in(self, file_ids: Sequence[str], filters: ChunkFilters, limit: int) -> Sequence[str]:
        """Give the first chunks of files."""
        values = {"files": id_array(file_ids), "limit": limit}
        return [row[0] for row in self._filtered("chunks_in_files", filters, values)]

    def text_candidates(self, terms: Sequence[str], filters: ItemFilters, limit: int) -> TextCandidates:
        """Find rows that hold any of the terms."""
        try:
            small = self._small(self._spaces.active(), filters)
        except StoreDamaged:  # a vector; the words are sound all the same
            small = None
        if small is not None and self._figures.memories <= limit:
            candidates = small.sharing(terms)
            return TextCandidates(candidates, frequencies.among(candidates, terms), self._figures.memories)
        if self._figures.rows(filters.kind) > MANY_ROWS:
            inside = self._inside(filters)
            if inside is None:
                return self._promising_candidates(terms, filters, limit)
            found = inside.sharing(terms, limit)
            return TextCandidates(found, frequencies.among(found, terms), self._figures.rows(filters.kind))
        candidates = self._matching(any_of(terms), filters, limit)
        counts = frequencies.among(candidates, terms) if len(candidates) < limit else self._counted(terms, filters.kind)
        return TextCandidates(candidates, counts, self._figures.rows(filters.kind))

    def _promising_candidates(self, terms: Sequence[str], filters: ItemFilters, limit: int) -> TextCandidates:
        """Look where the best must be; when the filters leave too little of that, everywhere."""
        counts = self._counted(terms, filters.kind)
        best = promising(terms, counts, limit)
        candidates = self._matching(best, filters, limit)
        if len(candidates) < limit and best != promising(terms, counts, EVERYTHING):
            candidates = self._matching(any_of(terms), filters, limit)
        if len(candidates) < limit:
            counts = frequencies.among(candidates, terms)
        return TextCandidates(candidates, counts, self._figures.rows(filters.kind))

    def _matching(self, expression: str, filters: ItemFilters, limit: int) -> list[TextCandidate]:
        found = self._filtered("text_candidates", filters, {"terms": expression, "limit": limit})
        return [TextCandidate(item_id, words.split(" ")) for item_id, words in found]

    def _counted(self, terms: Sequence[str], kind: ItemKind) -> dict[str, int]:
        return {term: int(self._run("term_frequency", {"terms": any_of([term])}, kind=kind)[0][0]) for term in terms}

    def _small(self, space: Space | None, filters: ItemFilters | PlaceFilters) -> SmallUser | None:
        """Give the user's memories whole, when there are few and nothing but the present is asked for."""
        if space is None or not isinstance(filters, Filters) or filters != Filters(now=filters.now):
            return None
        number = self._spaces.number("memory", space)
        if number is None or self._figures.memories > FEW_ROWS:
            return None
        generation, now = self._figures.generation, codec.to_micros(filters.now)

        def load() -> SmallUser:
            every = self._filtered("whole_user", filters, space=number)
            return small_user(generation, now, every, space.dimensions)

        self._whole = self._small_users.fresh((self._user, number), generation, now, load)
        return self._whole

    def _inside(self, filters: ItemFilters | PlaceFilters) -> Inside | None:
        """Give what lies inside a circle, or at some places, whole, when that is not much: then no index is faster."""
        if not isinstance(filters, (Filters, MessageFilters)) or (filters.near is None and not filters.places):
            return None
        if filters not in self._found_inside:
            rows_ = self._filtered("inside", filters, {"limit": FEW_INSIDE + 1})
            self._found_inside[filters] = Inside.of(rows_) if len(rows_) <= FEW_INSIDE else None
        return self._found_inside[filters]

    @cached_property
    def _figures(self) -> _Figures:
        found = self._run("user_figures")
        return _Figures(*found[0]) if found else _Figures(0, 0, 0, 0, 0)

    def nearest(
        self, space: Space, vector: Vector, filters: ItemFilters | PlaceFilters, limit: int
    ) -> Sequence[Neighbour]:
        """Let the codes choose, the floats decide, and the filters pass."""
        number = self._spaces.number(filters.kind, space)
        if number is None:
            return []
        small = self._small(space, filters)
        if small is not None:
            return small.nearest(vector, limit)
        view = self._fresh_codes(number, space.dimensions)
        inside = self._inside(filters)
        if inside is not None:
            return self._scored(number, view.among(inside.seqs), vector, filters, limit)
        usual = rescored(len(view.seqs))
        found = self._scored(number, view, vector, filters, limit)
        if len(found) < limit <= len(found) * _MOST_TIMES and len(view.seqs) > usual:  # a little farther are enough
            wanted = usual * (2 * limit // len(found) + 1)
            found = self._scored(number, view, vector, filters, limit, looking_at=wanted)
        if len(found) < limit and len(view.seqs) > usual:
            passing = [row[0] for row in self._filtered("all_passing_numbers", filters)]
            found = self._scored(number, view.among(np.array(passing, np.int64)), vector, filters, limit)
        return found

    def _fresh_codes(self, number: int, dimensions: int) -> CodeView:
        """Bring the codes in memory up to this snapshot. A newer state than the snapshot's does no harm."""
        generation, resets = self._figures.generation, self._figures.resets
        with self._codes.lock:
            codes = self._codes.take(self._user, number)
            if generation > codes.generation:
                if resets != codes.resets:
                    codes = self._codes.drop(self._user, number)
                self._load_codes(codes, number, dimensions, codes.newest)
                late = next((row[0] for row in self._run("late_vectors")), 0)
                if late != codes.late:
                    self._load_late_codes(codes, number, dimensions)
                    codes.late = late
                codes.generation, codes.resets = generation, resets
                self._codes.shrink()
            return codes.view()

    def _load_codes(self, codes: UserCodes, number: int, dimensions: int, after: int) -> None:
        found = self._run("load_codes", {"after": after}, space=number)
        lacking = codes.missing(np.array([seq for seq, _ in found], np.int64)).tolist()
        new = [row for row, is_lacking in zip(found, lacking, strict=True) if is_lacking]
        if new:
            codes.append([seq for seq, _ in new], as_codes([code for _, code in new], dimensions))

    def _load_late_codes(self, codes: UserCodes, number: int, dimensions: int) -> None:
        """Rows that were waiting for their vectors have numbers below the newest, and mostly not far below."""
        total = self._run("count_vectors", space=number)[0][0]
        newest, reach = codes.newest, _LATE_REACH
        while codes.size < total and reach < _WIDER * newest + _LATE_REACH:
            self._load_codes(codes, number, dimensions, max(0, newest - reach))
            reach *= _WIDER

    def _scored(
        self,
        number: int,
        view: CodeView,
        vector: Vector,
        filters: ItemFilters | PlaceFilters,
        limit: int,
        *,
        looking_at: int = 0,
    ) -> Sequence[Neighbour]:
        seqs, cosines = self._cosines(
            number, view.closest(vector, max(limit, looking_at or rescored(len(view.seqs)))), vector
        )
        order = np.argsort(-cosines, kind="stable")
        found: list[Neighbour] = []
        step = limit + limit // 4 + 1  # a little more than is wanted, because most rows pass
        if looking_at:
            step = len(order)  # unless they do not
        for start in range(0, len(order), step):
            best = order[start : start + step]
            passing = dict(self._filtered("passing_numbers", filters, {"seqs": seq_array(seqs[best])}))
            pairs = zip(seqs[best].tolist(), cosines[best].tolist(), strict=True)
            found.extend(Neighbour(passing[seq], cosine) for seq, cosine in pairs if seq in passing)
            if len(found) >= limit:
                break
        return found[:limit]

    def _cosines(self, number: int, seqs: Seqs, vector: Vector) -> tuple[Seqs, Vector]:
        found = self._run("fetch_vectors", {"seqs": seq_array(seqs)}, space=number)
        matrix = as_matrix([floats for _, floats in found], len(vector))
        return np.array([seq for seq, _ in found], np.int64), sound_cosines(matrix, vector)

    def cosines(self, kind: VectorKind, space: Space, vector: Vector, ids: Sequence[str]) -> dict[str, float]:
        """Give exact scores of known rows."""
        number = self._spaces.number(kind, space)
        if number is None or not ids:
            return {}
        if self._whole is not None and kind == "memory":
            return self._whole.cosines(vector, ids)
        names = dict(self._run("item_numbers", {"ids": id_array(ids)}, kind=kind))
        seqs, cosines = self._cosines(number, np.array(list(names), np.int64), vector)
        return {names[seq]: cosine for seq, cosine in zip(seqs.tolist(), cosines.tolist(), strict=True)}

    def indexed(self, kind: ItemKind, limit: int, after: str | None = None) -> Sequence[IndexedItem]:
        """Give items with their terms."""
        values = {"after": after or "", "limit": limit}
        if kind == "chunk":
            found = self._run("indexed_chunks", values)
            return [IndexedItem(codec.chunk_from_row(row[:-1]), _terms(row[-1])) for row in found]
        if kind == "message":
            found = self._run("indexed_messages", values)
            return [IndexedItem(codec.message_from_row(row[:-1]), _terms(row[-1])) for row in found]
        return [IndexedItem(codec.from_row(row[:-1]), _terms(row[-1])) for row in self._run("indexed_memories", values)]

    def stats(self, space: Space | None, now: datetime) -> Stats:
        """Count what the user has."""
        types = self._run("type_counts", {"now": codec.to_micros(now)})
        pending, parked = self._run("job_counts")[0]
        number = None if space is None else self._spaces.number("memory", space)
        vectors = 0 if number is None else self._run("count_vectors", space=number)[0][0]
        return Stats(
            memories=sum(row[1] for row in types),
            by_type={row[0]: row[1] for row in types if row[1]},
            superseded=sum(row[2] for row in types),
            expired=sum(row[3] for row in types),
            with_vector=vectors,
            messages=self._figures.messages,
            files=sum(files for files, _ in self.folder_sizes().values()),
            chunks=self._figures.chunks,
            pending_jobs=pending,
            parked_jobs=parked,
            oldest=codec.from_micros(min(row[4] for row in types)) if types else None,
            newest=codec.from_micros(max(row[5] for row in types)) if types else None,
        )


def _terms(words: str) -> tuple[str, ...]:
    return tuple(words.split(" ")) if words else ()
