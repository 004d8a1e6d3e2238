"""Turns filters into SQL conditions. The only place that assembles conditions.

Every condition is one of the fixed texts below, in the words of `storage/sql`; every value is bound.
"""

from collections.abc import Callable, Sequence
from typing import Any

from recollect.model.filters import ChunkFilters, Filters, ItemFilters, MessageFilters, PlaceFilters
from recollect.model.geo import Circle

# Gives the condition that a row holds one of some terms, and binds them under a name.
HoldsAny = Callable[[Sequence[str], str, dict[str, Any]], str]

_LIVE = "superseded_by IS NULL AND (valid_until IS NULL OR valid_until > :f_now)"
_UNHELD = "superseded_by IS NOT NULL AND valid_until = valid_from"
_NOT_EXPIRED = "(expires_at IS NULL OR expires_at > :f_now)"
_MEMORY_CONDITIONS = {
    "as_of": "valid_from <= :f_as_of AND (valid_until IS NULL OR valid_until > :f_as_of)",
    "types": "type = ANY(:f_types)",
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
    "roles": "role = ANY(:f_roles)",
    "excluded": "id <> ALL(:f_excluded::uuid[])",
    "conversation": "conversation_id = :f_conversation",
    "beyond": "NOT (status = 'active' AND conversation_id = :f_beyond)",
    "since": "said_at >= :f_since",
    "until": "said_at < :f_until",
    "min_trust": "trust >= :f_min_trust",
}
_CHUNK_CONDITIONS = {
    "files": "file_id = ANY(:f_files::uuid[])",
    "since": "coalesce(dated_at, created_at) >= :f_since",
    "until": "coalesce(dated_at, created_at) < :f_until",
    "min_trust": "trust >= :f_min_trust",
}
_AT_PLACES = "place = ANY(:f_places::uuid[])"

# Inside a circle: first by an index of latitudes, then by the haversine of its angle, as Circle has it.
_NEAR = (
    "lat BETWEEN :f_south AND :f_north AND ({meridians}) AND "
    "sin(radians(lat - :f_lat) / 2) * sin(radians(lat - :f_lat) / 2) + cos(radians(:f_lat)) * cos(radians(lat)) * "
    "sin(radians(lng - :f_lng) / 2) * sin(radians(lng - :f_lng) / 2) <= :f_half_chord"
)
_OF_A_FILE_NEAR = "file_id IN (SELECT id FROM files WHERE user_id = :user_id AND {near})"
_MERIDIANS = "lng BETWEEN :f_west{number} AND :f_east{number}"


def conditions(filters: ItemFilters | PlaceFilters, holds_any: HoldsAny) -> tuple[str, dict[str, Any]]:
    """Give the condition and its values."""
    if isinstance(filters, PlaceFilters):
        return "true", {}
    values: dict[str, Any] = {}
    texts = _own_conditions(filters, values)
    texts += _place_conditions(filters, values)
    texts += [holds_any(forms, f"f_holding{group}", values) for group, forms in enumerate(filters.holding)]
    if filters.lacking:
        texts.append(f"NOT ({holds_any(filters.lacking, 'f_lacking', values)})")
    return " AND ".join(texts), values


def _own_conditions(filters: ItemFilters, values: dict[str, Any]) -> list[str]:
    if isinstance(filters, Filters):
        values["f_now"] = filters.now
        texts = [_NOT_EXPIRED]
        if filters.unheld or filters.as_of is None:
            texts.append(_UNHELD if filters.unheld else _LIVE)
        if filters.subject:
            texts.append("subject <> ''")  # says that the index of subjects may be used
        return texts + _bound(filters, _MEMORY_CONDITIONS, values)
    if isinstance(filters, MessageFilters):
        known = "status IN ('active', 'compacted', 'archived')"
        return [known, *_bound(filters, _MESSAGE_CONDITIONS, values)]
    return ["true", *_bound(filters, _CHUNK_CONDITIONS, values)]


def _bound(filters: ItemFilters, conditions_: dict[str, str], values: dict[str, Any]) -> list[str]:
    """Bind the filters that are set and give their conditions."""
    texts = []
    for name, text in conditions_.items():
        value = getattr(filters, name)
        if value is not None and value != ():
            texts.append(text)
            values[f"f_{name}"] = list(value) if isinstance(value, tuple) else value
    return texts


def is_local(filters: ItemFilters | PlaceFilters) -> bool:
    """Tell whether only what is inside a circle or at some places passes."""
    if isinstance(filters, PlaceFilters):
        return False
    return filters.near is not None or (not isinstance(filters, ChunkFilters) and bool(filters.places))


def _place_conditions(filters: ItemFilters, values: dict[str, Any]) -> list[str]:
    texts = [] if filters.near is None else [_near(filters.near, values)]
    if isinstance(filters, ChunkFilters):
        return [_OF_A_FILE_NEAR.replace("{near}", text) for text in texts]
    if filters.places:
        texts.append(_AT_PLACES)
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
