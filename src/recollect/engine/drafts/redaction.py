"""What of a text may reach the disk: nothing that is marked private, and no secrets."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from operator import attrgetter
from typing import Any

from recollect.engine.base.context import Engine
from recollect.engine.drafts import memory_drafts
from recollect.errors import InvalidInput
from recollect.model.geo import CITY, DISTRICT, STREET, Grid
from recollect.model.memories import NewMemory
from recollect.model.places import PlacePrecision, check_coordinates
from recollect.text.private import without_private
from recollect.text.secrets import redact, redact_values

_TEXTS = ("content", "subject", "value", "context", "address", "place_label")
_others = attrgetter(*_TEXTS[1:], "metadata", "lat")
_NO_OTHERS = _others(NewMemory(""))
_DEEPEST = 100  # what lies deeper is refused when it is checked


def public(engine: Engine, memory: NewMemory) -> NewMemory:
    """Give a memory without what may not be kept; usually the very same one."""
    if _others(memory) == _NO_OTHERS and isinstance(memory.content, str):  # as in nearly all of a bulk load
        kept = public_text(engine, memory.content)
        return memory if kept is memory.content else replace(memory, content=kept)
    changed = _changed(engine, {name: getattr(memory, name) for name in (*_TEXTS, "key", "metadata")})
    changed |= public_place(engine, memory.lat, memory.lng)
    return replace(memory, **changed) if changed else memory


_GRIDS: Mapping[PlacePrecision, Grid] = {"street": STREET, "district": DISTRICT, "city": CITY}


def public_place(engine: Engine, lat: float | None, lng: float | None) -> dict[str, Any]:
    """Give where something is as exactly as may be kept. With the precision of a city its address is not kept either.

    What makes no sense is left as it is; the check that follows says so.
    """
    precision = engine.settings.places.precision
    if precision == "exact" or lat is None or lng is None:
        return {}
    try:
        check_coordinates(lat, lng)
    except InvalidInput:
        return {}
    coarse = _GRIDS[precision].rounded(lat, lng)
    return {**coarse._asdict(), **({"address": ""} if precision == "city" else {})}


def public_text(engine: Engine, text: str) -> str:
    """Give what of a text may be kept."""
    kept = without_private(text)
    while kept is not text and "<" in kept:  # what is cut out may have torn another mark apart
        text, kept = kept, without_private(kept)
    return redact(kept).text if engine.settings.redact_secrets else kept


def public_values(engine: Engine, values: Any) -> Any:  # noqa: ANN401 - JSON
    """Give what of some data may be kept."""
    kept = each_text(values, without_private)
    return redact_values(kept)[0] if engine.settings.redact_secrets else kept


def each_text(value: Any, change: Callable[[str], str], depth: int = 0) -> Any:  # noqa: ANN401 - JSON
    """Change every text in some data."""
    if isinstance(value, str):
        return change(value)
    if depth > _DEEPEST:
        return value
    if isinstance(value, Mapping):
        return {name: each_text(inner, change, depth + 1) for name, inner in value.items()}
    return [each_text(inner, change, depth + 1) for inner in value] if isinstance(value, list | tuple) else value


def _changed(engine: Engine, fields: dict[str, Any]) -> dict[str, Any]:
    changed: dict[str, Any] = {}
    for name in _TEXTS:
        text = fields.get(name)
        if text and isinstance(text, str):
            kept = public_text(engine, text)
            if kept is not text:
                changed[name] = kept
    key, value = fields.get("key"), changed.get("value", fields.get("value"))
    if engine.settings.redact_secrets and isinstance(key, str) and isinstance(value, str) and key and value:
        kept_value = redact_values({key: value})[0][key]
        if kept_value != value:
            changed["value"] = kept_value
    metadata = fields.get("metadata")
    if metadata:
        kept_metadata = public_values(engine, memory_drafts.checked_mapping("metadata", metadata))
        if kept_metadata != metadata:
            changed["metadata"] = kept_metadata
    return changed
