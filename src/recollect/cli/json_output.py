"""Results for programs: every value as one JSON document. Times are ISO 8601 in UTC, with a Z.

A value of a command that looks better from outside than it is built has a method `document`.
"""

import codecs
import json
import sys
import unicodedata
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime
from typing import Any, TypeAlias

from recollect.errors import RecollectError

JsonValue: TypeAlias = "dict[str, JsonValue] | list[JsonValue] | str | int | float | bool | None"

_OF_A_MEMORY = ("subject", "key", "value", "context", "session", "confidence")
_OF_A_MESSAGE = ("conversation", "role", "speaker", "sequence", "status", "feedback")
_OF_A_CHUNK = ("path", "start_line", "end_line", "heading", "role", "root", "file_id")
_OF_A_HIT = ("learned_from", "participants", "channel", "author", "media", "corrected", "on_disk")
_OF_THE_STORE = ("mtime_ns", "ctime_ns", "inode", "recipe")

_ENCODING_ERRORS = "recollect.nearest"
_PLAIN_LETTERS = {
    "\N{MIDDLE DOT}": "-",
    "\N{MULTIPLICATION SIGN}": "x",
    "\N{HORIZONTAL ELLIPSIS}": "...",
    "\N{EN DASH}": "-",
    "\N{EM DASH}": "-",
    "\N{LEFT SINGLE QUOTATION MARK}": "'",
    "\N{RIGHT SINGLE QUOTATION MARK}": "'",
    "\N{LEFT DOUBLE QUOTATION MARK}": '"',
    "\N{RIGHT DOUBLE QUOTATION MARK}": '"',
    "\N{MATHEMATICAL LEFT DOUBLE ANGLE BRACKET}": "<<",
    "\N{MATHEMATICAL RIGHT DOUBLE ANGLE BRACKET}": ">>",
}


def print_document(value: object, *, indent: int | None = 2) -> None:
    """Write a value to standard output; escaped where the terminal's encoding would lose letters."""
    unicode = codecs.lookup(sys.stdout.encoding or "ascii").name == "utf-8"
    sys.stdout.write(json.dumps(document(value), indent=indent, ensure_ascii=not unicode) + "\n")


def document(value: object) -> JsonValue:
    """Give a value in the types of JSON."""
    match value:
        case None | str() | bool() | int() | float():
            return value
        case datetime():
            return value.astimezone(UTC).isoformat().replace("+00:00", "Z")
        case RecollectError():
            return error_document(value)
        case Mapping():
            return {str(name): document(part) for name, part in value.items()}
        case tuple() | list() if not hasattr(value, "_asdict"):
            return [document(part) for part in value]
        case _:
            form = getattr(value, "document", None)
            return document(form() if form else _model_document(value))


def error_document(error: RecollectError | None) -> dict[str, JsonValue]:
    """Give an error as programs read it."""
    return {"error": {"type": type(error).__name__, "message": str(error)}}


def fields_of(value: object, *without: str) -> dict[str, object]:
    """Give the fields of a dataclass or a named tuple by name."""
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return {name: part for name, part in value._asdict().items() if name not in without}
    if not is_dataclass(value):
        raise TypeError(f"{type(value).__name__} has no form in JSON")
    return {field.name: getattr(value, field.name) for field in fields(value) if field.name not in without}


def hit_document(hit: Any) -> dict[str, object]:  # noqa: ANN401 - a Hit; its module brings NumPy
    """Give a hit with what its record says beyond what all hits do."""
    from recollect.model.files import Chunk
    from recollect.model.memories import MemoryRecord

    more = _OF_A_CHUNK if isinstance(hit.record, Chunk) else _OF_A_MESSAGE
    names = _OF_A_MEMORY if isinstance(hit.record, MemoryRecord) else more
    known = {name: getattr(hit.record, name) for name in names}
    told = {name: getattr(hit, name) for name in _OF_A_HIT}
    return {**fields_of(hit, "record", "corrected"), **known, **{name: value for name, value in told.items() if value}}


def _model_document(value: object) -> dict[str, object]:  # noqa: PLR0911 - one form a type
    """Give the fields of a value of the model."""
    from recollect.model.files import FileRecord, FileText, FolderStatus
    from recollect.model.search import Forgotten, Hit, ScoreParts
    from recollect.model.stats import CacheFigures

    match value:
        case Hit():
            return hit_document(value)
        case ScoreParts():  # what a place or the reranker does to a score stands only where it does something
            return fields_of(value, *(name for name in ("place", "rerank") if getattr(value, name) is None))
        case Forgotten():
            return {"action": value.action, "id": value.id, **fields_of(value, "action")}
        case CacheFigures():
            return {**fields_of(value), "hit_rate": value.hit_rate}
        case FolderStatus():
            figures = {"files": value.files, "chunks": value.chunks, "drift": value.drift}
            return {**fields_of(value.folder), **figures}
        case FileRecord():  # how the store recognises the file is left out; of the original, only whether it is kept
            return {**fields_of(value, *_OF_THE_STORE), "original": bool(value.original), "cut": value.cut}
        case FileText():
            file = value.file
            named = {"id": file.id, "path": file.path, "place": f"{file.path}:{value.first}-{value.last}"}
            return {**named, "lines": file.lines, **fields_of(value, "file")}
        case _:
            return fields_of(value)


def tolerate_any_text() -> None:
    """Let letters that the terminal cannot show become the nearest ones that it can, instead of an error."""
    codecs.register_error(_ENCODING_ERRORS, _nearest)
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors=_ENCODING_ERRORS)


def _nearest(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    letters = error.object[error.start : error.end]
    return "".join(_plain(letter, error.encoding) for letter in letters), error.end


def _plain(letter: str, encoding: str) -> str:
    if letter in _PLAIN_LETTERS:
        return _PLAIN_LETTERS[letter]
    bare = "".join(part for part in unicodedata.normalize("NFKD", letter) if not unicodedata.combining(part))
    try:
        bare.encode(encoding)
    except UnicodeEncodeError:
        return "?"
    return bare or "?"
