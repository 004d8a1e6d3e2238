"""The lines of an archive: rows, secrets and vectors, as they are written and read.

The invariant: equal rows give equal bytes, whichever store they come from. Keys are sorted, times are in UTC with
microseconds, and numbers in JSON are written as PostgreSQL would give them back.
"""

import base64
import binascii
import json
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import cache, partial
from typing import Any, Final, NamedTuple, NoReturn, TypeAlias, cast

import numpy as np

from recollect import ids
from recollect.engine.carry.row_checks import RowCheck, check_of, check_whole
from recollect.errors import InvalidDocument, InvalidInput
from recollect.model.literals import VECTOR_KINDS, VectorKind
from recollect.model.media import checked_media
from recollect.model.memories import Space, Vector
from recollect.storage.base.tables import Column, Row, TransferTable
from recollect.text.passages import MOST_PASSAGES

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
    if _ESCAPES.search(line) and _is_unstorable(values):
        raise InvalidDocument(f"{where} holds a character that no store can keep.")
    return values


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number that can be kept")


def _is_unstorable(values: dict[str, Any]) -> bool:
    try:
        return bool(_UNSTORABLE.search(json.dumps(values, ensure_ascii=False).replace("\\u0000", "\0")))
    except RecursionError:
        return True


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
        check_whole(table, dict(zip(table.names, row, strict=True)))
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
    return tuple((column.name, _reader(column), check_of(table, column.name)) for column in table.columns)


def _reader(column: Column) -> _ValueCheck:
    if column.kind == "json":
        return _read_object if column.choices == ("object",) else partial(_read_list, column.name)
    read = _READERS[column.kind]
    if column.choices or column.bounds:
        read = partial(_read_bounded, column, read)
    return partial(_read_optional, read) if column.optional else read


def _read_optional(read: _ValueCheck, value: Any) -> Any:  # noqa: ANN401 - as the column is
    return None if value is None else read(value)


def _read_bounded(column: Column, read: _ValueCheck, given: Any) -> Any:  # noqa: ANN401
    value = read(given)
    measure = len(value) if isinstance(value, str) else value
    if column.bounds and not column.bounds[0] <= measure <= column.bounds[1]:
        raise ValueError(column.name)
    if column.choices and str(value) not in column.choices:
        raise ValueError(column.name)
    return value


def _read_text(value: Any) -> str:  # noqa: ANN401
    if type(value) is not str:
        raise TypeError(value)
    return value


def _read_id(value: Any) -> str:  # noqa: ANN401
    if not _ID.fullmatch(value):
        raise ValueError(value)
    return cast("str", value)


def _read_integer(value: Any) -> int:  # noqa: ANN401
    if type(value) is not int or not -_INTEGERS <= value < _INTEGERS:
        raise ValueError(value)
    return value


def _read_real(value: Any) -> float:  # noqa: ANN401
    if type(value) not in (int, float) or not -_INTEGERS <= value <= _INTEGERS:
        raise ValueError(value)
    return float(value)


def _read_truth(value: Any) -> bool:  # noqa: ANN401
    if type(value) is not bool:
        raise TypeError(value)
    return value


def _read_time(value: Any) -> datetime:  # noqa: ANN401
    moment = datetime.fromisoformat(value)
    if moment.tzinfo is None:
        raise ValueError(value)
    return moment if moment.tzinfo is UTC else moment.astimezone(UTC)


def _read_object(value: Any) -> Any:  # noqa: ANN401
    if type(value) is not dict:
        raise TypeError(value)
    return value


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
    "text": _read_text,
    "id": _read_id,
    "int": _read_integer,
    "real": _read_real,
    "bool": _read_truth,
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
