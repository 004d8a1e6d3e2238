"""Embedding spaces, one row for each kind of item, with a number that names its tables; and the jobs of the queue.

Claimed jobs are fetched with their items, user by user.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict
from datetime import datetime
from functools import lru_cache
from typing import Any, NamedTuple

from recollect.errors import InvalidInput
from recollect.model.literals import ItemKind, VectorKind
from recollect.model.memories import Embeddable, MemoryRecord, Scope, Space
from recollect.model.messages import Message
from recollect.model.stats import BulkBatch, KnownSpace, SpaceState
from recollect.storage.base.codec import RecordCodec
from recollect.storage.base.session import StoreSession
from recollect.storage.base.tables import UNREAD
from recollect.storage.base.user_rows import UserRows
from recollect.storage.base.values import EmbedJob, GeocodeJob, ReadJob, UnlocatedItem


class SpaceRow(NamedTuple):
    """A space as one kind of item has it."""

    number: int
    kind: VectorKind
    space: Space
    state: SpaceState
    created_at: datetime
    unrelated: float | None


class SpaceList(tuple[SpaceRow, ...]):
    """All spaces of a store at a moment."""

    __slots__ = ()

    def number(self, kind: VectorKind, space: Space) -> int | None:
        """Give the number of a space, or None when it has no tables for this kind."""
        return next((row.number for row in self if row.kind == kind and row.space == space), None)

    def active(self) -> Space | None:
        return next((row.space for row in self if row.state == "active"), None)

    def state(self, space: Space) -> SpaceState:
        """Say what a space is used for."""
        return next((row.state for row in self if row.space == space), "kept")

    def insist_on_one(self, space: Space, state: SpaceState) -> None:
        """Refuse to use a space for what another is used for. Raises InvalidInput."""
        holder = next((row.space for row in self if row.state == state), space)
        if state != "kept" and holder != space:
            raise InvalidInput(
                f"Another model, {holder.provider}/{holder.model}, is {state} already. Two changes at once are not "
                "possible: wait for the other one, or cancel it."
            )

    def unrelated(self, space: Space) -> float | None:
        """Give the usual cosine of texts that have nothing to do with each other, once it was measured."""
        return next((row.unrelated for row in self if row.space == space), None)

    def numbers(self, space: Space) -> list[int]:
        """Give the numbers of a space, of all kinds."""
        return [row.number for row in self if row.space == space]

    def numbers_of(self, kind: VectorKind) -> list[int]:
        return [row.number for row in self if row.kind == kind]

    def wanted(self, new_space: Space | None) -> dict[Space, SpaceState]:
        """Give the spaces in which a new item needs a vector. The first that is ever given is searched."""
        wanted_spaces: dict[Space, SpaceState] = {row.space: row.state for row in self if row.state != "kept"}
        if new_space is not None and self.active() is None:
            wanted_spaces[new_space] = "active"
        return wanted_spaces

    def known(self) -> Sequence[KnownSpace]:
        """Give the spaces as people see them, oldest first."""
        first = {row.space: row for row in reversed(self)}
        rows = (first[space] for space in dict.fromkeys(row.space for row in self))
        return [KnownSpace(row.space, row.state, row.created_at, row.unrelated) for row in rows]


_space = lru_cache(maxsize=64)(Space)  # each transaction reads the same few again


def list_spaces(session: StoreSession) -> SpaceList:
    rows = []
    for number, kind, provider, model, revision, scheme, dimensions, normalised, *rest in session.rows("list_spaces"):
        space = _space(provider, model, revision, scheme, dimensions, bool(normalised))
        state, created_at, unrelated = rest
        rows.append(SpaceRow(number, kind, space, state, session.codec.time(created_at), unrelated))
    return SpaceList(rows)


def owed_spaces(session: StoreSession, kind: VectorKind, new_space: Space | None, now: datetime) -> dict[Space, int]:
    """Give the spaces in which a new item of this kind needs a vector, with their numbers.

    Spaces belong to the store: one that is missing is made in a transaction of the store's, and stays whatever becomes
    of the user's.
    """
    known = list_spaces(session)
    owed = {space: known.number(kind, space) for space in known.wanted(new_space)}
    numbered = {space: number for space, number in owed.items() if number is not None}
    if len(numbered) == len(owed):
        return numbered
    with session.beside() as whole:
        whole.lock_spaces()
        known = list_spaces(whole)  # another process may have been first
        return {
            space: known.number(kind, space) or register_space(whole, kind, space, state, now)
            for space, state in known.wanted(new_space).items()
        }


def register_space(session: StoreSession, kind: VectorKind, space: Space, state: SpaceState, now: datetime) -> int:
    """Give a space its number and make its tables, while spaces are locked; one that exists gets the state."""
    number = list_spaces(session).number(kind, space)
    if number is not None:
        session.execute("set_space_state", {"number": number, "state": state})
        return number
    number = session.create_space(space)
    values = {"number": number, "kind": kind, "state": state, "now": now}
    session.execute("insert_space", {**asdict(space), **values})
    return number


def space_label(space: Space) -> str:
    """Name a space in one word, for tables that outlive its number."""
    normalised = "unit" if space.normalised else "raw"
    return "|".join(
        (space.provider, space.model, space.revision, space.prefix_scheme, str(space.dimensions), normalised)
    )


class ClaimedJob(NamedTuple):
    """A row of `lease_jobs`."""

    user_id: str
    item_id: str
    kind: VectorKind
    attempts: int


def embed_jobs(session: StoreSession, claimed: Iterable[Sequence[Any]], space: Space) -> list[EmbedJob]:
    """Find the items of claimed jobs, each user's in that user's name; a job whose item is gone goes too."""
    jobs: list[EmbedJob] = []
    for scope, rows, items in _items_by_user(session, claimed):
        jobs += [EmbedJob(scope, items[row.item_id], space, row.attempts) for row in rows if row.item_id in items]
        orphans = [row.item_id for row in rows if row.item_id not in items]
        if orphans:
            session.execute("delete_jobs", {"user_id": scope.user_id, "ids": orphans})
    return jobs


def geocode_jobs(session: StoreSession, claimed: Iterable[Sequence[Any]]) -> list[GeocodeJob]:
    """Find where the items of claimed jobs are; the job of an item that is gone or has an address goes too."""
    jobs: list[GeocodeJob] = []
    for scope, rows, items in _items_by_user(session, claimed):
        needless = []
        for row in rows:
            item = items.get(row.item_id)
            if not isinstance(item, (MemoryRecord, Message)) or item.lat is None or item.lng is None or item.address:
                needless.append(row.item_id)
            else:
                kind: ItemKind = "memory" if isinstance(item, MemoryRecord) else "message"
                jobs.append(GeocodeJob(scope, UnlocatedItem(kind, item.id, item.lat, item.lng), row.attempts))
        if needless:
            session.execute("finish_jobs", {"user_id": scope.user_id, "space": 0, "ids": needless})
    return jobs


def read_jobs(session: StoreSession, claimed: Iterable[Sequence[Any]]) -> list[ReadJob]:
    """Find the messages of claimed jobs, in order; the job of one that was learned from goes."""
    jobs: list[ReadJob] = []
    for scope, rows, items in _items_by_user(session, claimed):
        own = {"user_id": scope.user_id, "ids": [row.item_id for row in rows]}
        unlearned = {message_id for (message_id,) in session.rows("unlearned_messages", own)}
        needless = []
        for row in rows:
            message = items.get(row.item_id)
            if isinstance(message, Message) and message.id in unlearned:
                jobs.append(ReadJob(scope, message, row.attempts))
            else:
                needless.append(row.item_id)
        if needless:
            session.execute("finish_jobs", {"user_id": scope.user_id, "space": UNREAD, "ids": needless})
    return sorted(jobs, key=lambda job: job.message.id)


def _items_by_user(
    session: StoreSession, claimed: Iterable[Sequence[Any]]
) -> Iterator[tuple[Scope, list[ClaimedJob], dict[str, Embeddable]]]:
    by_user = defaultdict[str, list[ClaimedJob]](list)
    for row in claimed:
        by_user[row[0]].append(ClaimedJob(*row))
    for user_id, rows in by_user.items():
        scope = Scope(user_id)
        session.act_for(scope)
        own = UserRows(session, scope)
        fetch: dict[VectorKind, Callable[[Sequence[str]], Sequence[Embeddable]]] = {
            "memory": own.get,
            "message": own.get_messages,
            "chunk": own.get_chunks,
            "place": own.get_places,
        }
        items: list[Embeddable] = []
        for kind, get in fetch.items():
            if ids := [row.item_id for row in rows if row.kind == kind]:
                items += get(ids)
        yield scope, rows, {item.id: item for item in items}


def bulk_batch(row: Sequence[Any], space: Space, codec: RecordCodec) -> BulkBatch:
    name, _, provider_id, state, texts, done, tokens, reason, submitted_at, checked_at = row
    figures = (texts, done, tokens, reason)
    return BulkBatch(name, space, provider_id, state, *figures, codec.time(submitted_at), codec.time(checked_at))


def bulk_values(bulk: BulkBatch) -> dict[str, Any]:
    names = ("id", "provider_id", "state", "texts", "done", "tokens", "reason", "checked_at")
    return {name: getattr(bulk, name) for name in names}
