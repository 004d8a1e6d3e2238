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
from recollect.model.search import Hit, ScoreParts

T = TypeVar("T")

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


@cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


def _object(kind: type, document: Mapping[str, Any]) -> object:
    if kind is Hit:
        document = _whole_hit(document)
    fields = {name: _value(hint, document[name]) for name, hint in _hints(kind).items() if name in document}
    return kind(**fields)


def _whole_hit(document: Mapping[str, Any]) -> dict[str, Any]:
    """Complete a hit that the service shows without its item: what it does not tell has the defaults of a memory."""
    parts = document.get("score_parts") or {
        "channels": {},
        "relevance": document["score"],
        "factors": {},
        "place": document.get("place_share"),
        "rerank": document.get("reranked"),
    }
    kind = _RECORDS.get(document["source"], Message)
    record = document.get("item")
    item = _object(kind, record) if record else _partial_record(document)
    return {**document, "parts": _object(ScoreParts, parts), "record": item}


def _partial_record(hit: Mapping[str, Any]) -> MemoryRecord:
    return MemoryRecord(
        id=hit["id"],
        type=hit["type"],
        content=hit["content"],
        subject=hit.get("subject", ""),
        key=hit.get("key", ""),
        value=hit.get("value", ""),
        context=hit.get("context", ""),
        importance=0.7,
        confidence=hit.get("confidence", 1.0),
        source=hit.get("learned_from", ""),
        trust=hit["trust"],
        session="",
        occurred_at=_value(datetime | None, hit.get("occurred_at")),
        valid_from=_value(datetime, hit["created_at"]),
        valid_until=None,
        superseded_by=None,
        expires_at=None,
        lat=hit.get("lat"),
        lng=hit.get("lng"),
        address=hit.get("address", ""),
        place_label=hit.get("place_label", ""),
        metadata=hit.get("metadata", {}),
        created_at=_value(datetime, hit["created_at"]),
        updated_at=_value(datetime, hit["created_at"]),
    )


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
