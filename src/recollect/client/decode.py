"""JSON into the frozen values of the model, by their annotations. Unknown members are left out."""

from collections.abc import Mapping, Sequence
from dataclasses import is_dataclass
from datetime import datetime
from functools import cache
from types import UnionType
from typing import Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from recollect.errors import VersionMismatch
from recollect.model.files import Chunk
from recollect.model.memories import MemoryRecord
from recollect.model.messages import Message
from recollect.model.search import Hit

T = TypeVar("T")

hints_of = cache(get_type_hints)

_RECORDS: dict[str, type] = {"memory": MemoryRecord, "file": Chunk}


def decode(kind: type[T], document: object, **missing: object) -> T:
    """Make a value of a class from a JSON object; `missing` are fields that the service does not tell.

    Raises VersionMismatch for an answer that cannot be such a value.
    """
    try:
        return cast("T", _object(kind, {**missing, **cast("Mapping[str, Any]", document)}))
    except (KeyError, TypeError, ValueError) as error:
        raise VersionMismatch(
            f"The service gave a {kind.__name__} that this client cannot read ({error!r}). Install the same version of "
            "Recollect on both sides."
        ) from error


def decode_all(kind: type[T], documents: object) -> tuple[T, ...]:
    """Make values of a class from a JSON array."""
    return tuple(decode(kind, document) for document in cast("Sequence[object]", documents))


def _object(kind: type, document: Mapping[str, Any]) -> object:
    if kind is Hit:
        document = _hit(document)
    fields = {name: _value(hint, document[name]) for name, hint in hints_of(kind).items() if name in document}
    return kind(**fields)


def _hit(document: Mapping[str, Any]) -> dict[str, Any]:
    """Give a hit, which the service shows whole, the names of its fields."""
    kind = _RECORDS.get(document["source"], Message)
    return {**document, "parts": document["score_parts"], "record": _object(kind, document["item"])}


def _value(hint: Any, value: Any) -> Any:  # noqa: ANN401 - any annotation, and what it stands for
    origin, inner = get_origin(hint), get_args(hint)
    if value is None:
        return None
    if origin is Union or origin is UnionType:
        kinds = [part for part in inner if part is not type(None)]
        return value if len(kinds) > 1 else _value(kinds[0], value)
    if origin is tuple:
        return tuple(_value(inner[0], item) for item in value)
    if origin is Mapping or origin is dict:
        return {name: _value(inner[1], item) for name, item in value.items()}
    return _plain_value(hint, value)


def _plain_value(hint: Any, value: Any) -> Any:  # noqa: ANN401 - any annotation, and what it stands for
    if hint is datetime and isinstance(value, str):
        return datetime.fromisoformat(value)
    if isinstance(value, Mapping) and (is_dataclass(hint) or hasattr(hint, "_fields")):
        return _object(cast("type", hint), value)
    return value
