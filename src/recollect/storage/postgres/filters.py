"""Turns Filters into SQL for PostgreSQL. The only place of this backend that assembles conditions.

Every condition is one of the fixed texts below; every value is bound.
"""

from typing import Any

from recollect.model.filters import ChunkFilters, Filters, ItemFilters, MessageFilters, PlaceFilters
from recollect.model.geo import Circle

_LIVE = "superseded_by IS NULL AND (valid_until IS NULL OR valid_until > %(f_now)s)"
_HELD = "valid_from <= %(f_as_of)s AND (valid_until IS NULL OR valid_until > %(f_as_of)s)"
_NOT_EXPIRED = "(expires_at IS NULL OR expires_at > %(f_now)s)"
_CONDITIONS = {
    "as_of": _HELD,
    "types": "type = ANY(%(f_types)s)",
    "subject": "subject = %(f_subject)s",
    "key": "key = %(f_key)s",
    "context": "context = %(f_context)s",
    "session": "session_id = %(f_session)s",
    "since": "coalesce(occurred_at, created_at) >= %(f_since)s",
    "until": "coalesce(occurred_at, created_at) < %(f_until)s",
    "min_importance": "importance >= %(f_min_importance)s",
    "min_trust": "trust >= %(f_min_trust)s",
}


_MESSAGE_CONDITIONS = {
    "roles": "role = ANY(%(f_roles)s)",
    "excluded": "id <> ALL(%(f_excluded)s::uuid[])",
    "conversation": "conversation_id = %(f_conversation)s",
    "beyond": "NOT (status = 'active' AND conversation_id = %(f_beyond)s)",
    "since": "said_at >= %(f_since)s",
    "until": "said_at < %(f_until)s",
    "min_trust": "trust >= %(f_min_trust)s",
}


_CHUNK_CONDITIONS = {
    "files": "file_id = ANY(%(f_files)s::uuid[])",
    "since": "coalesce(dated_at, created_at) >= %(f_since)s",
    "until": "coalesce(dated_at, created_at) < %(f_until)s",
    "min_trust": "trust >= %(f_min_trust)s",
}


# What is inside a circle: first by an index of latitudes, then by the haversine of its angle, as geometry.py has it.
_NEAR = (
    "lat BETWEEN %(f_south)s AND %(f_north)s AND ({meridians}) AND "
    "sin(radians(lat - %(f_lat)s) / 2) * sin(radians(lat - %(f_lat)s) / 2) + "
    "cos(radians(%(f_lat)s)) * cos(radians(lat)) * "
    "sin(radians(lng - %(f_lng)s) / 2) * sin(radians(lng - %(f_lng)s) / 2) <= %(f_half_chord)s"
)
_MERIDIANS = "lng BETWEEN %(f_west{number})s AND %(f_east{number})s"


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
        texts.append(f"terms && %(f_holding{group})s::text[]")
        values[f"f_holding{group}"] = list(forms)
    if filters.lacking:
        texts.append("NOT (terms && %(f_lacking)s::text[])")
        values["f_lacking"] = list(filters.lacking)
    return " AND ".join(texts), values


def _of_memories(filters: Filters) -> tuple[list[str], dict[str, Any]]:
    texts = [_NOT_EXPIRED] if filters.as_of is not None else [_NOT_EXPIRED, _LIVE]
    values: dict[str, Any] = {"f_now": filters.now}
    for name, text in _CONDITIONS.items():
        value = getattr(filters, name)
        if value is not None and value != ():
            texts.append(text)
            if name == "subject" and value:
                texts.append("subject <> ''")  # says that the index of subjects may be used
            values[f"f_{name}"] = list(value) if name == "types" else value
    return texts, values


def _of_messages(filters: MessageFilters) -> tuple[list[str], dict[str, Any]]:
    texts = ["status IN ('active', 'compacted', 'archived')"]
    values: dict[str, Any] = {}
    for name, text in _MESSAGE_CONDITIONS.items():
        value = getattr(filters, name)
        if value is not None and value != ():
            texts.append(text)
            values[f"f_{name}"] = list(value) if isinstance(value, tuple) else value
    return texts, values


def _of_places(filters: Filters | MessageFilters, values: dict[str, Any]) -> list[str]:
    texts = [] if filters.near is None else [_near(filters.near, values)]
    if filters.places:
        texts.append("place = ANY(%(f_places)s::uuid[])")
        values["f_places"] = list(filters.places)
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
    texts = ["file_id IS NOT NULL"]
    values: dict[str, Any] = {}
    for name, text in _CHUNK_CONDITIONS.items():
        value = getattr(filters, name)
        if value is not None and value != ():
            texts.append(text)
            values[f"f_{name}"] = list(value) if isinstance(value, tuple) else value
    return texts, values
