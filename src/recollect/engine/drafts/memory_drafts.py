"""Drafts of memories: cleaned, validated, hashed and analysed, so that any store can keep them.

Pure: no store, no clock. Every draft is safe to write in both dialects.
"""

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from datetime import UTC, datetime
from itertools import repeat
from operator import attrgetter
from typing import Any

from recollect import ids
from recollect.errors import InvalidInput, InvalidMemory
from recollect.model.literals import (
    KEPT_MARK,
    MEMORY_TYPES,
    REDACTION_MARK,
    TYPE_ALIASES,
    Trust,
    tier_of,
)  # fmt: skip
from recollect.model.media import Media, checked_media, media_names, media_texts
from recollect.model.memories import (
    MANY,
    WORDS_HASH,
    Draft,
    Fingerprint,
    MemoryRecord,
    NewMemory,
    OfferedMemory,
    Slot,
    Vector,
    participants_of,
)
from recollect.model.places import LONGEST_ADDRESS, LONGEST_LABEL, check_coordinates
from recollect.model.readings import ASSISTANT, USER
from recollect.text.clean import clean, clean_content, fingerprint_text
from recollect.text.sameness import statement_form
from recollect.text.terms import index_terms

# Types of which none replaces another: the moment is part of what they say.
HAPPENINGS = frozenset({"event", "experience", "session_summary"})

LONGEST_SESSION = 128

# The longest texts; those of a key must fit into an index entry of either database.
LIMITS = {
    "subject": 128,
    "key": 128,
    "value": 100_000,
    "context": 128,
    "source": 128,
    "session": LONGEST_SESSION,
    "address": LONGEST_ADDRESS,
    "place_label": LONGEST_LABEL,
}
METADATA_LIMIT = 65_536
_MOST_PARTICIPANTS = 100
_MOST_DEPTH = 100
_JSON_NUL = re.compile(r"(?<!\\)(?:\\\\)*\\u0000")
_TYPES = frozenset(MEMORY_TYPES)
_WHOSE = frozenset({USER, ASSISTANT})

# Most memories of a bulk load leave everything but the content at its default, which needs no check, or nearly all.
_optional_fields = attrgetter(
    *(field.name for field in fields(NewMemory) if field.name not in ("content", "vector", "keep_secret"))
)
_DEFAULTS = _optional_fields(NewMemory(""))
_text_fields = attrgetter(*LIMITS)
_scalar_fields = attrgetter("type", "importance", "confidence", "trust", "lat", "lng")
_DEFAULT_TEXTS = _text_fields(NewMemory(""))
_DEFAULT_SCALARS = _scalar_fields(NewMemory(""))


def draft_memories(
    memories: Sequence[OfferedMemory],
    now: datetime,
    vectors: Iterable[Vector | None] = repeat(None),
    before_each: Callable[[], None] = lambda: None,
) -> list[Draft]:
    """Draft memories that are new at this moment, with the vectors that are known already."""
    memory_ids = ids.new_many(now, len(memories))
    drafts = []
    for position, (memory, memory_id, vector) in enumerate(zip(memories, memory_ids, vectors, strict=False)):
        before_each()
        try:
            drafts.append(_draft(memory, memory_id, now, vector))
        except InvalidMemory as error:
            if len(memories) == 1:
                raise
            raise InvalidMemory(f"Item {position}: {error}") from error
    return drafts


def _draft(memory: OfferedMemory, memory_id: str, now: datetime, vector: Vector | None) -> Draft:
    if isinstance(memory, NewMemory):
        if _optional_fields(memory) != _DEFAULTS:
            record = _record(memory, memory_id, now)
            return Draft(record, content_hash(record), memory_terms(record), vector)
        memory = memory.content
    content = clean_content(memory)
    record = _plain_record(
        (memory_id, _PLAIN.type, content, *_SUBJECT_TO_OCCURRED, now, *_UNTIL_TO_PLACE, {}, now, now, ())
    )
    return Draft(record, _digest(statement_form(content)), index_terms(content), vector)


def _record(memory: NewMemory, memory_id: str, now: datetime) -> MemoryRecord:
    if _scalar_fields(memory) != _DEFAULT_SCALARS:
        check_share("importance", memory.importance)
        check_share("confidence", memory.confidence)
        if memory.trust not in (None, 0, 1, 2, 3):
            tiers = ", ".join(f"{tier.value} {tier.name.lower()}" for tier in Trust)
            raise InvalidMemory(f"trust is {memory.trust!r}; it must be one of {tiers}.")
        check_coordinates(memory.lat, memory.lng, InvalidMemory)
        if memory.type not in _TYPES and memory.type not in TYPE_ALIASES:
            raise InvalidMemory(f"Unknown memory type {memory.type!r}. Known types: {', '.join(MEMORY_TYPES)}.")
    texts = _text_fields(memory)
    subject, key, value, context, source, session, address, place_label = (
        texts if texts == _DEFAULT_TEXTS else [bounded(name, text) for name, text in zip(LIMITS, texts, strict=True)]
    )
    try:
        media = tuple(map(checked_media, memory.media))
    except ValueError as error:
        raise InvalidMemory(str(error)) from error
    record = MemoryRecord(
        memory_id,
        TYPE_ALIASES.get(memory.type, memory.type),
        clean_content(memory.content),
        subject,
        key,
        value,
        context,
        float(memory.importance),
        float(memory.confidence),
        source,
        int(tier_of(source, memory.trust)),
        session,
        moment(memory.occurred_at, "occurred_at"),
        moment(memory.valid_from, "valid_from") or now,
        moment(memory.valid_until, "valid_until"),
        None,
        moment(memory.expires_at, "expires_at"),
        None if memory.lat is None else float(memory.lat),
        None if memory.lng is None else float(memory.lng),
        address,
        place_label,
        checked_mapping("metadata", memory.metadata) if memory.metadata else {},
        now,
        now,
        media,
    )
    if memory.many:
        record = one_of_many(record)
    if record.valid_until is not None and record.valid_until <= record.valid_from:
        raise InvalidMemory(f"valid_until ({record.valid_until}) must be later than valid_from ({record.valid_from}).")
    return record


def with_vectors(draft: Draft, vectors: Vector) -> Draft:
    """Add vectors to a draft: that of the whole text, and below it those of its passages."""
    passages = vectors[1:] if len(vectors) > 1 else None
    return Draft(draft.record, draft.content_hash, draft.terms, vectors[0], passages)


def content_hash(record: MemoryRecord) -> str:
    """Identify what a record says: its words, and after their hash that of what makes them another memory.

    A secret that is kept and one that is left out are the same gap in the same statement.
    """
    words = _digest(statement_form(record.content.replace(KEPT_MARK, REDACTION_MARK)))
    told = [fingerprint_text(record.value).replace(KEPT_MARK, REDACTION_MARK)] if record.value else []
    if record.occurred_at is not None:
        told.append(record.occurred_at.isoformat())
    told += sorted(media_names(record.media))
    if record.lat is not None and record.lng is not None:
        told.append(f"{record.lat:.4f} {record.lng:.4f}")
    elif record.place_label or record.address:
        told.append(fingerprint_text(record.place_label or record.address))
    return words + _digest("\x1f".join(told))[: WORDS_HASH // 2] if told else words


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def words_hash(content_hash: str) -> str:
    """Give the part of a hash that is that of the words alone."""
    return content_hash[:WORDS_HASH]


def searchable_text(record: MemoryRecord) -> str:
    """Give the words by which a record is found: its content, and what it is about."""
    participants = participants_of(record.metadata) if record.metadata else ()
    if not (record.subject or record.key or record.value or participants or record.media):
        return record.content
    told = (*_about(record), record.value, *participants)
    extra = (text for text in told if text and text not in record.content)
    return " ".join((*extra, with_media(record.content, record.media)))


def with_media(text: str, media: Sequence[Media]) -> str:
    """Give a text and below it those of its media, which are found like it."""
    return "\n".join(filter(None, (text, *media_texts(media)))) if media else text


def memory_terms(record: MemoryRecord) -> tuple[str, ...]:
    """Give the terms by which a record is found."""
    return index_terms(searchable_text(record))


def passage(record: MemoryRecord, content: str | None = None) -> str:
    """Give a text whose meaning is embedded: the content, or a passage of it.

    A bare value means little without what it is the value of. It is the same text however a statement came in.
    """
    content = record.content if content is None else content
    about = " ".join(text for text in _about(record) if text not in content)
    text = f"{about.replace('_', ' ')}: {content}" if about else content
    present = [name for name in participants_of(record.metadata) if name not in record.content]
    return f"{text} ({', '.join(present)})" if present else text


def _about(record: MemoryRecord) -> Iterable[str]:
    """Say what a record is about, as far as that says more than its words do.

    That a statement is the user's own, or meant for the assistant, tells nothing; to the bundled encoder `user: ` even
    means that what follows is a wish. Its key matters only where the content is the bare value.
    """
    if not is_of_user(record):
        return filter(None, (record.subject, record.key))
    return filter(None, (record.key,)) if record.content == record.value else ()


def is_of_user(record: MemoryRecord) -> bool:
    """Tell whether a record is the user's own statement, or meant for the assistant."""
    return record.subject.lower() in _WHOSE


def checked_participants(names: Sequence[str]) -> list[str]:
    """Clean the names of those who took part in an event; each once, in the order given."""
    if isinstance(names, str) or not all(isinstance(name, str) for name in names):
        raise InvalidMemory(f"participants is {names!r}; it must be a list of names.")
    cleaned = list(dict.fromkeys(map(clean, names)))
    if "" in cleaned:
        raise InvalidMemory("participants has an empty name. Leave it out.")
    if len(cleaned) > _MOST_PARTICIPANTS or any(len(name) > LONGEST_LABEL for name in cleaned):
        raise InvalidMemory(f"At most {_MOST_PARTICIPANTS} participants of {LONGEST_LABEL} characters each are kept.")
    return cleaned


def fingerprint(draft: Draft) -> Fingerprint:
    """Say what makes this draft the same as another."""
    record = draft.record
    return Fingerprint(record.type, record.subject, record.key, record.context, draft.content_hash)


def fingerprint_of(record: MemoryRecord) -> Fingerprint:
    """Say the same of a stored record."""
    return Fingerprint(record.type, record.subject, record.key, record.context, content_hash(record))


def slot(record: MemoryRecord) -> Slot | None:
    """Say what a new value would replace; None for what stands beside others."""
    if not record.key or record.type in HAPPENINGS:
        return None
    return Slot(record.subject, record.key, record.context, record.type == "preference")


def one_of_many(record: MemoryRecord) -> MemoryRecord:
    """Mark a record as one of several values. Raises InvalidMemory where there is no key to have them."""
    if slot(record) is None:
        raise InvalidMemory("Only a memory with a key can be one of many; an event or experience has no value.")
    return record._replace(metadata={**record.metadata, MANY: True})


def lapse(record: MemoryRecord) -> datetime:
    """Give the moment a lapsed record ceased to hold."""
    return min(end for end in (record.expires_at, record.valid_until) if end is not None)


def check_share(name: str, value: object) -> None:
    """Check for a number from 0 to 1."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
        raise InvalidMemory(f"{name} is {value!r}; it must be a number from 0 to 1.")


def bounded(name: str, text: str, wrong: type[InvalidInput] = InvalidMemory) -> str:
    """Clean a text. Raises `wrong` when it is too long for the field of that name."""
    cleaned = clean(text)
    if len(cleaned) > LIMITS[name]:
        raise wrong(f"{name} has {len(cleaned)} characters; at most {LIMITS[name]} are kept.")
    return cleaned


def moment(value: object, name: str) -> datetime | None:
    """Check for a datetime with a time zone, and give it in UTC; None stays None."""
    return None if value is None else utc(value, name)


def utc(value: object, name: str) -> datetime:
    """Check for a datetime with a time zone, and give it in UTC."""
    if not isinstance(value, datetime):
        raise InvalidMemory(f"{name} is {value!r}; it must be a datetime.")
    if value.tzinfo is None:
        raise InvalidMemory(f"{name} ({value.isoformat()}) has no time zone. Add one, for example tzinfo=UTC.")
    try:
        return value.astimezone(UTC)
    except OverflowError as error:
        raise InvalidMemory(f"{name} ({value.isoformat()}) is outside of the years 1 to 9999 in UTC.") from error


def checked_mapping(name: str, values: Mapping[str, Any], *, limit: int = METADATA_LIMIT) -> Mapping[str, Any]:
    """Check for data that both databases can keep as JSON, and give it as it will come back."""
    try:
        text = json.dumps(values, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidMemory(f"{name} cannot be written as JSON: {error}.") from error
    if _is_deep(values, text):
        raise InvalidMemory(f"{name} is nested more than {_MOST_DEPTH} deep. Make it flatter.")
    if len(text) > limit:
        raise InvalidMemory(f"{name} is {len(text)} characters long as JSON; at most {limit} are kept.")
    if _JSON_NUL.search(text) or not encodable(text):
        raise InvalidMemory(f"{name} holds a NUL or a lone surrogate, which cannot be stored. Remove it.")
    parsed = json.loads(text)
    if not isinstance(parsed, dict):
        raise InvalidMemory(f"{name} is a {type(values).__name__}; it must be a mapping.")
    return parsed


def _is_deep(values: object, text: str) -> bool:
    """Tell whether data are nested deeper than all that walks through them can follow."""
    if text.count("[") + text.count("{") <= _MOST_DEPTH:
        return False
    layer: list[Any] = [values]
    for _ in range(_MOST_DEPTH):
        layer = [
            inner
            for value in layer
            for inner in (value.values() if isinstance(value, Mapping) else value)
            if isinstance(inner, Mapping | list | tuple)
        ]
        if not layer:
            return False
    return True


def encodable(text: str) -> bool:
    """Tell whether a text is free of lone surrogates, which no database takes."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


# A record with everything at its default, and its fields before and after `valid_from`.
_PLAIN = _record(NewMemory("-"), "", datetime.min.replace(tzinfo=UTC))
_plain_record = MemoryRecord._make  # in half the time that naming two dozen fields takes
_SUBJECT_TO_OCCURRED = _PLAIN[3:13]
_UNTIL_TO_PLACE = _PLAIN[14:21]
