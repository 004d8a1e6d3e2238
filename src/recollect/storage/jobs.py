"""Jobs and batches as both stores read them: what claimed jobs are about, fetched user by user."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple, Protocol

from recollect.figures import BulkBatch
from recollect.files import Chunk
from recollect.messages import Message
from recollect.ports import EmbedJob
from recollect.storage.spaces import Listing
from recollect.types import Item, MemoryRecord, Scope, Space
from recollect.vocabulary import ITEM_KINDS, ItemKind

Claimed = tuple[str, str, ItemKind, int]  # a row of `claim_jobs`: user, item, its kind, attempts


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


class Fetched(NamedTuple):
    """Jobs with their items, and by user the ids of items that are gone."""

    jobs: list[EmbedJob]
    orphans: Mapping[str, list[str]]


def fetch(claimed: Iterable[Claimed], space: Space, rows_of: Callable[[Scope], ItemRows]) -> Fetched:
    """Find the items of jobs."""
    by_user = defaultdict[str, list[Claimed]](list)
    for row in claimed:
        by_user[row[0]].append(row)
    jobs: list[EmbedJob] = []
    orphans: dict[str, list[str]] = {}
    for user, wanted in by_user.items():
        scope = Scope(user)
        items = _items(rows_of(scope), wanted)
        for _, item_id, _, attempts in wanted:
            if item_id in items:
                jobs.append(EmbedJob(scope, items[item_id], space, attempts))
            else:
                orphans.setdefault(user, []).append(item_id)
    return Fetched(jobs, orphans)


def _items(rows: ItemRows, wanted: Sequence[Claimed]) -> dict[str, Item]:
    ids = {kind: [item_id for _, item_id, its_kind, _ in wanted if its_kind == kind] for kind in ITEM_KINDS}
    memories = rows.get(ids["memory"]) if ids["memory"] else ()
    messages = rows.get_messages(ids["message"]) if ids["message"] else ()
    chunks = rows.get_chunks(ids["chunk"]) if ids["chunk"] else ()
    found: list[Item] = [*memories, *messages, *chunks]
    return {item.id: item for item in found}


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
