"""The index of words, when it was made by another version of the analyser than the one that asks.

Both must read a word alike, or the one does not find what the other has written. Terms are made anew user by user, in
small transactions. Whatever has its terms already is left alone, so a round that was interrupted goes on where it was,
and the store is marked when nothing is left to do.
"""

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from recollect.engine.base import items
from recollect.engine.base.context import Engine
from recollect.engine.drafts.searchable_text import terms_of
from recollect.model.literals import ITEM_KINDS, ItemKind
from recollect.model.memories import Item, Scope
from recollect.ports import IndexedItem, StoreReader, StoreWriter
from recollect.text.terms import ANALYSER

_BATCH = 500
_MOST_TERMS = 5_000  # of a transaction: on SQLite everybody waits for it, and it takes out of the index term by term

# Items by their ids, with the terms they should have.
_Stale: TypeAlias = dict[str, tuple[Item, tuple[str, ...]]]


def advice(engine: Engine) -> str:
    """Say what to do about the index of words; empty when nothing is."""
    made_by = engine.store.analyser()
    if made_by == ANALYSER:
        return ""
    age = "an older" if made_by < ANALYSER else "a newer"
    return f"The index of words was made by {age} analyser; run `recollect maintain`."


def reindex(engine: Engine) -> int:
    """Bring all terms up to this version of the analyser. Gives the number of items whose terms changed."""
    if engine.store.analyser() == ANALYSER:
        return 0
    changed = sum(_reindex_kind(engine, scope, kind) for scope in engine.store.users() for kind in ITEM_KINDS)
    engine.store.set_analyser(ANALYSER)
    return changed


def _reindex_kind(engine: Engine, scope: Scope, kind: ItemKind) -> int:
    """Go through a user's items by their ids. What is written meanwhile has the right terms already."""
    changed, after = 0, None
    while batch := _batch(engine, scope, kind, after):
        after = batch[-1].item.id
        changed += sum(_replace(engine, scope, kind, stale) for stale in _stale(batch))
    return changed


def _batch(engine: Engine, scope: Scope, kind: ItemKind, after: str | None) -> list[IndexedItem]:
    def work(reader: StoreReader) -> list[IndexedItem]:
        return list(reader.indexed(kind, _BATCH, after))

    return engine.store.read(scope, work)


def _stale(batch: Sequence[IndexedItem]) -> Iterator[_Stale]:
    """Give the items whose terms are to change, as many at a time as one transaction may hold."""
    stale: _Stale = {}
    size = 0
    for item, old in batch:
        new = terms_of(item)
        if new == old:
            continue
        stale[item.id] = item, new
        size += len(old) + len(new)
        if size >= _MOST_TERMS:
            yield stale
            stale, size = {}, 0
    if stale:
        yield stale


def _replace(engine: Engine, scope: Scope, kind: ItemKind, stale: _Stale) -> int:
    """Write terms that were made outside of the transaction; what was changed meanwhile is analysed once more."""

    def work(writer: StoreWriter) -> int:
        found = items.fetch(writer, [(kind, item_id) for item_id in stale])
        terms = {item.id: _fresh_terms(item, *stale[item.id]) for item in found}
        writer.reindex(kind, terms)
        return len(terms)

    return engine.write(scope, work)


def _fresh_terms(item: Item, analysed: Item, terms: tuple[str, ...]) -> tuple[str, ...]:
    return terms if item == analysed else terms_of(item)
