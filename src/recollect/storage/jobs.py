"""Jobs and batches as both stores read them: what claimed jobs are about, fetched user by user."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple, Protocol

from recollect.model.files import Chunk
from recollect.model.literals import VECTOR_KINDS, VectorKind
from recollect.model.memories import Embeddable, MemoryRecord, Scope, Space
from recollect.model.messages import Message
from recollect.model.places import PlaceRow
from recollect.model.stats import BulkBatch
from recollect.ports import EmbedJob, GeocodeJob, UnlocatedItem
from recollect.storage.spaces import Listing

Claimed = tuple[str, str, VectorKind, int]  # a row of `claim_jobs`: user, item, its kind, attempts


class ItemRows(Protocol):
    """One user's items."""

    def get(self, ids: Sequence[str]) -> Sequence[MemoryRecord]:
        """Give memories by id."""
        ...

    def get_messages(self, ids: Sequence[str]) -> Sequence[Message]:
        """Give messages by id."""
        ...

    def get_chunks(self, ids: Sequence[str]) -> Sequence[Chunk]:
        """Give chunks by id."""
        ...

    def get_places(self, ids: Sequence[str]) -> Sequence[PlaceRow]:
        """Give names of places by id."""
        ...


class Fetched(NamedTuple):
    """Jobs with their items, and by user the ids of items that are gone."""

    jobs: list[EmbedJob]
    orphans: Mapping[str, list[str]]


def fetch(claimed: Iterable[Claimed], space: Space, rows_of: Callable[[Scope], ItemRows]) -> Fetched:
    """Find the items of jobs."""
    jobs: list[EmbedJob] = []
    orphans: dict[str, list[str]] = {}
    for user, wanted in _by_user(claimed).items():
        scope = Scope(user)
        items = _items(rows_of(scope), wanted)
        for _, item_id, _, attempts in wanted:
            if item_id in items:
                jobs.append(EmbedJob(scope, items[item_id], space, attempts))
            else:
                orphans.setdefault(user, []).append(item_id)
    return Fetched(jobs, orphans)


def _items(rows: ItemRows, wanted: Sequence[Claimed]) -> dict[str, Embeddable]:
    ids = {kind: [item_id for _, item_id, its_kind, _ in wanted if its_kind == kind] for kind in VECTOR_KINDS}
    memories = rows.get(ids["memory"]) if ids["memory"] else ()
    messages = rows.get_messages(ids["message"]) if ids["message"] else ()
    chunks = rows.get_chunks(ids["chunk"]) if ids["chunk"] else ()
    places = rows.get_places(ids["place"]) if ids["place"] else ()
    found: list[Embeddable] = [*memories, *messages, *chunks, *places]
    return {item.id: item for item in found}


class Geocoding(NamedTuple):
    """What still lacks its address, and by user the ids of what is gone or has one by now."""

    jobs: list[GeocodeJob]
    done: Mapping[str, list[str]]


def geocode_jobs(claimed: Iterable[Claimed], rows_of: Callable[[Scope], ItemRows]) -> Geocoding:
    """Find out where the items of jobs are."""
    jobs: list[GeocodeJob] = []
    done = defaultdict[str, list[str]](list)
    for user, wanted in _by_user(claimed).items():
        items = _items(rows_of(Scope(user)), wanted)
        for _, item_id, _, attempts in wanted:
            item = items.get(item_id)
            where = _unlocated(item)
            if where is None:
                done[user].append(item_id)
            else:
                jobs.append(GeocodeJob(Scope(user), where, attempts))
    return Geocoding(jobs, done)


def _unlocated(item: Embeddable | None) -> UnlocatedItem | None:
    """Give what lacks an address; None for what has one, or needs none."""
    if not isinstance(item, (MemoryRecord, Message)) or item.lat is None or item.lng is None or item.address:
        return None
    return UnlocatedItem("memory" if isinstance(item, MemoryRecord) else "message", item.id, item.lat, item.lng)


def of_users(jobs: Sequence[GeocodeJob]) -> Mapping[str, list[str]]:
    """Give the items of jobs by user."""
    users = defaultdict[str, list[str]](list)
    for job in jobs:
        users[job.scope.user_id].append(job.item.id)
    return users


def _by_user(claimed: Iterable[Claimed]) -> Mapping[str, list[Claimed]]:
    by_user = defaultdict[str, list[Claimed]](list)
    for row in claimed:
        by_user[row[0]].append(row)
    return by_user


def grouped(jobs: Sequence[EmbedJob], known: Listing) -> Iterator[tuple[str, int, list[str]]]:
    """Give the items of jobs by user and by the number of their space; a space that was dropped needs nothing."""
    users = defaultdict[tuple[str, int], list[str]](list)
    for job in jobs:
        number = known.number(job.kind, job.space)
        if number is not None:
            users[job.scope.user_id, number].append(job.item.id)
    return ((user, number, ids) for (user, number), ids in users.items())


def bulk_of(row: Sequence[Any], space: Space, moment: Callable[[Any], datetime]) -> BulkBatch:
    """Read a row of `list_bulks`."""
    name, _, provider_id, state, texts, done, tokens, reason, submitted_at, checked_at = row
    figures = (texts, done, tokens, reason)
    return BulkBatch(name, space, provider_id, state, *figures, moment(submitted_at), moment(checked_at))
