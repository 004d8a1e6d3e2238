"""What an operation asks for: namespaces by their labels, values by filters, as in LangGraph's own stores."""

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from langgraph.store.base import MatchCondition

from recollect.errors import InvalidInput
from recollect_connect.integrations.langgraph.items import Namespace

WILDCARD: Final = "*"
_FILTER_KEY = re.compile(r"[\w.\- ]+")
_MISSING: Final = object()

_OPERATORS: Mapping[str, Callable[[Any, Any], bool]] = {
    "$eq": lambda value, wanted: bool(value == wanted),
    "$ne": lambda value, wanted: bool(value != wanted),
    "$gt": lambda value, wanted: _number(value) > _number(wanted),
    "$gte": lambda value, wanted: _number(value) >= _number(wanted),
    "$lt": lambda value, wanted: _number(value) < _number(wanted),
    "$lte": lambda value, wanted: _number(value) <= _number(wanted),
}


def is_under(namespace: Namespace, prefix: Namespace) -> bool:
    """Tell whether a namespace begins with these labels."""
    return namespace[: len(prefix)] == prefix


def matches(namespace: Namespace, condition: MatchCondition) -> bool:
    """Tell whether a namespace begins or ends with the labels of a condition; `*` is any label."""
    path = tuple(condition.path)
    if condition.match_type not in ("prefix", "suffix"):
        raise InvalidInput(f"Unknown match type {condition.match_type!r}. Known: prefix, suffix.")
    if len(namespace) < len(path):
        return False
    labels = namespace[: len(path)] if condition.match_type == "prefix" else namespace[len(namespace) - len(path) :]
    return all(wanted in (WILDCARD, label) for label, wanted in zip(labels, path, strict=True))


def check_filter(wanted: Mapping[str, Any] | None) -> None:
    """Raise InvalidInput for names and operators that no value can have."""
    for name, condition in (wanted or {}).items():
        if not _FILTER_KEY.fullmatch(name):
            raise InvalidInput(f"Invalid filter key {name!r}: letters, digits, spaces, '_', '-' and '.' are possible.")
        for operator in condition if isinstance(condition, Mapping) else ():
            if operator.startswith("$") and operator not in _OPERATORS:
                raise InvalidInput(f"Unsupported operator {operator!r}. Known: {', '.join(_OPERATORS)}.")


def passes(value: Mapping[str, Any], wanted: Mapping[str, Any] | None) -> bool:
    """Tell whether a value has all that a filter asks for; a dot in a name leads into a nested value."""
    return all(_holds(_at(value, name), condition) for name, condition in (wanted or {}).items())


def _at(value: Mapping[str, Any], name: str) -> object:
    if name in value:
        return value[name]
    inner: object = value
    for part in name.split("."):
        inner = inner.get(part, _MISSING) if isinstance(inner, Mapping) else _MISSING
    return None if inner is _MISSING else inner


def _holds(value: object, wanted: object) -> bool:
    if isinstance(wanted, Mapping):
        if any(name.startswith("$") for name in wanted):
            return all(_OPERATORS[name](value, operand) for name, operand in wanted.items())
        return isinstance(value, Mapping) and all(_holds(value.get(name), inner) for name, inner in wanted.items())
    if isinstance(wanted, list | tuple):
        same_length = isinstance(value, list | tuple) and len(value) == len(wanted)
        return same_length and all(_holds(*pair) for pair in zip(value, wanted, strict=True))  # type: ignore[call-overload]
    return bool(value == wanted)


def _number(value: object) -> float:
    """Give a number to compare; what is none compares as false."""
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return float("nan")
    except OverflowError:
        return float("inf") if isinstance(value, int) and value > 0 else float("-inf")
