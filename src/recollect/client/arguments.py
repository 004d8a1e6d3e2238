"""Arguments of the verbs as the service takes them."""

from collections.abc import Collection, Mapping
from dataclasses import asdict, is_dataclass
from typing import Any

from recollect.errors import InvalidInput, InvalidMemory
from recollect.model.memories import NewMemory, VectorLike
from recollect.model.messages import NewMessage
from recollect.model.places import LocationLike, with_location


def refuse_vector(vector: VectorLike | None) -> None:
    """Refuse a vector, which the service makes by itself. Raises InvalidInput."""
    if vector is not None:
        raise InvalidInput("A vector cannot be sent to a service, which makes its own. Leave `vector` out.")


def memory_body(memory: str | NewMemory | Mapping[str, Any]) -> dict[str, Any]:
    """Give the body of a memory: what differs from the defaults."""
    if isinstance(memory, str):
        return {"content": memory}
    fields: Mapping[str, Any] = _fields(memory) if isinstance(memory, NewMemory) else with_location(memory)
    refuse_vector(fields.get("vector"))
    defaults = _fields(NewMemory(""))
    check_names(fields, defaults)
    return {
        name: value
        for name, value in fields.items()
        if name == "content" or name not in defaults or value != defaults[name]
    }


def check_names(fields: Mapping[str, Any], known: Collection[str]) -> None:
    """Refuse fields that no memory has. Raises InvalidMemory."""
    if unknown := sorted(fields.keys() - set(known)):
        raise InvalidMemory(f"A memory has no {', '.join(unknown)}. Its fields are: {', '.join(known)}, location.")


def message_body(message: NewMessage | Mapping[str, Any]) -> dict[str, Any]:
    """Give the body of a message."""
    if not isinstance(message, NewMessage):
        return dict(message)
    fields = {name: value for name, value in _fields(message).items() if value not in (None, "", (), {})}
    if message.tool_calls:
        fields["tool_calls"] = [asdict(call) if is_dataclass(call) else call for call in message.tool_calls]
    return fields


def _fields(value: NewMemory | NewMessage) -> dict[str, Any]:
    return {name: getattr(value, name) for name in value.__slots__}


def place_fields(location: LocationLike | None) -> dict[str, Any]:
    """Give a location as it is stored: coordinates, address and label."""
    return with_location({"location": location})
