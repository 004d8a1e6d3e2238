"""Results for programs: every value as one JSON document. Times are ISO 8601 in UTC, with a Z."""

import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime
from typing import Any, TypeAlias

from recollect.cli.demo import Step
from recollect.cli.errand import Loss
from recollect.cli.streams import is_unicode
from recollect.cli.verbs import FullStatus, Searched, Stored, UserStats
from recollect.cli.verbs_access import KnownKey, LogEntry, MadeKey, RevokedKey, Verified
from recollect.cli.verbs_conversations import Chat, Compacted, Said, Shown
from recollect.cli.verbs_embedding import Moved
from recollect.cli.verbs_files import Filed, Offered
from recollect.cli.verbs_turns import Learned, Turn
from recollect.cli.watching import Unwatched
from recollect.errors import RecollectError
from recollect.model.files import Chunk, FileRecord, FileText, FolderStatus
from recollect.model.memories import Forgotten, Hit, MemoryRecord, ScoreParts
from recollect.model.stats import CacheFigures

Json: TypeAlias = "dict[str, Json] | list[Json] | str | int | float | bool | None"

_OF_A_MEMORY = ("subject", "key", "value", "context", "session")
_OF_A_MESSAGE = ("conversation", "role", "speaker", "sequence", "status", "feedback")
_OF_A_CHUNK = ("path", "start_line", "end_line", "heading", "role", "root", "file_id")
_OF_A_PLACE = ("lat", "lng", "address", "place_label")
_OF_A_DOCUMENT = ("id", "kind", "mime", "size", "lines", "chunks", "notes")
_OF_THE_STORE = ("mtime_ns", "recipe")


def print_document(value: object) -> None:
    """Write a value to standard output; escaped where the terminal's encoding would lose letters."""
    sys.stdout.write(json.dumps(document(value), indent=2, ensure_ascii=not is_unicode()) + "\n")


class Lines(Unwatched):
    """A program that reads along: what is announced is a JSON document on a line of its own."""

    def announce(self, sentence: str, value: object) -> None:  # noqa: ARG002 - programs get the value
        """Write it now."""
        sys.stdout.write(json.dumps(document(value), ensure_ascii=not is_unicode()) + "\n")
        sys.stdout.flush()


def document(value: object) -> Json:
    """Give a value in the types of JSON."""
    match value:
        case None | str() | bool() | int() | float():
            return value
        case datetime():
            return value.astimezone(UTC).isoformat().replace("+00:00", "Z")
        case RecollectError():
            return _failure(value)
        case Mapping():
            return {str(name): document(part) for name, part in value.items()}
        case tuple() | list() if not hasattr(value, "_asdict"):
            return [document(part) for part in value]
        case _:
            return _fields(value)


def _failure(error: RecollectError | None) -> dict[str, Json]:
    return {"error": {"type": type(error).__name__, "message": str(error)}}


def _fields(value: object) -> dict[str, Json]:
    """Give the fields of a value by their names; some values look better from outside than they are built."""
    form = _FORMS.get(type(value))
    return form(value) if form else _plain_fields(value)


def _hit(hit: Hit) -> dict[str, Json]:
    return {**_plain_fields(hit, "record"), **{name: getattr(hit.record, name) for name in _more(hit)}}


def _more(hit: Hit) -> tuple[str, ...]:
    """Give the names of what a hit's record says beyond what all hits do."""
    if isinstance(hit.record, MemoryRecord):
        return _OF_A_MEMORY
    return _OF_A_CHUNK if isinstance(hit.record, Chunk) else _OF_A_MESSAGE


def _parts(parts: ScoreParts) -> dict[str, Json]:
    """Give the parts of a score; what a place does to it only where it does something."""
    return _plain_fields(parts) if parts.place else _plain_fields(parts, "place")


def _stored(stored: Stored) -> dict[str, Json]:
    """Say what became of a memory; and where it is, if it is somewhere."""
    record = stored.record
    where = {"place": {name: document(getattr(record, name)) for name in _OF_A_PLACE}} if record else {}
    return {**_plain_fields(stored.remembered), **where}


def _searched(found: Searched) -> dict[str, Json]:
    """Give what was found; each hit with what was said around it, itself included, if that was asked for."""
    near = {"near": document(found.near)} if found.near else {}
    if found.around is None:
        return {**_plain_fields(found.answer), **near}
    hits = [{**_hit(hit), "surroundings": document(found.around.get(hit.id, ()))} for hit in found.answer.hits]
    return {**_plain_fields(found.answer, "hits"), "hits": document(hits), **near}


def _forgotten(receipt: Forgotten) -> dict[str, Json]:
    return {"action": receipt.action, "id": receipt.id, **_plain_fields(receipt, "action")}


def _loss(loss: Loss) -> dict[str, Json]:
    return {**_forgotten(loss.receipt), **_plain_fields(loss, "receipt", "whole")}


def _status(value: FullStatus) -> dict[str, Json]:
    rows: list[Json] = [{"name": row.name, "value": row.value, "source": row.source} for row in value.settings]
    since = document(value.status.waiting_since)
    kept = document(value.folders)
    return {
        "user": value.user,
        **_plain_fields(value.status),
        "waiting_since": since,
        "folders": kept,
        "settings": rows,
    }


def _cache(cache: CacheFigures) -> dict[str, Json]:
    return {**_plain_fields(cache), "hit_rate": cache.hit_rate}


def _moved(moved: Moved) -> dict[str, Json]:
    return {**_plain_fields(moved.change), "interrupted": moved.interrupted}


def _step(step: Step) -> dict[str, Json]:
    return {"chapter": step.chapter, "typed": step.typed, "result": document(step.result)}


def _said(said: Said) -> dict[str, Json]:
    appended, summary = said.appended, said.folded_into
    return {
        "action": appended.action,
        "id": appended.id,
        "tokens": appended.message.tokens if appended.message else 0,
        "message": document(appended.message),
        "compacted_into": summary.id if summary else None,
    }


def _chat(chat: Chat) -> dict[str, Json]:
    """`messages` are the messages themselves, so their number is called `total_messages`."""
    figures = _plain_fields(chat.info)
    named = {"id": figures.pop("id"), "total_messages": figures.pop("messages")}
    return {**named, **figures, **_plain_fields(chat, "info")}


def _unfolded(outer: str, inner: str) -> Callable[[Any], dict[str, Json]]:
    """Make a form for a value that is a name and something else: the name, and the fields of the other."""
    return lambda value: {outer: document(getattr(value, outer)), **_plain_fields(getattr(value, inner))}


def _learned(one: Learned) -> dict[str, Json]:
    return {**_plain_fields(one.remembered), "memory": document(one.memory)}


def _turn(turn: Turn) -> dict[str, Json]:
    return {**_plain_fields(turn.outcome), **_plain_fields(turn, "outcome")}


def _key(known: KnownKey) -> dict[str, Json]:
    figures = _plain_fields(known.key)
    named = {"id": figures.pop("id"), "name": figures.pop("name"), "user": figures.pop("user_id") or None}
    return {**named, **figures, "state": known.state}


def _log_entry(entry: LogEntry) -> dict[str, Json]:
    return {**_plain_fields(entry.line), "key_name": entry.name}


def _verified(found: Verified) -> dict[str, Json]:
    return {"intact": not found.problems, "problems": document(found.problems)}


def _folder(status: FolderStatus) -> dict[str, Json]:
    return {**_plain_fields(status.folder), "files": status.files, "chunks": status.chunks, "drift": status.drift}


def _offered(one: Offered) -> dict[str, Json]:
    """Say what became of a document. What it is called here is not said: it may have been added under another name."""
    if one.added is None:
        return {"path": one.path, "action": "failed", **_failure(one.error)}
    told = {name: document(getattr(one.added.file, name)) for name in _OF_A_DOCUMENT}
    return {"path": one.path, "action": one.added.action, **told, "degraded": document(one.added.degraded)}


def _file(file: FileRecord) -> dict[str, Json]:
    """Show a file; how the store knows it again is left out, and of the original only whether it is kept."""
    known = _plain_fields(file)
    return {name: part for name, part in known.items() if name not in _OF_THE_STORE} | {"original": bool(file.original)}


def _filed(filed: Filed) -> dict[str, Json]:
    return {**_plain_fields(filed.page), "folders": document(filed.folders)}


def _text(text: FileText) -> dict[str, Json]:
    file = text.file
    named: dict[str, Json] = {"id": file.id, "path": file.path, "place": f"{file.path}:{text.first}-{text.last}"}
    return {**named, "lines": file.lines, **_plain_fields(text, "file")}


def _plain_fields(value: object, *without: str) -> dict[str, Json]:
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return {name: document(part) for name, part in value._asdict().items()}
    if not is_dataclass(value):
        raise TypeError(f"{type(value).__name__} has no form in JSON")
    names = (field.name for field in fields(value) if field.name not in without)
    return {name: document(getattr(value, name)) for name in names}


_FORMS: Mapping[type, Callable[[Any], dict[str, Json]]] = {
    Hit: _hit,
    Searched: _searched,
    Forgotten: _forgotten,
    Loss: _loss,
    UserStats: _unfolded("user", "stats"),
    FullStatus: _status,
    CacheFigures: _cache,
    ScoreParts: _parts,
    Stored: _stored,
    Moved: _moved,
    Step: _step,
    Said: _said,
    Chat: _chat,
    Shown: _unfolded("conversation", "window"),
    Compacted: _unfolded("conversation", "compaction"),
    Learned: _learned,
    Turn: _turn,
    KnownKey: _key,
    MadeKey: lambda made: {**_key(made.known), "secret": made.secret},
    RevokedKey: lambda revoked: _key(revoked.known),
    LogEntry: _log_entry,
    Verified: _verified,
    FolderStatus: _folder,
    Offered: _offered,
    FileRecord: _file,
    Filed: _filed,
    FileText: _text,
}
