"""Reindexing after a new version of the text analyser, which must agree with the terms in the index.

Terms, and the hashes by which a repetition is known, are made anew user by user, in small transactions. What is right
already is left alone, so an interrupted run goes on where it was; the store is marked when nothing is left to do.
"""

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from recollect.engine.base.context import Engine
from recollect.engine.drafts import items, memory_drafts
from recollect.engine.drafts.items import terms_of
from recollect.engine.memories import merge
from recollect.model.literals import ITEM_KINDS, ItemKind
from recollect.model.memories import Item, Scope
from recollect.storage.base import IndexedItem, StoreReader, StoreWriter
from recollect.text.terms import ANALYSER

_BATCH = 500
_MAX_TERMS = 5_000  # of a transaction: on SQLite all writers wait for it, and terms are removed one by one

# Items by their ids, with the terms they should have.
_StaleItems: TypeAlias = dict[str, tuple[Item, tuple[str, ...]]]


def advice(engine: Engine) -> str:
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
    def work(reader: StoreReader) -> list[IndexedItem]:
        return list(reader.indexed(kind, _BATCH, after))

    return engine.store.read(scope, work)


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
        terms = {item.id: _fresh_terms(item, *stale[item.id]) for item in current}
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
            order = merge.merge_order(repeat, twin) if twin is not None else None
            if order is not None:
                kept, lesser = order
                writer.retire(lesser.id, max(engine.clock.now(), lesser.valid_from), kept.id)
                writer.rehash({kept.id: hashes[repeat.id]})

    engine.write(scope, work)


def _fresh_terms(item: Item, analysed: Item, terms: tuple[str, ...]) -> tuple[str, ...]:
    return terms if item == analysed else terms_of(item)
