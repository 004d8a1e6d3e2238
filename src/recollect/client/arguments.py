"""Arguments of the verbs as the service takes them."""

from collections.abc import Mapping
from dataclasses import asdict, is_dataclass
from typing import Any

from recollect.errors import InvalidInput
from recollect.model.memories import NewMemory, VectorLike
from recollect.model.messages import NewMessage
from recollect.model.places import Location, LocationLike


def refuse_vector(vector: VectorLike | None) -> None:
    """Refuse a vector, which the service makes by itself. Raises InvalidInput."""
    if vector is not None:
        raise InvalidInput("A vector cannot be sent to a service, which makes its own. Leave `vector` out.")


def memory_body(memory: str | NewMemory | Mapping[str, Any]) -> dict[str, Any]:
    """Give the body of a memory: what differs from the defaults."""
    if isinstance(memory, str):
        return {"content": memory}
    fields: Mapping[str, Any] = _fields(memory) if isinstance(memory, NewMemory) else memory
    refuse_vector(fields.get("vector"))
    defaults = _fields(NewMemory(""))
    return {
        name: value
        for name, value in fields.items()
        if name == "content" or name not in defaults or value != defaults[name]
    }


def message_body(message: NewMessage | Mapping[str, Any]) -> dict[str, Any]:
    """Give the body of a message."""
    if not isinstance(message, NewMessage):
        return dict(message)
    fields = {name: value for name, value in _fields(message).items() if value not in (None, "", (), {})}
    if message.tool_calls:
        fields["tool_calls"] = [_tool_call(call) for call in message.tool_calls]
    return fields


def _tool_call(call: object) -> object:
    return asdict(call) if is_dataclass(call) and not isinstance(call, type) else call


def _fields(value: NewMemory | NewMessage) -> dict[str, Any]:
    return {name: getattr(value, name) for name in value.__slots__}


def location_fields(location: LocationLike | None) -> dict[str, Any]:
    """Give a location as the searches take it: coordinates, or the name of a place."""
    if location is None:
        return {}
    if isinstance(location, str):
        return {"at": location}
    if isinstance(location, Location):
        if location.lat is None and location.place_label and not location.address:
            return {"at": location.place_label}
        if location.lat is None:
            raise InvalidInput("An address alone is no location for a service. Give lat and lng, or a place_label.")
        return {"lat": location.lat, "lng": location.lng}
    return _pair(location)


def place_fields(location: LocationLike | None) -> dict[str, Any]:
    """Give a location as it is stored: coordinates, address and label."""
    if location is None:
        return {}
    if isinstance(location, str):
        return {"place_label": location}
    if isinstance(location, Location):
        return {name: value for name, value in asdict(location).items() if value not in (None, "")}
    return _pair(location)


def _pair(location: Any) -> dict[str, Any]:  # noqa: ANN401 - a caller without types may pass anything
    try:
        lat, lng = location
    except (TypeError, ValueError) as error:
        raise InvalidInput(
            f"The location is {location!r}; it must be a pair of lat and lng, a name, or a Location."
        ) from error
    return {"lat": lat, "lng": lng}
