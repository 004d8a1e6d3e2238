"""The lines of an archive: rows, secrets and vectors, as they are written, read and checked.

The invariants: equal rows give equal bytes, whichever store they come from: keys are sorted, times are in UTC with
microseconds, and numbers in JSON are written as PostgreSQL would give them back. And a row says what the doors would
have taken, by the limits by which they check, so that no later read stumbles over it. A check raises ValueError, whose
text follows the name of the field: `type is 'evil'; it must be one of ...`.
"""

import base64
import binascii
import json
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache, partial
from typing import Any, Final, NamedTuple, NoReturn, TypeAlias, cast

import numpy as np

from recollect import ids
from recollect.engine.conversations.message_drafts import MAX_BLOCK_CHARACTERS, MAX_NAME, conversation_name
from recollect.engine.drafts.memory_drafts import LIMITS, METADATA_LIMIT, checked_mapping
from recollect.errors import InvalidDocument, InvalidInput
from recollect.model.literals import FILE_KINDS, MEMORY_TYPES, VECTOR_KINDS, VectorKind
from recollect.model.media import DIGEST, MOST_MEDIA, checked_media
from recollect.model.memories import Space, Vector
from recollect.model.places import LONGEST_LABEL
from recollect.storage.base.tables import (
    CHUNKS,
    CONVERSATIONS,
    DERIVATIONS,
    FILES,
    FOLDERS,
    MEMORIES,
    MESSAGES,
    NAMED_PLACES,
    SEARCH_LOG,
    SPENDING,
    TOMBSTONES,
    Column,
    Row,
    TransferTable,
)
from recollect.text.clean import MAX_CHARACTERS
from recollect.text.passages import MOST_PASSAGES

RowCheck: TypeAlias = Callable[[Any], object]

_SHOWN: Final = 60
_LARGEST_NUMBER: Final = 2**53 - 1  # of what a host numbers
_LARGEST_AMOUNT: Final = 2**43  # a million of them add up to what a database can count
_LARGEST_COUNT: Final = 2**31 - 1
_MOST_LINES: Final = 2**24
_LONGEST_ROOT, _LONGEST_PATH = 1_000, 1_300  # bytes that fit into one entry of an index together
_LONGEST_NOTE: Final = 1_000
_RULES: Final[Mapping[str, type]] = {"include": list, "exclude": list, "hidden": bool, "gitignore": bool}
_ValueCheck: TypeAlias = Callable[[Any], Any]

SPACES: Final = "spaces.jsonl"  # of archives of before: the manifest names the space
VECTORS: Final = "vectors.jsonl"
SECRETS: Final = "secrets.jsonl"
USER: Final = "user"
MEDIA: Final = "media"

_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)
_WHOLE: Final = 1e16  # from here on floats are written with an exponent, which jsonb writes out as a whole number
_ID: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_INTEGERS: Final = 2**63
_ESCAPES: Final = re.compile(rb"\\u(?:0000|[dD][89abAB])")
_UNSTORABLE: Final = re.compile("[\0\ud800-\udfff]")
_SECRET_NAME: Final = re.compile(r"[0-9a-f]{16}")
_UNIT: Final = (0.98, 1.02)  # the square of a length, as it was rounded


def _shown(value: object) -> str:
    return ascii(value if not isinstance(value, str) else value[:_SHOWN])[:_SHOWN]


def _one_of(choices: Sequence[str], value: str) -> None:
    if value not in choices:
        raise ValueError(f"is {_shown(value)}; it must be one of {', '.join(choices)}")


def _fits(pattern: re.Pattern[str], value: str) -> None:
    if not pattern.fullmatch(value):
        raise ValueError(f"is {_shown(value)}, which it cannot be")


def _text(most: int, value: str, *, least: int = 0) -> None:
    if not least <= len(value) <= most:
        raise ValueError(f"has {len(value):,} characters; it must have {least:,} to {most:,}")


def _bytes(most: int, value: str, *, least: int = 0) -> None:
    if not least <= len(value.encode()) <= most:
        raise ValueError(f"has {len(value.encode()):,} bytes; it must have {least:,} to {most:,}")


def _whole(most: int, value: int | None, *, least: int = 0) -> None:
    if value is not None and not least <= value <= most:
        raise ValueError(f"is {value}; it must be from {least} to {most}")


def _speaker(value: str) -> None:
    _text(MAX_NAME, value)
    if value != " ".join(value.split()):
        raise ValueError(f"is {_shown(value)}; a name stands on one line")


def _json(most: int, value: object) -> None:
    try:
        checked_mapping("data", {"": value} if value else {}, limit=most)
    except InvalidInput as error:
        raise ValueError(str(error).removeprefix("data ").rstrip(".")) from error


def _media(value: Sequence[object]) -> None:
    if len(value) > MOST_MEDIA:
        raise ValueError(f"has {len(value):,} entries; at most {MOST_MEDIA} are kept")


def _notes(value: Sequence[str]) -> None:
    for note in value:
        _text(_LONGEST_NOTE, note)
    _json(MAX_BLOCK_CHARACTERS, value)


def _rules(value: Mapping[str, Any]) -> None:
    """Check for rules that a sync can be begun with."""
    for name, rule in value.items():
        texts = type(rule) is list and all(type(pattern) is str for pattern in rule)
        if type(rule) is not _RULES.get(name) or (type(rule) is list and not texts):
            raise ValueError(f"has {_shown(name)}: {_shown(rule)}; rules are {', '.join(_RULES)}")
    _json(MAX_BLOCK_CHARACTERS, value)


def _trouble(value: Mapping[str, Any]) -> None:
    for amount in value.values():
        if type(amount) is not int:
            raise ValueError(f"counts {_shown(amount)}; it holds whole numbers")
        _whole(_LARGEST_COUNT, amount)
    _json(METADATA_LIMIT, value)


def _ids(value: str) -> None:
    for one in value.split(" ") if value else ():
        if ids.canonical(one) != one:
            raise ValueError(f"names {_shown(one)}, which is no id")


_name: Final = partial(_text, MAX_NAME)
_amount: Final = partial(_whole, _LARGEST_AMOUNT)
_count: Final = partial(_whole, _LARGEST_COUNT)
_number: Final = partial(_whole, _LARGEST_NUMBER)
_metadata: Final = partial(_json, 2 * METADATA_LIMIT)  # twice, because what is noted about it is added
_long_text: Final = partial(_text, MAX_BLOCK_CHARACTERS)
_long_json: Final = partial(_json, 2 * MAX_BLOCK_CHARACTERS)

_CHECKS: Final[Mapping[TransferTable, Mapping[str, RowCheck]]] = {
    MEMORIES: {
        **{name: partial(_text, LIMITS[name]) for name in ("subject", "key", "value", "context", "source")},
        "session_id": partial(_text, LIMITS["session"]),
        "type": partial(_one_of, MEMORY_TYPES),
        "content": partial(_text, MAX_CHARACTERS, least=1),
        "content_hash": partial(_fits, re.compile(r"[0-9a-f]{32}(?:[0-9a-f]{16})?")),
        "metadata": _metadata,
        "media": _media,
    },
    CONVERSATIONS: {"id": conversation_name, "last_sequence": partial(_whole, _LARGEST_NUMBER, least=-1),
                    "metadata": _metadata},
    MESSAGES: {
        **dict.fromkeys(("external_id", "tool_call_id", "model"), _name),
        **dict.fromkeys(("sequence", "input_tokens", "output_tokens", "thinking_tokens"), _number),
        "conversation_id": conversation_name,
        "speaker": _speaker,
        "content": _long_text,
        "blocks": _long_json,
        "tool_calls": _long_json,
        "tokens": _count,
        "metadata": _metadata,
        "media": _media,
    },
    FILES: {
        **dict.fromkeys(("recipe", "chunks"), _count),
        "root": partial(_bytes, _LONGEST_ROOT),
        "path": partial(_bytes, _LONGEST_PATH, least=1),
        "kind": partial(_one_of, FILE_KINDS),
        "mime": partial(_fits, re.compile(r"[a-z]+/[a-zA-Z0-9][a-zA-Z0-9.+-]{0,100}")),
        "size": _amount,
        "lines": partial(_whole, _MOST_LINES),
        "digest": partial(_fits, DIGEST),
        "original": partial(_fits, re.compile(f"(?:{DIGEST.pattern})?")),
        "notes": _notes,
        "metadata": _long_json,
    },
    CHUNKS: {
        **dict.fromkeys(("start_line", "end_line", "start_column"), _count),
        "content": _long_text,
        "heading": _long_text,
        "content_hash": partial(_text, MAX_NAME),
        "role": _name,
    },
    FOLDERS: {"root": partial(_bytes, _LONGEST_ROOT, least=1), "rules": _rules, "trouble": _trouble},
    NAMED_PLACES: {
        "folded": partial(_text, 2 * LONGEST_LABEL, least=1),
        "name": partial(_text, LONGEST_LABEL, least=1),
    },
    SPENDING: {
        **dict.fromkeys(("calls", "input_tokens", "output_tokens"), _amount),
        **dict.fromkeys(("purpose", "model"), _name),
        "day": partial(_fits, re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")),
    },
    SEARCH_LOG: {
        **dict.fromkeys(("verb", "degraded"), _name),
        "hits": _count,
        "took_ms": _amount,
        "query": _long_text,
        "user_agent": partial(_text, _LONGEST_NOTE),
        "found": _ids,
    },
    TOMBSTONES: {"fingerprint": partial(_fits, re.compile(r"[0-9a-f]{16}:[0-9a-f]{16,128}"))},
}  # fmt: skip


def _check_whole(table: TransferTable, values: Mapping[str, Any]) -> None:
    """Check what columns of a row say together. Raises ValueError, whose text names the fields."""
    if "lat" in values and (values["lat"] is None) != (values["lng"] is None):
        raise ValueError("has half of a pair of coordinates")
    if table is DERIVATIONS and values["made_id"] == values["source_id"]:
        raise ValueError("says that something was made from itself")
    if table is CHUNKS and not 1 <= values["start_line"] <= values["end_line"] <= _MOST_LINES:
        raise ValueError(f"has the lines {values['start_line']} to {values['end_line']}, which no file has")


class ArchivedVector(NamedTuple):
    """A vector, and of which item it is: of its whole text (part 0), or of a passage of it."""

    user: str
    kind: VectorKind
    id: str
    part: int
    vector: Vector


def member_of(table: TransferTable) -> str:
    """Name the file with the rows of a table."""
    return f"{table.name}.jsonl"


def with_value(row: Row, place: int, value: object) -> Row:
    """Give a row with another value in one place."""
    return (*row[:place], value, *row[place + 1 :])


def encode(values: Mapping[str, Any]) -> bytes:
    """Write one line."""
    return _ENCODER.encode(values).encode() + b"\n"


def encode_row(user_id: str, table: TransferTable, row: Row) -> bytes:
    """Write a row."""
    values: dict[str, Any] = {USER: user_id}
    for column, value in zip(table.columns, row, strict=True):
        if value is not None and column.kind == "time":
            values[column.name] = value.astimezone(UTC).isoformat(timespec="microseconds")
        elif column.kind == "json" and value:
            values[column.name] = _plain(value)
        else:
            values[column.name] = value
    return encode(values)


def _plain(value: Any) -> Any:  # noqa: ANN401 - JSON
    """Give JSON with numbers as jsonb keeps them."""
    if isinstance(value, dict):
        return {name: _plain(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    if isinstance(value, float):
        return int(value) if abs(value) >= _WHOLE else value + 0.0
    return value


def decode(line: bytes, where: str) -> dict[str, Any]:
    """Read one line. Raises InvalidDocument."""
    try:
        values = json.loads(line.decode(), parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise InvalidDocument(f"{where} is not JSON in UTF-8: {error}.") from error
    if not isinstance(values, dict):
        raise InvalidDocument(f"{where} is no JSON object.")
    if _ESCAPES.search(line):
        try:
            storable = not _UNSTORABLE.search(json.dumps(values, ensure_ascii=False).replace("\\u0000", "\0"))
        except RecursionError:
            storable = False
        if not storable:
            raise InvalidDocument(f"{where} holds a character that no store can keep.")
    return values


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number that can be kept")


def decode_row(line: bytes, table: TransferTable, where: str) -> tuple[str, Row]:
    """Read a row and whose it is, and check every value. Raises InvalidDocument."""
    values = decode(line, where)
    if MEDIA in table.names:
        values.setdefault(MEDIA, [])
    user = values.get(USER)
    if not isinstance(user, str) or not user:
        raise InvalidDocument(f"{where} names no user.")
    name, row = USER, []
    try:
        for name, read, check in _readers(table):
            value = read(values[name])
            if check is not None and value is not None:
                _insist(check, name, value, where)
            row.append(value)
    except KeyError as error:
        raise InvalidDocument(f"{where} lacks {name}.") from error
    except InvalidDocument:
        raise
    except (ValueError, TypeError, OverflowError) as error:
        raise InvalidDocument(f"{where}: {name} is {ascii(values[name])[:60]}, which it cannot be.") from error
    if len(values) != len(row) + 1:
        odd = sorted(values.keys() - {USER, *table.names})
        raise InvalidDocument(f"{where} has fields that this version does not know: {', '.join(odd)[:200]}.")
    try:
        _check_whole(table, dict(zip(table.names, row, strict=True)))
    except ValueError as error:
        raise InvalidDocument(f"{where} {error}.") from error
    return user, tuple(row)


def _insist(check: RowCheck, name: str, value: object, where: str) -> None:
    """Check a value that is of the right kind. Raises InvalidDocument, which says what is wrong with it."""
    try:
        check(value)
    except InvalidInput as error:
        raise InvalidDocument(f"{where}: {error}") from error
    except ValueError as error:
        raise InvalidDocument(f"{where}: {name} {error}.") from error


@cache
def _readers(table: TransferTable) -> tuple[tuple[str, _ValueCheck, RowCheck | None], ...]:
    """Give for each column a function that reads a value, or raises ValueError or TypeError, and what checks it."""
    checks = _CHECKS.get(table, {})
    return tuple((column.name, _reader(column), checks.get(column.name)) for column in table.columns)


def _reader(column: Column) -> _ValueCheck:
    if column.kind == "json":
        is_object = column.choices == ("object",)
        return partial(_read_such, lambda value: type(value) is dict) if is_object else partial(_read_list, column.name)
    read = _READERS[column.kind]
    if column.choices or column.bounds:
        read = partial(_read_bounded, column, read)
    return (lambda value: None if value is None else read(value)) if column.optional else read


def _read_bounded(column: Column, read: _ValueCheck, given: Any) -> Any:  # noqa: ANN401
    value = read(given)
    measure = len(value) if isinstance(value, str) else value
    if column.bounds and not column.bounds[0] <= measure <= column.bounds[1]:
        raise ValueError(column.name)
    if column.choices and str(value) not in column.choices:
        raise ValueError(column.name)
    return value


def _read_such(fits: Callable[[Any], object], value: Any) -> Any:  # noqa: ANN401
    if not fits(value):
        raise ValueError(value)
    return value


def _read_real(value: Any) -> float:  # noqa: ANN401
    if type(value) not in (int, float) or not -_INTEGERS <= value <= _INTEGERS:
        raise ValueError(value)
    return float(value)


def _read_time(value: Any) -> datetime:  # noqa: ANN401
    moment = datetime.fromisoformat(value)
    if moment.tzinfo is None:
        raise ValueError(value)
    return moment if moment.tzinfo is UTC else moment.astimezone(UTC)


def _read_list(name: str, value: Any) -> Any:  # noqa: ANN401
    kind = {"notes": str, "tool_calls": list}.get(name, dict)
    if type(value) is not list or not all(type(part) is kind for part in value):
        raise TypeError(value)
    if name == MEDIA:
        return [checked_media(media).stored() for media in value]
    if kind is list and any([*map(type, call)] != [str, str, str] for call in value):
        raise TypeError(value)
    return value


_READERS: Final[Mapping[str, _ValueCheck]] = {
    "text": partial(_read_such, lambda value: type(value) is str),
    "id": partial(_read_such, _ID.fullmatch),
    "int": partial(_read_such, lambda value: type(value) is int and -_INTEGERS <= value < _INTEGERS),
    "real": _read_real,
    "bool": partial(_read_such, lambda value: type(value) is bool),
    "time": _read_time,
    "local": lambda _: 0,  # what only the machine knows on which it was seen
}


def encode_secret(name: str, secret: bytes) -> bytes:
    """Write what tombstones are keyed with."""
    return encode({"name": name, "secret": secret.hex()})


def decode_secret(line: bytes, where: str) -> tuple[str, bytes]:
    """Read what tombstones are keyed with. Raises InvalidDocument."""
    values = decode(line, where)
    try:
        name, secret = values["name"], bytes.fromhex(values["secret"])
        if _SECRET_NAME.fullmatch(name):
            return name, secret
    except (KeyError, TypeError, ValueError):
        pass
    raise InvalidDocument(f"{where} is no secret.")


def encode_vector(user_id: str, kind: VectorKind, item_id: str, part: int, vector: Vector) -> bytes:
    """Write a vector."""
    packed = base64.b64encode(vector.astype("<f4").tobytes()).decode()
    return encode({USER: user_id, "kind": kind, "id": item_id, "part": part, "vector": packed})


def decode_vector(line: bytes, where: str, space: Space) -> ArchivedVector:
    """Read a vector. Raises InvalidDocument."""
    values = decode(line, where)
    user, kind, item_id, packed = (values.get(name) for name in (USER, "kind", "id", "vector"))
    part = values.get("part", 0)  # archives of the first version have none
    try:
        vector = np.frombuffer(base64.b64decode(cast("str", packed), validate=True), "<f4")
    except (binascii.Error, TypeError, ValueError) as error:
        raise InvalidDocument(f"{where} is no vector.") from error
    named = isinstance(user, str) and kind in VECTOR_KINDS and isinstance(item_id, str) and ids.canonical(item_id)
    numbered = type(part) is int and 0 <= part <= MOST_PASSAGES
    square = float(np.square(vector, dtype=np.float64).sum())  # NaN and infinity pass no comparison
    if not named or not numbered or len(vector) != space.dimensions or not _UNIT[0] < square < _UNIT[1]:
        raise InvalidDocument(f"{where} is no vector.")
    return ArchivedVector(cast("str", user), cast("VectorKind", kind), cast("str", item_id), part, vector)
