"""Items of LangGraph as memories: one item is one memory, under an address made of its namespace and key.

The value is kept in the memory's metadata, as it was given. The content is what people read and searches find: the
texts of the indexed fields. An address is a UUID of namespace and key: both may be longer than a field, and hold any
character. What an operation asks for, namespaces by their labels and values by filters, is as in its own stores.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple
from uuid import NAMESPACE_URL, uuid5

from langgraph.store.base import MatchCondition, PutOp, SearchItem, get_text_at_path

from recollect.errors import InvalidInput
from recollect.model.memories import MemoryRecord, NewMemory

SOURCE: Final = "langgraph"
LONGEST_VALUE: Final = 60_000  # characters of JSON; the metadata of a memory hold some more
_LONGEST_SESSION = 128
_LONGEST_CONTENT = 100_000
_WHOLE_VALUE = "$"

Namespace = tuple[str, ...]

WILDCARD: Final = "*"
_FILTER_KEY = re.compile(r"[\w.\- ]+")
_MISSING: Final = object()


class StoredItem(NamedTuple):
    """An item as a memory holds it. `vectors` are those of the program's own embeddings, one a text."""

    record: MemoryRecord
    namespace: Namespace
    key: str
    value: dict[str, Any]
    ttl_minutes: float | None
    is_indexed: bool
    vectors: Sequence[Sequence[int]]

    def shown(self, score: float | None = None) -> SearchItem:
        """Give the item as LangGraph knows it."""
        record = self.record
        return SearchItem(self.namespace, self.key, self.value, record.created_at, record.updated_at, score)


def address(namespace: Namespace, key: str) -> str:
    """Give the context of the memory that an item is: no two items have the same."""
    return f"{SOURCE}:{uuid5(NAMESPACE_URL, json.dumps([*namespace, key]))}"


def session_of(label: str) -> str:
    """Give the session of all memories whose namespace begins with a label."""
    named = f"{SOURCE}:{label}"
    is_plain = label.isascii() and label.isprintable() and label == label.strip() and len(named) <= _LONGEST_SESSION
    return named if is_plain else f"{SOURCE}:{uuid5(NAMESPACE_URL, json.dumps([label]))}"


def stored_item(record: MemoryRecord) -> StoredItem | None:
    """Read the item that a memory is; None for other memories."""
    noted = record.metadata.get(SOURCE)
    if not record.context.startswith(f"{SOURCE}:") or not isinstance(noted, Mapping):
        return None
    return StoredItem(
        record,
        tuple(noted["namespace"]),
        noted["key"],
        dict(noted["value"]),
        noted.get("ttl_minutes"),
        noted.get("is_indexed", True),
        noted.get("vectors", ()),
    )


def indexed_texts(op: PutOp, fields: Sequence[str]) -> list[str]:
    """Give the texts of an item that are searched, one for each field that it has."""
    if op.value is None or op.index is False:
        return []
    paths = fields if op.index is None else op.index
    return [text for path in paths for text in get_text_at_path(op.value, path) if text]


def new_memory(op: PutOp, fields: Sequence[str], vectors: Sequence[Sequence[int]], now: datetime) -> NewMemory:
    """Give the memory that an item becomes. Raises InvalidInput for a value that cannot be stored."""
    value = checked_value(op)
    noted: dict[str, Any] = {"namespace": list(op.namespace), "key": op.key, "value": value}
    noted |= {} if op.ttl is None else {"ttl_minutes": op.ttl}
    noted |= {"is_indexed": False} if op.index is False else {}
    noted |= {"vectors": vectors} if vectors else {}
    return NewMemory(
        _content(op, fields),
        context=address(op.namespace, op.key),
        session=session_of(op.namespace[0] if op.namespace else ""),
        source=SOURCE,
        expires_at=None if op.ttl is None else now + timedelta(minutes=op.ttl),
        metadata={SOURCE: noted},
    )


def checked_value(op: PutOp) -> dict[str, Any]:
    """Give the value of an item as it will come back. Raises InvalidInput for one that cannot be kept."""
    if op.value is None:
        return {}
    name = f"The value of {op.key!r} in {op.namespace!r}"
    try:
        text = json.dumps(op.value, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInput(f"{name} cannot be written as JSON: {error}. Pass a dict of plain values.") from error
    if len(text) > LONGEST_VALUE:
        raise InvalidInput(
            f"{name} is {len(text):,} characters long as JSON; at most {LONGEST_VALUE:,} are kept. "
            "Store it as a file, or in several items."
        )
    value = json.loads(text)
    if not isinstance(value, dict):
        raise InvalidInput(f"{name} is a {type(op.value).__name__}; it must be a dict.")
    return value


def _content(op: PutOp, fields: Sequence[str]) -> str:
    """Give the text to search: of the whole value a line for each entry, of single fields what they say."""
    paths = fields if op.index is None else op.index or ()
    if op.value is None or op.index is False:
        texts: Iterable[str] = ()
    elif _WHOLE_VALUE in paths:
        leaves = list(_leaves(op.value, ""))
        texts = [leaves[0][1]] if len(leaves) == 1 else [f"{name}: {text}" for name, text in leaves]
    else:
        texts = indexed_texts(op, fields)
    content = "\n".join(texts)[:_LONGEST_CONTENT].strip()
    return content or f"{'.'.join(op.namespace)} {op.key}"


def _leaves(value: object, name: str) -> Iterator[tuple[str, str]]:
    """Give the plain values in some data, each with its name, but for empty ones."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _leaves(inner, f"{name}.{key}" if name else str(key))
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _leaves(inner, name)
    elif value is not None and str(value).strip():
        yield name, str(value)


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
