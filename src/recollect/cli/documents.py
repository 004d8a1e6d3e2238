"""Results for programs: every value as one JSON document. Times are ISO 8601 in UTC, with a Z."""

import json
import sys
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime
from typing import TypeAlias

from recollect.cli.demo import Step
from recollect.cli.streams import is_unicode
from recollect.cli.verbs import FullStatus, UserStats
from recollect.errors import RecollectError
from recollect.types import Forgotten, Hit, MemoryRecord

Json: TypeAlias = "dict[str, Json] | list[Json] | str | int | float | bool | None"

_ABOUT = ("subject", "key", "value", "context")


def print_document(value: object) -> None:
    """Write a value to standard output; escaped where the terminal's encoding would lose letters."""
    sys.stdout.write(json.dumps(document(value), indent=2, ensure_ascii=not is_unicode()) + "\n")


def document(value: object) -> Json:
    """Give a value in the types of JSON."""
    match value:
        case None | str() | bool() | int() | float():
            return value
        case datetime():
            return value.astimezone(UTC).isoformat().replace("+00:00", "Z")
        case RecollectError():
            return {"error": {"type": type(value).__name__, "message": str(value)}}
        case Mapping():
            return {str(name): document(part) for name, part in value.items()}
        case tuple() | list() if not isinstance(value, MemoryRecord):
            return [document(part) for part in value]
        case _:
            return _fields(value)


def _fields(value: object) -> dict[str, Json]:
    """Give the fields of a value by their names; some values look better from outside than they are built."""
    match value:
        case Hit():
            return {**_plain_fields(value, "record"), **{name: getattr(value.record, name) for name in _ABOUT}}
        case Forgotten():
            return {"action": value.action, "id": value.id, **_plain_fields(value, "action")}
        case UserStats():
            return {"user": value.user, **_plain_fields(value.stats)}
        case FullStatus():
            rows: list[Json] = [{"name": row.name, "value": row.value, "source": row.source} for row in value.settings]
            return {"user": value.user, **_plain_fields(value.status), "settings": rows}
        case Step():
            return {"chapter": value.chapter, "typed": value.typed, "result": document(value.result)}
    return _plain_fields(value)


def _plain_fields(value: object, without: str = "") -> dict[str, Json]:
    if isinstance(value, MemoryRecord):
        return {name: document(part) for name, part in value._asdict().items()}
    if not is_dataclass(value):
        raise TypeError(f"{type(value).__name__} has no form in JSON")
    names = (field.name for field in fields(value) if field.name != without)
    return {name: document(getattr(value, name)) for name in names}
