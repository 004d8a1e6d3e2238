"""Vectors that texts lack: those that a repair could not read, and those of other texts than this version embeds, which
an archive may bring.

All items are looked through once; what lacks some gets a job that makes all its vectors anew, and is found by its old
ones until then. The store is marked when all have their jobs, so an interrupted run begins again and writes no job
twice.
"""

from collections.abc import Sequence
from threading import Event

from recollect.engine.base.context import Engine
from recollect.engine.drafts import memory_drafts
from recollect.engine.drafts.items import embedded_texts
from recollect.model.literals import ITEM_KINDS, ItemKind
from recollect.model.memories import Item, MemoryRecord, Scope, Space
from recollect.storage.base import StoreReader, StoreWriter
from recollect.text.passages import PASSAGES

_BATCH = 500


def advice(engine: Engine) -> str:
    """Say what to do about texts that lack vectors; empty when nothing is."""
    known = engine.store.passages()
    if engine.models.configured is None or known == PASSAGES:
        return ""
    if known < 0:
        return (
            "The file was repaired, and not all vectors could be read for certain, so some texts may not be found by "
            "all that they mean; run `recollect maintain`, which makes them anew."
        )
    return "Texts from an archive of an earlier version are not found by all that they mean; run `recollect maintain`."


def owe_missing(engine: Engine, stop: Event | None = None) -> int:
    """Write the jobs of texts that lack vectors; gives how many. Does nothing the next time."""
    if engine.models.configured is None or engine.store.passages() == PASSAGES:
        return 0
    owed = 0
    users = engine.store.reached_users()
    for scope in users.scopes:
        for kind in ITEM_KINDS:
            owed += _owe_kind(engine, scope, kind, stop)
            if stop is not None and stop.is_set():
                return owed
    if users.are_all:
        engine.store.set_passages(PASSAGES)
    return owed


def _owe_kind(engine: Engine, scope: Scope, kind: ItemKind, stop: Event | None) -> int:
    """Look through a user's items by their ids. What is written meanwhile has its vectors already."""
    owed, after = 0, None
    while not (stop is not None and stop.is_set()):
        ids, lacking_ids = _next_items(engine, scope, kind, after)
        if not ids:
            break
        after = ids[-1]
        if lacking_ids:
            _write_jobs(engine, scope, kind, lacking_ids)
        owed += len(lacking_ids)
    return owed


def _next_items(engine: Engine, scope: Scope, kind: ItemKind, after: str | None) -> tuple[list[str], list[str]]:
    """Give the ids of the next items, and of those among them that may lack vectors or have those of another text."""
    space = engine.models.latest

    def work(reader: StoreReader) -> tuple[list[str], list[str]]:
        items = [indexed.item for indexed in reader.indexed(kind, _BATCH, after)]
        return [item.id for item in items], [item.id for item in items if _may_lack(item, space)]

    return engine.store.read(scope, work)


def _may_lack(item: Item, space: Space | None) -> bool:
    of_whom = isinstance(item, MemoryRecord) and memory_drafts.is_of_user(item)
    return of_whom or len(embedded_texts(item, space)) > 1


def _write_jobs(engine: Engine, scope: Scope, kind: ItemKind, ids: Sequence[str]) -> None:
    now = engine.clock.now()

    def work(writer: StoreWriter) -> None:
        writer.owe_vectors(kind, ids, now)

    engine.store.write(scope, work)
