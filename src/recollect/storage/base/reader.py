"""Answers one user's questions from one snapshot, and reads rows on their way to another store.

Searching by words and by vectors is each backend's own.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import cached_property
from typing import Any, NamedTuple

from recollect.errors import StoreDamaged
from recollect.model.files import FileRecord
from recollect.model.filters import ChunkFilters, Filters, ItemFilters, MessageFilters, PlaceFilters
from recollect.model.insights import TypeCoverage
from recollect.model.literals import FileSource, ItemKind, VectorKind
from recollect.model.memories import MemoryRecord, Scope, Space, TextCandidate, TextCandidates, Vector
from recollect.model.messages import Message, MessagePosition
from recollect.model.places import PlaceRow, Sighting, place_id
from recollect.model.scopes import Membership
from recollect.model.stats import AuditLine, SearchFigures, Stats, TimelineCount
from recollect.storage.base.codec import RecordCodec, search_figures
from recollect.storage.base.forgotten import TombstoneSecrets
from recollect.storage.base.session import ResultRow, StoreSession, Values
from recollect.storage.base.spaces import SpaceList, list_spaces
from recollect.storage.base.tables import (
    MESSAGES,
    TALK,
    TOMBSTONES,
    IncomingRow,
    Row,
    TransferTable,
    name_of,
    transfer_query,
)
from recollect.storage.base.user_rows import UserRows
from recollect.storage.base.values import (
    PART_MARK,
    CachedPlace,
    EmbeddedMemory,
    Neighbour,
    OpenedConversation,
    SearchNote,
    StoreChange,
)

_OPENINGS = 5  # messages that may give a conversation its title
_LONGEST_OPENING = 1_500  # characters of each

_ABOVE_ALL_IDS = "ffffffff-ffff-ffff-ffff-ffffffffffff"

# The queries that count a kind of item by type, and those of them with a vector.
_BY_TYPE: Mapping[ItemKind, tuple[str, str]] = {
    "memory": ("memories_by_type", "memory_vectors_by_type"),
    "message": ("messages_by_role", "message_vectors_by_role"),
    "chunk": ("chunks_by_kind", "chunk_vectors_by_kind"),
}


class UserRowCounts(NamedTuple):
    """A user's writes, resets, rows and memberships."""

    generation: int
    resets: int
    memories: int
    messages: int
    chunks: int
    shares: bool

    def rows(self, kind: ItemKind) -> int:
        """How many rows of a kind the user has."""
        return {"memory": self.memories, "message": self.messages, "chunk": self.chunks}[kind]


class StoreReader(UserRows, ABC):
    """Questions of one user, answered from one consistent snapshot.

    Searching works alike for all kinds of items: the filters say which.
    """

    @abstractmethod
    def text_candidates(self, terms: Sequence[str], filters: ItemFilters, limit: int) -> TextCandidates:
        """Find rows that hold any of the terms, the most promising `limit` of them."""

    @abstractmethod
    def nearest(
        self, space: Space, vector: Vector, filters: ItemFilters | PlaceFilters, limit: int
    ) -> Sequence[Neighbour]:
        """Find the rows nearest to a vector among those that pass, nearest first."""

    @abstractmethod
    def cosines(self, kind: VectorKind, space: Space, vector: Vector, ids: Sequence[str]) -> Mapping[str, float]:
        """Give the cosines of known rows; rows without a vector are left out."""

    @abstractmethod
    def wish_cosines(self, kind: VectorKind, space: Space, vector: Vector, ids: Sequence[str]) -> Mapping[str, float]:
        """Give the cosines of those known rows that have a second vector as a wish, measured by that one."""

    @cached_property
    def _spaces(self) -> SpaceList:
        return list_spaces(self._session)

    @cached_property
    def _figures(self) -> UserRowCounts:
        rows = self._rows("user_figures")
        return UserRowCounts(*rows[0]) if rows else UserRowCounts(0, 0, 0, 0, 0, shares=True)  # which is looked up

    def _filtered(
        self, name: str, filters: ItemFilters | PlaceFilters, values: Values | None = None, *, space: int | None = None
    ) -> list[ResultRow]:
        return self._session.filtered(name, filters, {"user_id": self._user, **(values or {})}, space=space)

    def generation(self) -> int:
        """Give a number that grows with every write of this user."""
        return self._figures.generation

    def memberships(self) -> Sequence[Membership]:
        """Give the scopes that this user is a member of, by name; most have none, and are not asked for them."""
        return [self._codec.membership(row) for row in self._rows("memberships")] if self._figures.shares else ()

    def searched_space(self) -> Space | None:
        """Give the space that is complete, which searches must use; None when nothing ever had a vector."""
        return self._spaces.active()

    def unrelated(self, space: Space) -> float | None:
        """Give the usual cosine of what has nothing to do with each other in a space, once it was measured."""
        return self._spaces.unrelated(space)

    def stored_vectors(self, space: Space, ids: Sequence[str]) -> Mapping[str, Vector]:
        """Give the vectors of memories as a whole in a space; those without one are left out."""
        number = self._spaces.number("memory", space)
        if number is None:
            return {}
        rows = self._rows("item_vectors", {"ids": list(ids)}, kind="memory", space=number)
        vectors = {memory_id: self._session.read_vector(vector) for memory_id, vector in rows}
        if any(len(vector) != space.dimensions for vector in vectors.values()):
            raise StoreDamaged("A stored vector has the wrong length. Run `recollect doctor`, or restore a backup.")
        return vectors

    def embedded(
        self, space: Space, filters: Filters, limit: int, before: str | None = None
    ) -> Sequence[EmbeddedMemory]:
        """Give the rows that pass and have a vector, newest id first, starting below the id `before`."""
        number = self._spaces.number("memory", space)
        if number is None:
            return ()
        values = {"before": before or _ABOVE_ALL_IDS, "limit": limit}
        rows = self._filtered("embedded_memories", filters, values, space=number)
        read_terms, read_vector = self._codec.values.read_terms, self._session.read_vector
        return [EmbeddedMemory(memory_id, read_terms(terms), read_vector(vector)) for memory_id, terms, vector in rows]

    def select(self, filters: Filters, limit: int, before: str | None = None) -> Sequence[MemoryRecord]:
        """List the rows that pass, newest id first, starting below the id `before`."""
        values = {"before": before or _ABOVE_ALL_IDS, "limit": limit}
        return [self._codec.memory(row) for row in self._filtered("select_memories", filters, values)]

    def count(self, filters: Filters) -> int:
        """Count the rows that pass."""
        return int(self._filtered("count_memories", filters)[0][0])

    def timeline(self, filters: Filters, limit: int) -> Sequence[MemoryRecord]:
        """Give the newest rows that pass by the time they are about, in the order in which they happened."""
        rows = self._filtered("timeline", filters, {"limit": limit})
        return [self._codec.memory(row) for row in reversed(rows)]

    def subjects(self, filters: Filters) -> Sequence[str]:
        """Give the subjects of the rows that pass, each once."""
        return [row[0] for row in self._filtered("subjects", filters)]

    def conversations(
        self, limit: int, conversation_id: str | None = None, before: tuple[datetime, str] | None = None
    ) -> Sequence[OpenedConversation]:
        """List the conversations, the one that was spoken in last first; or only the one with this id.

        `before` is when the last one of another listing was spoken in, and its id: what comes after it is given.
        """
        moment, before_id = before or (None, "")
        values = {"limit": limit, "id": conversation_id, "before": moment, "before_id": before_id}
        values |= {"mark": PART_MARK, "openings": _OPENINGS, "longest": _LONGEST_OPENING}
        infos = [self._codec.conversation_info(row) for row in self._rows("list_conversations", values)]
        return [OpenedConversation(info._replace(title=""), info.title.split(PART_MARK)) for info in infos]

    def around(self, ids: Sequence[str], reach: int, filters: MessageFilters) -> Sequence[MessagePosition]:
        """Give these messages and those up to `reach` before and after each of them, as far as they pass; each once."""
        rows = self._filtered("around_messages", filters, {"ids": list(ids), "reach": reach})
        return list({spot.id: spot for spot in map(self._codec.spot, rows)}.values())

    def said_between(self, filters: MessageFilters, limit: int) -> Sequence[Message]:
        """Give the newest messages that pass, in the order in which they were said."""
        rows = self._filtered("said_between", filters, {"limit": limit})
        return [self._codec.message(row) for row in reversed(rows)]

    def files(
        self,
        limit: int,
        before: str | None = None,
        *,
        source: FileSource | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
    ) -> Sequence[FileRecord]:
        """List files, the one that was added last first, with ids below `before`, of that time."""
        values = {"limit": limit, "before": before or _ABOVE_ALL_IDS, "source": source or ""}
        rows = self._rows("list_files", {**values, "since": since, "until": until})
        return [self._codec.file(row) for row in rows]

    def moments(self, since: datetime | None, until: datetime | None, now: datetime) -> Sequence[TimelineCount]:
        """Count current memories, messages and files by the quarters of an hour that they are about."""
        memories = self._filtered("memory_moments", Filters(now, since=since, until=until))
        messages = self._filtered("message_moments", MessageFilters(since=since, until=until))
        rows = (*memories, *messages, *self._rows("file_moments", {"since": since, "until": until}))
        return [TimelineCount(self._codec.time(moment), kind, int(amount)) for moment, kind, amount in rows]

    def folder_sizes(self) -> Mapping[str, tuple[int, int]]:
        """Say how many files and chunks each root has; documents are under ''."""
        return {root: (int(files), int(chunks)) for root, files, chunks in self._rows("folder_sizes")}

    def chunks_in(self, file_ids: Sequence[str], filters: ChunkFilters, limit: int) -> Sequence[str]:
        """Give the ids of the first chunks of files that pass."""
        values = {"files": list(file_ids), "limit": limit}
        return [row[0] for row in self._filtered("chunks_in_files", filters, values)]

    def sightings(self, filters: Filters) -> Sequence[Sighting]:
        """Give where the memories that pass are, and where messages were sent from, oldest first."""
        return [self._codec.sighting(row) for row in self._filtered("sightings", filters)]

    def place_rows(self) -> Sequence[PlaceRow]:
        """Give the names of all places at which something is."""
        return [self._codec.place(row) for row in self._rows("list_places")]

    def geocoded(self, geocoder: str, cell: str) -> CachedPlace | None:
        """Give what a geocoder said about a cell, if it was asked."""
        rows = self._rows("geocoded", {"geocoder": geocoder, "cell": cell})
        return self._codec.cached_place(cell, *rows[0]) if rows else None

    def stats(self, space: Space | None, now: datetime) -> Stats:
        """Count what this user has."""
        types = self._rows("type_counts", {"now": now})
        said: dict[str, int] = dict(self._rows("messages_by_role"))
        pending, parked = self._rows("job_counts")[0]
        number = None if space is None else self._spaces.number("memory", space)
        vectors = 0 if number is None else self._rows("count_vectors", space=number)[0][0]
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
            oldest=self._codec.time(min(row[4] for row in types)) if types else None,
            newest=self._codec.time(max(row[5] for row in types)) if types else None,
            requests=said.get("user", 0),
            responses=said.get("assistant", 0),
            reasoning=said.get("reasoning", 0),
        )

    def coverage(self, space: Space | None) -> Sequence[TypeCoverage]:
        """Count current memories, messages and chunks by type, and those of them with a vector in a space."""
        found = []
        for kind, (items_query, vectors_query) in _BY_TYPE.items():
            number = None if space is None else self._spaces.number(kind, space)
            vectors: dict[str, int] = {} if number is None else dict(self._rows(vectors_query, kind=kind, space=number))
            found += [
                TypeCoverage(kind, label, items, vectors.get(label, 0)) for label, items in self._rows(items_query)
            ]
        return found

    def growth(self, kind: ItemKind) -> Mapping[str, int]:
        """Count the rows of a kind by the month in which they were stored, such as 2026-03."""
        return dict(self._rows("growth", kind=kind))

    def untidy_memories(self, short: int, limit: int) -> Sequence[MemoryRecord]:
        """Give current memories that may be too short, without words, or a system's, oldest first."""
        return [self._codec.memory(row) for row in self._rows("untidy_memories", {"short": short, "limit": limit})]

    def untidy_messages(self, short: int, limit: int, before: datetime) -> Sequence[Message]:
        """Give messages from before a moment that may be too short, without words, or a system's, oldest first."""
        return self._messages("untidy_messages", {"short": short, "limit": limit, "before": before})

    def last_change(self) -> int:
        """Give the number of the newest change; 0 before the first."""
        return next((int(row[0]) for row in self._rows("last_change")), 0)

    def first_change(self) -> int | None:
        """Give the number of the oldest change that is still known."""
        first: int | None = self._rows("first_change")[0][0]
        return first

    def changes(self, after: int, limit: int) -> Sequence[StoreChange]:
        """Give what is new since a change, in order."""
        return [self._codec.change(row) for row in self._rows("changes_after", {"after": after, "limit": limit})]

    def audit(self, after: int, limit: int) -> Sequence[AuditLine]:
        """Give what was done for this user, in order."""
        return [self._codec.audit_line(row) for row in self._rows("audit_after", {"after": after, "limit": limit})]

    def search_figures(self, since: datetime) -> Sequence[SearchFigures]:
        """Say what this user's searches were like."""
        return [search_figures(row) for row in self._rows("search_figures", {"since": since})]

    def searches(self, since: datetime, limit: int) -> Sequence[SearchNote]:
        """Give this user's searches, the newest first."""
        rows = self._rows("list_searches", {"since": since, "limit": limit})
        return [SearchNote(row[0], self._codec.time(row[1]), *row[2:]) for row in rows]


def count_terms(candidates: Sequence[TextCandidate], terms: Sequence[str]) -> dict[str, int]:
    """Count how many candidates hold each term, when the candidates are all the rows there are."""
    term_lists = [candidate.terms for candidate in candidates]
    return {term: sum(term in row_terms for row_terms in term_lists) for term in terms}


class RowCodec:
    """Reads and lays out the rows of one table."""

    def __init__(self, table: TransferTable, codec: RecordCodec, secrets: TombstoneSecrets) -> None:
        self._table = table
        self._secrets = secrets
        self._values = codec.values
        readers: dict[str, Callable[[Any], Any]] = {
            "time": codec.values.read_time,
            "json": codec.values.read_json,
            "bool": bool,
            "real": lambda number: float(number) + 0.0,  # as both databases keep it: SQLite knows no zero below zero
        }
        kinds = enumerate(column.kind for column in table.columns)
        self._steps = [(position, readers[kind]) for position, kind in kinds if kind in readers]
        if table is TOMBSTONES:
            self._steps.append((table.names.index("fingerprint"), secrets.named))

    def read(self, stored: ResultRow) -> Row:
        values = list(stored)
        for position, read in self._steps:
            if values[position] is not None:
                values[position] = read(values[position])
        return tuple(values)

    def layout(self, row: IncomingRow) -> dict[str, Any]:
        """Lay out a row for the query that writes it, with what is made anew."""
        table = self._table
        values = dict(zip(table.names, row.values, strict=True))
        if "place" in table.derived:
            values["place"] = place_id(values["address"], values["place_label"])
        if "name" in table.derived:
            values["name"] = name_of(values["path"])
        if "terms" in table.derived:
            values["terms"] = self._values.write_terms(row.terms)
        if table is TOMBSTONES:
            values["fingerprint"] = self._secrets.stored(values["fingerprint"])
        jsons = (column.name for column in table.columns if column.kind == "json")
        return values | {name: self._values.write_json(values[name]) for name in jsons}


class TransferReader:
    """A snapshot of a store, or of one user's part of it, read from its beginning to its end."""

    def __init__(self, session: StoreSession, secrets: TombstoneSecrets) -> None:
        self._session = session
        self._secrets = secrets

    def users(self) -> Sequence[Scope]:
        """Name all users, sorted by their ids."""
        return sorted((Scope(row[0]) for row in self._session.rows("transfer_users")), key=lambda scope: scope.user_id)

    def rows(self, scope: Scope, table: TransferTable) -> Iterator[Row]:
        """Give a user's rows, sorted by their key, without holding more than a few of them."""
        codec = RowCodec(table, self._session.codec, self._secrets)
        return map(codec.read, self._session.stream(transfer_query("all", table), {"user_id": scope.user_id}))

    def talk(self, scope: Scope, conversation_id: str) -> Iterator[Row]:
        """Give the messages of a conversation as rows, in the order in which they were said."""
        codec = RowCodec(MESSAGES, self._session.codec, self._secrets)
        return map(codec.read, self._session.stream(TALK, {"user_id": scope.user_id, "id": conversation_id}))

    def active_space(self) -> Space | None:
        """Give the space that is searched."""
        return list_spaces(self._session).active()

    def vectors(self, scope: Scope, kind: VectorKind, space: Space) -> Iterator[tuple[str, int, Vector]]:
        """Give the vectors of a user's items with the numbers of their passages, sorted by ids and numbers."""
        number = list_spaces(self._session).number(kind, space)
        if number is None:
            return
        values = {"user_id": scope.user_id}
        for item_id, part, vector in self._session.stream("transfer_vectors", values, kind=kind, space=number):
            yield item_id, part, self._session.read_vector(vector)

    def secrets(self) -> Mapping[str, bytes]:
        """Give what tombstones are keyed with, by the names that stand before them."""
        return self._secrets.by_name()
