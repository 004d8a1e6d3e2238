"""What two memories are to each other: the same, which adds something or is merged, or in doubt of each other.

The invariant: nothing of a repetition is dropped. It is the same memory only where nothing that both say differs, and
then what is new in it is taken over; two places, two times and two things that the words are about are two memories.
Of merged duplicates one stays as it is, the other becomes a part of its history.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from recollect.engine.base.context import Engine
from recollect.engine.drafts import items, memory_drafts
from recollect.errors import InvalidMemory
from recollect.model.geo import distance_km
from recollect.model.literals import SEALED
from recollect.model.media import media_names
from recollect.model.memories import FEEDBACK, MANY, MemoryRecord, Scope, Slot, lapsed, participants_of
from recollect.model.readings import CAPTURED_BY, PROPERTY, QUESTION, SINGLE_VALUED, SPAN, STANDING, USER
from recollect.model.scopes import AUTHOR
from recollect.storage.base import StoreWriter
from recollect.text.clean import fingerprint_text
from recollect.text.repetition import same_statement, says_more
from recollect.text.sameness import statement_form
from recollect.text.terms import index_terms

ALSO_FROM = "also_from"  # in the metadata: the other sources that said it
PARTICIPANTS = "participants"

_SAME_PLACE_KM = 0.1  # a phone that has not moved says as much
_STATEMENT = 3  # words; fewer are a value, which means little without what it is the value of
_WHERE = ("lat", "lng", "address", "place_label")
_NAMES = frozenset({"name", "full_name"})
_PLACES = frozenset({"home", "city", "location", "address", "origin"})
_UNTOLD = frozenset({"metadata", "session"})
_OURS = frozenset(
    {MANY, FEEDBACK, AUTHOR, CAPTURED_BY, PROPERTY, QUESTION, STANDING, SPAN, ALSO_FROM, PARTICIPANTS, SEALED}
)


def is_captured(record: MemoryRecord) -> bool:
    """Tell whether a memory was read from a message: then its words say all that its fields do."""
    return CAPTURED_BY in record.metadata


def find_twin(known: Iterable[MemoryRecord], told: MemoryRecord) -> MemoryRecord | None:
    """Give the memory that a draft with the same words repeats; of several the one that is about the same."""
    return min((one for one in known if repeats(one, told)), key=lambda one: _distance(one, told), default=None)


def _distance(known: MemoryRecord, told: MemoryRecord) -> tuple[object, ...]:
    names = ("type", "subject", "key", "context", "value", "occurred_at", "place_label", "lat")
    return (*(getattr(known, name) != getattr(told, name) for name in names), known.id)


def repeats(known: MemoryRecord, told: MemoryRecord) -> bool:
    """Tell whether a memory and a draft with the same words are one: neither contradicts what the other adds."""
    moments = {known.occurred_at, told.occurred_at} - {None} if _has_own_time(told) else ()
    apart = memory_drafts.slot(told) is None and not is_captured(told) and _elsewhere(known, told)
    pictures = {*media_names(known.media)}
    return (
        _one_type(known, told)
        and _one_topic(known, told)
        and len(moments) < 2  # noqa: PLR2004 - one moment, or none
        and not apart
        and (not pictures or pictures >= {*media_names(told.media)})
        and _keeps_slot(known, told)
    )


def _has_own_time(record: MemoryRecord) -> bool:
    """Tell whether its moment is a part of what a memory says; of what was captured it may be when it was told."""
    return not is_captured(record) or record.type in memory_drafts.HAPPENINGS


def _keeps_slot(known: MemoryRecord, told: MemoryRecord) -> bool:
    """Tell whether both as one hold the slot that one of them holds, and no third one, which may have a holder."""
    held, merged = memory_drafts.slot(known), memory_drafts.slot(known._replace(**_filled(known, told)))
    return merged == (memory_drafts.slot(told) or held) or (merged is not None and merged == held)


def _one_type(known: MemoryRecord, told: MemoryRecord) -> bool:
    types = {known.type, told.type}
    if len(types) == 1 or "session_summary" in types:
        return len(types) == 1
    return "other" in types or is_captured(known) or is_captured(told)


def _one_topic(known: MemoryRecord, told: MemoryRecord) -> bool:
    """Tell whether the words are about the same thing: where only one says which, its words must say it too."""
    if known.value and told.value and fingerprint_text(known.value) != fingerprint_text(told.value):
        return False
    return all(_agree(known, told, name) for name in ("subject", "key", "context"))


def _agree(known: MemoryRecord, told: MemoryRecord, name: str) -> bool:
    ours, theirs = getattr(known, name), getattr(told, name)
    if ours == theirs:
        return True
    if (
        ours
        and theirs
        and not (name == "subject" and USER in (ours, theirs) and (is_captured(known) or is_captured(told)))
    ):
        return False
    said = known if ours else told
    if is_captured(said) or (ours and theirs):
        return True
    form = statement_form(said.content)
    if len(form.split()) < _STATEMENT or form == statement_form(said.value):
        return False
    named = getattr(said, name)
    return name == "key" or named == USER or not set(index_terms(named)).isdisjoint(index_terms(said.content))


def _elsewhere(known: MemoryRecord, told: MemoryRecord) -> bool:
    """Tell whether two memories have two places."""
    if not (_has_place(known) and _has_place(told)):
        return False
    if known.lat is not None and known.lng is not None and told.lat is not None and told.lng is not None:
        return distance_km(known.lat, known.lng, told.lat, told.lng) > _SAME_PLACE_KM
    named = [{fingerprint_text(name) for name in (one.address, one.place_label) if name} for one in (known, told)]
    return named[0].isdisjoint(named[1])


def _has_place(record: MemoryRecord) -> bool:
    return record.lat is not None or bool(record.address or record.place_label)


def take_over(
    known: MemoryRecord, told: MemoryRecord, *, fields: bool = True, lifts: bool = True
) -> tuple[MemoryRecord, tuple[str, ...]]:
    """Give a memory with what a repetition adds, and the names of the fields that it added.

    Without `fields` it takes over nothing that would make it hold another slot. What says nothing of an expiry lifts
    one, but for what was read or imported (`lifts`): that only repeats.
    """
    new: dict[str, Any] = _filled(known, told) if fields else {}
    if _has_place(told) and (not _has_place(known) or (_elsewhere(known, told) and not is_captured(told))):
        new |= {name: getattr(told, name) for name in _WHERE}
    if told.media and not known.media:
        new["media"] = told.media
    if known.occurred_at is None and told.occurred_at is not None and _has_own_time(told):
        new["occurred_at"] = told.occurred_at
    for name in ("expires_at", "valid_until"):
        if getattr(told, name) is not None or (lifts and not is_captured(told)):
            new[name] = getattr(told, name)
    begins_later = told.valid_until is not None and told.valid_until <= known.valid_from
    begins = min(told.valid_from, known.valid_from) if is_captured(told) else told.valid_from
    if begins != told.created_at or begins_later:  # it would end before it begins
        new["valid_from"] = told.valid_from if begins_later else begins
    if is_captured(known) and not is_captured(told):  # from now on it belongs to no conversation that did not store it
        new["session"] = told.session
    new["importance"] = max(known.importance, told.importance)
    new["metadata"] = _metadata(known, told, many=fields)
    record = known._replace(**new)
    return record, _names(known, record)


def _filled(known: MemoryRecord, told: MemoryRecord) -> dict[str, Any]:
    """Give the fields that only the repetition has; the type of the one that says more about what it is."""
    new = {name: getattr(told, name) for name in ("subject", "key", "value", "context") if not getattr(known, name)}
    if known.subject == USER and told.subject and is_captured(told):
        new["subject"] = told.subject
    if told.type != known.type and (known.type == "other" or (told.type != "other" and told.key and not known.key)):
        new["type"] = told.type
    return new


def _metadata(known: MemoryRecord, told: MemoryRecord, *, many: bool) -> Mapping[str, Any]:
    """Give the metadata of both: the newer of what callers noted, the older of what was noted here.

    A question is of the words that it stands before, and they are those of what is known.
    """
    offered = {name: value for name, value in told.metadata.items() if name != QUESTION and (many or name != MANY)}
    ours = {name: value for name, value in offered.items() if name in _OURS}
    theirs = {} if is_captured(told) else {name: value for name, value in offered.items() if name not in _OURS}
    new = {**ours, **known.metadata, **theirs}
    present = dict.fromkeys((*participants_of(known.metadata), *participants_of(told.metadata)))
    if present:
        new[PARTICIPANTS] = [*present]
    if told.source and told.source != known.source:
        noted = known.metadata.get(ALSO_FROM)
        less_trusted = known.source if told.trust > known.trust else told.source
        new[ALSO_FROM] = [*dict.fromkeys((*(noted if isinstance(noted, list) else ()), less_trusted))]
    return new if new != known.metadata else known.metadata


def _names(known: MemoryRecord, record: MemoryRecord) -> tuple[str, ...]:
    """Name the fields that differ, in the words of those who gave them."""
    changed = [name for name in MemoryRecord._fields if getattr(known, name) != getattr(record, name)]
    names = ["place" if name in _WHERE else name for name in changed if name not in _UNTOLD]
    if participants_of(known.metadata) != participants_of(record.metadata):
        names.append(PARTICIPANTS)
    noted = ({name: value for name, value in one.metadata.items() if name not in _OURS} for one in (known, record))
    if next(noted) != next(noted):
        names.append("metadata")
    return tuple(dict.fromkeys(names))


def merge(engine: Engine, scope: Scope, memory_id: str, into: str) -> MemoryRecord:
    """Let a memory be superseded by another that says the same; gives the one that is kept. Nothing is deleted."""
    now = engine.clock.now()

    def work(writer: StoreWriter) -> MemoryRecord:
        repeat, kept = items.memory(writer, memory_id), items.memory(writer, into)
        if repeat.superseded_by == kept.id:
            return kept
        over = (one.id for one in (repeat, kept) if one.superseded_by is not None or lapsed(one, now))
        problem = _problem(repeat, kept) or next((f"{one_id} is no longer current." for one_id in over), "")
        if problem:
            raise InvalidMemory(problem)
        writer.retire(repeat.id, max(now, repeat.valid_from), kept.id)
        return kept

    return engine.write(scope, work)


def merge_order(one: MemoryRecord, other: MemoryRecord) -> tuple[MemoryRecord, MemoryRecord] | None:
    """Say which of two memories to keep and which to merge into it; None when they do not say the same.

    The more trusted one is kept; of equals the one that holds a property, that says more, that is older.
    """
    if {one.type, other.type} & {*memory_drafts.HAPPENINGS} or not same_statement(one.content, other.content):
        return None  # what happened twice is told twice
    if one.kept_secret or other.kept_secret:
        return None  # whether they say the same cannot be seen
    ranked = sorted((one, other), key=lambda record: record.id)
    ranked.sort(key=lambda record: (record.trust, bool(record.key)), reverse=True)
    kept, repeat = ranked
    if (kept.trust, bool(kept.key)) == (repeat.trust, bool(repeat.key)) and says_more(repeat.content, kept.content):
        kept, repeat = repeat, kept
    return None if _problem(repeat, kept) else (kept, repeat)


def _problem(repeat: MemoryRecord, kept: MemoryRecord) -> str:
    """Say why a memory cannot be merged into another."""
    if repeat.id == kept.id:
        return "A memory cannot be merged into itself."
    if repeat.trust > kept.trust:
        return f"{repeat.id} is trusted more than {kept.id}. Merge them the other way around."
    slot = memory_drafts.slot(repeat)
    if slot is not None and slot != memory_drafts.slot(kept):
        return f"{repeat.id} has the key {repeat.key!r}, and {kept.id} has not. Merge them the other way around."
    return ""


def doubtful_slot(record: MemoryRecord) -> Slot | None:
    """Give the slot whose value a captured memory without a key may contradict."""
    name = record.metadata.get(PROPERTY)
    if record.key or not record.value or not isinstance(name, str) or name not in SINGLE_VALUED:
        return None
    return Slot(record.subject, name, record.context, preference=False)


def differ(one: MemoryRecord, other: MemoryRecord) -> bool:
    """Tell whether two values of a property are not the same, and neither is the other in short."""
    key = one.key or other.key
    return fingerprint_text(one.value) != fingerprint_text(other.value) and not (
        is_short_for(key, one.value, other.value) or is_short_for(key, other.value, one.value)
    )


def is_short_for(key: str, value: str, whole: str) -> bool:
    """Tell whether a name or a place is told in short: Petra for Petra Nováková, Brno for Brno, Czech Republic."""
    if not value or key not in _NAMES | _PLACES:
        return False
    told, known = (_name_parts(text) if key in _NAMES else _place_parts(text) for text in (value, whole))
    remaining = iter(known)
    return 0 < len(told) < len(known) and all(part in remaining for part in told)


def _name_parts(text: str) -> list[str]:
    return fingerprint_text(text).split()


def _place_parts(text: str) -> list[str]:
    return [part.strip() for part in fingerprint_text(text).split(",") if part.strip()]
