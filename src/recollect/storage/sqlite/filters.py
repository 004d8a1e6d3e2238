"""Turns Filters into SQL for SQLite. The only place of this backend that assembles conditions.

Every condition is one of the fixed texts below; every value is bound.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from recollect.model.filters import ChunkFilters, Filters, ItemFilters, MessageFilters, PlaceFilters
from recollect.model.geo import Circle
from recollect.storage.sqlite.codec import to_micros

_LIVE = "superseded_by IS NULL AND (valid_until IS NULL OR valid_until > :f_now)"
_HELD = "valid_from <= :f_as_of AND (valid_until IS NULL OR valid_until > :f_as_of)"
_NOT_EXPIRED = "(expires_at IS NULL OR expires_at > :f_now)"
_CONDITIONS = {
    "subject": "subject = :f_subject",
    "key": "key = :f_key",
    "context": "context = :f_context",
    "session": "session_id = :f_session",
    "since": "coalesce(occurred_at, created_at) >= :f_since",
    "until": "coalesce(occurred_at, created_at) < :f_until",
    "min_importance": "importance >= :f_min_importance",
    "min_trust": "trust >= :f_min_trust",
}


_MESSAGE_CONDITIONS = {
    "conversation": "conversation_id = :f_conversation",
    "beyond": "NOT (status = 'active' AND conversation_id = :f_beyond)",
    "since": "said_at >= :f_since",
    "until": "said_at < :f_until",
    "min_trust": "trust >= :f_min_trust",
}


_CHUNK_CONDITIONS = {
    "since": "coalesce(dated_at, created_at) >= :f_since",
    "until": "coalesce(dated_at, created_at) < :f_until",
    "min_trust": "trust >= :f_min_trust",
}


# What is inside a circle: first by an index of latitudes, then by the haversine of its angle, as geometry.py has it.
_NEAR = (
    "lat BETWEEN :f_south AND :f_north AND ({meridians}) AND "
    "sin(radians(lat - :f_lat) / 2) * sin(radians(lat - :f_lat) / 2) + cos(radians(:f_lat)) * cos(radians(lat)) * "
    "sin(radians(lng - :f_lng) / 2) * sin(radians(lng - :f_lng) / 2) <= :f_half_chord"
)
_MERIDIANS = "lng BETWEEN :f_west{number} AND :f_east{number}"


# Terms stand in their column with a blank between; the index of words has a column of the same name.
_HOLDS = "instr(' ' || {rows}.terms || ' ', :{name}) > 0"


def conditions(filters: ItemFilters | PlaceFilters) -> tuple[str, dict[str, Any]]:
    """Give the condition and its values."""
    if isinstance(filters, PlaceFilters):
        return "true", {}
    if isinstance(filters, Filters):
        texts, values = _of_memories(filters)
    else:
        texts, values = _of_messages(filters) if isinstance(filters, MessageFilters) else _of_chunks(filters)
    if not isinstance(filters, ChunkFilters):
        texts += _of_places(filters, values)
    for group, forms in enumerate(filters.holding):
        holds = [_holds(form, f"f_holding{group}_{number}", values) for number, form in enumerate(forms)]
        texts.append(f"({' OR '.join(holds)})")
    texts += [f"NOT {_holds(term, f'f_lacking{number}', values)}" for number, term in enumerate(filters.lacking)]
    return " AND ".join(texts), values


def _holds(term: str, name: str, values: dict[str, Any]) -> str:
    values[name] = f" {term} "
    return _HOLDS.replace("{name}", name)


def _of_memories(filters: Filters) -> tuple[list[str], dict[str, Any]]:
    texts = [_NOT_EXPIRED, _LIVE if filters.as_of is None else _HELD]
    values: dict[str, Any] = {"f_now": to_micros(filters.now)}
    if filters.as_of is not None:
        values["f_as_of"] = to_micros(filters.as_of)
    if filters.types:
        texts.append(f"type IN ({_bound(filters.types, 'f_type', values)})")
    for name, text in _CONDITIONS.items():
        value = getattr(filters, name)
        if value is not None:
            texts.append(text)
            if name == "subject" and value:
                texts.append("subject <> ''")  # says that the index of subjects may be used
            values[f"f_{name}"] = to_micros(value) if isinstance(value, datetime) else value
    return texts, values


def _of_messages(filters: MessageFilters) -> tuple[list[str], dict[str, Any]]:
    values: dict[str, Any] = {}
    texts = ["status IN ('active', 'compacted', 'archived')"]
    if filters.roles:
        texts.append(f"role IN ({_bound(filters.roles, 'f_role', values)})")
    if filters.excluded:
        texts.append(f"id NOT IN ({_bound(filters.excluded, 'f_excluded', values)})")
    for name, text in _MESSAGE_CONDITIONS.items():
        value = getattr(filters, name)
        if value is not None:
            texts.append(text)
            values[f"f_{name}"] = to_micros(value) if isinstance(value, datetime) else value
    return texts, values


def _of_places(filters: Filters | MessageFilters, values: dict[str, Any]) -> list[str]:
    texts = [] if filters.near is None else [_near(filters.near, values)]
    if filters.places:
        texts.append(f"place IN ({_bound(filters.places, 'f_place', values)})")
    return texts


def _near(circle: Circle, values: dict[str, Any]) -> str:
    """Bind a circle and give the condition."""
    boxes = circle.boxes()
    values |= {"f_lat": circle.lat, "f_lng": circle.lng, "f_half_chord": circle.half_chord}
    values |= {"f_south": boxes[0].south, "f_north": boxes[0].north}
    for number, box in enumerate(boxes):
        values |= {f"f_west{number}": box.west, f"f_east{number}": box.east}
    meridians = " OR ".join(_MERIDIANS.replace("{number}", str(number)) for number in range(len(boxes)))
    return _NEAR.replace("{meridians}", meridians)


def _of_chunks(filters: ChunkFilters) -> tuple[list[str], dict[str, Any]]:
    values: dict[str, Any] = {}
    texts = ["file_id <> ''"]
    if filters.files:
        texts.append(f"file_id IN ({_bound(filters.files, 'f_files', values)})")
    for name, text in _CHUNK_CONDITIONS.items():
        value = getattr(filters, name)
        if value is not None:
            texts.append(text)
            values[f"f_{name}"] = to_micros(value) if isinstance(value, datetime) else value
    return texts, values


def _bound(wanted: Sequence[str], prefix: str, values: dict[str, Any]) -> str:
    """Bind several values and give their placeholders."""
    names = [f"{prefix}{position}" for position in range(len(wanted))]
    values.update(zip(names, wanted, strict=True))
    return ", ".join(f":{name}" for name in names)
