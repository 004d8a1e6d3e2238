"""Checks the arguments of a call against the schema of its tool.

An error names the argument, what was found and what is expected, so that a model can mend its call. An optional
argument that is null counts as absent: some hosts fill in every name they know.
"""

from collections.abc import Mapping
from datetime import UTC, datetime, tzinfo
from typing import Any, TypeAlias

from recollect.errors import InvalidInput
from recollect.model.literals import TYPE_ALIASES

ToolSchema: TypeAlias = Mapping[str, Any]

_SHOWN = 60
_HUGE = 10**18
_OTHER_NAMES = {"location_radius_km": "radius_km"}  # as other tools for memory call them


def read_arguments(owner: str, schema: ToolSchema, arguments: Mapping[str, Any], zone: tzinfo = UTC) -> dict[str, Any]:
    """Give the arguments with the defaults filled in; a time without an offset is in the zone. Raises InvalidInput."""
    properties: Mapping[str, ToolSchema] = schema["properties"]
    arguments = {_known_name(name, properties, arguments): value for name, value in arguments.items()}
    unknown = [name for name in arguments if name not in properties]
    if unknown:
        listed = ", ".join(_shown(name) for name in unknown[:5])
        raise InvalidInput(f"{owner} takes no {listed}. It takes: {', '.join(properties)}.")
    present = {name: value for name, value in arguments.items() if value is not None}
    missing = [name for name in schema.get("required", ()) if name not in present]
    if missing:
        raise InvalidInput(f"{owner} needs {' and '.join(missing)}. {properties[missing[0]]['description']}")
    checked_values = {name: _checked(name, properties[name], value, zone) for name, value in present.items()}
    defaults = {name: field["default"] for name, field in properties.items() if "default" in field}
    return {**defaults, **checked_values}


def _known_name(name: str, properties: Mapping[str, ToolSchema], arguments: Mapping[str, Any]) -> str:
    """Give the name of an argument in the schema, unless the caller uses both names."""
    known = _OTHER_NAMES.get(name, name)
    return known if known in properties and known not in arguments else name


def _checked(name: str, schema: ToolSchema, value: object, zone: tzinfo) -> Any:  # noqa: ANN401 - as the schema says
    match schema["type"]:
        case "string":
            return _moment(name, value, zone) if "format" in schema else _text(name, schema, value)
        case "object":
            if not isinstance(value, Mapping):
                raise _unfit(name, value, f"an object with {', '.join(schema['properties'])}")
            return read_arguments(name, schema, value, zone)
        case "array":
            if not isinstance(value, list) or len(value) > schema["maxItems"]:
                raise _unfit(name, value, f"a list of at most {schema['maxItems']} texts")
            return [_checked(name, schema["items"], item, zone) for item in value]
        case "boolean":
            if not isinstance(value, bool):
                raise _unfit(name, value, "true or false")
            return value
        case kind:
            return _number(name, schema, value, whole=kind == "integer")


def _text(name: str, schema: ToolSchema, value: object) -> str:
    if "enum" in schema:
        known = TYPE_ALIASES.get(value, value) if isinstance(value, str) else value
        if known not in schema["enum"]:
            raise _unfit(name, value, f"one of {', '.join(schema['enum'])}")
        return str(known)
    if not isinstance(value, str):
        raise _unfit(name, value, "a text")
    longest: int = schema["maxLength"]
    if len(value) > longest:
        raise InvalidInput(f"{name} has {len(value):,} characters; it may have at most {longest:,}.")
    if len(value.strip()) < schema.get("minLength", 0):
        raise InvalidInput(f"{name} is empty. {schema['description']}")
    return value


def _moment(name: str, value: object, zone: tzinfo) -> datetime:
    try:
        moment = datetime.fromisoformat(value.strip()) if isinstance(value, str) else None
        if moment is not None:
            return moment if moment.tzinfo else moment.replace(tzinfo=zone)
    except (ValueError, OverflowError, OSError):
        pass
    raise _unfit(name, value, "a date or time such as 2026-12-03 or 2026-12-03T12:00:00+01:00")


def _number(name: str, schema: ToolSchema, value: object, *, whole: bool) -> float:
    lowest, highest = schema["minimum"], schema["maximum"]
    expected = f"a {'whole number' if whole else 'number'} from {lowest} to {highest}"
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not lowest <= value <= highest:
        raise _unfit(name, value, expected)
    if not whole:
        return float(value)
    if value != int(value):
        raise _unfit(name, value, expected)
    return int(value)


def _unfit(name: str, found: object, expected: str) -> InvalidInput:
    return InvalidInput(f"{name} is {_shown(found)}; it must be {expected}.")


def _shown(value: object) -> str:
    """Show a value that was passed, which may be of any size."""
    match value:
        case str():
            return repr(value) if len(value) <= _SHOWN else f"{value[:_SHOWN]!r}…"
        case bool() | float():
            return repr(value)
        case int():
            return repr(value) if abs(value) < _HUGE else "a huge number"
        case Mapping():
            return "an object"
        case _:
            return "a list"
