"""Answers one user's questions from one snapshot of the file."""

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from itertools import islice
from operator import attrgetter
from typing import Any

import apsw
import numpy as np

from recollect.errors import StoreDamaged
from recollect.model.filters import Filters, ItemFilters, PlaceFilters
from recollect.model.literals import VectorKind
from recollect.model.memories import Scope, Space, TextCandidate, TextCandidates, Vector
from recollect.storage.base.filters import is_local
from recollect.storage.base.forgotten import TombstoneSecrets
from recollect.storage.base.reader import StoreReader, count_terms
from recollect.storage.base.values import Neighbour
from recollect.storage.sqlite.caches import (
    FEW_INSIDE,
    FEW_ROWS,
    AreaRows,
    CodeCache,
    CodeView,
    InMemoryUser,
    InMemoryUsers,
    SearchedUser,
    UserCodes,
    as_codes,
    as_matrix,
    best_of_items,
    in_memory_user,
    rescored,
    sound_cosines,
)
from recollect.storage.sqlite.matching import MANY_ROWS, UserWords, any_of, ranked_rows
from recollect.storage.sqlite.session import SqliteSession, seq_array, to_micros

_LATE_REACH = 1024
_CODES_AT_ONCE = 20_000
_WIDER = 8
_MOST_TIMES = 8  # as many times as many rows are looked at before all are that pass

# What narrows a search of memories, and what that is in one for all that is true now.
_narrowing = attrgetter(*(field.name for field in fields(Filters) if field.name != "now"))
_EVERYTHING = _narrowing(Filters(now=datetime.max.replace(tzinfo=UTC)))


@dataclass(frozen=True, slots=True)
class ProcessCaches:
    """What a process holds in memory about a file, shared by all its readers."""

    codes: CodeCache = field(default_factory=CodeCache)
    users: InMemoryUsers = field(default_factory=InMemoryUsers)


class SqliteReader(StoreReader):
    """One user's view of the file, for the length of one transaction."""

    def __init__(
        self, connection: apsw.Connection, scope: Scope, caches: ProcessCaches, *, secrets: TombstoneSecrets
    ) -> None:
        super().__init__(SqliteSession(connection), scope, secrets=secrets)
        self._codes = caches.codes
        self._users = caches.users
        self._whole: SearchedUser | None = None
        self._whole_key: tuple[Space, Filters] | None = None
        self._areas: dict[ItemFilters, AreaRows | None] = {}
        self._with_passages: dict[int, bool] = {}  # by the number of a space

    def text_candidates(self, terms: Sequence[str], filters: ItemFilters, limit: int) -> TextCandidates:
        try:
            user = self._in_memory(self._spaces.active(), filters)
        except StoreDamaged:  # a vector; the words are sound all the same
            user = None
        if user is not None and self._figures.memories <= limit:
            return TextCandidates(*user.user.sharing(terms), self._figures.memories)
        if self._figures.rows(filters.kind) > MANY_ROWS:
            inside = self._inside(filters)
            if inside is None:
                return self._ranked_candidates(terms, filters, limit)
            candidates = inside.sharing(terms, limit)
            return TextCandidates(candidates, count_terms(candidates, terms), self._figures.rows(filters.kind))
        candidates = self._matching(terms, filters, limit)
        if len(candidates) < limit:
            counts = count_terms(candidates, terms)
        else:
            asked = {term: self._rows("term_frequency", {"terms": any_of([term])}, kind=filters.kind) for term in terms}
            counts = {term: int(rows[0][0]) for term, rows in asked.items()}
        return TextCandidates(candidates, counts, self._figures.rows(filters.kind))

    def _ranked_candidates(self, terms: Sequence[str], filters: ItemFilters, limit: int) -> TextCandidates:
        """Take the best rows that pass; when too few of those that were ranked do, look at all that hold a term."""
        kind = filters.kind
        total = self._figures.rows(kind)
        ranked = ranked_rows(UserWords(self._session, self._user, kind), list(dict.fromkeys(terms)), total, limit)
        candidates: list[TextCandidate] = []
        start, step = 0, limit + limit // 4  # a little more than is wanted, because most rows pass
        while len(candidates) < limit and start < len(ranked.seqs):
            best = ranked.seqs[start : start + step]
            passing: dict[int, TextCandidate] = {
                seq: TextCandidate(item_id, words.split(" "))
                for seq, item_id, words in self._filtered("known_candidates", filters, {"seqs": seq_array(best)})
            }
            candidates += [passing[seq] for seq in best.tolist() if seq in passing]
            start, step = start + step, step * _MOST_TIMES
        if len(candidates) < limit and not ranked.whole:  # look at all rows that pass if they are few, or hold a term
            rows: list[Any] = self._filtered("inside", filters, {"limit": MANY_ROWS + 1})
            few = len(rows) <= MANY_ROWS
            candidates = AreaRows.of(rows).sharing(terms, limit) if few else self._matching(terms, filters, limit)
        if len(candidates) < limit:
            return TextCandidates(candidates, count_terms(candidates, terms), total)
        return TextCandidates(candidates[:limit], ranked.frequencies, total)

    def _matching(self, terms: Sequence[str], filters: ItemFilters, limit: int) -> list[TextCandidate]:
        rows = self._filtered("text_candidates", filters, {"terms": any_of(terms), "limit": limit})
        return [TextCandidate(item_id, words.split(" ")) for item_id, words in rows]

    def _in_memory(self, space: Space | None, filters: ItemFilters | PlaceFilters) -> SearchedUser | None:
        """Give the user's memories whole, when there are few and nothing but the present is asked for."""
        if space is None or not isinstance(filters, Filters):
            return None
        if self._whole_key == (space, filters):
            return self._whole
        if _narrowing(filters) != _EVERYTHING:
            return None
        number = self._spaces.number("memory", space)
        if number is None or self._figures.memories > FEW_ROWS:
            return None
        generation, now = self._figures.generation, to_micros(filters.now)

        def load() -> InMemoryUser:
            rows: list[Any] = self._filtered("whole_user", filters, space=number)
            passages: list[Any] = []
            if self._has_passages(number):
                passages = self._filtered("whole_user_passages", filters, space=number)
            return in_memory_user(generation, now, rows, passages, space.dimensions)

        self._whole = SearchedUser(self._users.fresh((self._user, number), generation, now, load))
        self._whole_key = (space, filters)
        return self._whole

    def _inside(self, filters: ItemFilters | PlaceFilters) -> AreaRows | None:
        """Give all rows inside a circle, or at some places, when they are few: then no index is faster."""
        if isinstance(filters, PlaceFilters) or not is_local(filters):
            return None
        if filters not in self._areas:
            rows: list[Any] = self._filtered("inside", filters, {"limit": FEW_INSIDE + 1})
            self._areas[filters] = AreaRows.of(rows) if len(rows) <= FEW_INSIDE else None
        return self._areas[filters]

    def nearest(
        self, space: Space, vector: Vector, filters: ItemFilters | PlaceFilters, limit: int
    ) -> Sequence[Neighbour]:
        """Let the codes choose, the floats decide, and the filters pass."""
        number = self._spaces.number(filters.kind, space)
        if number is None:
            return []
        user = self._in_memory(space, filters)
        if user is not None:
            return user.nearest(vector, limit)
        view = self._fresh_codes(number, space.dimensions)
        inside = self._inside(filters)
        if inside is not None:
            return self._nearest_among(number, view.among(inside.seqs), vector, filters, limit)
        usual = rescored(len(view.seqs))
        neighbours = self._scored(number, view, vector, filters, limit)
        if (
            len(neighbours) < limit <= len(neighbours) * _MOST_TIMES and len(view.seqs) > usual
        ):  # a little farther are enough
            wanted = usual * (2 * limit // len(neighbours) + 1)
            neighbours = self._scored(number, view, vector, filters, limit, looking_at=wanted)
        if len(neighbours) < limit and len(view.seqs) > usual:
            passing = [row[0] for row in self._filtered("all_passing_numbers", filters)]
            neighbours = self._nearest_among(number, view.among(np.array(passing, np.int64)), vector, filters, limit)
        return neighbours

    def _nearest_among(
        self, number: int, view: CodeView, vector: Vector, filters: ItemFilters | PlaceFilters, limit: int
    ) -> Sequence[Neighbour]:
        """Score rows that pass; more of them when many of the nearest are passages of the same items."""
        neighbours = self._scored(number, view, vector, filters, limit)
        wanted = max(limit, rescored(len(view.seqs)))
        while view.has_passages and len(neighbours) < limit and wanted < len(view.seqs):
            wanted *= _MOST_TIMES
            neighbours = self._scored(number, view, vector, filters, limit, looking_at=wanted)
        return neighbours

    def _fresh_codes(self, number: int, dimensions: int) -> CodeView:
        """Bring the codes in memory up to this snapshot. A newer state than the snapshot's does no harm."""
        generation, resets = self._figures.generation, self._figures.resets
        with self._codes.lock:
            codes = self._codes.take(self._user, number)
            if generation > codes.generation:
                late = next((row[0] for row in self._rows("late_vectors")), 0)
                if resets != codes.resets:  # to list the numbers of what is left takes far less time than to load it
                    listed = self._rows("list_codes", space=number)[0][0] if late == codes.late else ""
                    codes.keep(np.fromstring(listed or "", np.int64, sep=","))
                self._load_codes(codes, number, dimensions, codes.newest)
                if late != codes.late:
                    self._load_late_codes(codes, number, dimensions)
                    codes.late = late
                codes.generation, codes.resets = generation, resets
                self._codes.shrink()
            self._with_passages[number] = codes.has_passages
            return codes.view()

    def _has_passages(self, number: int) -> bool:
        """Say whether any of the user's items has vectors of passages, which few have."""
        if number not in self._with_passages:
            self._with_passages[number] = bool(self._rows("has_passages", space=number)[0][0])
        return self._with_passages[number]

    def _load_codes(self, codes: UserCodes, number: int, dimensions: int, after: int) -> None:
        """Load codes by the thousand: as Python's values they take four times the memory."""
        stored = self._session.stream("load_codes", {"user_id": self._user, "after": after}, space=number)
        while rows := list(islice(stored, _CODES_AT_ONCE)):
            seqs, blobs = zip(*rows, strict=True)
            numbers, loaded = np.array(seqs, np.int64), as_codes(blobs, dimensions)
            lacking = codes.missing(numbers)
            codes.append(numbers[lacking], loaded[lacking])

    def _load_late_codes(self, codes: UserCodes, number: int, dimensions: int) -> None:
        """Rows that were waiting for their vectors have numbers below the newest, and mostly not far below."""
        total = self._rows("count_codes", space=number)[0][0]
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
        closest = view.closest(vector, max(limit, looking_at or rescored(len(view.seqs))))
        rows = self._rows("fetch_vectors", {"seqs": seq_array(closest)}, space=number)
        scores = sound_cosines(as_matrix([floats for _, floats in rows], len(vector)), vector)
        seqs, cosines = best_of_items(np.array([seq for seq, _ in rows], np.int64), scores)
        neighbours: list[Neighbour] = []
        step = limit + limit // 4 + 1  # a little more than is wanted, because most rows pass
        if looking_at:
            step = max(1, len(seqs))  # unless they do not
        for start in range(0, len(seqs), step):
            best = slice(start, start + step)
            passing: dict[int, str] = dict(self._filtered("passing_numbers", filters, {"seqs": seq_array(seqs[best])}))
            pairs = zip(seqs[best].tolist(), cosines[best].tolist(), strict=True)
            neighbours.extend(Neighbour(passing[seq], cosine) for seq, cosine in pairs if seq in passing)
            if len(neighbours) >= limit:
                break
        return neighbours[:limit]

    def cosines(self, kind: VectorKind, space: Space, vector: Vector, ids: Sequence[str]) -> dict[str, float]:
        number = self._spaces.number(kind, space)
        if number is None or not ids:
            return {}
        if self._whole is not None and kind == "memory":
            return self._whole.cosines(vector, ids)
        bound = {"ids": list(ids)}
        rows = self._rows("item_vectors", bound, kind=kind, space=number)
        if self._has_passages(number):
            rows += self._rows("item_passages", bound, kind=kind, space=number)
        scores = sound_cosines(as_matrix([floats for _, floats in rows], len(vector)), vector).tolist()
        best: dict[str, float] = {}
        for (item_id, _), score in zip(rows, scores, strict=True):
            best[item_id] = max(score, best.get(item_id, score))
        return best

    def wish_cosines(self, kind: VectorKind, space: Space, vector: Vector, ids: Sequence[str]) -> dict[str, float]:
        number = self._spaces.number(kind, space)
        if number is None or not ids or not self._has_passages(number):
            return {}
        rows = self._rows("wish_vectors", {"ids": list(ids)}, kind=kind, space=number)
        scores = sound_cosines(as_matrix([floats for _, floats in rows], len(vector)), vector).tolist()
        return {item_id: score for (item_id, _), score in zip(rows, scores, strict=True)}
