"""Jobs of the queue and batches of a provider: claimed jobs are fetched with their items, user by user."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from recollect.model.literals import VECTOR_KINDS, VectorKind
from recollect.model.memories import Embeddable, MemoryRecord, Scope, Space
from recollect.model.messages import Message
from recollect.model.stats import BulkBatch
from recollect.storage.base.codec import RecordCodec
from recollect.storage.base.session import StoreSession
from recollect.storage.base.spaces import SpaceList
from recollect.storage.base.tables import UNREAD
from recollect.storage.base.user_rows import UserRows
from recollect.storage.base.values import EmbedJob, GeocodeJob, ReadJob, UnlocatedItem


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
            item = _unlocated(items.get(row.item_id))
            if item is None:
                needless.append(row.item_id)
            else:
                jobs.append(GeocodeJob(scope, item, row.attempts))
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
        yield scope, rows, _items(UserRows(session, scope), rows)


def _items(user_rows: UserRows, claimed: Sequence[ClaimedJob]) -> dict[str, Embeddable]:
    ids = {kind: [row.item_id for row in claimed if row.kind == kind] for kind in VECTOR_KINDS}
    memories = user_rows.get(ids["memory"]) if ids["memory"] else ()
    messages = user_rows.get_messages(ids["message"]) if ids["message"] else ()
    chunks = user_rows.get_chunks(ids["chunk"]) if ids["chunk"] else ()
    places = user_rows.get_places(ids["place"]) if ids["place"] else ()
    items: list[Embeddable] = [*memories, *messages, *chunks, *places]
    return {item.id: item for item in items}


def _unlocated(item: Embeddable | None) -> UnlocatedItem | None:
    """Give an item that lacks an address; None for one that has one, or needs none."""
    if not isinstance(item, (MemoryRecord, Message)) or item.lat is None or item.lng is None or item.address:
        return None
    return UnlocatedItem("memory" if isinstance(item, MemoryRecord) else "message", item.id, item.lat, item.lng)


def ids_by_user(items: Iterable[tuple[Scope, str]]) -> Mapping[str, list[str]]:
    """Give the ids of items by user."""
    by_user = defaultdict[str, list[str]](list)
    for scope, item_id in items:
        by_user[scope.user_id].append(item_id)
    return by_user


def ids_by_user_and_space(jobs: Sequence[EmbedJob], known: SpaceList) -> Iterator[tuple[str, int, list[str]]]:
    """Give the items of jobs by user and by the number of their space; a space that was dropped needs nothing."""
    by_user = defaultdict[tuple[str, int], list[str]](list)
    for job in jobs:
        number = known.number(job.kind, job.space)
        if number is not None:
            by_user[job.scope.user_id, number].append(job.item.id)
    return ((user, number, ids) for (user, number), ids in by_user.items())


def bulk_batch(row: Sequence[Any], space: Space, codec: RecordCodec) -> BulkBatch:
    """Read a row of `list_bulks`."""
    name, _, provider_id, state, texts, done, tokens, reason, submitted_at, checked_at = row
    figures = (texts, done, tokens, reason)
    return BulkBatch(name, space, provider_id, state, *figures, codec.time(submitted_at), codec.time(checked_at))


def bulk_values(bulk: BulkBatch) -> dict[str, Any]:
    """Lay out what changes of a batch."""
    names = ("id", "provider_id", "state", "texts", "done", "tokens", "reason", "checked_at")
    return {name: getattr(bulk, name) for name in names}
