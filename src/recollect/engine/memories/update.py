"""Updating: the memory keeps its id, what it was stays as a version.

The new vector is made before the transaction, because nobody may wait inside it; everything else is decided inside,
from the memory as it is then, so that writers who change different things at once do not undo each other.
"""

from collections.abc import Sequence
from dataclasses import fields, replace
from datetime import datetime
from typing import Any

from recollect import ids
from recollect.engine.base.context import Engine
from recollect.engine.drafts import memory_drafts, redaction
from recollect.engine.vectors import embed_texts
from recollect.engine.vectors.embed_texts import EmbeddedTexts
from recollect.errors import EmbeddingError, InvalidMemory, NotFound
from recollect.model.memories import Draft, MemoryRecord, NewMemory, Scope, Space, lapsed
from recollect.model.places import is_somewhere
from recollect.model.vectors import as_unit
from recollect.ports import StoreWriter

_FIELDS = tuple(field.name for field in fields(NewMemory) if field.name != "vector")
_TRIES = 5


class _ConcurrentUpdateError(Exception):
    """Another writer changed the text that was embedded."""


def update(engine: Engine, scope: Scope, memory_id: str, changes: dict[str, Any]) -> MemoryRecord:
    """Change fields of a live memory. Gives the memory as it is now."""
    for _ in range(_TRIES):
        try:
            return _update_once(engine, scope, memory_id, changes)
        except _ConcurrentUpdateError:
            continue
    raise InvalidMemory(f"Memory {memory_id} is being changed by others all the time. Try again.")


def _update_once(engine: Engine, scope: Scope, memory_id: str, changes: dict[str, Any]) -> MemoryRecord:
    old = _live(engine.store.read(scope, lambda reader: reader.get([memory_id])), memory_id)
    planned = _revised(engine, old, changes)
    if _unchanged(old, planned.record, changes):
        return old
    text = memory_drafts.passage(planned.record)
    fresh = "vector" in changes or text != memory_drafts.passage(old)
    space = engine.space
    made = _vector(engine, scope, space, text, changes) if fresh else EmbeddedTexts()

    def work(writer: StoreWriter) -> MemoryRecord:
        held = _live(writer.get([memory_id]), memory_id)
        draft = _revised(engine, held, changes)
        if _unchanged(held, draft.record, changes):
            return held
        if memory_drafts.passage(draft.record) != text:
            raise _ConcurrentUpdateError
        keep_vector = "vector" not in changes and memory_drafts.passage(held) == text
        _make_room(writer, draft)
        revised = draft if keep_vector else draft._replace(vector=made.vectors.get(0))
        _revise(writer, held, revised, space, keep_vector=keep_vector)
        if space is not None:
            embed_texts.keep(writer, engine, space, made, {0: memory_id})
        return draft.record

    record = engine.write(scope, work)
    waits = engine.models.configured is not None and fresh and not made.vectors
    if waits or is_somewhere(record.lat, record.address, record.place_label):
        engine.background.wake()
    return record


def _live(found: Sequence[MemoryRecord], memory_id: str) -> MemoryRecord:
    if not found:
        raise NotFound(f"No memory {memory_id}. See what there is with `list`.")
    if found[0].superseded_by is not None:
        raise InvalidMemory(
            f"Memory {memory_id} is an old version, replaced by {found[0].superseded_by}. Update that one."
        )
    return found[0]


def _revised(engine: Engine, old: MemoryRecord, changes: dict[str, Any]) -> Draft:
    """Check the changed memory like a new one, and give it the old one's id and birth."""
    now = engine.clock.now()
    kept = {name: getattr(old, name) for name in _FIELDS}
    offered = NewMemory(**{**kept, **_moved(old, changes), "valid_from": _start(old, changes, now), **changes})
    (draft,) = memory_drafts.draft_memories([redaction.public(engine, replace(offered, vector=None))], now)
    record = draft.record._replace(id=old.id, created_at=old.created_at)
    if not changes.keys() & {"lat", "lng", "address"}:  # however exactly places are kept by now
        record = record._replace(lat=old.lat, lng=old.lng, address=old.address)
    return draft._replace(record=record)


def _moved(old: MemoryRecord, changes: dict[str, Any]) -> dict[str, Any]:
    """An address belongs to coordinates: where these change, it goes, and another one is found out."""
    where = {name: changes[name] for name in ("lat", "lng") if name in changes}
    return {"address": ""} if any(getattr(old, name) != value for name, value in where.items()) else {}


def _start(old: MemoryRecord, changes: dict[str, Any], now: datetime) -> datetime:
    """A change holds from now on. What is over already, or begins only later, is corrected as a whole."""
    until = changes.get("valid_until", old.valid_until)
    over = until is not None and memory_drafts.utc(until, "valid_until") <= now
    return old.valid_from if over else max(now, old.valid_from)


def _unchanged(old: MemoryRecord, new: MemoryRecord, changes: dict[str, Any]) -> bool:
    since = new.valid_from if "valid_from" in changes else old.valid_from
    return "vector" not in changes and new._replace(valid_from=since, updated_at=old.updated_at) == old


def _vector(engine: Engine, scope: Scope, space: Space | None, text: str, changes: dict[str, Any]) -> EmbeddedTexts:
    """Give the new text its vector; when none can be made now, a job will."""
    if space is None:
        return EmbeddedTexts()
    if changes.get("vector") is not None:
        return EmbeddedTexts({0: as_unit(changes["vector"], space.dimensions)})
    try:
        return embed_texts.passages(engine, scope, space, [text], wait=None)
    except EmbeddingError:
        return EmbeddedTexts()


def _make_room(writer: StoreWriter, draft: Draft) -> None:
    """Refuse what another memory says already, unless that one has lapsed: then it becomes a version of this one."""
    record, slot = draft.record, memory_drafts.slot(draft.record)
    for twin in (writer.same(memory_drafts.fingerprint(draft)), writer.current(slot) if slot else None):
        if twin is None or twin.id == record.id:
            continue
        if not lapsed(twin, record.updated_at):
            raise InvalidMemory(f"Memory {twin.id} already says this. Forget one of the two instead.")
        writer.retire(twin.id, memory_drafts.lapse(twin), record.id)


def _revise(writer: StoreWriter, held: MemoryRecord, draft: Draft, space: Space | None, *, keep_vector: bool) -> None:
    """Write the new row; the old one was true until then, or until its own end."""
    record = draft.record
    until = record.valid_from if held.valid_until is None else min(record.valid_from, held.valid_until)
    version_id = ids.new(record.updated_at)
    writer.revise(version_id, draft, space, valid_until=max(until, held.valid_from), keep_vector=keep_vector)
