"""What another version has made is made anew: terms, the hashes by which a repetition is known, and vectors.

Terms must agree with the text analyser of this version. Vectors that texts lack are those that a repair could not read,
and those of other texts than this version embeds, which an archive may bring. All items are looked through user by
user, in small transactions. What is right already is left alone, so an interrupted run goes on where it was; the store
is marked when nothing is left to do. A text is found by its old vectors until its job has made the new ones.
"""

from collections.abc import Iterator, Sequence
from operator import methodcaller
from threading import Event
from typing import TypeAlias

from recollect.engine.base.context import Engine
from recollect.engine.drafts import items, memory_drafts
from recollect.engine.drafts.items import embedded_texts, terms_of
from recollect.engine.memories import repetition
from recollect.model.literals import ITEM_KINDS, ItemKind
from recollect.model.memories import Item, MemoryRecord, Scope
from recollect.storage.base import IndexedItem, StoreWriter
from recollect.text.passages import PASSAGES
from recollect.text.terms import ANALYSER

_BATCH = 500
_MAX_TERMS = 5_000  # of a transaction: on SQLite all writers wait for it, and terms are removed one by one

# Items by their ids, with the terms they should have.
_StaleItems: TypeAlias = dict[str, tuple[Item, tuple[str, ...]]]


def advice_about_words(engine: Engine) -> str:
    """Say what to do about the index of words; empty when nothing is."""
    made_by = engine.store.analyser()
    if made_by == ANALYSER:
        return ""
    if made_by < 0:
        return "What made the index of words could not be read when the file was repaired; run `recollect maintain`."
    age = "an older" if made_by < ANALYSER else "a newer"
    return f"The index of words was made by {age} analyser; run `recollect maintain`."


def reindex(engine: Engine) -> int:
    """Bring all terms up to this version of the analyser. Gives the number of items whose terms changed."""
    if engine.store.analyser() == ANALYSER:
        return 0
    users = engine.store.reached_users()
    changed = sum(_reindex_kind(engine, scope, kind) for scope in users.scopes for kind in ITEM_KINDS)
    if users.are_all:
        engine.store.set_analyser(ANALYSER)
    return changed


def _reindex_kind(engine: Engine, scope: Scope, kind: ItemKind) -> int:
    """Reindex a user's items by their ids. What is written meanwhile has the right terms already."""
    changed, after = 0, None
    while batch := _batch(engine, scope, kind, after):
        after = batch[-1].item.id
        if kind == "memory":
            _rehash(engine, scope, [entry.item.id for entry in batch])
        changed += sum(_replace(engine, scope, kind, stale) for stale in _stale(batch))
    return changed


def _batch(engine: Engine, scope: Scope, kind: ItemKind, after: str | None) -> list[IndexedItem]:
    return engine.store.read(scope, lambda reader: list(reader.indexed(kind, _BATCH, after)))


def _stale(batch: Sequence[IndexedItem]) -> Iterator[_StaleItems]:
    """Give the items whose terms are to change, as many at a time as one transaction may hold."""
    stale: _StaleItems = {}
    size = 0
    for item, old in batch:
        new = terms_of(item)
        if new == old:
            continue
        stale[item.id] = item, new
        size += len(old) + len(new)
        if size >= _MAX_TERMS:
            yield stale
            stale, size = {}, 0
    if stale:
        yield stale


def _replace(engine: Engine, scope: Scope, kind: ItemKind, stale: _StaleItems) -> int:
    """Write terms that were made before the transaction; an item that was changed meanwhile is analysed once more."""

    def work(writer: StoreWriter) -> int:
        current = items.fetch(writer, [(kind, item_id) for item_id in stale])
        made = ((item, *stale[item.id]) for item in current)
        terms = {item.id: terms if item == analysed else terms_of(item) for item, analysed, terms in made}
        writer.reindex(kind, terms)
        return len(terms)

    return engine.write(scope, work)


def _rehash(engine: Engine, scope: Scope, ids: Sequence[str]) -> None:
    """Write the hashes of live memories. One that now says the same as another becomes a version of it."""

    def work(writer: StoreWriter) -> None:
        live = {record.id: record for record in writer.get(ids) if record.superseded_by is None}
        hashes = {one: memory_drafts.content_hash(record) for one, record in live.items()}
        for repeat in (live[one] for one in writer.rehash(hashes)):
            twin = writer.same(memory_drafts.fingerprint_of(repeat))
            order = repetition.merge_order(repeat, twin) if twin is not None else None
            if order is not None:
                kept, lesser = order
                writer.retire(lesser.id, max(engine.clock.now(), lesser.valid_from), kept.id)
                writer.rehash({kept.id: hashes[repeat.id]})

    engine.write(scope, work)


def advice_about_vectors(engine: Engine) -> str:
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
        batch = _batch(engine, scope, kind, after)
        if not batch:
            break
        after, space = batch[-1].item.id, engine.models.latest
        lacking_ids = [  # may lack vectors, or have those of another text
            item.id
            for item, _ in batch
            if (isinstance(item, MemoryRecord) and memory_drafts.is_of_user(item))
            or len(embedded_texts(item, space)) > 1
        ]
        if lacking_ids:
            engine.store.write(scope, methodcaller("owe_vectors", kind, lacking_ids, engine.clock.now()))
        owed += len(lacking_ids)
    return owed
